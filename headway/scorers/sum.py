"""Sums of scorers: the score of a part is the weighted sum of the scores by all scorers that have its kind.

For example, a network that scores arcs and a linear model that scores parts and structures become one scorer, which
works with every decoder. Scores in tables are added. Tree scorers are used side by side, so a linear model still scores
parts on first use; if all other scorers score only arcs, the search is as fast as without them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.errors import UsageError
from headway.kernel import implements, kernel, leaf_kernel
from headway.model_file import read_text_tensor, text_tensor
from headway.parts import Candidates, Kind, Scores
from headway.parts.arc_index import ArcIndex
from headway.parts.links import Links, make_links
from headway.parts.part_counts import check_parts
from headway.parts.scorer import Scorer, TableScorer
from headway.parts.table_scores import possible_scores
from headway.parts.tree_scorer import (
    Options,
    TreeScorer,
    charge_arcs,
    hang,
    make_options,
    plant,
    take,
    tree_total,
    weigh,
)
from headway.support.schema import Sized, Within, check_json

Tensors = Mapping[str, npt.NDArray[Any]]

_ARCS = frozenset({Kind.ARC})
_GRAND = frozenset({Kind.GRANDPARENT, Kind.GRAND_SIBLING})
_KEY = "sum"


class _Saved(TypedDict):
    scorers: Annotated[list[str], Sized(1)]
    weights: list[Annotated[float, Within(1e-6, 1e6)]]


class Sum:
    """The weighted sum of several scorers.

    Parameters
    ----------
    *scorers : Scorer
    weights : sequence of float, optional
        The factors of the scorers, which must be above 0; 1 by default.

    Raises
    ------
    UsageError
        If the scorers differ in the children that grandparent parts are about (see `Scores.outer`), or a weight is not
        above 0.
    """

    name = "sum"

    def __init__(self, *scorers: Scorer, weights: Sequence[float] | None = None) -> None:
        self.scorers = scorers
        self.weights = tuple(1.0 for _ in scorers) if weights is None else tuple(map(float, weights))
        if not scorers or len(self.weights) != len(scorers):
            raise UsageError(f"{len(self.weights)} weights for {len(scorers)} scorers")
        if not all(0.0 < weight < np.inf for weight in self.weights):
            raise UsageError(f"the weights of a sum of scorers must be above 0, not {self.weights}")
        self.kinds = frozenset().union(*(scorer.kinds for scorer in scorers))
        outer = {scorer.outer for scorer in scorers if scorer.kinds & _GRAND}
        if len(outer) > 1:
            raise UsageError("these scorers cannot be added, because they score grandparents of different children")
        self.outer = outer.pop() if outer else scorers[0].outer

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return the scores of parts of these kinds; see `Scorer`."""
        chosen = self.kinds if kinds is None else self.kinds & set(kinds)
        tables: dict[str, Any] = {}
        for scorer, weight in zip(self.scorers, self.weights, strict=True):
            found = scorer.scores(encoded, sentence, candidates, chosen & scorer.kinds)
            for kind in found.kinds & (chosen | _ARCS):
                table = getattr(found, kind) * weight
                tables[str(kind)] = tables[str(kind)] + table if kind in tables else table
        return Scores(outer=self.outer, **tables)

    def tree_scorer(self, encoded: Encoded, sentence: int, candidates: Candidates) -> TreeScorer:
        """Return a tree scorer over the arcs that no scorer forbids; see `Scorer`."""
        pairs = list(zip(self.scorers, self.weights, strict=True))
        trees = [pair for pair in pairs if not _fits_tables(pair[0])]
        tables = [pair for pair in pairs if _fits_tables(pair[0])]
        added = Sum(*(one for one, _ in tables), weights=[weight for _, weight in tables]) if tables else None
        possible, left = candidates, candidates.mask()
        while True:
            scores = Scores(np.zeros(len(possible)))
            if added is not None:
                check_parts(left, added.kinds)
                scores = added.scores(encoded, sentence, possible)
            total: TreeScorer = possible_scores(possible, scores)
            made = [scorer.tree_scorer(encoded, sentence, possible) for scorer, _ in trees]
            left = np.logical_and.reduce([one.layout.number >= 0 for one in (total, *made)])
            if int(left.sum()) == len(possible):
                break
            possible = Candidates.from_mask(left)  # without arcs that any scorer forbids
        if len(trees) == 1 and trees[0][1] == 1.0 and scores.kinds == _ARCS:
            return made[0]._replace(arc=made[0].arc + total.arc)
        for one, (_, weight) in zip(made, trees, strict=True):
            total = _sum_of(one, weight, total)
        return total

    def tensors(self) -> dict[str, Any]:
        """Return the arrays of all scorers, with separate names for each; see `Scorer`."""
        names = [scorer.name for scorer in self.scorers]
        if names.count("linear") > 1:
            raise UsageError("a model file holds one linear scorer: a sum of several cannot be saved")
        tensors = {_KEY: text_tensor({"scorers": names, "weights": self.weights})}
        for number, scorer in enumerate(self.scorers):
            found = scorer.tensors()
            tensors |= {f"{_KEY}{number}.{name}": array for name, array in found.items()}
            if hasattr(scorer, "label_scores"):  # this is where models look for label scores
                tensors |= {name: found[name] for name in ("label_possible",) if name in found}
        return tensors

    @classmethod
    def read(cls, tensors: Tensors, read: Callable[[str, dict[str, npt.NDArray[Any]]], Scorer]) -> "Sum":
        """Read a sum from a model file; `read` is called with the name and the arrays of each scorer."""
        saved = read_text_tensor(tensors[_KEY])
        check_json(saved, _Saved, _KEY)
        scorers = []
        for number, name in enumerate(saved["scorers"]):
            begin = f"{_KEY}{number}."
            some = {key.removeprefix(begin): array for key, array in tensors.items() if key.startswith(begin)}
            scorers.append(read(name, some))
        return cls(*scorers, weights=saved["weights"])


