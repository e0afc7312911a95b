"""Tags corrected by trees: UPOS, FEATS and trees with the tagger's tags, with corrected ones and with gold ones.

    python benchmarks/tag_correction.py --treebank UD_Turkish-IMST --cache models

Gold tokens of the dev set, tags that Headway predicts; the train set is tagged by taggers that have not seen it. The
parser is the same in all rows. With ``--words`` and ``--dev-words``, the treebank is cut short. What takes long is kept
in the folder ``--cache``, so that learning and search can be tried again. ``--gibbs N`` also runs annealed chains over
heads and readings (`headway.joint.gibbs`) on N sentences, and says whose joint scores are higher.
Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headway import Parser, TrainingOptions, read_sentences
from headway.corpus import Sentence, folds
from headway.joint.correction import choose_readings
from headway.joint.examples import Costs, collect
from headway.joint.gibbs import anneal
from headway.joint.learning import learn
from headway.joint.reading import MARGIN, MOST_READINGS
from headway.joint.sampling import joint_chain
from headway.joint.scorer import JointWeights, best_trees, joint_scores
from headway.joint.states import Lattice
from headway.tagging.words import Reading, WordModel

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))
WIDEST: Any = {"most": 4, "margin": 3.0}
"""The readings that are kept in the cache; narrower ones are cut from these."""
PARTS = 2
CHUNK = 256
TEMPERATURE, COOLING, SWEEPS = 2.0, 0.8, 20


@dataclass(frozen=True)
class Data:
    """A treebank with readings that taggers made which have not seen it."""

    train: list[Sentence]
    dev: list[Sentence]
    train_readings: list[tuple[Sentence, list[list[Reading]]]]
    dev_readings: list[tuple[Sentence, list[list[Reading]]]]


def main() -> None:
    """Print the figures of one treebank."""
    arguments = _arguments()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    data = _data(arguments)
    parser, halves = _parsers(arguments, data)

    def cut(some: Sequence[tuple[Sentence, list[list[Reading]]]]) -> list[Lattice]:
        return [Lattice(sentence, [_cut(ranked, arguments) for ranked in readings]) for sentence, readings in some]

    train, dev = cut(data.train_readings), cut(data.dev_readings)
    _print_candidates(data.dev, dev)
    parts = [
        (half.model, [train[number] for number in part], [data.train[number] for number in part])
        for half, part in zip(halves, folds(len(train), number=PARTS, seed=1), strict=True)
    ]
    examples = collect(parts, parser.model.encoder, costs=Costs(head=arguments.head_cost))
    weights = learn(examples, parser.model.encoder, epochs=arguments.correction_epochs, rate=arguments.rate)
    print(f"{len(examples.words) - 1:,} words to learn from; tree {weights.tree:.3f}, reading {weights.reading:.3f}")
    choose_readings(parser.model, weights, dev[:CHUNK])  # compiles
    began = time.process_time()
    chosen = [
        numbers for first in range(0, len(dev), CHUNK)
        for numbers in choose_readings(parser.model, weights, dev[first : first + CHUNK])
    ]  # fmt: skip
    seconds = time.process_time() - began
    corrected = [lattice.tagged(numbers) for lattice, numbers in zip(dev, chosen, strict=True)]
    began = time.process_time()
    plain = list(parser.parse([lattice.sentence for lattice in dev]))
    parsing = time.process_time() - began
    print("tags | UPOS | FEATS | UAS | LAS")
    for name, found in (("tagger", plain), ("corrected", parser.parse(corrected)), ("gold", parser.parse(data.dev))):
        print(name, *(f"{value:.2f}" for value in _accuracies(data.dev, found)), sep=" | ")
    size = sum(map(len, data.dev))
    print(f"{size / (seconds + parsing):,.0f} words/s to correct and parse, {size / parsing:,.0f} to parse (CPU)")
    if arguments.gibbs:
        _compare_gibbs(parser, weights, dev[: arguments.gibbs], chosen[: arguments.gibbs])


def _arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--treebank", required=True)
    options.add_argument("--cache", type=Path, required=True)
    options.add_argument("--words", type=int, default=10**9)
    options.add_argument("--dev-words", type=int, default=10**9)
    options.add_argument("--folds", type=int, default=10)
    options.add_argument("--preset", default="fast")
    options.add_argument("--epochs", type=int, default=7, help="of the parsers")
    options.add_argument("--most", type=int, default=MOST_READINGS)
    options.add_argument("--margin", type=float, default=MARGIN)
    options.add_argument("--upos-only", action="store_true", help="only readings whose UPOS differ")
    options.add_argument("--head-cost", type=float, default=Costs().head)
    options.add_argument("--correction-epochs", type=int, default=10)
    options.add_argument("--rate", type=float, default=0.005)
    options.add_argument("--gibbs", type=int, default=0, metavar="SENTENCES")
    return options.parse_args()


def _cut(readings: list[Reading], arguments: argparse.Namespace) -> list[Reading]:
    near = dict[tuple[str, str], Reading]()
    for reading in readings:
        if reading.weight >= -arguments.margin:
            near.setdefault((reading.upos, "" if arguments.upos_only else reading.feats), reading)
    return list(near.values())[: arguments.most]


def _data(arguments: argparse.Namespace) -> Data:
    path = arguments.cache / f"{arguments.treebank}.readings"
    if path.exists():
        return Data(**pickle.loads(path.read_bytes()))
    folder = TREEBANKS / arguments.treebank
    train = list(_first(folder / "train.conllu.xz", arguments.words))
    dev = list(_first(folder / "dev.conllu.xz", arguments.dev_words))
    found = dict[int, tuple[Sentence, list[list[Reading]]]]()
    for part in folds(len(train), number=arguments.folds, seed=1):
        others = np.setdiff1d(np.arange(len(train)), part).tolist()
        model = WordModel.fit([train[number] for number in others])
        held_out = [train[number] for number in part.tolist()]
        found |= zip(part.tolist(), model.readings(held_out, **WIDEST), strict=True)
    dev_readings = WordModel.fit(train).readings(dev, **WIDEST)
    data = Data(train, dev, [found[number] for number in range(len(train))], dev_readings)
    path.write_bytes(pickle.dumps(vars(data)))
    return data


def _first(path: Path, words: int) -> Iterator[Sentence]:
    for sentence in read_sentences(path):
        if words <= 0:
            return
        words -= len(sentence)
        yield sentence


def _parsers(arguments: argparse.Namespace, data: Data) -> tuple[Parser, list[Parser]]:
    """Return the parser, and one for each part that has not seen it."""
    tagged = [sentence for sentence, _ in data.train_readings]
    found = list[Parser]()
    for number, part in enumerate([np.empty(0, dtype=np.int64), *folds(len(tagged), number=PARTS, seed=1)]):
        path = arguments.cache / f"{arguments.treebank}-{arguments.preset}-{number}.headway"
        if not path.exists():
            others = np.setdiff1d(np.arange(len(tagged)), part).tolist()
            dev = [sentence for sentence, _ in data.dev_readings] if number == 0 else None
            options = TrainingOptions(epochs=arguments.epochs)
            Parser.train([tagged[one] for one in others], dev=dev, preset=arguments.preset, options=options).save(path)
        found.append(Parser.load(path))
    return found[0], found[1:]


def _print_candidates(gold: Sequence[Sentence], lattices: Sequence[Lattice]) -> None:
    """Print how many words have several readings, and how often the right one is among them."""
    words = [
        (upos, feats, readings)
        for right, lattice in zip(gold, lattices, strict=True)
        for upos, feats, readings in zip(right.upos, right.feats, lattice.readings, strict=True)
    ]
    several = np.mean([len(readings) > 1 for _, _, readings in words])
    others = np.mean([len(readings) - 1 for _, _, readings in words])
    tags = np.mean([any(reading.upos == upos for reading in readings) for upos, _, readings in words])
    both = np.mean([any((one.upos, one.feats) == (upos, feats) for one in readings) for upos, feats, readings in words])
    print(f"{len(words):,} words, {several:.1%} with several readings, {others:.2f} others a word; right UPOS among")
    print(f"them {tags:.2%}, right UPOS and FEATS {both:.2%}")


def _accuracies(gold: Sequence[Sentence], found: "Iterator[Sentence] | Sequence[Sentence]") -> list[float]:
    """Return UPOS, FEATS, UAS and LAS."""
    rows = [
        (upos == parsed.upos[word], feats == parsed.feats[word], head == parsed.heads[word],
         head == parsed.heads[word] and label.split(":")[0] == parsed.labels[word].split(":")[0])
        for right, parsed in zip(gold, found, strict=True)
        for word, (upos, feats, head, label) in enumerate(
            zip(right.upos, right.feats, right.heads, right.labels, strict=True)
        )
    ]  # fmt: skip
    return [float(value) for value in 100.0 * np.mean(rows, axis=0)]


def _compare_gibbs(
    parser: Parser, weights: JointWeights, lattices: Sequence[Lattice], chosen: Sequence[tuple[int, ...]]
) -> None:
    """Print how often annealed chains find states of higher, or lower, joint scores."""
    choices = [lattice.choose(numbers) for lattice, numbers in zip(lattices, chosen, strict=True)]
    ascent = joint_scores(weights, choices, *best_trees(parser.model, choices))
    next(joint_chain(parser.model, weights, lattices[0]).run([1.0]))  # compiles
    began = time.process_time()
    states = [
        anneal(joint_chain(parser.model, weights, lattice), temperature=TEMPERATURE, cooling=COOLING, sweeps=SWEEPS)
        for lattice in lattices
    ]
    seconds, scores = time.process_time() - began, weights.tree * np.array([state.score for state in states])
    same = np.mean([state.readings == numbers for state, numbers in zip(states, chosen, strict=True)])
    higher, lower = np.mean(scores > ascent + 1e-3), np.mean(scores < ascent - 1e-3)
    print(f"Gibbs: higher joint score in {higher:.1%} of sentences, lower in {lower:.1%}, same readings in {same:.1%};")
    print(f"{sum(map(len, choices)) / seconds:,.0f} words/s")


if __name__ == "__main__":
    main()
