"""Train the weights of transition-based parsers on a treebank."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.decoders import Decoder
from headway.encoding import Encoder
from headway.errors import UsageError
from headway.incremental.beam import most_steps
from headway.incremental.oracles import DYNAMIC, static_oracle
from headway.incremental.search import SEARCHED_AT_ONCE, BeamLists, BeamSearch
from headway.incremental.systems import N0, REDUCE, REMOVE, SHIFT, SWAP, System, find_system
from headway.incremental.templates import TEMPLATES
from headway.incremental.transitions import TransitionModel, TransitionSettings, make_machine
from headway.learning.averaging import AveragedTable, averaged_table
from headway.learning.beam import OBJECTIVES, RELAXED, UPDATES, learn_beam
from headway.learning.gold import GoldTrees, joined_roots, projective_gold
from headway.learning.learners import agreement
from headway.parts.scorer import Scorer
from headway.presets import Incremental
from headway.scorers.rows import plain_rows
from headway.support.threads import Threads

Weights = npt.NDArray[np.float32]


@dataclass(frozen=True)
class RightActions:
    """The transition sequences that build the gold trees.

    Parameters
    ----------
    actions : list of (transition, label)
        All pairs that occur, sorted.
    numbers : int32
        The sequences of all sentences one after the other, as indices into `actions`.
    starts : (sentences + 1,) int64
    root_label : int
        The most frequent label of the root's child.
    """

    actions: list[tuple[int, int]]
    numbers: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    root_label: int


def right_actions(gold: GoldTrees, system_name: str) -> RightActions:
    """Return the static oracle's actions; no actions for trees with several roots or too many swaps.

    A projective system is trained on the nearest projective trees.
    """
    system = find_system(system_name)
    trees = projective_gold(gold) if system.projective else gold
    done: list[list[tuple[int, int]]] = []
    roots = Counter[int]()
    for begins, ends in zip(gold.encoded.starts[:-1].tolist(), gold.encoded.starts[1:].tolist(), strict=True):
        heads, labels = trees.heads[begins:ends].tolist(), np.maximum(gold.labels[begins:ends], 0).tolist()
        if heads.count(0) != 1:
            done.append([])
            continue
        roots[labels[heads.index(0)]] += 1
        done.append(_labelled(static_oracle(system, heads[1:]), system, labels, ends - begins - 1))
    plain = {(number, 0) for number, some in enumerate(system.transitions)}  # include transitions that do not occur
    actions = sorted(plain | {action for some in done for action in some})
    number = {action: place for place, action in enumerate(actions)}
    flat = np.array([number[action] for some in done for action in some], dtype=np.int32)
    starts = np.cumsum([0, *map(len, done)], dtype=np.int64)
    return RightActions(actions, flat, starts, roots.most_common(1)[0][0] if roots else 0)


def _labelled(taken: Sequence[int], system: System, labels: Sequence[int], words: int) -> list[tuple[int, int]]:
    """Pair transitions with the labels of the arcs that they make; return none if they are more than a search takes."""
    if len(taken) > most_steps(words):
        return []
    stack: list[int] = []
    buffer = list(range(words, 0, -1))  # the front is last
    found = []
    for number in taken:
        transition, label = system.transitions[number], 0
        if transition.labelled:
            modifier = buffer[-1] if transition.modifier == N0 else stack[-transition.modifier]
            label = labels[modifier]
            if transition.move == REMOVE:
                stack.remove(modifier)
        if transition.move == SHIFT:
            stack.append(buffer.pop())
        elif transition.move == REDUCE:
            stack.pop()
        elif transition.move == SWAP:
            buffer.append(stack.pop(-2))
        found.append((number, label))
    return found


class BeamLearner:
    """Trains the weights of transitions.

    Its dev score is the UAS of the trees with the highest scores. The relaxed objectives leave the choice of a tree to
    a ranker; for them, it is the UAS of the best tree in each beam (oracle UAS).
    """

    name = "transitions"

    def __init__(
        self,
        gold: GoldTrees,
        dev: GoldTrees | None,
        *,
        encoder: Encoder,
        labels: tuple[str, ...],
        rule: Incremental,
        system: str,
        ranker: Scorer,
        decoder: Decoder,
        threads: Threads,
    ) -> None:
        gold = joined_roots(gold)  # transition systems build trees with one root
        self.gold, self.dev, self.labels, self.rule, self.threads = gold, dev, labels, rule, threads
        self.ranker, self.decoder = ranker, decoder
        if rule.objective == "explore" and (rule.beam > 1 or system not in DYNAMIC):
            raise UsageError(f"exploration is for a beam of 1 and {' or '.join(DYNAMIC)}")
        self.trees = projective_gold(gold) if find_system(system).projective else gold
        self.right = right_actions(gold, system)
        self.settings = TransitionSettings(
            system, TEMPLATES[system], [list(action) for action in self.right.actions], self.right.root_label, rule.beam
        )
        self.machine = make_machine(
            self.settings, atoms=encoder.names, constant=encoder.constant_atoms(), labels=len(labels)
        )
        self.sentences = len(gold)
        self.table = averaged_table(rule.slots, len(self.right.actions), precise=False)
        self.tables: tuple[AveragedTable, ...] = (self.table,)

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        at_once = SEARCHED_AT_ONCE
        parts = ((first, order[first : first + at_once]) for first in range(0, len(order), at_once))
        return sum(self._learn(part, step=step + first) for first, part in parts)

    def _learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        encoded, right = self.gold.encoded, self.right
        if self.rule.objective == "explore":
            return self._explore(order, step=step)
        mistakes: int = learn_beam(
            encoded.atoms, encoded.starts, order, right.numbers, right.starts, self.machine, self.table,
            self.rule.beam, OBJECTIVES.index(self.rule.objective), UPDATES.index(self.rule.update), step,
        )  # fmt: skip
        return mistakes

    def _explore(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        from headway.learning.exploration import EXPLORED, learn_exploring  # imported here: few users need its kernels

        encoded, explored = self.gold.encoded, EXPLORED if step >= self.sentences else 0.0
        labels = np.maximum(self.gold.labels, 0)
        mistakes: int = learn_exploring(
            encoded.atoms, encoded.starts, order, self.trees.heads, labels, self.machine, self.table, explored, step
        )
        return mistakes

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        model = TransitionModel(self.settings, self.machine, plain_rows(weights[0]))
        search = BeamSearch(
            self.ranker, self.decoder, transitions=model, names=self.labels, width=self.rule.beam,
            ignore=self.ranker.kinds,
        )  # fmt: skip
        relaxed = self.rule.objective in RELAXED
        found = search.lists(self.dev.encoded, k=self.rule.beam if relaxed else 1, threads=self.threads)
        return oracle_accuracy(found, self.dev) if relaxed else agreement(found.heads[0], self.dev.heads, self.dev)


def oracle_accuracy(found: BeamLists, gold: GoldTrees) -> float:
    """Return the oracle UAS, in per cent: that of the best tree of each list (in the paper's terms, 100 - ε_H)."""
    starts, words = gold.encoded.starts, int(gold.encoded.lengths().sum())
    wrong = np.add.reduceat(found.heads != gold.heads, starts[:-1], axis=1, dtype=np.int64)
    wrong[found.scores == -np.inf] = words
    return 100.0 * (words - int(wrong.min(axis=0).sum())) / max(1, words)
