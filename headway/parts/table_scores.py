"""A tree scorer over tables of precomputed scores of all parts."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import implements, inner_kernel, kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex
from headway.parts.candidates import Candidates
from headway.parts.kinds import GRANDPARENT, KINDS, SIBLING, keep_outer, list_parts, most_parts
from headway.parts.links import Links, link, make_links, place, set_tree, unlink
from headway.parts.moves import list_changes
from headway.parts.part_tables import PartTables, lay_out_tables, list_table, part_place
from headway.parts.scores import Scores, arc_table, check_finite_parts, check_table, wanted_kinds
from headway.parts.tree_scorer import Options, charge_arcs, hang, plant, take, tree_total, weigh

_WORDS = 4 * 14 + 3
"""The bits of a key below its kind."""


class TableScores(NamedTuple):
    """Scores of parts in tables, for kernels.

    Parameters
    ----------
    arc : (arcs,) float64
    tables : PartTables
        The positions of parts.
    values : float64
        The tables of all kinds, concatenated.
    bases : (kinds + 1,) int64
        The start of each kind's table in `values`; kinds that are not scored have empty tables.
    wanted : (kinds,) bool
        Whether each kind is scored.
    """

    layout: ArcIndex
    arc: npt.NDArray[np.float64]
    tables: PartTables
    values: npt.NDArray[np.float64]
    bases: npt.NDArray[np.int64]
    wanted: npt.NDArray[np.bool_]


@inner_kernel
def _score(scores: TableScores, key: int) -> float:
    return float(scores.values[scores.bases[key >> _WORDS] + part_place(scores.tables, key)])


@implements(weigh, TableScores)
@leaf_kernel
def _weigh(scores: TableScores, links: Links, modifier: int, options: Options, count: int) -> None:
    parts = options.parts
    for option in range(count):
        head = options.heads[option]
        inner, outer = place(links, modifier, head)
        list_changes(links, scores.wanted, modifier, head, inner, outer, parts)
        total = scores.arc[scores.layout.number[head, modifier]]
        for number in range(parts.size[0]):
            total += parts.signs[number] * _score(scores, parts.keys[number])
        options.gains[option] = total


@implements(plant, TableScores)
@leaf_kernel
def _plant(scores: TableScores, links: Links, heads: npt.NDArray[np.int32]) -> None:
    set_tree(links, heads)


@implements(take, TableScores)
@inner_kernel
def _take(scores: TableScores, links: Links, modifier: int) -> None:
    unlink(links, modifier)


@implements(hang, TableScores)
@inner_kernel
def _hang(scores: TableScores, links: Links, modifier: int, head: int) -> None:
    link(links, modifier, head)


@implements(tree_total, TableScores)
@leaf_kernel
def _tree_total(scores: TableScores, links: Links) -> float:
    return _sum_parts(scores, links, 0)


@kernel
def _sum_parts(scores: TableScores, links: Links, outer: int) -> float:
    """Return the score of a tree; `outer` as in `Scores`."""
    total = 0.0
    for modifier in range(1, len(links.heads)):
        total += scores.arc[scores.layout.number[links.heads[modifier], modifier]]
    keys = np.empty(most_parts(links, scores.wanted), dtype=np.int64)
    for number in range(keep_outer(links, outer, keys, list_parts(links, scores.wanted, keys))):
        total += _score(scores, keys[number])
    return total


@implements(charge_arcs, TableScores)
@kernel
def _charge_arcs(scores: TableScores, bounds: npt.NDArray[np.float64]) -> float:
    """Charge each sibling and grandparent part to its modifier's arc; parts "after the last child" to their head."""
    if scores.wanted[GRANDPARENT + 1 :].any():
        return np.inf
    index, values, total = scores.layout, scores.values, 0.0
    if scores.wanted[GRANDPARENT]:
        base = scores.bases[GRANDPARENT]
        for arc in range(len(bounds)):
            first, end = base + index.grandparents[arc], base + index.grandparents[arc + 1]
            if first < end:
                bounds[arc] += values[first:end].max()
    if scores.wanted[SIBLING]:
        base = scores.bases[SIBLING]
        for arc in range(len(bounds)):
            modifier = int(np.searchsorted(index.offsets, arc, side="right")) - 1
            head, outer = index.heads[arc], int(index.rank[arc])
            first = base + index.siblings[head, 1 if modifier > head else 0] + outer * (outer - 1) // 2
            bounds[arc] += values[first : first + outer].max()
        for head in range(len(index.most)):
            for side in range(2):
                last = int(index.most[head, side]) + 1
                first = base + index.siblings[head, side] + last * (last - 1) // 2
                total += values[first : first + last].max()
    return total


