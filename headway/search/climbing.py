"""The fast path for linear scorers with hill climbing: score parts on first use and climb, one batch per call."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.decoders.hill_climbing import ROUNDING, Climber, HillClimbing, Trace, is_short, make_trace, search_trees
from headway.decoders.starts import arc_starts
from headway.encoding import Encoded
from headway.kernel import kernel
from headway.parts.candidate_batch import NO_GOLD, IntArray, TreeBatch
from headway.parts.kinds import LONGEST
from headway.scorers.linear_models import TreeModel
from headway.scorers.linear_scorer import LinearScorer, sentence_scores
from headway.scorers.trees import TreeScores
from headway.support.interrupts import interruptibly
from headway.support.threads import Threads


@dataclass(frozen=True)
class SearchRule:
    """The options of hill climbing.

    Parameters
    ----------
    start : str
        One of `headway.decoders.hill_climbing.STARTS`.
    restarts : int
        Stop after this many climbs in a row without a better tree.
    seed : int
        The seed of every sentence's random numbers, so that its tree does not depend on the other sentences.
    thorough : bool
        Whether every climb ends with moves of several words: this is slower, but finds the best tree more often.
    ratio : float
        Ignore heads whose probability under the pruner, relative to the word's best head, is below this; 0 keeps all.
    """

    start: str = "map"
    restarts: int = 10
    seed: int = 0
    thorough: bool = False
    ratio: float = 0.0

    def options(self) -> dict[str, Any]:
        """Return the corresponding options of `HillClimbing`."""
        options = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "ratio"}
        return {**options, "marginal_roots": False}

    def decoder(self, *, projective: bool) -> HillClimbing:
        """Return the decoder with these options."""
        return HillClimbing(projective, **self.options())


def climb_batch(
    scorer: LinearScorer,
    decoder: HillClimbing,
    batch: TreeBatch,
    *,
    single_root: bool,
    threads: Threads,
) -> None:
    """Search trees by hill climbing; see `FastPath`."""
    model, climber = scorer.trees, decoder.climber(single_root=single_root)
    encoded, candidates = batch.encoded, batch.candidates
    if len(batch.sentences) < threads.number and len(batch.gold) == 0:
        for place, sentence in enumerate(batch.sentences.tolist()):
            rows = batch.rows(sentence)
            mask = candidates.mask(sentence, rows.stop - rows.start)
            batch.heads[rows], (score, bound) = _climb_together(encoded, sentence, model, mask, climber, threads)
            batch.outcomes[place], batch.exact[place] = (score, bound), score >= bound
        return
    reached, trace = np.empty((len(batch.sentences), 4)), make_trace(0, 0)

    def work(first: int, stride: int) -> None:
        search_kernel(
            encoded.atoms, encoded.tags, encoded.starts, batch.sentences, first, stride,
            candidates.starts, candidates.allowed, batch.gold, model, climber, batch.heads, reached, trace,
        )  # fmt: skip

    words = int(encoded.lengths()[batch.sentences].sum())
    interruptibly(lambda: threads.deal(work), climber.stop, short=is_short(climber, words))
    batch.outcomes[:] = reached[:, :2]
    batch.exact[:] = reached[:, 0] >= reached[:, 1]


def _climb_together(
    encoded: Encoded,
    sentence: int,
    model: TreeModel,
    allowed: npt.NDArray[np.bool_],
    climber: Climber,
    threads: Threads,
) -> tuple[IntArray, tuple[float, float]]:
    """Share the climbs of a sentence among threads; return the same tree as one thread would, its score and bound."""
    size = len(allowed)
    share = max(1, -(-climber.restarts // threads.number))
    best, bound, found, climbs = -np.inf, np.inf, 0, 0
    heads, bounds = np.empty(size, dtype=np.int32), np.full(threads.number, np.inf)
    traces = [make_trace(share, size) for _ in range(threads.number)]
    while climbs == 0 or climbs - found < climber.restarts:

        def work(thread: int, stride: int, base: int = climbs) -> None:
            shared = climber._replace(first=base + thread * share, most=share, restarts=share)
            bounds[thread] = _search_one(encoded, sentence, model, allowed, shared, traces[thread])

        interruptibly(lambda: threads.deal(work), climber.stop)
        bound = float(bounds.min())
        for trace in traces:
            for score, tree in zip(trace.scores, trace.heads, strict=True):
                if not score > -np.inf:  # there is no tree, or scores are NaN
                    return heads, (-np.inf, np.inf)
                climbs += 1
                if score > best + ROUNDING:
                    best, found = float(score), climbs
                    heads = tree.copy()
                if climbs - found >= climber.restarts:
                    return heads, (best, max(best, bound))
    return heads, (best, max(best, bound))


def trace_climbs(
    encoded: Encoded,
    sentence: int,
    model: TreeModel,
    allowed: npt.NDArray[np.bool_],
    *,
    decoder: HillClimbing,
    single_root: bool = True,
    climbs: int,
) -> Trace:
    """Climb `climbs` times over the allowed arcs and record every tree."""
    climber = decoder.climber(single_root=single_root)._replace(restarts=climbs, most=climbs)
    trace = make_trace(climbs, len(allowed))
    _search_one(encoded, sentence, model, allowed, climber, trace)
    return trace


def _search_one(
    encoded: Encoded,
    sentence: int,
    model: TreeModel,
    allowed: npt.NDArray[np.bool_],
    climber: Climber,
    trace: Trace,
) -> float:
    """Search one sentence and record its climbs; return an upper bound on the score of any tree."""
    single = encoded.some(np.array([sentence]))
    heads, outcomes = np.empty(len(single.atoms), dtype=np.int32), np.empty((1, 4))
    interruptibly(
        lambda: search_kernel(
            single.atoms, single.tags, single.starts, np.zeros(1, dtype=np.int64), 0, 1,
            np.array([0, allowed.size]), allowed.reshape(-1), NO_GOLD, model, climber, heads, outcomes, trace,
        ),
        climber.stop,
    )  # fmt: skip
    return float(outcomes[0, 1])


@kernel
def search_kernel(
    atoms: IntArray,
    tags: IntArray,
    starts: npt.NDArray[np.int64],
    sentences: npt.NDArray[np.int64],
    first: int,
    stride: int,
    tables: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
    gold: IntArray,
    model: TreeModel,
    climber: Climber,
    heads: IntArray,
    outcomes: npt.NDArray[np.float64],
    trace: Trace,
) -> None:
    """Search every stride-th of the sentences; with gold heads, for the tree with the highest score plus cost.

    Parameters
    ----------
    tables, allowed
        As in `CandidateBatch`; an empty `tables` stands for all arcs.
    gold : (rows,) int32
        The gold heads: all other heads get a cost of 1. `NO_GOLD` for no costs.
    heads : (rows,) int32
        Output: the heads.
    outcomes : (sentences, 4) float64
        Output: score, bound, climbs made, and the climb that found the tree; the score is -inf if there is none.
    trace : Trace
        Output, for a single sentence: its climbs, as far as there is room.
    """
    for number in range(first, len(sentences), stride):
        if climber.stop[0] != 0:
            return
        sentence = sentences[number]
        begin, end = starts[sentence], starts[sentence + 1]
        size = end - begin
        mask = np.ones((size, size), dtype=np.bool_)
        if len(tables) > 0:
            mask = allowed[tables[sentence] : tables[sentence + 1]].reshape(size, size)
        outcomes[number, 0] = -np.inf
        if size <= LONGEST:
            scores = sentence_scores(atoms[begin:end], tags[begin:end], mask, model)
            if len(gold) > 0:
                _add_costs(scores, gold[begin:end])
            starting = arc_starts(scores.layout, scores.arc, climber.start == 0, climber.single_root)
            score, bound, climbs, found = search_trees(scores, starting, climber, heads[begin:end], trace)
            outcomes[number, 0], outcomes[number, 1], outcomes[number, 2] = score, bound, climbs
            outcomes[number, 3] = found


@kernel
def _add_costs(scores: TreeScores, gold: IntArray) -> None:
    index = scores.layout
    for modifier in range(1, len(gold)):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            if index.heads[arc] != gold[modifier]:
                scores.arc[arc] += 1.0
