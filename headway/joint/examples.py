"""Make training examples for joint scores: words with several readings, and the parser's tree for each reading."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.joint.features import joint_slots, make_joint_plan, slot_difference
from headway.joint.scorer import best_trees
from headway.joint.states import Choice, Lattice, change
from headway.model import TrainedModel

SLOTS = 1 << 20
"""The number of slots of the weight table in training."""
_BATCH = 64
"""The number of sentences whose readings are parsed in one batch."""


@dataclass(frozen=True)
class Costs:
    """The costs of errors: a wrong tag, a wrong set of features, a wrong head."""

    upos: float = 1.0
    feats: float = 0.5
    head: float = 0.25


COSTS = Costs()


class Examples(NamedTuple):
    """Words with several readings; each entry is the difference between a reading and the word's first reading.

    Parameters
    ----------
    words : (words + 1,) int64
        The start of each word's entries; the entry of the first reading is zero.
    good : (entries,) bool
        Whether no other reading of the word causes fewer errors.
    dense : (entries, 2) float64
        The differences in the score of the tree and in the weight of the readings.
    features : (entries + 1,) int64
        The start of each entry's features.
    slots, values : (features,) int32, float32
    """

    words: npt.NDArray[np.int64]
    good: npt.NDArray[np.bool_]
    dense: npt.NDArray[np.float64]
    features: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]


@dataclass(frozen=True)
class _State:
    """A choice of readings with its tree and the parser's score; the slots of its features; the cost of its errors."""

    choice: Choice
    score: float
    slots: npt.NDArray[np.uint32]
    cost: float


@dataclass
class _Entries:
    """The examples so far, as lists."""

    words: list[int] = field(default_factory=lambda: [0])
    good: list[bool] = field(default_factory=list)
    dense: list[tuple[float, float]] = field(default_factory=list)
    slots: list[npt.NDArray[np.int32]] = field(default_factory=list)
    values: list[npt.NDArray[np.float32]] = field(default_factory=list)

    def add_word(self, states: Sequence[_State]) -> None:
        """Add the states of a word, with that of its first reading first."""
        first, least = states[0], min(state.cost for state in states)
        for state in states:
            difference = slot_difference(state.slots, first.slots)
            places = difference.order[: difference.size[0]]
            places = places[difference.values[places] != 0.0]
            self.good.append(state.cost <= least)
            self.dense.append((state.score - first.score, state.choice.weight - first.choice.weight))
            self.slots.append(difference.keys[places].astype(np.int32))
            self.values.append(difference.values[places].astype(np.float32))
        self.words.append(len(self.good))

    def examples(self) -> Examples:
        """Return all examples as arrays."""
        return Examples(
            np.array(self.words, dtype=np.int64),
            np.array(self.good, dtype=np.bool_),
            np.array(self.dense, dtype=np.float64).reshape(-1, 2),
            np.cumsum([0, *map(len, self.slots)], dtype=np.int64),
            np.concatenate([*self.slots, np.empty(0, dtype=np.int32)]),
            np.concatenate([*self.values, np.empty(0, dtype=np.float32)]),
        )


def collect(
    parts: Sequence[tuple[TrainedModel, Sequence[Lattice], Sequence[Sentence]]],
    encoder: Encoder,
    *,
    costs: Costs = COSTS,
) -> Examples:
    """Make training examples from sentences with several readings.

    Parameters
    ----------
    parts : sequence of (TrainedModel, lattices, gold sentences)
        Parts of the treebank, each with a parser that was trained without it.
    encoder : Encoder
        The encoder of the final parser; features are made of its atoms.
    """
    entries = _Entries()
    for model, lattices, gold in parts:
        pairs = [
            (lattice, sentence)
            for lattice, sentence in zip(lattices, gold, strict=True)
            if any(len(readings) > 1 for readings in lattice.readings)
        ]
        for first in range(0, len(pairs), _BATCH):
            batch = pairs[first : first + _BATCH]
            for (lattice, _), states in zip(batch, _states(model, encoder, batch, costs), strict=True):
                others = iter(states[1:])
                for readings in lattice.readings:
                    if len(readings) > 1:
                        entries.add_word([states[0], *(next(others) for _ in readings[1:])])
    return entries.examples()


def _states(
    model: TrainedModel, encoder: Encoder, batch: Sequence[tuple[Lattice, Sentence]], costs: Costs
) -> Iterator[list[_State]]:
    """Yield for each sentence the state with first readings, and the states with another reading of one word."""
    numbers = [
        [first, *(change(first, *other) for other in lattice.others())]
        for lattice, first in ((lattice, (0,) * len(lattice.forms)) for lattice, _ in batch)
    ]
    choices = [lattice.choose(row) for (lattice, _), rows in zip(batch, numbers, strict=True) for row in rows]
    plan, encoded, parses = make_joint_plan(encoder), encoder.encode(choices), best_trees(model, choices)[1]
    place = 0
    for (_, gold), rows in zip(batch, numbers, strict=True):
        states = []
        for number in range(place, place + len(rows)):
            heads, words = parses[number].heads, slice(encoded.starts[number], encoded.starts[number + 1])
            slots = joint_slots(encoded.atoms[words], heads, plan, np.uint32(SLOTS - 1))
            cost = _cost(choices[number], heads, gold, costs)
            states.append(_State(choices[number], parses[number].score, slots, cost))
        place += len(rows)
        yield states


def _cost(choice: Choice, heads: npt.NDArray[np.int32], gold: Sentence, costs: Costs) -> float:
    """Return the cost of all wrong tags, features and heads of a sentence."""
    wrong_tags = sum(tag != gold_tag for tag, gold_tag in zip(choice.upos, gold.upos, strict=True))
    wrong_feats = sum(feats != gold_feats for feats, gold_feats in zip(choice.feats, gold.feats, strict=True))
    wrong_heads = sum(head != gold_head for head, gold_head in zip(heads[1:].tolist(), gold.heads, strict=True))
    return float(costs.upos * wrong_tags + costs.feats * wrong_feats + costs.head * wrong_heads)
