"""Calibrate probabilities on the dev set: fit a temperature, then a calibrator.

Scores divided by the temperature become log probabilities. Margin training determines the order of trees, not the scale
of scores. With the temperature that maximises the likelihood of gold arcs, marginals are calibrated on average (Guo et
al. 2017). Logistic regressions then correct them for classes of arcs and for whole trees (`headway.search.calibrator`).
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headway.decoders import HasMarginals
from headway.learning.gold import GoldTrees
from headway.marginals.softmax import softmax
from headway.model import TrainedModel
from headway.parts.candidate_batch import CandidateBatch, TreeBatch
from headway.scorers.linear_models import LabelModel
from headway.search import Search
from headway.search.calibrator import (
    ARC_WEIGHTS,
    SHARED_WEIGHTS,
    TREE_WEIGHTS,
    UNCALIBRATED,
    Calibrator,
    arc_inputs,
    sigmoid,
    tree_inputs,
)
from headway.search.labels import NamesArcs, label_scores
from headway.support.threads import Threads

_LEAST = 1e-6
_MOST_WORDS = 5_000
_MOST_CHART_WORDS = 2_000
_MOST_JUDGED_WORDS = 25_000
_LONGEST = 60
_SHRINKAGE, _CLASS_SHRINKAGE = 0.1, 2.0

Floats = npt.NDArray[np.float64]


def calibrate(model: TrainedModel, gold: GoldTrees, *, threads: Threads) -> TrainedModel:
    """Return a copy of the model, calibrated on `gold`, which must not be its training data."""
    search = model.search()
    candidates = search.candidates(gold.encoded, threads=threads, narrow=False)
    searched = search.candidates(gold.encoded, threads=threads)
    temperature = fit_temperature(search, gold, candidates, searched, threads=threads)
    labels = fit_label_temperature(model.namer, gold)
    model = replace(model, settings=replace(model.settings, temperature=temperature, label_temperature=labels))
    facts = {**model.facts, "calibrated": True}
    return replace(correct_probabilities(model, gold, threads=threads), facts=facts)


def correct_probabilities(model: TrainedModel, gold: GoldTrees, *, threads: Threads) -> TrainedModel:
    """Return a copy of the model, whose temperature must be fitted already, with a calibrator fitted to `gold`."""
    if model.settings.pseudo_projective:  # the search's trees differ from the output, whose arcs are restored
        return model
    found = fit_calibrator(model, gold, threads=threads)
    numbers = {"arc_calibration": found.arcs.tolist(), "tree_calibration": found.trees.tolist()}
    return replace(model, settings=replace(model.settings, **numbers))


def fit_temperature(
    search: Search, gold: GoldTrees, candidates: CandidateBatch, searched: CandidateBatch, *, threads: Threads
) -> float:
    """Fit the temperature: maximise the likelihood of some thousand words of `gold` under the search's probabilities.

    Parameters
    ----------
    candidates, searched : CandidateBatch
        The arcs that get probabilities, and the arcs that trees may have.
    """
    encoded = gold.encoded
    curves = []
    chosen = _some(search, encoded.lengths())
    batch = TreeBatch.of(encoded, chosen, searched)
    has_marginals = isinstance(search.decoder, HasMarginals)
    if not has_marginals:  # probabilities then come from a comparison with rival heads
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


def _some(search: Search, lengths: npt.NDArray[np.int64], *, most: int = _MOST_WORDS) -> npt.NDArray[np.int64]:
    """Return the first sentences that are neither trivial nor long, up to `most` words in total."""
    slow = isinstance(search.decoder, HasMarginals) and len(search.decoder.reads) > 1
    fit = np.flatnonzero((lengths > 1) & (lengths <= _LONGEST))
    most = max(_MOST_CHART_WORDS if slow else most, int(lengths[fit[:1]].sum()))
    return fit[lengths[fit].cumsum() <= most]


def _log_chances(chances: npt.NDArray[np.float64], heads: npt.NDArray[np.int32]) -> float:
    """Return the logarithm of the product of the probabilities of a tree's arcs."""
    return float(np.log(np.maximum(chances[heads[1:], np.arange(1, len(heads))], _LEAST)).sum())


def fit_label_temperature(model: LabelModel | NamesArcs, gold: GoldTrees) -> float:
    """Fit the temperature of labels: maximise the likelihood of the labels of gold trees."""
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


def fit_calibrator(model: TrainedModel, gold: GoldTrees, *, threads: Threads) -> Calibrator:
    """Fit a calibrator that predicts which arcs and trees of `gold` are parsed correctly."""
    search = model.search()
    chosen = _some(search, gold.encoded.lengths(), most=_MOST_JUDGED_WORDS)
    if not len(chosen):
        return UNCALIBRATED
    encoded = gold.encoded.some(chosen)
    candidates = search.candidates(encoded, threads=threads, narrow=False)
    inputs, right = [], []
    for index, (sentence, parse) in enumerate(
        zip(chosen.tolist(), search.trees(encoded, threads=threads), strict=True)
    ):
        confidence = search.confidence(encoded, index, parse, heads=parse.heads, candidates=candidates)
        raw = confidence.chances.judge(parse.heads)
        inputs.append(arc_inputs(raw.chances, raw.others, parse.heads, confidence.tags))
        rows = slice(gold.encoded.starts[sentence], gold.encoded.starts[sentence + 1])
        right.append(parse.heads[1:] == gold.heads[rows][1:])
    shrinkage = np.full(ARC_WEIGHTS, _CLASS_SHRINKAGE)
    shrinkage[:SHARED_WEIGHTS] = _SHRINKAGE
    arcs = _fit_logistic(np.concatenate(inputs), np.concatenate(right), UNCALIBRATED.arcs, shrinkage)
    trees = np.stack([tree_inputs(sigmoid(sentence_inputs @ arcs)) for sentence_inputs in inputs])
    whole = np.array([bool(correct.all()) for correct in right])
    return Calibrator(arcs, _fit_logistic(trees, whole, UNCALIBRATED.trees, np.full(TREE_WEIGHTS, _SHRINKAGE)))


def _fit_logistic(inputs: Floats, right: npt.NDArray[np.bool_], start: Floats, shrinkage: Floats) -> Floats:
    """Fit the weights of a logistic regression, regularised towards `start`.

    Parameters
    ----------
    inputs : (cases, weights) float64
    right : (cases,) bool
    start, shrinkage : (weights,) float64
        The prior weights, and the strength of the regularisation towards them.
    """
    from scipy.optimize import minimize

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds, away = inputs @ weights, weights - start
        surprise = np.logaddexp(0.0, np.where(right, -odds, odds)).sum() + 0.5 * float(shrinkage @ away**2)
        return float(surprise), inputs.T @ (sigmoid(odds) - right) + shrinkage * away

    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def _lowest(loss: Callable[[float], float], least: float, most: float, precision: float) -> float:
    from scipy.optimize import minimize_scalar  # imported here: slow, and only training needs it

    return float(minimize_scalar(loss, bounds=(least, most), method="bounded", options={"xatol": precision}).x)
