"""The interface of all scorers."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, Protocol

from headway.encoding import Encoded
from headway.parts.candidates import Candidates
from headway.parts.kinds import Kind
from headway.parts.scores import Scores
from headway.parts.table_scores import possible_scores
from headway.parts.tree_scorer import TreeScorer


class Scorer(Protocol):
    """Scores the parts of a sentence, or whole trees."""

    @property
    def name(self) -> str:
        """The name under which it is registered."""
        ...

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of parts that the scorer has, always including arcs; `Kind.GLOBAL` for whole-tree structures."""
        ...

    @property
    def outer(self) -> int:
        """The number of outermost children in grandparent and grand-sibling parts; see `Scores`."""
        ...

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return the scores of parts of these kinds (all kinds by default) over the candidates of one sentence."""
        ...

    def tree_scorer(self, encoded: Encoded, sentence: int, candidates: Candidates) -> TreeScorer:
        """Return a tree scorer over the candidates of one sentence."""
        ...

    def tensors(self) -> dict[str, Any]:
        """Return everything that a model file needs to rebuild the scorer, as arrays."""
        ...


class TableScorer(ABC):
    """A base class for scorers whose scores fit in tables: define `name`, `kinds` and `scores`.

    Every decoder can use it. A trained scorer stores its weights with `tensors`, and loads them by a class method
    ``from_tensors(encoder, tensors)``.
    """

    name: str
    kinds: frozenset[Kind]
    outer: int = 0

    @abstractmethod
    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return the scores of parts of these kinds; see `Scorer`."""

    def tree_scorer(self, encoded: Encoded, sentence: int, candidates: Candidates) -> TreeScorer:
        """Return the tables as a tree scorer; see `Scorer`."""
        return possible_scores(candidates, self.scores(encoded, sentence, candidates))

    def tensors(self) -> dict[str, Any]:
        """Return no arrays, because there is nothing to save; see `Scorer`."""
        return {}