class SumScores(NamedTuple):
    """The sum of two tree scorers.

    Parameters
    ----------
    arc : (arcs,) float64
        The sums of both scorers' arc scores; the arc tables of `first` and `second` are zero.
    first, second : TreeScorer
    weights : (2,) float64
        The factors of both scorers' other scores.
    links : Links
        A copy of the tree for the second scorer, because each scorer updates its data about the tree itself.
    options : Options
        A buffer for the second scorer.
    """

    layout: ArcIndex
    arc: npt.NDArray[np.float64]
    first: TreeScorer
    second: TreeScorer
    weights: npt.NDArray[np.float64]
    links: Links
    options: Options


def _fits_tables(scorer: Scorer) -> bool:
    """Return whether a scorer's tables can replace its tree scorer, because it scores all parts at once."""
    return isinstance(scorer, TableScorer) or scorer.kinds == _ARCS


def _sum_of(first: TreeScorer, weight: float, second: TreeScorer) -> SumScores:
    """Add a tree scorer, times its weight, to another tree scorer over the same arcs."""
    arc, size = weight * first.arc + second.arc, len(first.layout.most)
    first, second = (some._replace(arc=np.zeros_like(arc)) for some in (first, second))
    return SumScores(
        first.layout, arc, first, second, np.array([weight, 1.0]), make_links(size), make_options(size)
    )  # fmt: skip


@implements(weigh, SumScores)
@leaf_kernel
def _weigh(scores: SumScores, links: Links, modifier: int, options: Options, count: int) -> None:
    room = scores.options
    for option in range(count):
        room.heads[option] = options.heads[option]
    weigh(scores.first, links, modifier, options, count)
    weigh(scores.second, scores.links, modifier, room, count)
    for option in range(count):
        parts = scores.weights[0] * options.gains[option] + scores.weights[1] * room.gains[option]
        options.gains[option] = scores.arc[scores.layout.number[options.heads[option], modifier]] + parts


@implements(plant, SumScores)
@leaf_kernel
def _plant(scores: SumScores, links: Links, heads: npt.NDArray[np.int32]) -> None:
    plant(scores.first, links, heads)
    plant(scores.second, scores.links, heads)


@implements(take, SumScores)
@leaf_kernel
def _take(scores: SumScores, links: Links, modifier: int) -> None:
    take(scores.first, links, modifier)
    take(scores.second, scores.links, modifier)


@implements(hang, SumScores)
@leaf_kernel
def _hang(scores: SumScores, links: Links, modifier: int, head: int) -> None:
    hang(scores.first, links, modifier, head)
    hang(scores.second, scores.links, modifier, head)


@implements(tree_total, SumScores)
@kernel
def _tree_total(scores: SumScores, links: Links) -> float:
    total = 0.0
    for modifier in range(1, len(links.heads)):
        total += scores.arc[scores.layout.number[links.heads[modifier], modifier]]
    total += scores.weights[0] * tree_total(scores.first, links)
    total += scores.weights[1] * tree_total(scores.second, links)
    return float(total)


@implements(charge_arcs, SumScores)
@kernel
def _charge_arcs(scores: SumScores, bounds: npt.NDArray[np.float64]) -> float:
    """Add what both scorers charge to arcs and words."""
    first, second = np.zeros(len(bounds)), np.zeros(len(bounds))
    total = scores.weights[0] * charge_arcs(scores.first, first)
    total += scores.weights[1] * charge_arcs(scores.second, second)
    for arc in range(len(bounds)):
        bounds[arc] += scores.weights[0] * first[arc] + scores.weights[1] * second[arc]
    return float(total)
