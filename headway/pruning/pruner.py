"""The pruner: select the candidate heads of each word with a fast first-order log-linear model.

Arc probabilities are the model's marginals (matrix-tree theorem). A head is kept if its probability, relative to that
of the best head, is not too low, and if it is among the most probable heads. The arcs of the model's best tree are
always kept, so there is always a tree. Cost: one cheap score per pair of words, and O(n³) for the marginals.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headway.decoders.kernels import best_tree_kernel
from headway.encoding import Encoded
from headway.features.arc import ArcPlan, arc_hashes
from headway.kernel import kernel
from headway.marginals import matrix_tree_kernel
from headway.parts.candidate_batch import CandidateBatch, mask_starts
from headway.scorers.linear import every_arc, score_arcs
from headway.scorers.linear_models import ArcModel
from headway.scorers.rows import Rows
from headway.support.threads import Threads


@dataclass(frozen=True)
class PruningRule:
    """The rule for keeping arcs.

    Parameters
    ----------
    ratio : float
        The minimum probability of a head, relative to the word's most probable head.
    most : int
        The maximum number of heads per word; the most probable ones are kept.
    projective : bool
        Whether the tree that is always kept is the best projective one.
    """

    ratio: float = 1e-3
    most: int = 12
    projective: bool = True


@dataclass(frozen=True)
class PruningReport:
    """Counts of a pruner on gold trees: words, arcs kept, gold arcs kept."""

    words: int
    kept: int
    found: int

    @property
    def recall(self) -> float:
        """The share of gold arcs that were kept, in per cent."""
        return 100.0 * self.found / max(1, self.words)

    @property
    def heads_per_word(self) -> float:
        """The number of arcs kept per word."""
        return self.kept / max(1, self.words)

    def __str__(self) -> str:
        return f"{self.recall:.2f} % of gold arcs kept, {self.heads_per_word:.1f} heads a word"


@dataclass(frozen=True)
class Pruner:
    """A log-linear arc model, and the rule for keeping arcs by its probabilities."""

    model: ArcModel
    rule: PruningRule

    def prune(self, encoded: Encoded, *, threads: Threads) -> CandidateBatch:
        """Return the arcs of every sentence that are kept."""
        return prune(encoded, self.model, self.rule, threads=threads)

    def narrowed(self, ratio: float) -> "Pruner":
        """Return a pruner that also drops heads less probable than this, relative to the word's most probable head."""
        return replace(self, rule=replace(self.rule, ratio=max(ratio, self.rule.ratio)))


def prune(encoded: Encoded, model: ArcModel, rule: PruningRule, *, threads: Threads) -> CandidateBatch:
    """Return the arcs of every sentence that are kept; see `Pruner`."""
    starts = mask_starts(encoded.lengths())
    allowed = np.zeros(starts[-1], dtype=np.bool_)

    def work(first: int, stride: int) -> None:
        _prune_kernel(
            encoded.atoms, encoded.tags, encoded.starts, first, stride, model.plan, model.rows,
            rule.ratio, rule.most, rule.projective, starts, allowed,
        )  # fmt: skip

    threads.deal(work, sentences=len(encoded))
    return CandidateBatch(starts, allowed)


def pruning_report(table: CandidateBatch, encoded: Encoded, heads: npt.NDArray[np.int32]) -> PruningReport:
    """Count the arcs that were kept, and the gold arcs among them."""
    gold = _gold_places(table, encoded, heads)
    return PruningReport(len(gold), int(np.count_nonzero(table.allowed)), int(np.count_nonzero(table.allowed[gold])))


def keep_gold(table: CandidateBatch, encoded: Encoded, heads: npt.NDArray[np.int32]) -> None:
    """Restore pruned gold arcs in `table`."""
    table.allowed[_gold_places(table, encoded, heads)] = True


def _gold_places(table: CandidateBatch, encoded: Encoded, heads: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """(words,) Return the positions of the gold arcs in the flat table."""
    sizes = np.diff(encoded.starts)
    sentence = np.repeat(np.arange(len(encoded)), sizes)
    modifier = np.arange(len(heads)) - encoded.starts[sentence]
    places = table.starts[sentence] + heads.astype(np.int64) * sizes[sentence] + modifier
    return places[modifier > 0]


@kernel
def _prune_kernel(
    atoms: npt.NDArray[np.int32],
    tags: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    first: int,
    stride: int,
    plan: ArcPlan,
    rows: Rows,
    ratio: float,
    most: int,
    projective: bool,
    tables: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
) -> None:
    for sentence in range(first, len(starts) - 1, stride):
        begin, end = starts[sentence], starts[sentence + 1]
        size = end - begin
        scores = np.empty((size, size), dtype=np.float64)
        score_arcs(arc_hashes(atoms[begin:end], tags[begin:end], plan), plan, rows, every_arc(), scores)
        mask = allowed[tables[sentence] : tables[sentence + 1]].reshape(size, size)
        prune_table(scores, ratio, most, projective, mask)


@kernel
def prune_table(
    scores: npt.NDArray[np.float64], ratio: float, most: int, projective: bool, allowed: npt.NDArray[np.bool_]
) -> None:
    """Mark in ``allowed`` (n + 1, n + 1) [head, modifier] the arcs to keep, given arc scores."""
    size = scores.shape[0]
    marginals = np.empty_like(scores)
    matrix_tree_kernel(scores, True, marginals)
    heads = np.empty(size, dtype=np.int32)
    best_tree_kernel(scores, projective, True, heads)
    for modifier in range(1, size):
        order = np.argsort(-marginals[:, modifier])
        least = ratio * marginals[order[0], modifier]
        for rank in range(min(most, size)):
            head = order[rank]
            allowed[head, modifier] = head != modifier and marginals[head, modifier] >= least
        allowed[heads[modifier], modifier] = True
