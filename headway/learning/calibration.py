"""Calibration: at which temperature arc scores are honest log probabilities, and what they say of a whole tree.

Margin training fixes the order of trees, not the scale of scores. One number, fitted on the dev set, makes the
marginals mean what they say (Guo et al. 2017): the temperature that makes the gold arcs' marginals likeliest.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from headway.chart_search import SentenceChart
from headway.charts.factorizations import Factorization
from headway.learning.gold import GoldTrees
from headway.marginals import inside_outside_kernel, matrix_tree_kernel
from headway.marginals.softmax import softmax
from headway.model import TrainedModel
from headway.parts import Candidates
from headway.pipeline import ArcModel, TableOfArcs, Threads, arc_scores
from headway.search import TreeModel, rivals
from headway.searchers import find_searcher

_LEAST = 1e-6
_MOST_WORDS = 5_000
_MOST_CHART_WORDS = 2_000
_LONGEST = 60


def fit_temperature(model: ArcModel, gold: GoldTrees, *, projective: bool, arcs: TableOfArcs | None = None) -> float:
    """The temperature that fits `gold` best (some thousand words of it will do).

    Parameters
    ----------
    arcs : TableOfArcs, optional
        The arcs that trees are made of, all by default.
    """
    tables = []
    words = 0
    for sentence, length in enumerate(gold.encoded.lengths()):
        if 1 < length <= _LONGEST and words < _MOST_WORDS:
            start, end = gold.encoded.starts[sentence], gold.encoded.starts[sentence + 1]
            scores = arc_scores(gold.encoded, sentence, model)
            if arcs is not None:
                scores[~arcs.of(sentence)] = -np.inf
            tables.append((scores, gold.heads[start:end]))
            words += int(length)
    if not tables:
        return 1.0

    def loss(log_temperature: float) -> float:
        scale = float(np.exp(-log_temperature))
        return sum(_loss(scores * scale, heads, projective) for scores, heads in tables) / words

    return _fitted(loss, 0.02)


def _loss(scores: npt.NDArray[np.float64], heads: npt.NDArray[np.int32], projective: bool) -> float:
    marginals = np.empty_like(scores)
    infer = inside_outside_kernel if projective else matrix_tree_kernel
    infer(scores, True, marginals)
    chances = marginals[heads[1:], np.arange(1, len(heads))]
    return -float(np.log(np.maximum(chances, _LEAST)).sum())


def fit_rival_temperature(gold: GoldTrees, model: TreeModel, arcs: TableOfArcs, heads: npt.NDArray[np.int32]) -> float:
    """The temperature at which the scores of rival heads are honest log probabilities; see `headway.search.rivals`.

    Parameters
    ----------
    arcs : TableOfArcs
        The rivals.
    heads : (rows,) int32
        The trees that the model finds.
    """
    some = gold.encoded.lengths().cumsum() <= max(_MOST_WORDS, int(gold.encoded.lengths()[0]))
    columns = []
    for sentence in np.flatnonzero(some).tolist():
        own = slice(gold.encoded.starts[sentence], gold.encoded.starts[sentence + 1])
        allowed = arcs.of(sentence) if len(arcs.starts) else np.ones((own.stop - own.start,) * 2, dtype=np.bool_)
        if allowed[heads[own][1:], np.arange(1, len(allowed))].all():
            table = rivals(gold.encoded, sentence, model, allowed, heads[own])
            columns += [(table[:, word], gold.heads[own][word]) for word in range(1, len(table))]

    def loss(log_temperature: float) -> float:
        scale = float(np.exp(-log_temperature))
        return sum(-math.log(max(float(softmax(column * scale)[head]), _LEAST)) for column, head in columns)

    if not columns:
        return 1.0
    return _fitted(loss, 0.02)


def fit_tree_power(model: TrainedModel, gold: GoldTrees, *, threads: Threads) -> float:
    """The power of the product of a tree's arc probabilities that tells best whether the whole tree is right.

    Words are not wrong one by one: where one is, another often is too, so the product alone is too low.
    """
    searcher = find_searcher(model)
    lengths = gold.encoded.lengths()
    some = np.flatnonzero((lengths.cumsum() <= _MOST_WORDS) & (lengths > 1))
    if model.settings.factorization:  # charts of long sentences take long
        some = some[(lengths[some] <= _LONGEST) & (lengths[some].cumsum() <= _MOST_CHART_WORDS)]
    if not len(some):
        return 1.0
    encoded = gold.encoded.some(some)
    arcs = model.prune(encoded, threads=threads)
    searched = model.prune(encoded, threads=threads, ratio=searcher.ratio)
    found = searcher.heads(encoded, searched, single_root=True, threads=threads)
    logs, right = [], []
    for index, sentence in enumerate(some.tolist()):
        heads = found[encoded.starts[index] : encoded.starts[index + 1]]
        allowed = arcs.of(index) if arcs else np.ones((len(heads), len(heads)), dtype=np.bool_)
        allowed[heads[1:], np.arange(1, len(heads))] = True
        chances = searcher.probabilities(encoded, index, Candidates.from_mask(allowed), single_root=True, heads=heads)[
            heads[1:], np.arange(1, len(heads))
        ]
        logs.append(float(np.log(np.maximum(chances, _LEAST)).sum()))
        right.append(
            bool((heads == gold.heads[gold.encoded.starts[sentence] : gold.encoded.starts[sentence + 1]]).all())
        )

    def loss(power: float) -> float:
        whole = np.clip(np.exp(power * np.array(logs)), _LEAST, 1.0 - _LEAST)
        return -float(np.where(right, np.log(whole), np.log1p(-whole)).sum())

    return _lowest(loss, 0.05, 2.0, 1e-3)


def fit_chart_temperature(
    gold: GoldTrees, model: TreeModel, arcs: TableOfArcs, *, factorization: Factorization
) -> float:
    """The temperature at which the scores of a chart are honest log probabilities."""
    charts, words = [], 0
    for sentence, length in enumerate(gold.encoded.lengths().tolist()):
        if 1 < length <= _LONGEST and words < _MOST_CHART_WORDS:
            own = slice(gold.encoded.starts[sentence], gold.encoded.starts[sentence + 1])
            allowed = arcs.of(sentence) if len(arcs.starts) else np.ones((length + 1, length + 1), dtype=np.bool_)
            chart = SentenceChart(gold.encoded, sentence, model, allowed, factorization=factorization)
            if chart.best(1):  # which fills the tables, too
                charts.append((chart, gold.heads[own]))
                words += length

    def loss(log_temperature: float) -> float:
        total = 0.0
        for chart, heads in charts:
            chances, _ = chart.probabilities(math.exp(log_temperature))
            total -= float(np.log(np.maximum(chances[heads[1:], np.arange(1, len(heads))], _LEAST)).sum())
        return total

    if not charts:
        return 1.0
    return _fitted(loss, 0.05)


def _fitted(loss: Callable[[float], float], precision: float) -> float:
    """The temperature whose logarithm has the lowest loss."""
    return math.exp(_lowest(loss, math.log(0.01), math.log(100.0), precision))


def _lowest(loss: Callable[[float], float], least: float, most: float, precision: float) -> float:
    from scipy.optimize import minimize_scalar  # here: only training needs it, and it takes long to import

    return float(minimize_scalar(loss, bounds=(least, most), method="bounded", options={"xatol": precision}).x)
