"""One epoch of log-linear training of arcs and parts: gold minus expected parts, over all projective trees.

The expectations are computed on the chart of a factorization (Koo and Collins 2010, section 5.1); the step size is that
of `loglinear`. A batch is processed in parallel with fixed weights; then the updates are made in order.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from headway.charts.chart import HEAD, MODIFIER
from headway.charts.factorizations import find_factorization
from headway.charts.shares import part_shares
from headway.charts.values import log_sums
from headway.kernel import kernel
from headway.learning.gold import GoldTrees
from headway.learning.trees import TreeRule, TreeTables, current_scorer, make_step, move_weights
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch, IntArray
from headway.parts.kinds import keep_outer, list_parts, most_parts
from headway.parts.links import make_links, set_tree
from headway.scorers.high_order import make_part_scorer, part_score
from headway.scorers.linear_models import TreeModel
from headway.scorers.sparse import SparseVector, sparse_add, sparse_vector
from headway.search.charts import Space, chart_space, sentence_chart
from headway.support.threads import Threads

_NEGLIGIBLE = 1e-3


def learn_expectations(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    tables: TreeTables,
    rule: TreeRule,
    step: int,
    threads: Threads,
    arcs: CandidateBatch | None = None,
) -> int:
    """Visit the sentences of `order` once and update `tables`; return the sum of the losses, rounded.

    Parameters are those of `learn_trees`; the gold trees must be projective.
    """
    encoded, arcs = gold.encoded, arcs or ALL_ARCS
    model = current_scorer(tables, outer=rule.outer).trees
    space, total = chart_space(find_factorization(rule.decoder.name), model), 0.0
    for first in range(0, len(order), rule.batch):
        batch = order[first : first + rule.batch].tolist()
        found: dict[int, tuple[float, npt.NDArray[np.float64], SparseVector]] = {}

        def look(start: int, stride: int, batch: list[int] = batch, found: dict[int, Any] = found) -> None:
            for sentence in batch[start::stride]:
                rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
                allowed = arcs.mask(sentence, rows.stop - rows.start)
                found[sentence] = _expected_difference(
                    encoded.atoms[rows], encoded.tags[rows], gold.heads[rows], allowed, model, space, rule.single_root
                )

        threads.deal(look)
        for place, sentence in enumerate(batch):
            rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
            loss, coefficients, difference = found[sentence]
            total += max(0.0, loss)
            move_weights(
                encoded.atoms[rows], encoded.tags[rows], coefficients, difference, loss, tables,
                make_step(rule, step + first + place),
            )  # fmt: skip
    return round(total)


@kernel
def _expected_difference(
    atoms: IntArray,
    tags: IntArray,
    gold: IntArray,
    allowed: npt.NDArray[np.bool_],
    model: TreeModel,
    space: Space,
    single_root: bool,
) -> tuple[float, npt.NDArray[np.float64], SparseVector]:
    """Return the loss and, without negligible entries, gold minus expected arcs and parts.

    The loss is 0 if there is no tree, or if the chart was reduced for its size, so that expectations would be wrong.
    """
    several = np.count_nonzero(gold == 0) > 1  # allow several roots in all trees if the gold tree has several
    chart, scores, keys = sentence_chart(atoms, tags, allowed, model, space, single_root and not several)
    lowered = chart.knows_grandparent != space.knows_grandparent or chart.outer != space.outer
    lowered |= bool(space.wanted.any()) and len(scores) == len(chart.arcs)
    values = log_sums(chart, scores)
    coefficients = np.zeros(allowed.shape)
    if lowered or values[-1] == -np.inf:
        return 0.0, coefficients, sparse_vector(0)
    chances = part_shares(chart, scores, values)
    links = make_links(len(gold))
    set_tree(links, gold)
    gold_parts = np.empty(most_parts(links, space.wanted), dtype=np.int64)
    count = keep_outer(links, chart.outer, gold_parts, list_parts(links, space.wanted, gold_parts))
    difference = sparse_vector(count + int(np.count_nonzero(chances > _NEGLIGIBLE)))
    loss, scorer = values[-1], make_part_scorer(atoms, model.part_plan, model.part_rows, model.triples)
    for part in range(len(chances)):
        if chances[part] > _NEGLIGIBLE:
            if part < len(chart.arcs):
                coefficients[chart.arcs[part, HEAD], chart.arcs[part, MODIFIER]] -= chances[part]
            else:
                sparse_add(difference, keys[part], -chances[part])
    for modifier in range(1, len(gold)):
        coefficients[gold[modifier], modifier] += 1.0
        loss -= scores[chart.number[gold[modifier], modifier]]
    for number in range(count):
        sparse_add(difference, gold_parts[number], 1.0)
        loss -= part_score(scorer, gold_parts[number])
    return loss, coefficients, difference
