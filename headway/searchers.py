"""The searches that a trained model can be used with, all with one face.

============== ===================================================================================
spanning-tree  arcs alone, any tree
eisner         arcs alone, projective trees
hill-climbing  everything that the model scores; not exact
sibling, …     the parts that a chart of `headway.charts.factorizations` scores, projective trees
dual-          siblings, grandparents, grand-siblings and tri-siblings by dual decomposition, mostly with a
decomposition  proof of optimality
ad3            the same by alternating directions
exact          the same, with a proof always, unless time runs out
============== ===================================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headway.chart_search import SentenceChart, automata_parts, chart_heads
from headway.charts.factorizations import FACTORIZATIONS, Factorization, find_factorization
from headway.decoders import ChartDecoder, best_spanning_trees, eisner, spanning_tree
from headway.decoders.dual_decomposition import ALTERNATING, ALTERNATIONS, DualRule, exact_tree, relaxed_tree
from headway.decoders.dual_decomposition import KINDS as KINDS_OF_AUTOMATA
from headway.encoding import Encoded
from headway.errors import ConstraintError, UsageError
from headway.marginals import inside_outside, matrix_tree
from headway.marginals.softmax import softmax
from headway.model import TrainedModel
from headway.parts import Candidates, Parse, Scores
from headway.parts.kinds import KINDS
from headway.pipeline import EVERY_TABLE, IntArray, TableOfArcs, Threads, arc_scores, find_heads
from headway.search import SearchRule, climb_heads, climb_one, rivals

Table = npt.NDArray[np.float64]

SEARCHES = (
    "spanning-tree",
    "eisner",
    "hill-climbing",
    *(name for name in FACTORIZATIONS if name != "first-order"),
    "dual-decomposition",
    "ad3",
    "exact",
)
"""The names of all searches."""

PROVING = ("dual-decomposition", "ad3", "exact")
"""Those that can tell whether a tree is the best one."""

_BEFORE_BRANCHING = 30
"""Restarts of the climb before an exact search branches."""


class Searcher(Protocol):
    """A search for the trees of a model."""

    @property
    def ratio(self) -> float:
        """What it leaves out of the heads that the pruner keeps; see `SearchRule`."""
        ...

    def heads(self, encoded: Encoded, arcs: TableOfArcs | None, *, single_root: bool, threads: Threads) -> IntArray:
        """(rows,) The trees of all sentences; -1 for roots."""
        ...

    def one(self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool) -> Parse:
        """The tree of one sentence; ConstraintError if the candidates hold none."""
        ...

    def best(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, k: int, single_root: bool
    ) -> Sequence[Parse]:
        """The k best trees of one sentence, best first; UsageError if this search cannot tell."""
        ...

    def probabilities(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool, heads: IntArray | None
    ) -> Table:
        """(n + 1, n + 1) [head, modifier] How probable each arc is; `heads`, if given, is the tree in question."""
        ...

    def neglected(self) -> list[str]:
        """The kinds of parts that the model scores but this search does not."""
        ...


def find_searcher(
    model: TrainedModel, name: str | None = None, rule: SearchRule | None = None, *, seconds: float = np.inf
) -> Searcher:
    """The search of that name, or the model's own.

    Parameters
    ----------
    rule : SearchRule, optional
        How to climb, where the search climbs; the model's own rule by default.
    seconds : float
        How long ``exact`` may take for a sentence.
    """
    settings = model.settings
    if name is None:
        if settings.factorization:
            name = settings.factorization
        elif model.parts is not None:
            name = "hill-climbing"
        else:
            name = "eisner" if settings.projective else "spanning-tree"
    if name in ("spanning-tree", "eisner"):
        return ArcSearcher(model, projective=name == "eisner")
    if name == "hill-climbing":
        return ClimbingSearcher(model, rule or model.search)
    if name in PROVING:
        dual = DualRule(projective=settings.projective, seconds=seconds)
        if name == "ad3":
            dual = replace(dual, step=ALTERNATING, iterations=ALTERNATIONS)
        return DualSearcher(model, dual, branches=name == "exact")
    if name in SEARCHES:
        return ChartSearcher(model, find_factorization(name))
    raise UsageError(f"no decoder {name!r}; there is {', '.join(SEARCHES)}")


@dataclass(frozen=True)
class ArcSearcher:
    """Exact search by arcs alone."""

    model: TrainedModel
    projective: bool
    ratio = 0.0

    def heads(self, encoded: Encoded, arcs: TableOfArcs | None, *, single_root: bool, threads: Threads) -> IntArray:
        """See `Searcher`."""
        return find_heads(
            encoded, self.model.arcs, projective=self.projective, single_root=single_root, threads=threads, arcs=arcs
        )

    def one(self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool) -> Parse:
        """See `Searcher`; trees with crossing arcs are tried where no other meets the constraints."""
        scores = self._scores(encoded, sentence, candidates)
        if self.projective:
            try:
                return eisner(candidates, scores, single_root=single_root)
            except ConstraintError:
                pass
        return spanning_tree(candidates, scores, single_root=single_root)

    def best(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, k: int, single_root: bool
    ) -> Sequence[Parse]:
        """See `Searcher`."""
        scores = self._scores(encoded, sentence, candidates)
        if self.projective:
            try:
                return ChartDecoder("first-order").best(candidates, scores, k=k, single_root=single_root)
            except ConstraintError:  # as in `one`
                pass
        return best_spanning_trees(candidates, scores, k=k, single_root=single_root)

    def probabilities(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool, heads: IntArray | None
    ) -> Table:
        """See `Searcher`."""
        scores = self._scores(encoded, sentence, candidates)
        infer = inside_outside if self.projective else matrix_tree
        marginals = infer(candidates, Scores(arc=scores.arc / self.model.settings.temperature), single_root=single_root)
        return candidates.dense(marginals.arc, 0.0)

    def neglected(self) -> list[str]:
        """See `Searcher`."""
        return _neglected(self.model, ())

    def _scores(self, encoded: Encoded, sentence: int, candidates: Candidates) -> Scores:
        return Scores(arc=candidates.gather(arc_scores(encoded, sentence, self.model.arcs)))


@dataclass(frozen=True)
class ClimbingSearcher:
    """Randomized hill climbing by everything that the model scores."""

    model: TrainedModel
    rule: SearchRule

    @property
    def ratio(self) -> float:
        """See `Searcher`."""
        return self.rule.ratio

    def heads(self, encoded: Encoded, arcs: TableOfArcs | None, *, single_root: bool, threads: Threads) -> IntArray:
        """See `Searcher`."""
        model = self.model
        return climb_heads(
            encoded, model.trees, arcs or EVERY_TABLE, rule=self.rule, projective=model.settings.projective,
            single_root=single_root, threads=threads,
        )  # fmt: skip

    def one(self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool) -> Parse:
        """See `Searcher`; trees with crossing arcs are tried where no other meets the constraints."""
        model, allowed = self.model, candidates.mask()
        for projective in sorted({model.settings.projective, False}, reverse=True):
            parse = climb_one(
                encoded, sentence, model.trees, allowed, rule=self.rule, projective=projective, single_root=single_root
            )
            if parse is not None:
                return parse
        zeros = Scores(np.zeros(len(candidates)))
        return spanning_tree(candidates, zeros, single_root=single_root)  # says what is wrong

    def best(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, k: int, single_root: bool
    ) -> Sequence[Parse]:
        """See `Searcher`."""
        raise UsageError("hill climbing cannot list the best trees: choose an exact decoder, such as model1")

    def probabilities(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool, heads: IntArray | None
    ) -> Table:
        """By how much each head makes a tree, the best one unless it is given, better or worse, as probabilities."""
        if heads is None:
            heads = self.one(encoded, sentence, candidates, single_root=single_root).heads
        allowed = candidates.mask()
        allowed[heads[1:], np.arange(1, len(heads))] = True
        table = rivals(encoded, sentence, self.model.trees, allowed, heads)
        chances = np.zeros_like(table)
        chances[:, 1:] = softmax(table[:, 1:] / self.model.settings.temperature)
        return chances

    def neglected(self) -> list[str]:
        """See `Searcher`."""
        return []


@dataclass(frozen=True)
class ChartSearcher:
    """Exact search among projective trees, by the parts that a chart scores."""

    model: TrainedModel
    factorization: Factorization
    ratio = 0.0

    def heads(self, encoded: Encoded, arcs: TableOfArcs | None, *, single_root: bool, threads: Threads) -> IntArray:
        """See `Searcher`."""
        return chart_heads(
            encoded, self.model.trees, arcs or EVERY_TABLE, factorization=self.factorization,
            single_root=single_root, threads=threads,
        )  # fmt: skip

    def one(self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool) -> Parse:
        """See `Searcher`; arcs alone decide where only trees with crossing arcs meet the constraints."""
        found = self._chart(encoded, sentence, candidates, single_root=single_root).best(1)
        if found:
            return found[0]
        return ArcSearcher(self.model, projective=False).one(encoded, sentence, candidates, single_root=single_root)

    def best(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, k: int, single_root: bool
    ) -> Sequence[Parse]:
        """See `Searcher`."""
        found = self._chart(encoded, sentence, candidates, single_root=single_root).best(k)
        if found:
            return found
        rest = ArcSearcher(self.model, projective=False)
        return rest.best(encoded, sentence, candidates, k=k, single_root=single_root)

    def probabilities(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool, heads: IntArray | None
    ) -> Table:
        """See `Searcher`."""
        chart = self._chart(encoded, sentence, candidates, single_root=single_root)
        chances, log_partition = chart.probabilities(self.model.settings.temperature)
        if log_partition > -np.inf:
            return chances
        rest = ArcSearcher(self.model, projective=False)
        return rest.probabilities(encoded, sentence, candidates, single_root=single_root, heads=heads)

    def neglected(self) -> list[str]:
        """See `Searcher`."""
        return _neglected(self.model, self.factorization.kinds)

    def _chart(self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool) -> SentenceChart:
        return SentenceChart(
            encoded, sentence, self.model.trees, candidates.mask(), factorization=self.factorization,
            single_root=single_root,
        )  # fmt: skip


@dataclass(frozen=True)
class DualSearcher:
    """Dual decomposition by the parts that head automata score, with or without branching."""

    model: TrainedModel
    rule: DualRule
    branches: bool
    ratio = 0.0

    def heads(self, encoded: Encoded, arcs: TableOfArcs | None, *, single_root: bool, threads: Threads) -> IntArray:
        """See `Searcher`; where pruned arcs hold no such tree, arcs alone decide."""
        heads = np.empty(len(encoded.atoms), dtype=np.int32)
        rest = ArcSearcher(self.model, projective=self.rule.projective)

        def work(first: int, stride: int) -> None:
            for sentence in range(first, len(encoded), stride):
                own = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
                everything = Candidates.all(own.stop - own.start - 1)
                candidates = Candidates.from_mask(arcs.of(sentence)) if arcs else everything
                try:
                    parse = self._search(encoded, sentence, candidates, single_root=single_root)
                except ConstraintError:
                    parse = rest.one(encoded, sentence, everything, single_root=single_root)
                heads[own] = parse.heads

        threads.deal(work)
        return heads

    def one(self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool) -> Parse:
        """See `Searcher`; trees with crossing arcs are tried where no other meets the constraints."""
        try:
            return self._search(encoded, sentence, candidates, single_root=single_root)
        except ConstraintError:
            free = replace(self, rule=replace(self.rule, projective=False))
            return free._search(encoded, sentence, candidates, single_root=single_root)

    def best(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, k: int, single_root: bool
    ) -> Sequence[Parse]:
        """See `Searcher`."""
        raise UsageError("dual decomposition finds one tree: to list the best, choose a chart, such as model1")

    def probabilities(
        self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool, heads: IntArray | None
    ) -> Table:
        """As hill climbing: beside the other heads that a word of the best tree could have."""
        if heads is None:
            heads = self.one(encoded, sentence, candidates, single_root=single_root).heads
        climber = ClimbingSearcher(self.model, self.model.search)
        return climber.probabilities(encoded, sentence, candidates, single_root=single_root, heads=heads)

    def neglected(self) -> list[str]:
        """See `Searcher`."""
        return _neglected(self.model, KINDS_OF_AUTOMATA)

    def _search(self, encoded: Encoded, sentence: int, candidates: Candidates, *, single_root: bool) -> Parse:
        allowed, rule = candidates.mask(), replace(self.rule, single_root=single_root)
        parts, _ = automata_parts(encoded, sentence, self.model.trees, allowed)
        if not self.branches:
            return relaxed_tree(parts, rule)
        if self.neglected():  # climbing is after other trees
            return exact_tree(parts, rule)

        def climb(bound: float) -> IntArray | None:
            parse = climb_one(
                encoded, sentence, self.model.trees, allowed,
                rule=SearchRule(restarts=_BEFORE_BRANCHING, thorough=True),
                projective=rule.projective, single_root=single_root, bound=bound,
            )  # fmt: skip
            return None if parse is None else parse.heads

        return exact_tree(parts, rule, improve=climb)


def _neglected(model: TrainedModel, kinds: Sequence[str]) -> list[str]:
    if model.parts is None:
        return []
    wanted = [kind.replace("_", " ") for number, kind in enumerate(KINDS) if model.parts.plan.wanted[number]]
    kept = {kind.replace("_", " ") for kind in kinds}
    own = [kind for kind in wanted if kind not in kept]
    return [*own, "global features"] if model.parts.structures.wanted.any() else own
