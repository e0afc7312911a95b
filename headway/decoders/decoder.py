"""The interfaces of decoders, and the check for kinds of parts that they cannot read."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from headway.decoders.samples import Draws, Samples
from headway.errors import UsageError
from headway.marginals import Marginals
from headway.parts import Candidates, Kind, Parse, Scores
from headway.parts.tree_scorer import TreeScorer

Cost = npt.NDArray[np.float64]

ARCS = frozenset({Kind.ARC})
_GRAND = frozenset({Kind.GRANDPARENT, Kind.GRAND_SIBLING})


class Decoder(Protocol):
    """A search for a high-scoring tree among the candidates."""

    @property
    def name(self) -> str:
        """The name under which the decoder is registered."""
        ...

    @property
    def reads(self) -> frozenset[Kind]:
        """The kinds of parts that the decoder reads."""
        ...

    @property
    def whole_trees(self) -> bool:
        """Whether the decoder can also use a tree scorer; see `SearchesTrees`."""
        ...

    def decode(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        single_root: bool = True,
        cost: Cost | None = None,
        ignore: Collection[Kind] = (),
    ) -> Parse:
        """Find a tree.

        Parameters
        ----------
        scores : Scores
            The scores of the candidates.
        single_root : bool
            Whether the root has exactly one child.
        cost : (arcs,) float64, optional
            Added to the arc scores (cost augmentation); the score of the parse includes it.
        ignore : collection of Kind
            Kinds that may be ignored if the decoder cannot read them; the parse lists those that were.

        Raises
        ------
        ConstraintError
            If no tree can be built from the candidates.
        UsageError
            If there are scores of a kind that the decoder cannot read and that is not in `ignore`, or if shapes do not
            match.
        """
        ...


@runtime_checkable
class ListsTrees(Protocol):
    """A decoder that finds the k best trees."""

    def k_best(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        k: int,
        single_root: bool = True,
        cost: Cost | None = None,
        ignore: Collection[Kind] = (),
    ) -> Sequence[Parse]:
        """Find the k best trees (all, if there are fewer), best first and without duplicates."""
        ...


@runtime_checkable
class HasMarginals(Protocol):
    """A decoder that computes the probability of every arc under the trees that it searches."""

    def marginals(
        self, candidates: Candidates, scores: Scores, *, single_root: bool = True, ignore: Collection[Kind] = ()
    ) -> Marginals:
        """Compute arc marginals; scores are log potentials."""
        ...


@runtime_checkable
class SearchesTrees(Protocol):
    """A decoder that uses a tree scorer, for scores that do not fit into tables."""

    def decode_trees(self, scorer: TreeScorer, *, single_root: bool = True) -> Parse:
        """Find a tree; raise ConstraintError if none can be built from the candidates."""
        ...


@runtime_checkable
class SamplesTrees(Protocol):
    """A decoder that draws trees, each with probability proportional to exp(score)."""

    def sample(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        count: int,
        seed: int = 0,
        single_root: bool = True,
        ignore: Collection[Kind] = (),
    ) -> Samples:
        """Draw trees; scores are log potentials. Raise ConstraintError if no tree can be built from the candidates."""
        ...


@runtime_checkable
class RunsChains(Protocol):
    """A decoder that runs independent chains with a tree scorer, so that threads can share them.

    A tree scorer may cache scores, so every thread needs its own.
    """

    @property
    def chains(self) -> int:
        """The number of chains."""
        ...

    def anneal(self, scorer: TreeScorer, chain: int, *, single_root: bool = True) -> Parse:
        """Find a tree with one chain; raise ConstraintError if none can be built from the candidates."""
        ...

    def sample_chain(
        self,
        scorer: TreeScorer,
        chain: int,
        *,
        count: int,
        temperature: float,
        seed: int,
        single_root: bool = True,
        cooling: float = 1.0,
        climb: bool = False,
    ) -> Draws:
        """Draw trees with one chain, each with probability proportional to exp(score / temperature).

        Parameters
        ----------
        cooling : float
            The factor by which the temperature is multiplied after every sample.
        climb : bool
            Whether to replace the last sample by the best tree that the chain met, improved by giving words better
            heads while possible.
        """
        ...


class TableDecoder(ABC):
    """A decoder of part scores; kinds that it cannot read are an error unless they are to be ignored."""

    name: str
    reads: frozenset[Kind]
    outer: int = 0
    whole_trees: bool = False
    proves: bool = False
    """Whether it searches for a proof that its tree is the best one, or gives an upper bound."""

    def decode(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        single_root: bool = True,
        cost: Cost | None = None,
        ignore: Collection[Kind] = (),
    ) -> Parse:
        """Find a tree; see `Decoder`."""
        readable, ignored = self.readable(scores, ignore)
        return replace(self._search(candidates, readable, single_root=single_root, cost=cost), ignored=ignored)

    @abstractmethod
    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        """Find a tree under scores of kinds that this decoder reads."""

    def readable(self, scores: Scores, ignore: Collection[Kind]) -> tuple[Scores, frozenset[Kind]]:
        """Return the scores that this decoder reads, and the kinds that are ignored.

        Raises
        ------
        UsageError
            If a kind that the decoder cannot read is not in `ignore`.
        """
        unread = unread_kinds(self, scores.kinds, scores.outer)
        if missing := unread - set(ignore):
            what = f"{self.name} cannot read {list_kinds(missing)} parts"
            raise UsageError(f"{what}: choose another decoder, or tell it to ignore them")
        return scores.without(unread), unread


def unread_kinds(decoder: Decoder, kinds: Collection[Kind], outer: int = 0) -> frozenset[Kind]:
    """Return the kinds that a decoder cannot read; `outer` as in `Scores`."""
    unread = frozenset(kinds) - decoder.reads
    if not decoder.whole_trees:
        unread |= frozenset(kinds) & {Kind.GLOBAL}
    return unread | (frozenset(kinds) & _GRAND) if outer != getattr(decoder, "outer", 0) else unread


def list_kinds(kinds: Collection[Kind]) -> str:
    """Return the names of kinds for messages, in the order of `Kind`."""
    return ", ".join(str(kind).replace("_", "-") for kind in Kind if kind in kinds)


def check_k(k: int) -> None:
    """Raise UsageError unless `k` is at least 1."""
    if k < 1:
        raise UsageError(f"the number of best trees must be at least 1, not {k}")


def check_count(count: int) -> None:
    """Raise UsageError unless `count` is at least 1."""
    if count < 1:
        raise UsageError(f"the number of samples must be at least 1, not {count}")
