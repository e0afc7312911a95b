"""A `Search` by beam search over transitions: trees, lists, constraints and confidences from one beam."""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.incremental.beam import search_trees
from headway.incremental.states import FREE
from headway.incremental.stream import PrefixSearch
from headway.incremental.transitions import TransitionModel
from headway.parts import Candidates, Parse
from headway.parts.candidate_batch import CandidateBatch, IntArray, TreeBatch
from headway.parts.scorer import Scorer
from headway.search.confidence import Chances, Curve
from headway.search.long_sentences import best_in_pieces, chances_in_pieces, trees_in_pieces
from headway.search.pieces import LONG, Joints, long_starts, sentence_starts
from headway.search.search import Search
from headway.search.tree_lists import TreeList, score_trees
from headway.support.threads import Threads

_MOST_STATES = 1 << 20
"""The maximum number of states of a search (about 250 MB); it needs four per word and place in the beam."""

_MOST_WORDS = 4096
"""The maximum number of words for a table of arcs, which constraints and arc probabilities need."""

SEARCHED_AT_ONCE = 32
"""The number of sentences per call of a kernel: a wide beam searches a few thousand words in a second."""

_NOTHING = np.empty(0, dtype=np.int32)
_ALL_ARCS = np.empty((0, 0), dtype=np.bool_)


@dataclass(frozen=True)
class BeamLists:
    """The trees of the final beam of some sentences, best first.

    Parameters
    ----------
    heads, labels : (k, rows) int32
    scores : (k, sentences) float64
        -inf if a sentence has fewer trees.
    """

    heads: IntArray
    labels: IntArray
    scores: npt.NDArray[np.float64]


def distinct(encoded: Encoded, found: BeamLists, sentence: int) -> npt.NDArray[np.int64]:
    """Return the ranks of the trees of a sentence; of trees with the same heads, only the best."""
    rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
    seen: dict[bytes, int] = {}
    for rank in np.flatnonzero(found.scores[:, sentence] > -np.inf).tolist():
        seen.setdefault(found.heads[rank, rows].tobytes(), rank)
    return np.array(list(seen.values()), dtype=np.int64)


def tree_scores(ranker: Scorer, encoded: Encoded, sentence: int, trees: TreeList) -> npt.NDArray[np.float64]:
    """(k,) Score the trees of a list by a ranker."""
    totals = np.empty(len(trees.heads))
    score_trees(ranker.tree_scorer(encoded, sentence, trees.candidates()), trees.heads, totals)
    return totals


def mixture(beam: npt.NDArray[np.float64], ranker: npt.NDArray[np.float64], share: float) -> npt.NDArray[np.float64]:
    """(k,) Return the weighted sum of two scores, each rescaled to 0 … 1 over the list (HC-search, Section 4.5)."""
    return share * _rescaled(beam) + (1.0 - share) * _rescaled(ranker)


