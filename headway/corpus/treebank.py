"""Statistics of a treebank, splits and folds."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.corpus.sentence import Sentence
from headway.corpus.trees import is_tree, nonprojective_arcs
from headway.errors import UsageError

_COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "labels")


@dataclass(frozen=True, slots=True)
class TreebankStatistics:
    """Counts over a treebank.

    `distinct_*` count different values; ``_`` is not counted, because it means "none" in every column but FORM.
    `nonprojective_*` count over valid trees, with one or more roots; `invalid_trees` have missing heads, no root or a
    cycle.
    """

    sentences: int
    words: int
    ranges: int
    empty_nodes: int
    mean_length: float
    longest: int
    distinct_forms: int
    distinct_lemmas: int
    distinct_upos: int
    distinct_xpos: int
    distinct_feats: int
    distinct_relations: int
    nonprojective_sentences: int
    nonprojective_arcs: int
    several_roots: int
    invalid_trees: int


def statistics(sentences: Iterable[Sentence]) -> TreebankStatistics:
    """Count words, relations, crossing arcs and more in a treebank, reading its sentences one by one."""
    tally: Counter[str] = Counter()
    longest = 0
    distinct: dict[str, set[str]] = {name: set() for name in _COLUMNS}
    for sentence in sentences:
        ids = [row[0] for row in sentence.read_rows()[0]]
        tally["sentences"] += 1
        tally["words"] += len(sentence)
        tally["ranges"] += sum("-" in text for text in ids)
        tally["empty_nodes"] += sum("." in text for text in ids)
        tally.update(_tree_counts(sentence.heads))
        longest = max(longest, len(sentence))
        for name, values in distinct.items():
            values.update(getattr(sentence, name))
    kinds = {name: len(values if name == "forms" else values - {"_"}) for name, values in distinct.items()}
    return TreebankStatistics(
        sentences=tally["sentences"],
        words=tally["words"],
        ranges=tally["ranges"],
        empty_nodes=tally["empty_nodes"],
        mean_length=tally["words"] / max(tally["sentences"], 1),
        longest=longest,
        distinct_forms=kinds["forms"],
        distinct_lemmas=kinds["lemmas"],
        distinct_upos=kinds["upos"],
        distinct_xpos=kinds["xpos"],
        distinct_feats=kinds["feats"],
        distinct_relations=kinds["labels"],
        nonprojective_sentences=tally["nonprojective_sentences"],
        nonprojective_arcs=tally["nonprojective_arcs"],
        several_roots=tally["several_roots"],
        invalid_trees=tally["invalid_trees"],
    )


def _tree_counts(heads: list[int]) -> dict[str, int]:
    if not is_tree(heads, single_root=False):
        return {"invalid_trees": 1}
    arcs = sum(nonprojective_arcs(heads))
    return {
        "nonprojective_arcs": arcs,
        "nonprojective_sentences": int(arcs > 0),
        "several_roots": int(heads.count(0) > 1),
    }


def split(sentences: Iterable[Sentence], *, fractions: Sequence[float], seed: int) -> Iterator[tuple[int, Sentence]]:
    """Distribute sentences at random among parts of given sizes, one by one.

    Parameters
    ----------
    sentences : iterable of Sentence
        The sentences; each is yielded as soon as it is read.
    fractions : sequence of float, (parts,)
        The share of each part; they sum to 1.
    seed : int
        The same seed gives the same parts.

    Yields
    ------
    part, sentence : int, Sentence
        In the order of `sentences`. A part receives a sentence only while it is below its share, with a probability
        proportional to how far it is below; so after every sentence, no part is above its share by 1 or more.
    """
    if min(fractions, default=-1.0) < 0 or abs(sum(fractions) - 1) > 1e-6:
        raise UsageError(f"the fractions of a split must not be negative and must sum to 1, not {list(fractions)}")
    return _deal(sentences, list(fractions), random.Random(seed))


def _deal(
    sentences: Iterable[Sentence], fractions: list[float], generator: random.Random
) -> Iterator[tuple[int, Sentence]]:
    dealt = [0] * len(fractions)
    for number, sentence in enumerate(sentences, start=1):
        behind = [max(fraction * number - count, 0.0) for fraction, count in zip(fractions, dealt, strict=True)]
        [part] = generator.choices(range(len(fractions)), weights=behind)
        dealt[part] += 1
        yield part, sentence


def folds(count: int, *, number: int, seed: int) -> list[npt.NDArray[np.int64]]:
    """Divide ``range(count)`` at random into folds of equal size, up to one index.

    Parameters
    ----------
    count : int
        The number of sentences.
    number : int
        The number of folds, 2 to `count`.
    seed : int
        The same seed gives the same folds.

    Returns
    -------
    list of (size,) int64
        The indices of each fold, in ascending order.
    """
    if not 2 <= number <= count:
        raise UsageError(f"{number} folds of {count} sentences: there must be 2 to {count}")
    order = np.random.default_rng(seed).permutation(count).astype(np.int64)
    return [np.sort(part) for part in np.array_split(order, number)]
