"""The compiled way from atoms to the best projective trees of models with parts: score, then fill a chart.

Like `search`, it only strings the rooms' kernels together.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.chart import HEAD, MODIFIER, Chart, make_chart
from headway.charts.derivations import write_best_tree, write_best_trees
from headway.charts.factorizations import Factorization
from headway.charts.part_places import list_keys, place_parts
from headway.charts.shares import part_shares
from headway.charts.values import highest_values, log_sums
from headway.decoders.kernels import best_tree_kernel
from headway.encoding import Encoded
from headway.kernel import kernel
from headway.parts import Parse
from headway.parts.arc_index import index_arcs
from headway.parts.kinds import LONGEST, SIBLING
from headway.pipeline import NO_GOLD, IntArray, TableOfArcs, Threads
from headway.scorers.high_order import make_part_scorer, part_score
from headway.search import TreeModel, arc_table_kernel

LARGEST = 4_000_000
"""A sentence with more parts, or a chart of more items, is parsed with siblings alone: about 150 MB."""


class Space(NamedTuple):
    """A factorization, for kernels: see `Factorization`."""

    wanted: npt.NDArray[np.bool_]
    knows_grandparent: bool
    outer: int


def chart_space(factorization: Factorization, model: TreeModel) -> Space:
    """The simplest spans that score all parts that both the model and the factorization have."""
    wanted = factorization.wanted(model.part_plan.wanted)
    simplest = factorization.simplest(wanted)
    return Space(wanted, simplest.knows_grandparent, simplest.outer)


def chart_heads(
    encoded: Encoded,
    model: TreeModel,
    arcs: TableOfArcs,
    *,
    factorization: Factorization,
    single_root: bool = True,
    threads: Threads,
) -> IntArray:
    """(rows,) The best projective tree of every sentence, laid like the rows of `encoded`, -1 for roots.

    Parameters
    ----------
    arcs : TableOfArcs
        The arcs to choose from; where they hold no such tree, arcs alone decide, among all of them.
    """
    heads, space = np.empty(len(encoded.atoms), dtype=np.int32), chart_space(factorization, model)
    everything = np.arange(len(encoded))

    def work(first: int, stride: int) -> None:
        chart_kernel(
            encoded.atoms, encoded.tags, encoded.starts, everything, first, stride,
            arcs.starts, arcs.allowed, NO_GOLD, model, space, single_root, heads,
        )  # fmt: skip

    threads.deal(work)
    return heads


class SentenceChart:
    """The chart of one sentence: its best trees, and how probable its parts are.

    Parameters
    ----------
    allowed : (n + 1, n + 1) bool
        The arcs to choose from, [head, modifier].
    """

    def __init__(
        self,
        encoded: Encoded,
        sentence: int,
        model: TreeModel,
        allowed: npt.NDArray[np.bool_],
        *,
        factorization: Factorization,
        single_root: bool = True,
    ) -> None:
        own = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
        space = chart_space(factorization, model)
        self.size = int(own.stop - own.start)
        self.chart, self.scores, _ = sentence_chart(
            encoded.atoms[own], encoded.tags[own], allowed, model, space, single_root
        )

    def best(self, k: int) -> list[Parse]:
        """The k best trees, best first; fewer where there are fewer."""
        trees, totals = np.empty((k, self.size), dtype=np.int32), np.empty(k)
        values = highest_values(self.chart, self.scores)
        found = write_best_trees(self.chart, self.scores, values, trees, totals)
        return [
            Parse(trees[rank], float(totals[rank]), bound=float(totals[0]), exact=rank == 0) for rank in range(found)
        ]

    def probabilities(self, temperature: float) -> tuple[npt.NDArray[np.float64], float]:
        """(n + 1, n + 1) [head, modifier] How probable each arc is, and the log partition; zeros without a tree."""
        scores = self.scores / temperature
        values = log_sums(self.chart, scores)
        table = np.zeros((self.size, self.size))
        if values[-1] > -np.inf:
            chances = part_shares(self.chart, scores, values)
            arcs = self.chart.arcs
            table[arcs[:, HEAD], arcs[:, MODIFIER]] = chances[: len(arcs)]
        return table, float(values[-1])


@kernel
def sentence_chart(
    atoms: IntArray,
    tags: IntArray,
    allowed: npt.NDArray[np.bool_],
    model: TreeModel,
    space: Space,
    single_root: bool,
) -> tuple[Chart, npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The chart of one sentence, of a lower order if it would be too large; the scores and the keys of its parts."""
    index = index_arcs(allowed)
    wanted, knows_grandparent, outer = space.wanted, space.knows_grandparent, space.outer
    places = place_parts(index, wanted)
    if knows_grandparent or outer > 0:
        items = len(index.heads) * len(tags) + 2 * index.sizes[1] + 2 * index.sizes[0]
        if max(items, places.bases[-1]) > LARGEST:
            wanted = wanted.copy()
            wanted[SIBLING + 1 :] = False
            knows_grandparent, outer = False, 0
            places = place_parts(index, wanted)
    keys = list_keys(index, places)
    scores = np.full(len(keys), -np.inf)
    dense = np.empty(allowed.shape, dtype=np.float64)
    arc_table_kernel(atoms, tags, allowed, model, dense)
    scorer = make_part_scorer(atoms, model.part_plan, model.part_rows)
    for part in range(len(index.heads), len(keys)):
        if keys[part] >= 0:
            scores[part] = part_score(scorer, keys[part])
    chart = make_chart(index, places, np.arange(len(tags)), knows_grandparent, outer, single_root)
    for arc in range(len(index.heads)):
        scores[arc] = dense[chart.arcs[arc, HEAD], chart.arcs[arc, MODIFIER]]
    return chart, scores, keys


@kernel
def chart_kernel(
    atoms: IntArray,
    tags: IntArray,
    starts: npt.NDArray[np.int64],
    sentences: npt.NDArray[np.int64],
    first: int,
    stride: int,
    tables: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
    gold: IntArray,
    model: TreeModel,
    space: Space,
    single_root: bool,
    heads: IntArray,
) -> None:
    """Search every stride-th of some sentences; with gold heads, for the tree of highest score plus cost.

    Parameters
    ----------
    tables, allowed
        As in `TableOfArcs`; no tables for all arcs.
    gold : (rows,) int32
        The heads that cost nothing, all others costing one; `NO_GOLD` for no costs.
    heads : (rows,) int32
        Is written: where there is no such tree, the best tree of all arcs.
    """
    for number in range(first, len(sentences), stride):
        sentence = sentences[number]
        begin, end = starts[sentence], starts[sentence + 1]
        size = end - begin
        own = np.ones((size, size), dtype=np.bool_)
        if len(tables) > 0:
            own = allowed[tables[sentence] : tables[sentence + 1]].reshape(size, size)
        if size <= LONGEST:
            chart, scores, _ = sentence_chart(atoms[begin:end], tags[begin:end], own, model, space, single_root)
            if len(gold) > 0:
                for arc in range(len(chart.arcs)):
                    if chart.arcs[arc, HEAD] != gold[begin + chart.arcs[arc, MODIFIER]]:
                        scores[arc] += 1.0
            if write_best_tree(chart, scores, highest_values(chart, scores), heads[begin:end]):
                continue
        dense = np.empty((size, size), dtype=np.float64)
        arc_table_kernel(atoms[begin:end], tags[begin:end], np.ones((size, size), dtype=np.bool_), model, dense)
        if not best_tree_kernel(dense, True, single_root, heads[begin:end]):
            heads[begin:end] = np.arange(-1, size - 1)  # scores that are no numbers: any tree