def _rescaled(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    width = float(np.ptp(scores))
    return (scores - scores.min()) / width if width > 0.0 else np.zeros(len(scores))


def longest_whole(width: int, asked: int = LONG) -> int:
    """Return the maximum length of sentences that are searched as a whole, given the width of the beam.

    Memory grows linearly with the number of words, so sentences may be longer than for other searches.

    Parameters
    ----------
    asked : int
        The user's limit, which is respected if it is less than the default.
    """
    return asked if asked < LONG else max(asked, min(_MOST_WORDS, _MOST_STATES // (4 * width)))


@dataclass(frozen=True)
class BeamSearch(Search):
    """The search of an incremental model.

    Parameters
    ----------
    transitions : TransitionModel
    names : tuple of str
        The labels.
    width : int
        The width of the beam.
    """

    transitions: TransitionModel = field(kw_only=True)
    names: tuple[str, ...] = field(kw_only=True)
    width: int = field(kw_only=True)

    def lists(
        self,
        encoded: Encoded,
        *,
        k: int,
        threads: Threads | None = None,
        given: IntArray = _NOTHING,
        given_labels: IntArray = _NOTHING,
        allowed: npt.NDArray[np.bool_] = _ALL_ARCS,
    ) -> BeamLists:
        """Find the k best trees of every sentence; if there is a ranker, by its ranking.

        Parameters
        ----------
        given, given_labels : (rows,) int32, optional
            Heads (or `FREE`) and labels (or -1) that trees must have.
        allowed : (n + 1, n + 1) bool, optional
            [head, modifier] The allowed arcs, if `encoded` is a single sentence.
        """
        if self.transitions.settings.share < 1.0:
            unranked = replace_transitions(self, self.transitions.with_share(1.0))
            found = unranked.lists(
                encoded, k=max(self.width, k), threads=threads, given=given, given_labels=given_labels,
                allowed=allowed,
            )  # fmt: skip
            return self._ranked(encoded, found, k)
        rows, sentences, width = len(encoded.atoms), len(encoded), max(self.width, k)
        heads, labels = np.zeros((k, rows), dtype=np.int32), np.zeros((k, rows), dtype=np.int32)
        scores = np.full((k, sentences), -np.inf)
        model = self.transitions

        def work(first: int, stride: int) -> None:
            search_trees(
                encoded.atoms, encoded.starts, first, stride, model.machine, model.rows, width,
                given, given_labels, allowed, heads, labels, scores,
            )  # fmt: skip

        (threads or Threads()).deal(work, sentences=sentences, at_once=SEARCHED_AT_ONCE)
        return BeamLists(heads, labels, scores)

    def tree_lists(self, encoded: Encoded, found: BeamLists) -> list[TreeList]:
        """Return the trees of each sentence; trees that differ only in labels are returned once."""
        lists = []
        for sentence in range(len(encoded)):
            chosen = distinct(encoded, found, sentence)
            rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
            lists.append(TreeList(found.heads[chosen, rows], found.scores[chosen, sentence]))
        return lists

    def _ranked(self, encoded: Encoded, found: BeamLists, k: int) -> BeamLists:
        """Return the k best trees of each list under the mixture of the beam's and the ranker's scores."""
        heads, labels = np.zeros_like(found.heads[:k]), np.zeros_like(found.labels[:k])
        scores = np.full((k, len(encoded)), -np.inf)
        for sentence in range(len(encoded)):
            chosen, rows = distinct(encoded, found, sentence), slice(*encoded.starts[sentence : sentence + 2])
            if not len(chosen):
                continue
            trees = TreeList(found.heads[chosen, rows], found.scores[chosen, sentence])
            ranks = tree_scores(self.scorer, encoded, sentence, trees)
            mixed = mixture(trees.scores, ranks, self.transitions.settings.share)
            order = np.argsort(-mixed, kind="stable")[:k]
            best = chosen[order]
            heads[: len(best), rows], labels[: len(best), rows] = found.heads[best, rows], found.labels[best, rows]
            scores[: len(best), sentence] = mixed[order]
        return BeamLists(heads, labels, scores)

    def trees(
        self, encoded: Encoded, candidates: CandidateBatch | None = None, *, threads: Threads | None = None
    ) -> list[Parse]:
        """See `Search.trees`; candidates are ignored."""
        if (starts := long_starts(encoded, self.longest)) is not None:
            return trees_in_pieces(self, encoded, starts, threads=threads or Threads())
        found = self.lists(encoded, k=1, threads=threads)
        return [self._parse(encoded, found, sentence, 0) for sentence in range(len(encoded))]

    def _parse(self, encoded: Encoded, found: BeamLists, sentence: int, rank: int) -> Parse:
        rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
        labels = tuple(map(self.names.__getitem__, found.labels[rank, rows][1:].tolist()))
        return Parse(found.heads[rank, rows], float(found.scores[rank, sentence]), labels)

    def prefixes(self) -> PrefixSearch:
        """Return a search that reads one sentence word by word, without the ranker."""
        return PrefixSearch(self.transitions, names=self.names, width=self.width)

    def write_trees(self, batch: TreeBatch, *, threads: Threads) -> dict[int, Parse]:
        """See `Search.write_trees`."""
        found = self.lists(batch.encoded.some(batch.sentences), k=1, threads=threads)
        first = 0
        for place, sentence in enumerate(batch.sentences.tolist()):
            rows = batch.rows(sentence)
            batch.heads[rows] = found.heads[0, first : first + rows.stop - rows.start]
            batch.outcomes[place] = found.scores[0, place], np.inf
            first += rows.stop - rows.start
        return {}

    def best(
        self,
        encoded: Encoded,
        sentence: int,
        *,
        k: int = 1,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
        leaves: Collection[int] = (),
    ) -> Sequence[Parse]:
        """See `Search.best`. Constraints are enforced on transitions.

        If no state in the beam can satisfy them all, such as crossing arcs in a projective system, an arbitrary tree
        that satisfies them is returned.
        """
        self.check_k(k)
        one, banned = encoded.some(np.array([sentence])), frozenset(forbidden or ())
        size = len(one.atoms)
        if size > self.longest + 1:
            starts = sentence_starts(encoded, sentence, self.longest)
            joints = Joints(dict(required or {}), banned, frozenset(leaves))
            return best_in_pieces(self, encoded, sentence, starts, k=k, joints=joints)
        choice = Candidates.all(size - 1).restrict(required, banned, leaves=leaves, single_root=self.single_root)
        given, given_labels, allowed = _NOTHING, _NOTHING, choice.mask() if banned or leaves else _ALL_ARCS
        if required:
            given, given_labels = np.full(size, FREE, dtype=np.int32), np.full(size, -1, dtype=np.int32)
            given[list(required)] = list(required.values())
        found = self.lists(one, k=k, given=given, given_labels=given_labels, allowed=allowed)
        parses = [self._parse(one, found, 0, rank) for rank in range(k) if found.scores[rank, 0] > -np.inf]
        return parses if parses else [dataclasses.replace(self._any_tree(choice), ignored=frozenset())]

    def chances(
        self,
        encoded: Encoded,
        sentence: int,
        *,
        heads: IntArray | None = None,
        candidates: CandidateBatch | None = None,
        pieces: Sequence[int] = (),
    ) -> Curve:
        """Return the arc probabilities as a function of the temperature, over the trees of the final beam."""
        length = int(encoded.lengths()[sentence])
        if pieces := pieces or (sentence_starts(encoded, sentence, self.longest) if length > self.longest else ()):
            return chances_in_pieces(self, encoded, sentence, pieces, heads)
        one = encoded.some(np.array([sentence]))
        found = self.lists(one, k=self.width)
        known = found.scores[:, 0] > -np.inf
        trees, scores, size = found.heads[known], found.scores[known, 0], len(one.atoms)

        def at(temperature: float) -> Chances:
            weights = np.exp((scores - scores.max()) / temperature)
            arcs = np.zeros((size, size))
            for tree, weight in zip(trees, weights / weights.sum(), strict=True):
                arcs[tree[1:], np.arange(1, size)] += weight
            return Chances(arcs)

        return at


def replace_transitions(search: BeamSearch, transitions: TransitionModel) -> BeamSearch:
    """Return a copy of the search with another transition model."""
    return dataclasses.replace(search, transitions=transitions)
