"""Accuracy on short sentences: UPOS, UAS and LAS by length, with predicted tags.

    python benchmarks/short_sentences.py en
    python benchmarks/short_sentences.py models/english.headway --treebank UD_English-EWT --wrong

Sentences are those of a dev set and those of short_sentences.conllu, plain English ones that were written for this
benchmark; of these, every second one (``part = held-out``) is kept for the end and nothing is chosen by it. Relations
count without their subtypes. The first three columns are of gold words; the others of raw text, each sentence being a
text by itself, F1 as in CoNLL 2018. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from headway import Annotator, Sentence, read_sentences
from headway.corpus.text import treebank_text
from headway.evaluation.raw_text import evaluate_text

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))

LENGTHS = {
    **{f"{size} word{'s' if size > 1 else ''}": range(size, size + 1) for size in range(1, 6)},
    "1 to 5 words": range(1, 6),
    "6 to 10 words": range(6, 11),
    "all": range(1, 1 << 30),
}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--treebank", default="UD_English-EWT")
    parser.add_argument("--wrong", action="store_true", help="print the written sentences that are not all right")
    parser.add_argument("--hide", action="store_true", help="leave the held-out half of the written sentences out")
    options = parser.parse_args()
    annotator = Annotator.load(options.model)
    dev = list(read_sentences(TREEBANKS / options.treebank / "dev.conllu.xz"))
    groups = {name: [one for one in dev if len(one) in lengths] for name, lengths in LENGTHS.items()}
    written = list(read_sentences(HERE / "short_sentences.conllu"))
    for part in ("tune",) if options.hide else ("tune", "held-out"):
        groups[f"written, {part}"] = [one for one in written if one.metadata["part"] == part]
    print(
        "| | sentences | words | all right | UPOS | UAS | LAS | raw UPOS | raw UAS | raw LAS |\n" + "| --- " * 10 + "|"
    )
    for name, gold in groups.items():
        parsed = parse_words(annotator, gold)
        whole = sum(rows(one) == rows(other) for one, other in zip(gold, parsed, strict=True))
        words = evaluate_text(gold, parsed)
        texts = evaluate_text(gold, [one for text in gold for one in annotator.annotate(treebank_text([text]).text)])
        scores = [score[metric].f1 for score in (words, texts) for metric in ("UPOS", "UAS", "LAS")]
        cells = [name, len(gold), sum(map(len, gold)), f"{100 * whole / len(gold):.1f}", *(f"{s:.2f}" for s in scores)]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        if options.wrong and name.startswith("written"):
            for one, other in zip(gold, parsed, strict=True):
                if rows(one) != rows(other):
                    print("   ", *("/".join(map(str, row)) for row in rows(other)))


def parse_words(annotator: Annotator, gold: Sequence[Sentence]) -> list[Sentence]:
    """Return gold words with predicted tags and trees."""
    return list(annotator.parser.parse(annotator.tag(gold, keep=False)))


def rows(sentence: Sentence) -> list[tuple[str, str, int, str]]:
    """Return forms, universal tags, heads and relations without subtypes."""
    labels = [label.partition(":")[0] for label in sentence.labels]
    return list(zip(sentence.forms, sentence.upos, sentence.heads, labels, strict=True))


if __name__ == "__main__":
    main()