def table_scores(candidates: Candidates, scores: Scores, cost: npt.NDArray[np.float64] | None = None) -> TableScores:
    """Make a tree scorer from scores.

    Parameters
    ----------
    scores : Scores
        The scores of the candidates, which must not include arcs with a score of -inf.
    cost : (arcs,) float64, optional
        Added to the arc scores.

    Raises
    ------
    UsageError
        If a table does not match the candidates, or contains NaN or +inf.
    """
    arc = candidates.gather(arc_table(candidates, scores, cost))
    tables = lay_out_tables(candidates.mask())
    bases, parts = np.zeros(len(KINDS) + 1, dtype=np.int64), [np.empty(0)]
    for number, kind in enumerate(KINDS):
        values = scores.table(kind)
        if values is not None:
            check_table(kind, values, int(tables.sizes[number]))
            parts.append(values)
        bases[number + 1] = bases[number] + (0 if values is None else len(values))
    return TableScores(
        tables.arcs, arc, tables, np.concatenate(parts, dtype=np.float64), bases, wanted_kinds(scores.kinds)
    )


def possible_scores(candidates: Candidates, scores: Scores, cost: npt.NDArray[np.float64] | None = None) -> TableScores:
    """Make a tree scorer from scores, without arcs that are forbidden by a score of -inf.

    Parameters
    ----------
    cost : (arcs,) float64, optional
        Added to the arc scores.

    Raises
    ------
    UsageError
        If an arc score is NaN or +inf, or the score of another part is not finite.
    """
    table = arc_table(candidates, scores, cost)
    check_finite_parts(scores)
    possible = Candidates.from_mask(table > -np.inf)
    scores = replace(scores, arc=candidates.gather(table))
    return table_scores(possible, restrict_scores(candidates, scores, possible))


def tree_score(candidates: Candidates, scores: Scores, heads: npt.NDArray[np.int32]) -> float:
    """Return the score of a tree, summed over its parts of all scored kinds.

    Parameters
    ----------
    heads : (n + 1,) int32

    Returns
    -------
    float
        -inf if an arc of the tree is not a candidate.
    """
    if any(candidates.index(int(head), word) < 0 for word, head in enumerate(heads[1:].tolist(), start=1)):
        return -np.inf
    links = make_links(len(heads))
    set_tree(links, heads)
    return float(_sum_parts(table_scores(candidates, scores), links, scores.outer))


def tree_scores(candidates: Candidates, scores: Scores, heads: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """(trees,) Return the scores of trees of candidate arcs, ``heads`` (trees, n + 1)."""
    tables, links = table_scores(candidates, scores), make_links(heads.shape[1])
    totals = np.empty(len(heads))
    for number, tree in enumerate(heads):
        set_tree(links, tree)
        totals[number] = _sum_parts(tables, links, scores.outer)
    return totals


def restrict_scores(candidates: Candidates, scores: Scores, fewer: Candidates) -> Scores:
    """Return the scores of the parts over `fewer`, a subset of the candidates."""
    kept = fewer.mask()[candidates.heads, candidates.modifiers]
    if kept.all():
        return scores
    old, new = lay_out_tables(candidates.mask()), lay_out_tables(fewer.mask())
    tables: dict[str, Any] = {}
    for number, kind in enumerate(KINDS):
        values = scores.table(kind)
        if values is not None:
            check_table(kind, values, int(old.sizes[number]))
            tables[str(kind)] = _pick(old, values, list_table(new, number))
    return replace(scores, arc=scores.arc[kept], **tables)


@kernel
def _pick(old: PartTables, values: npt.NDArray[np.float64], keys: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Read the scores of the parts with these keys from a table; 0 for keys that are not parts."""
    picked = np.zeros(len(keys))
    for number in range(len(keys)):
        if keys[number] >= 0:
            picked[number] = values[part_place(old, keys[number])]
    return picked
