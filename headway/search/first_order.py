"""The fast path for linear scorers with exact first-order decoders: score all arcs and decode, one kernel per batch."""

import numpy as np
import numpy.typing as npt

from headway.decoders.eisner import Eisner
from headway.decoders.kernels import best_tree_kernel
from headway.decoders.spanning_tree import SpanningTree
from headway.features.arc import ArcPlan, arc_hashes
from headway.kernel import kernel
from headway.parts.candidate_batch import IntArray, TreeBatch
from headway.scorers.linear import every_arc, score_arcs
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.rows import Rows
from headway.scorers.tensor import Tensor, add_arc_tensor, project_sentence
from headway.support.threads import Threads


def search_arcs(
    scorer: LinearScorer,
    decoder: Eisner | SpanningTree,
    batch: TreeBatch,
    *,
    single_root: bool,
    threads: Threads,
) -> None:
    """Find the best first-order trees; see `FastPath`."""
    model, encoded, candidates = scorer.arcs, batch.encoded, batch.candidates

    def work(first: int, stride: int) -> None:
        heads_kernel(
            encoded.atoms, encoded.tags, encoded.starts, batch.sentences, first, stride, batch.gold,
            model.plan, model.rows, model.tensor, candidates.starts, candidates.allowed,
            decoder.projective, single_root, batch.heads, batch.outcomes,
        )  # fmt: skip

    threads.deal(work, sentences=len(batch.sentences))
    batch.exact[:] = batch.outcomes[:, 0] > -np.inf


@kernel
def heads_kernel(
    atoms: IntArray,
    tags: IntArray,
    starts: npt.NDArray[np.int64],
    sentences: npt.NDArray[np.int64],
    first: int,
    stride: int,
    gold: IntArray,
    plan: ArcPlan,
    rows: Rows,
    tensor: Tensor,
    tables: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
    projective: bool,
    single_root: bool,
    heads: IntArray,
    outcomes: npt.NDArray[np.float64],
) -> None:
    """Search every stride-th of the sentences exactly; with gold heads, for the tree with the highest score plus cost.

    Parameters
    ----------
    gold : (rows,) int32
        The gold heads: all other heads get a cost of 1. `NO_GOLD` for no costs.
    outcomes : (sentences, 2) float64
        Output: the score of the tree, which is also its bound; -inf if there is none.
    """
    for place in range(first, len(sentences), stride):
        sentence = sentences[place]
        begin, end = starts[sentence], starts[sentence + 1]
        size = end - begin
        mask = every_arc()
        if len(tables) > 0:
            mask = allowed[tables[sentence] : tables[sentence + 1]].reshape(size, size)
        scores = np.empty((size, size), dtype=np.float64)
        hashes = arc_hashes(atoms[begin:end], tags[begin:end], plan)
        projections = project_sentence(atoms[begin:end], tensor)
        score_arcs(hashes, plan, rows, mask, scores)
        add_arc_tensor(projections, tensor.shapes, mask, scores)
        if len(gold) > 0:
            scores += 1.0
            for modifier in range(1, size):
                scores[gold[begin + modifier], modifier] -= 1.0
        total = -np.inf
        if best_tree_kernel(scores, projective, single_root, heads[begin:end]):
            total = 0.0
            for modifier in range(1, size):
                total += scores[heads[begin + modifier], modifier]
        outcomes[place, 0] = outcomes[place, 1] = total
