"""SampleRank: learn from the trees that Markov chains sample, not only from the best tree.

Zhang, Lei, Barzilay, Jaakkola and Globerson (2014), "Steps to excellence", Figure 4, after Wick, Rohanimanesh,
Bellare, Culotta and McCallum (2011). For each sentence, several chains sample trees, each under the weights that the
one before it left. There are two kinds of constraints; each one that the samples violate causes a MIRA update:

neighbours  of two successive samples, the one with fewer wrong heads must score higher by the difference in errors
gold        the gold tree must score higher than the last sample of each chain by the number of its wrong heads

This differs from the paper in four ways. The score that chains sample from is cost-augmented, as in MIRA (1 more for
every wrong head). The temperature falls, and the last sample is the best tree of the chain after hill climbing: the
tree with the largest margin violation that the chain can find. Only it is compared with the gold tree, because warm
samples have many wrong heads whose margins are satisfied. And all chains but the first start at random trees, like the
climbs of the search that the weights are for: high-scoring trees far from the best first-order tree are met, too.

The chains move by Gibbs steps; random walks propose trees by the scores of arcs alone, so they hardly move once the
chain is cold.
"""

import numpy as np
import numpy.typing as npt

from headway.decoders import RunsChains
from headway.errors import UsageError
from headway.kernel import kernel
from headway.learning.gold import GoldTrees
from headway.learning.trees import Step, TreeRule, TreeTables, current_scorer, make_step, prefer_tree
from headway.parts import Candidates
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch, IntArray
from headway.parts.tree_scorer import TreeScorer

CONSTRAINTS = {"samples": (True, True), "samples-neighbours": (True, False), "samples-gold": (False, True)}
"""The values of `TreeRule.inference`, and for each whether it uses the neighbour and the gold constraints."""

_TEMPERATURE, _COOLING = 0.6, 0.5
"""The temperature of the first sample of a chain, and its factor after each sample."""


def learn_samples(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    tables: TreeTables,
    rule: TreeRule,
    seed: int,
    step: int,
    arcs: CandidateBatch | None = None,
) -> int:
    """Visit the sentences of `order` once and update `tables`; return the number of wrong heads in the last samples.

    Parameters
    ----------
    seed, step, arcs
        See `headway.learning.trees.learn_trees`.
    """
    decoder = rule.decoder
    if not isinstance(decoder, RunsChains):
        raise UsageError(f"SampleRank learns from a decoder that runs chains, and {decoder.name} does not")
    scorer, encoded = current_scorer(tables, outer=rule.outer), gold.encoded
    neighbours, by_gold = CONSTRAINTS[rule.inference]
    wrong = 0
    for place, sentence in enumerate(order.tolist()):
        rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
        heads = gold.heads[rows]
        candidates = (arcs or ALL_ARCS).candidates(sentence, len(heads) - 1)
        single_root = rule.single_root and bool(np.count_nonzero(heads == 0) == 1)
        for chain in range(decoder.chains):
            samples = decoder.sample_chain(
                with_cost(scorer.tree_scorer(encoded, sentence, candidates), heads), chain, count=rule.samples,
                temperature=_TEMPERATURE, cooling=_COOLING, climb=True, seed=seed + place, single_root=single_root,
            ).heads  # fmt: skip
            wrong += _rank_kernel(
                encoded.atoms[rows], encoded.tags[rows], heads, samples, tables, neighbours, by_gold, rule.outer,
                make_step(rule, step + place),
            )  # fmt: skip
    return wrong


def with_cost(scores: TreeScorer, gold: IntArray) -> TreeScorer:
    """Return a cost-augmented tree scorer: 1 more for every arc that is not in the gold tree (n + 1,)."""
    arcs = Candidates(scores.layout.offsets, scores.layout.heads)
    return scores._replace(arc=scores.arc + (arcs.heads != gold[arcs.modifiers]))


@kernel
def _rank_kernel(
    atoms: IntArray,
    tags: IntArray,
    gold: IntArray,
    samples: IntArray,
    tables: TreeTables,
    neighbours: bool,
    by_gold: bool,
    outer: int,
    step: Step,
) -> int:
    """Make an update for every violated constraint; return the number of wrong heads in the last sample."""
    wrong = 0
    for number in range(len(samples)):
        before, sample = wrong, samples[number]
        wrong = 0
        for modifier in range(1, len(gold)):
            wrong += int(gold[modifier] != sample[modifier])
        if neighbours and number > 0 and wrong != before:
            better, worse = (sample, samples[number - 1]) if wrong < before else (samples[number - 1], sample)
            prefer_tree(atoms, tags, better, worse, float(abs(wrong - before)), tables, outer, step)
    if by_gold and wrong > 0:
        prefer_tree(atoms, tags, gold, samples[len(samples) - 1], float(wrong), tables, outer, step)
    return wrong
