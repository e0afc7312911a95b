"""Calibration: at which temperature arc scores are honest log probabilities, and what they say of a whole tree.

Margin training fixes the order of trees, not the scale of scores. One number, fitted on the dev set, makes the
marginals mean what they say (Guo et al. 2017): the temperature that makes the gold arcs' marginals likeliest.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from headway.decoders import HasMarginals
from headway.learning.gold import GoldTrees
from headway.marginals.softmax import softmax
from headway.model import TrainedModel
from headway.parts.candidate_batch import CandidateBatch, TreeBatch
from headway.scorers.linear_models import LabelModel
from headway.search import Search
from headway.search.confidence import tree_probability
from headway.search.labels import label_scores
from headway.threads import Threads

_LEAST = 1e-6
_MOST_WORDS = 5_000
_MOST_CHART_WORDS = 2_000
_LONGEST = 60


def fit_temperature(
    search: Search, gold: GoldTrees, candidates: CandidateBatch, searched: CandidateBatch, *, threads: Threads
) -> float:
    """Return the temperature at which the probabilities of a search fit `gold` best, by some thousand words of it.

    Parameters
    ----------
    candidates, searched : CandidateBatch
        The arcs that probabilities are told of, and those that trees are searched among.
    """
    encoded = gold.encoded
    curves = []
    chosen = _some(search, encoded.lengths())
    batch = TreeBatch.of(encoded, chosen, searched)
    has_marginals = isinstance(search.decoder, HasMarginals)
    if not has_marginals:  # then probabilities are those of a tree beside its rivals
        search.write_trees(batch, threads=threads)
    for sentence in chosen.tolist():
        rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
        heads = None if has_marginals else batch.heads[rows]
        curves.append((search.chances(encoded, sentence, heads=heads, candidates=candidates), gold.heads[rows]))
    if not curves:
        return 1.0

    def loss(log_temperature: float) -> float:
        temperature = math.exp(log_temperature)
        return sum(-_log_chances(curve(temperature).arcs, heads) for curve, heads in curves)

    return math.exp(_lowest(loss, math.log(0.01), math.log(100.0), 0.02))


def _some(search: Search, lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(some,) Return the first sentences that are neither trivial nor long, up to some thousand words."""
    slow = isinstance(search.decoder, HasMarginals) and len(search.decoder.reads) > 1
    fit = np.flatnonzero((lengths > 1) & (lengths <= _LONGEST))
    most = max(_MOST_CHART_WORDS if slow else _MOST_WORDS, int(lengths[fit[:1]].sum()))
    return fit[lengths[fit].cumsum() <= most]


def _log_chances(chances: npt.NDArray[np.float64], heads: npt.NDArray[np.int32]) -> float:
    """Return the logarithm of the product of the probabilities of a tree's arcs."""
    return float(np.log(np.maximum(chances[heads[1:], np.arange(1, len(heads))], _LEAST)).sum())


def fit_label_temperature(model: LabelModel, gold: GoldTrees) -> float:
    """Return the temperature at which the probabilities of labels fit those of gold trees best."""
    encoded, tables, right = gold.encoded, [], []
    lengths = encoded.lengths()
    for sentence in np.flatnonzero(lengths.cumsum() <= max(_MOST_WORDS, int(lengths[:1].sum()))).tolist():
        rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
        known = np.flatnonzero(gold.labels[rows] >= 0)
        tables.append(label_scores(encoded, sentence, gold.heads[rows], model)[known])
        right.append(gold.labels[rows][known])
    scores, labels = np.concatenate(tables), np.concatenate(right)
    if not len(labels):
        return 1.0

    def loss(log_temperature: float) -> float:
        chances = softmax(scores.T * math.exp(-log_temperature))[labels, np.arange(len(labels))]
        return -float(np.log(np.maximum(chances, _LEAST)).sum())

    return math.exp(_lowest(loss, math.log(0.01), math.log(100.0), 0.02))


def fit_tree_power(model: TrainedModel, gold: GoldTrees, *, threads: Threads) -> float:
    """Return the power with which `tree_probability` tells best whether the whole tree is right."""
    search = model.search()
    chosen = _some(search, gold.encoded.lengths())
    if not len(chosen):
        return 1.0
    encoded = gold.encoded.some(chosen)
    candidates = search.candidates(encoded, threads=threads, narrow=False)
    judged, right = [], []
    for index, (sentence, parse) in enumerate(
        zip(chosen.tolist(), search.trees(encoded, threads=threads), strict=True)
    ):
        curve = search.chances(encoded, index, heads=parse.heads, candidates=candidates)
        judged.append((curve, curve(search.temperature), parse))
        rows = slice(gold.encoded.starts[sentence], gold.encoded.starts[sentence + 1])
        right.append(bool((parse.heads == gold.heads[rows]).all()))

    def loss(power: float) -> float:
        whole = np.array(
            [
                tree_probability(curve, chances, parse, temperature=search.temperature, power=power)
                for curve, chances, parse in judged
            ]
        )
        whole = np.clip(whole, _LEAST, 1.0 - _LEAST)
        return -float(np.where(right, np.log(whole), np.log1p(-whole)).sum())

    return _lowest(loss, 0.05, 2.0, 1e-2)


def _lowest(loss: Callable[[float], float], least: float, most: float, precision: float) -> float:
    from scipy.optimize import minimize_scalar  # here: only training needs it, and it takes long to import

    return float(minimize_scalar(loss, bounds=(least, most), method="bounded", options={"xatol": precision}).x)
