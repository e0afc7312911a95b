"""One epoch of learning over a relaxed set, in which what head automata take need not be a tree.

Each automaton may choose for itself (``relaxed``; Koo et al. 2010, section 6): a superset of the trees that is fast to
search. Or, by AD3, the automata and a tree agree on arcs but may mix several choices (``fractional``): gold trees are
then told apart from fractions too, so that later searches meet fewer of them and more trees come with a certificate
(Martins, Smith and Xing 2009, "Concise integer linear programming formulations for dependency parsing").
As everywhere, a batch is searched in parallel with the weights fixed, then the steps are made in order.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from headway.chart_search import automata_parts
from headway.decoders.dual_decomposition import ALTERNATING, DualRule, Parts, relaxed_shares
from headway.decoders.dual_decomposition import KINDS as AUTOMATA_KINDS
from headway.decoders.head_automata import Automata, HeadAutomata, share_taken
from headway.kernel import kernel
from headway.learning.gold import GoldTrees
from headway.learning.trees import METHODS, TreeRule, TreeTables, current_model, move_weights
from headway.parts.kinds import KINDS, list_parts, most_parts
from headway.parts.links import make_links, set_tree
from headway.pipeline import EVERY_TABLE, IntArray, TableOfArcs, Threads
from headway.scorers.sparse import SparseVector, sparse_add, sparse_vector


def learn_relaxed(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    tables: TreeTables,
    rule: TreeRule,
    step: int,
    threads: Threads,
    arcs: TableOfArcs | None = None,
) -> int:
    """Visit the sentences of `order` once and update `tables`; how many wrong arcs were taken is returned, rounded.

    Parameters are those of `learn_trees`.
    """
    encoded, arcs = gold.encoded, arcs or EVERY_TABLE
    model = current_model(tables)
    wrong, wanted = 0.0, tables.part_plan.wanted & np.array([kind in AUTOMATA_KINDS for kind in KINDS])
    for first in range(0, len(order), rule.batch):
        batch = order[first : first + rule.batch].tolist()
        found: dict[int, tuple[npt.NDArray[np.float64], SparseVector, float]] = {}

        def look(start: int, stride: int, batch: list[int] = batch, found: dict[int, Any] = found) -> None:
            for sentence in batch[start::stride]:
                own = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
                size = own.stop - own.start
                allowed = arcs.of(sentence) if len(arcs.starts) else np.ones((size, size), dtype=np.bool_)
                parts, keys = automata_parts(encoded, sentence, model, allowed)
                shares = _take(parts, gold.heads[own], rule)
                if shares is not None:
                    found[sentence] = _relaxed_difference(gold.heads[own], parts.automata, shares, keys, wanted)

        threads.deal(look)
        for place, sentence in enumerate(batch):
            if sentence not in found:
                continue
            own = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
            coefficients, difference, cost = found[sentence]
            wrong += cost
            if coefficients.any():
                loss = cost if rule.method == "mira" else 1.0
                move_weights(
                    encoded.atoms[own], encoded.tags[own], coefficients, difference, loss, tables,
                    METHODS.index(rule.method), rule.largest_step, rule.rate, rule.alternating, step + first + place,
                )  # fmt: skip
    return round(wrong)


_ALTERNATIONS = 20
"""Iterations of AD3 for a sentence: where it has not settled, the fractions are rough, but still to be told apart."""


def _take(parts: Parts, gold: IntArray, rule: TreeRule) -> npt.NDArray[np.float64] | None:
    """How much of each arc and part is taken; by MIRA, with a cost for every arc that is not gold; None for no tree."""
    if rule.method == "mira":
        parts.scores[: parts.arcs] += parts.automata.heads != gold[parts.automata.modifiers]
    single_root = bool((gold == 0).sum() == 1)
    if rule.inference == "fractional":
        shares = relaxed_shares(parts, DualRule(_ALTERNATIONS, ALTERNATING, single_root=single_root))
        return shares if shares.any() else None
    automata = HeadAutomata(parts.automata, parts.scores, single_root=single_root)
    return share_taken(parts.automata, automata.best(np.zeros(automata.size))[1], len(parts.scores))


@kernel
def _relaxed_difference(
    gold: IntArray,
    automata: Automata,
    shares: npt.NDArray[np.float64],
    keys: npt.NDArray[np.int64],
    wanted: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.float64], SparseVector, float]:
    """Gold minus taken arcs, the same for parts by their keys, and how many taken arcs are not gold."""
    coefficients = np.zeros((len(gold), len(gold)))
    for modifier in range(1, len(gold)):
        coefficients[gold[modifier], modifier] += 1.0
    links = make_links(len(gold))
    set_tree(links, gold)
    own = np.empty(most_parts(links, wanted), dtype=np.int64)
    places = np.flatnonzero(shares)
    count = list_parts(links, wanted, own)
    difference = sparse_vector(count + len(places))
    for number in range(count):
        sparse_add(difference, own[number], 1.0)
    cost = 0.0
    for place in places:
        if place < len(automata.heads):
            head, modifier = automata.heads[place], automata.modifiers[place]
            coefficients[head, modifier] -= shares[place]
            if gold[modifier] != head:
                cost += shares[place]
        else:
            sparse_add(difference, keys[place], -shares[place])
    return coefficients, difference, cost
