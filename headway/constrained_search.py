"""One sentence at a time: the best trees under what a user already knows, and how probable their arcs are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.errors import ConstraintError
from headway.model import TrainedModel
from headway.parts import Candidates, Parse
from headway.pipeline import IntArray, Threads
from headway.searchers import Searcher


@dataclass(frozen=True)
class ConstrainedSearch:
    """A model, a search, and the kind of trees that are wanted."""

    model: TrainedModel
    searcher: Searcher
    single_root: bool = True

    def best(
        self,
        encoded: Encoded,
        sentence: int,
        *,
        k: int = 1,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
    ) -> Sequence[Parse]:
        """The k best trees of one sentence.

        Parameters
        ----------
        required : mapping of modifier to head, optional
        forbidden : iterable of (head, modifier), optional

        Raises
        ------
        ConstraintError
            If no tree meets the constraints.
        """
        banned = list(forbidden or ())

        def search(candidates: Candidates) -> Sequence[Parse]:
            candidates = candidates.restrict(required, banned, single_root=self.single_root)
            if k == 1:
                return [self.searcher.one(encoded, sentence, candidates, single_root=self.single_root)]
            return self.searcher.best(encoded, sentence, candidates, k=k, single_root=self.single_root)

        if self.model.pruner is not None:
            for ratio in dict.fromkeys((self.searcher.ratio, 0.0)):
                try:
                    return search(self.candidates(encoded, sentence, required, ratio=ratio))
                except ConstraintError:  # what was left out may meet the constraints
                    pass
        return search(Candidates.all(int(encoded.lengths()[sentence])))

    def candidates(
        self, encoded: Encoded, sentence: int, required: Mapping[int, int] | None = None, *, ratio: float = 0.0
    ) -> Candidates:
        """The arcs that the model chooses from, and those that are asked for; `ratio` as for `TrainedModel.prune`."""
        with Threads() as pool:
            table = self.model.prune(encoded.some(np.array([sentence])), threads=pool, ratio=ratio)
        if table is None:
            return Candidates.all(int(encoded.lengths()[sentence]))
        allowed = table.of(0)
        for modifier, head in (required or {}).items():
            if 0 <= head < len(allowed) and 0 < modifier < len(allowed) and head != modifier:
                allowed[head, modifier] = True
        return Candidates.from_mask(allowed)

    def probabilities(
        self, encoded: Encoded, sentence: int, *, heads: IntArray | None = None
    ) -> npt.NDArray[np.float64]:
        """(n + 1, n + 1) [head, modifier] How probable each arc is; `heads`, if given, is the tree in question."""
        candidates = self.candidates(encoded, sentence)
        if heads is None and self.searcher.ratio > 0.0:  # the tree is searched among fewer arcs than it is judged by
            heads = self.best(encoded, sentence)[0].heads
        return self.searcher.probabilities(encoded, sentence, candidates, single_root=self.single_root, heads=heads)
