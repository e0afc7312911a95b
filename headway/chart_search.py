"""The compiled way from atoms to the best projective trees of models with parts: score, then fill a chart.

Like `search`, it only strings the rooms' kernels together.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.chart import HEAD, MODIFIER, Chart, make_chart
from headway.charts.derivations import write_best_tree, write_best_trees
from headway.charts.factorizations import Factorization
from headway.charts.part_places import PartPlaces, list_keys, place_parts
from headway.charts.shares import part_shares
from headway.charts.values import highest_values, log_sums
from headway.decoders import eisner_kernel
from headway.decoders.dual_decomposition import KINDS as AUTOMATA_KINDS
from headway.decoders.dual_decomposition import Parts
from headway.decoders.head_automata import make_automata
from headway.encoding import Encoded
from headway.kernel import kernel
from headway.parts import Parse
from headway.parts.arc_index import ArcIndex, index_arcs
from headway.parts.kinds import KINDS, LONGEST, SIBLING
from headway.pipeline import NO_GOLD, IntArray, TableOfArcs, Threads
from headway.scorers.high_order import make_part_scorer, part_score
from headway.search import TreeModel, arc_table_kernel

LARGEST = 4_000_000
"""A sentence with more parts, or a chart of more items, is parsed with siblings alone, or arcs alone: about 150 MB."""


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

    def work(first: int, stride: int) -> None:
        for sentence in range(first, len(encoded), stride):
            search_sentence(encoded, sentence, arcs, NO_GOLD, model, space, heads, single_root=single_root)

    threads.deal(work)
    return heads


def search_sentence(
    encoded: Encoded,
    sentence: int,
    arcs: TableOfArcs,
    gold: IntArray,
    model: TreeModel,
    space: Space,
    heads: IntArray,
    *,
    single_root: bool,
) -> None:
    """Write the best tree of one sentence; with gold heads, the one of highest score plus cost.

    A chart takes milliseconds, so Python may be entered for every sentence, and each kernel is compiled once.

    Parameters
    ----------
    gold : (rows,) int32
        The heads that cost nothing, all others costing one; `NO_GOLD` for no costs.
    heads : (rows,) int32
        Is written: where there is no such tree, the best tree of all arcs.
    """
    own = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
    atoms, tags, everything = encoded.atoms[own], encoded.tags[own], np.ones((own.stop - own.start,) * 2, np.bool_)
    if len(everything) <= LONGEST:
        allowed = arcs.of(sentence) if len(arcs.starts) else everything
        chart, scores, _ = sentence_chart(atoms, tags, allowed, model, space, single_root)
        if len(gold):
            scores[: len(chart.arcs)] += chart.arcs[:, HEAD] != gold[own][chart.arcs[:, MODIFIER]]
        if write_best_tree(chart, scores, highest_values(chart, scores), heads[own]):
            return
    dense = np.empty(everything.shape)
    arc_table_kernel(atoms, tags, everything, model, dense)
    if not eisner_kernel(dense, single_root, heads[own]):
        heads[own] = np.arange(-1, len(everything) - 1)  # scores that are no numbers: any tree


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


def automata_parts(
    encoded: Encoded, sentence: int, model: TreeModel, allowed: npt.NDArray[np.bool_]
) -> tuple[Parts, npt.NDArray[np.int64]]:
    """What head automata are made of, for one sentence, over the arcs that are allowed; and the keys of the parts."""
    own = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
    index = index_arcs(allowed)
    places = place_parts(index, model.part_plan.wanted & np.array([kind in AUTOMATA_KINDS for kind in KINDS]))
    scores, keys = sentence_parts(encoded.atoms[own], encoded.tags[own], allowed, model, index, places, False)
    return Parts(make_automata(index, places), index.number, scores), keys


@kernel
def sentence_parts(
    atoms: IntArray,
    tags: IntArray,
    allowed: npt.NDArray[np.bool_],
    model: TreeModel,
    index: ArcIndex,
    places: PartPlaces,
    projective: bool,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The scores and the keys of all arcs and parts of one sentence; see `list_keys`."""
    keys = list_keys(index, places, projective)
    scores = np.full(len(keys), -np.inf)
    dense = np.empty(allowed.shape, dtype=np.float64)
    arc_table_kernel(atoms, tags, allowed, model, dense)
    for modifier in range(1, len(tags)):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            scores[arc] = dense[index.heads[arc], modifier]
    scorer = make_part_scorer(atoms, model.part_plan, model.part_rows, model.triples)
    for part in range(len(index.heads), len(keys)):
        if keys[part] >= 0:
            scores[part] = part_score(scorer, keys[part])
    return scores, keys


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
    items = len(index.heads) * len(tags) + 2 * index.sizes[1] + 2 * index.sizes[0]
    if (knows_grandparent or outer > 0) and max(items, places.bases[-1]) > LARGEST:
        wanted, knows_grandparent, outer = wanted.copy(), False, 0
        wanted[SIBLING + 1 :] = False
        places = place_parts(index, wanted)
    if places.bases[-1] > LARGEST:
        places = place_parts(index, np.zeros_like(wanted))
    scores, keys = sentence_parts(atoms, tags, allowed, model, index, places, True)
    chart = make_chart(index, places, np.arange(len(tags)), knows_grandparent, outer, single_root)
    return chart, scores, keys
