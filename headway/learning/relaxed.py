"""One epoch of training with relaxed inference, in which the choices of head automata need not form a tree.

Either automata choose independently (``relaxed``; Koo et al. 2010, section 6): this searches a superset of the trees
and is fast. Or, with AD3, automata and a tree agree on arcs but may mix several choices (``fractional``). Gold trees
must then also score higher than fractional solutions, so that later searches return fewer of these and more trees are
certified (Martins, Smith and Xing 2009, "Concise integer linear programming formulations for dependency parsing"). A
batch is decoded in parallel with fixed weights; then the updates are made in order.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.learning.gold import GoldTrees
from headway.learning.trees import TreeRule, TreeTables, current_scorer, make_step, move_weights
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch, IntArray
from headway.parts.kinds import list_parts, most_parts
from headway.parts.links import make_links, set_tree
from headway.scorers.sparse import SparseVector, sparse_add, sparse_vector
from headway.search.relaxations import automata_kinds, automata_parts, taken_shares
from headway.support.threads import Threads


def learn_relaxed(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    tables: TreeTables,
    rule: TreeRule,
    step: int,
    threads: Threads,
    arcs: CandidateBatch | None = None,
) -> int:
    """Visit the sentences of `order` once and update `tables`; return the number of wrong arcs, rounded.

    Parameters are those of `learn_trees`.
    """
    encoded, arcs = gold.encoded, arcs or ALL_ARCS
    model = current_scorer(tables).trees
    wrong, wanted = 0.0, automata_kinds(tables.part_plan.wanted)
    for first in range(0, len(order), rule.batch):
        batch = order[first : first + rule.batch].tolist()
        found: dict[int, tuple[npt.NDArray[np.float64], SparseVector, float]] = {}

        def look(start: int, stride: int, batch: list[int] = batch, found: dict[int, Any] = found) -> None:
            for sentence in batch[start::stride]:
                rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
                parts, keys = automata_parts(encoded, sentence, model, arcs.mask(sentence, rows.stop - rows.start))
                heads = gold.heads[rows]
                if rule.method == "mira":
                    parts.scores[: parts.arcs] += parts.automata.heads != heads[parts.automata.modifiers]
                shares = taken_shares(
                    parts, single_root=bool((heads == 0).sum() == 1), fractional=rule.inference == "fractional"
                )
                if shares is not None:
                    found[sentence] = _relaxed_difference(
                        heads, parts.automata.heads, parts.automata.modifiers, shares, keys, wanted
                    )

        threads.deal(look)
        for place, sentence in enumerate(batch):
            if sentence not in found:
                continue
            rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
            coefficients, difference, cost = found[sentence]
            wrong += cost
            if coefficients.any():
                loss = cost if rule.method == "mira" else 1.0
                move_weights(
                    encoded.atoms[rows], encoded.tags[rows], coefficients, difference, loss, tables,
                    make_step(rule, step + first + place),
                )  # fmt: skip
    return round(wrong)


@kernel
def _relaxed_difference(
    gold: IntArray,
    heads: npt.NDArray[np.int64],
    modifiers: npt.NDArray[np.int64],
    shares: npt.NDArray[np.float64],
    keys: npt.NDArray[np.int64],
    wanted: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.float64], SparseVector, float]:
    """Return gold minus found arcs, the same for parts by their keys, and the number of wrong arcs found."""
    coefficients = np.zeros((len(gold), len(gold)))
    for modifier in range(1, len(gold)):
        coefficients[gold[modifier], modifier] += 1.0
    links = make_links(len(gold))
    set_tree(links, gold)
    gold_parts = np.empty(most_parts(links, wanted), dtype=np.int64)
    places = np.flatnonzero(shares)
    count = list_parts(links, wanted, gold_parts)
    difference = sparse_vector(count + len(places))
    for number in range(count):
        sparse_add(difference, gold_parts[number], 1.0)
    cost = 0.0
    for place in places:
        if place < len(heads):
            head, modifier = heads[place], modifiers[place]
            coefficients[head, modifier] -= shares[place]
            if gold[modifier] != head:
                cost += shares[place]
        else:
            sparse_add(difference, keys[place], -shares[place])
    return coefficients, difference, cost
