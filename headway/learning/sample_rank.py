"""SampleRank: learning from the trees that a Markov chain meets, not from the best one alone.

Zhang, Lei, Barzilay, Jaakkola and Globerson (2014), "Steps to excellence", Figure 4, after Wick, Rohanimanesh,
Bellare, Culotta and McCallum (2011). A chain walks over the trees of a sentence by the weights as they stand. Unlike in
the paper, wrong heads add to the score that it walks by, as in the search of MIRA, and it cools down: the last samples
are nearly the trees that violate their margins most. Two kinds of constraints are learned from its samples, each by a
MIRA step where it is violated:

neighbours  of two successive samples, the one with fewer wrong heads scores higher, by the difference in wrong heads
gold        the gold tree scores higher than a sample, by the sample's wrong heads

Each sentence is sampled with the weights that the one before it left: several in parallel with the same weights learn
less. The chain moves by Gibbs steps; random walks propose trees by the scores of arcs alone, so they hardly move once
the chain is cold.
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
"""Which constraints are learned, neighbours and gold, by the names of inferences."""

_TEMPERATURE, _COOLING = 0.6, 0.75
"""Of the first sample, and what it is multiplied by after each: with the cost of wrong heads, the first ones are warm
enough for neighbours that differ, and the last ones near the worst violation."""


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
    """Visit the sentences of `order` once and update `tables`; the wrong heads of the last samples are returned.

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
        samples = decoder.sample_chain(
            with_cost(scorer.tree_scorer(encoded, sentence, candidates), heads), 0, count=rule.samples,
            temperature=_TEMPERATURE, cooling=_COOLING, seed=seed + place, single_root=rule.single_root,
        ).heads  # fmt: skip
        wrong += _rank_kernel(
            encoded.atoms[rows], encoded.tags[rows], heads, samples, tables, neighbours, by_gold, rule.outer,
            make_step(rule, step + place),
        )  # fmt: skip
    return wrong


def with_cost(scores: TreeScorer, gold: IntArray) -> TreeScorer:
    """Return the same tree scorer with 1 more for every arc that is not in the gold tree (n + 1,)."""
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
    """Make a step for every constraint that is violated; the wrong heads of the last sample are returned."""
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
            prefer_tree(atoms, tags, gold, sample, float(wrong), tables, outer, step)
    return wrong
