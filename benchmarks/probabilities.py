"""Check on whole dev sets that probabilities of trees are consistent with those of arcs and with each other.

    python benchmarks/probabilities.py

For every sentence: `tree_prob` is at most the probability of the least sure arc, both as printed and before rounding,
with the model's own decoder; and the probabilities of the five best trees, which another decoder lists, sum to 1 at
most (plus 1e-6). English is parsed by ``en``, the others by a `fast` model of one pass over a few sentences: poorly,
which makes no difference here. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import headway
from headway import Parser, Sentence, TrainingOptions, read_sentences

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))
CASES = {"UD_English-EWT": "model1", "UD_Turkish-IMST": "eisner", "UD_Latin-UDante": "spanning-tree"}
"""Treebanks, and what lists the best trees of their sentences."""

SLACK, SUM_SLACK = 1e-9, 1e-6
TRAIN = 800
CHUNK = 64


@dataclass
class Counts:
    """Counts of one dev set."""

    sentences: int = 0
    printed: int = 0
    trees: int = 0
    above_arc: int = 0
    sums_above_one: int = 0
    largest_sum: float = 0.0

    @property
    def violations(self) -> int:
        return self.printed + self.above_arc + self.sums_above_one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--k", type=int, default=5, help="trees in each list")
    parser.add_argument("--most", type=int, help="so many sentences of each dev set, instead of all")
    options = parser.parse_args()
    if not TREEBANKS.is_dir():
        sys.exit(f"no treebanks in {TREEBANKS}: set HEADWAY_TREEBANKS")
    print("| dev set | lists by | sentences | trees | above an arc | as printed | sum above 1 | largest sum |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    violations = 0
    for name in options.treebank or CASES:
        found = check(name, CASES.get(name, "eisner"), options.k, options.most)
        violations += found.violations
        cells = (
            name, CASES.get(name, "eisner"), f"{found.sentences:,}", f"{found.trees:,}", found.above_arc, found.printed,
            found.sums_above_one, f"{found.largest_sum:.9f}",
        )  # fmt: skip
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    sys.exit(1 if violations else 0)


def check(name: str, lister: str, k: int, most: int | None) -> Counts:
    """Parse a dev set and count what is inconsistent."""
    dev = list(islice(read_sentences(TREEBANKS / name / "dev.conllu.xz"), most))
    parser = headway.load("en").parser if name == "UD_English-EWT" else quickly_trained(name, dev)
    counts = Counts()
    for start in range(0, len(dev), CHUNK):
        chunk = dev[start : start + CHUNK]
        check_printed(parser, chunk, counts)
        check_trees(parser, chunk, counts, decoder=None, k=1)
        check_trees(parser, chunk, counts, decoder=lister, k=k)
    return counts


def quickly_trained(name: str, dev: list[Sentence]) -> Parser:
    train = islice(read_sentences(TREEBANKS / name / "train.conllu.xz"), TRAIN)
    return Parser.train(train, dev=dev[:200], options=TrainingOptions(epochs=1))


def check_printed(parser: Parser, chunk: list[Sentence], counts: Counts) -> None:
    """Compare the numbers that users see."""
    for parsed in parser.parse(chunk, confidence=True):
        least = min(float(chance or "nan") for chance in parsed.misc("HeadProb"))
        counts.sentences += 1
        counts.printed += not float(parsed.metadata["tree_prob"]) <= least + SLACK


def check_trees(parser: Parser, chunk: list[Sentence], counts: Counts, *, decoder: str | None, k: int) -> None:
    """Compare the probabilities of the `k` best trees, before they are rounded, with their arcs and with 1."""
    search, encoded = parser.model.search(decoder), parser.model.encoder.encode(chunk)
    alone = search.trees(encoded) if k == 1 else None
    for index in range(len(chunk)):
        parses = [alone[index]] if alone else search.best(encoded, index, k=k)
        confidence, total = search.confidence(encoded, index, parses[0], heads=parses[0].heads), 0.0
        for parse in parses:
            chance, least = confidence.tree(parse), float(confidence.judge(parse.heads).chances.min())
            assert chance is not None
            counts.trees += 1
            counts.above_arc += not 0.0 <= chance <= least + SLACK
            total += chance
        counts.largest_sum = max(counts.largest_sum, total)
        counts.sums_above_one += not total <= 1.0 + SUM_SLACK


if __name__ == "__main__":
    main()
