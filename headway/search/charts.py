"""The fast path for linear scorers with chart decoders: score parts and fill a chart, one sentence per call."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.chart import HEAD, MODIFIER, Chart, make_chart
from headway.charts.derivations import write_best_tree
from headway.charts.factorizations import Factorization, find_factorization
from headway.charts.part_places import PartPlaces, list_keys, place_parts
from headway.charts.values import highest_values
from headway.decoders.third_order import ChartDecoder
from headway.kernel import kernel
from headway.parts.arc_index import ArcIndex, index_arcs
from headway.parts.candidate_batch import IntArray, TreeBatch
from headway.parts.kinds import LONGEST, SIBLING
from headway.scorers.high_order import make_part_scorer, part_score
from headway.scorers.linear_models import TreeModel
from headway.scorers.linear_scorer import LinearScorer, arc_table_kernel
from headway.support.threads import Threads

LARGEST = 4_000_000
"""The maximum number of parts or chart entries (about 150 MB); beyond it, only siblings, or only arcs, are used."""


class Space(NamedTuple):
    """A factorization as arrays for kernels; see `Factorization`."""

    wanted: npt.NDArray[np.bool_]
    knows_grandparent: bool
    outer: int


def chart_space(factorization: Factorization, model: TreeModel) -> Space:
    """Return the simplest spans that score all parts that both the model and the factorization have."""
    wanted = factorization.wanted(model.part_plan.wanted)
    simplest = factorization.simplest(wanted)
    return Space(wanted, simplest.knows_grandparent, simplest.outer)


def search_charts(
    scorer: LinearScorer,
    decoder: ChartDecoder,
    batch: TreeBatch,
    *,
    single_root: bool,
    threads: Threads,
) -> None:
    """Find the best projective trees; see `FastPath`."""
    space = chart_space(find_factorization(decoder.factorization), scorer.trees)

    def work(first: int, stride: int) -> None:
        for place in range(first, len(batch.sentences), stride):
            sentence = int(batch.sentences[place])
            score, bound = _search_sentence(batch, sentence, scorer.trees, space, single_root=single_root)
            batch.outcomes[place], batch.exact[place] = (score, bound), score == bound

    threads.deal(work)


def _search_sentence(
    batch: TreeBatch, sentence: int, model: TreeModel, space: Space, *, single_root: bool
) -> tuple[float, float]:
    """Write the best tree of one sentence; return its score, -inf if there is none, and an upper bound.

    Filling a chart takes milliseconds, so one Python call per sentence costs little; and each kernel is compiled only
    once.
    """
    encoded, rows = batch.encoded, batch.rows(sentence)
    size = rows.stop - rows.start
    if size > LONGEST:
        return -np.inf, np.inf
    mask = batch.candidates.mask(sentence, size)
    chart, scores, _ = sentence_chart(encoded.atoms[rows], encoded.tags[rows], mask, model, space, single_root)
    if len(batch.gold):
        scores[: len(chart.arcs)] += chart.arcs[:, HEAD] != batch.gold[rows][chart.arcs[:, MODIFIER]]
    values = highest_values(chart, scores)
    if not write_best_tree(chart, scores, values, batch.heads[rows]):
        return -np.inf, np.inf
    score = float(values[-1])
    return score, np.inf if is_lowered(chart, len(scores), space) else score


def is_lowered(chart: Chart, parts: int, space: Space) -> bool:
    """Return whether a chart was reduced to fewer kinds of parts than `space` has; see `LARGEST`."""
    other = chart.knows_grandparent != space.knows_grandparent or chart.outer != space.outer
    return bool(other or (space.wanted.any() and parts == len(chart.arcs)))


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
    """Return the scores and the keys of all arcs and parts of one sentence; see `list_keys`."""
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
    """Return the chart of one sentence (of a lower order if it would be too large), and its parts' scores and keys."""
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
