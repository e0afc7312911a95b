"""Initialise a tensor with small random factors, or with factors from a sparse model.

The gradient of each factor is a product of the others, so not all can start at zero. The initialisation from a sparse
model (Lei et al. 2014, Section 4) reads the weights of arc features that combine a feature of the head with a feature
of the modifier as a tensor, unfolds it to a matrix (head features x modifier features and shapes), takes its R largest
singular triples, and then the best rank-1 approximation of each right singular vector.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.arc import ROW, ArcHashes, ArcPlan, arc_hashes
from headway.features.templates import Template, Term
from headway.features.words import WordPlan, table_rows, word_rows
from headway.kernel import kernel
from headway.learning.arcs import ArcRule, learn_arcs
from headway.learning.averaging import average, averaged_table
from headway.learning.gold import GoldTrees
from headway.scorers.tensor import ARC_SHAPES, TRIPLE_SHAPES, Tensor, plain_tensor
from headway.support.threads import Threads

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_SHAPE_SPREAD = 0.1
_PAIR, _HEAD, _MODIFIER = 0, 1, 2
_PLAIN_MODIFIER = 3  # the role of a modifier for which no neighbour is hidden
_EVERY_WORD = -1
_LEAST_LENGTH = 1e-12


def random_start(plan: WordPlan, *, modes: int, shapes: int, rank: int, seed: int, scale: float = 0.01) -> Tensor:
    """Return small random word factors, and shapes near 1.

    Parameters
    ----------
    modes : int
        The number of words in a part.
    scale : float
        The scale of the word factors. Ten times the default costs some two points of UAS.
    """
    generator = np.random.default_rng(seed)
    words = generator.normal(scale=scale, size=(modes, table_rows(plan), rank)).astype(np.float32)
    factor = generator.normal(scale=_SHAPE_SPREAD, size=(shapes, rank)).astype(np.float32)
    factor[0] = 1.0
    return plain_tensor(plan, words, factor)


def triple_start(arcs: Tensor, *, seed: int) -> Tensor:
    """Return the initial tensor of siblings and grandparents, with the heads and modifiers of a tensor of arcs.

    The third factor is zero, so all scores are zero at first, and the first updates only change that factor.
    """
    words = np.concatenate([np.zeros_like(arcs.words[:1]), arcs.words])
    generator = np.random.default_rng(seed)
    shapes = generator.normal(scale=_SHAPE_SPREAD, size=(TRIPLE_SHAPES, arcs.words.shape[2])).astype(np.float32)
    shapes[0] = 1.0
    return plain_tensor(arcs.plan, words, shapes)


class SparseTensor(NamedTuple):
    """A tensor, as a list of its entries that may be nonzero.

    Parameters
    ----------
    heads, modifiers : (pairs,) int64
        Rows of word features; each pair occurs once.
    values : (pairs, shapes) float64
    """

    heads: npt.NDArray[np.int64]
    modifiers: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def factors_of(
    sparse: SparseTensor, *, rows: int, rank: int, seed: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return word factors (2, rows, R) and shapes (shapes, R) close to a sparse tensor, with equal norms for each r.

    Parameters
    ----------
    rows : int
        The number of word features.
    seed : int
        The seed of the starting vector in the search for singular vectors.
    """
    from scipy.sparse.linalg import svds  # imported here: it is slow to import, and only training needs it

    columns, column = np.unique(sparse.modifiers, return_inverse=True)
    shapes = sparse.values.shape[1]
    unfolded = _unfold(sparse, column, (rows, len(columns) * shapes))
    words, factor = np.zeros((2, rows, rank), dtype=np.float32), np.zeros((shapes, rank), dtype=np.float32)
    most = min(rank, min(unfolded.shape) - 1)
    if most < 1 or unfolded.nnz == 0:
        return words, factor
    first = np.random.default_rng(seed).normal(size=min(unfolded.shape))
    left, sizes, right = svds(unfolded, k=most, v0=first)
    for place, number in enumerate(np.argsort(-sizes)):
        matrix = right[number].reshape(len(columns), shapes)
        shape = np.linalg.eigh(matrix.T @ matrix)[1][:, -1]
        modifier = matrix @ shape
        length = max(float(np.linalg.norm(modifier)), _LEAST_LENGTH)
        size = np.cbrt(sizes[number] * length)
        words[0, :, place] = size * left[:, number]
        words[1, columns, place] = size * modifier / length
        factor[:, place] = size * shape
    return words, factor


def _unfold(sparse: SparseTensor, column: npt.NDArray[np.int64], shape: tuple[int, int]) -> "csr_matrix":
    """Return the matrix of head features by modifier features (numbered by `column`) and shapes."""
    from scipy.sparse import csr_matrix

    pair, place = np.nonzero(sparse.values)
    columns = column[pair] * sparse.values.shape[1] + place
    return csr_matrix((sparse.values[pair, place], (sparse.heads[pair], columns)), shape=shape)


def sparse_start(
    gold: GoldTrees,
    weights: npt.NDArray[np.float32],
    arc_plan: ArcPlan,
    arc_templates: Sequence[Template],
    plan: WordPlan,
    word_templates: Sequence[Template],
    *,
    rank: int,
    seed: int,
) -> Tensor:
    """Return the tensor of arcs that is closest to a sparse model's weights on the gold arcs.

    If the sparse model yields a rank below `rank`, the remaining ranks are initialised as in `random_start`.

    Parameters
    ----------
    weights : (slots, ROW) float32
        A table of arc weights, as `headway.learning.arcs` learns them.
    arc_templates, word_templates : sequence of Template
        The template lists that `arc_plan` and `plan` were made from.
    """
    pairs = _factoring(arc_templates, word_templates)
    encoded = gold.encoded
    heads, modifiers, slots = _collect(
        encoded.atoms, encoded.tags, encoded.starts, gold.heads, arc_plan, plan, pairs, np.uint32(len(weights) - 1)
    )
    rows = table_rows(plan)
    _, chosen = np.unique(heads * rows + modifiers, return_index=True)
    table = weights[slots[chosen]].astype(np.float64)
    sparse = SparseTensor(heads[chosen], modifiers[chosen], _by_shape(table))
    start = random_start(plan, modes=2, shapes=ARC_SHAPES, rank=rank, seed=seed)
    words, shapes = factors_of(sparse, rows=rows, rank=rank, seed=seed)
    found = shapes.any(axis=0)
    start.words[:, :, found], start.shapes[:, found] = words[:, :, found], shapes[:, found]
    return start


def pretrained_start(
    gold: GoldTrees,
    arc_plan: ArcPlan,
    arc_templates: Sequence[Template],
    plan: WordPlan,
    word_templates: Sequence[Template],
    *,
    rule: ArcRule,
    slots: int,
    rank: int,
    seed: int,
    threads: Threads,
) -> Tensor:
    """Train a sparse model of arcs for one epoch and start from it; see `sparse_start`.

    Parameters
    ----------
    slots : int
        The number of slots of the sparse model's table.
    """
    order = np.random.default_rng([seed, 0]).permutation(len(gold))
    table = averaged_table(slots, ROW)
    learn_arcs(gold, order, plan=arc_plan, table=table, rule=rule, step=0, threads=threads)
    weights = average(table, len(order))
    return sparse_start(gold, weights, arc_plan, arc_templates, plan, word_templates, rank=rank, seed=seed)


def _by_shape(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return weight rows without the columns for only the direction, which are added to those of each length."""
    values = np.zeros((len(table), ARC_SHAPES))
    values[:, 0] = table[:, 0]
    values[:, 3:9] = table[:, 3:9] + table[:, 1:2]
    values[:, 9:15] = table[:, 9:15] + table[:, 2:3]
    return values


def _factoring(arc_templates: Sequence[Template], word_templates: Sequence[Template]) -> npt.NDArray[np.int64]:
    """(templates, 4): Return each arc template's kind, its number, and the word templates of its two sides."""
    number = {template: index for index, template in enumerate(word_templates)}
    counts = [0, 0, 0]
    factored = []
    for template in arc_templates:
        if template.between is not None:
            continue
        kind = _PAIR if len(template.roles) == 2 else _HEAD if "h" in template.roles else _MODIFIER
        sides = [_side(template, role, number) for role in ("h", "m")]
        if None not in sides:
            factored.append([kind, counts[kind], *sides])
        counts[kind] += 1
    return np.array(factored, dtype=np.int64).reshape(-1, 4)


def _side(template: Template, role: str, number: dict[Template, int]) -> int | None:
    terms = tuple(sorted(Term("w", term.offset, term.atom) for term in template.terms if term.role == role))
    return number.get(Template(terms)) if terms else _EVERY_WORD


@kernel
def _collect(
    atoms: npt.NDArray[np.int32],
    tags: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    heads: npt.NDArray[np.int32],
    arc_plan: ArcPlan,
    plan: WordPlan,
    pairs: npt.NDArray[np.int64],
    mask: np.uint32,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return, for every gold arc and factoring template, the rows of head and modifier features, and the arc's slot."""
    most = (len(heads) - len(starts) + 1) * len(pairs)
    first, second = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    slots = np.empty(most, dtype=np.int64)
    count = 0
    for sentence in range(len(starts) - 1):
        begin, end = starts[sentence], starts[sentence + 1]
        hashes = arc_hashes(atoms[begin:end], tags[begin:end], arc_plan)
        rows = word_rows(atoms[begin:end], plan)
        for modifier in range(1, end - begin):
            head = heads[begin + modifier]
            for pair in range(len(pairs)):
                kind, place, head_template, modifier_template = pairs[pair]
                x = 0 if head_template < 0 else rows[head, head_template]
                y = 0 if modifier_template < 0 else rows[modifier, modifier_template]
                if (head_template < 0 or x > 0) and (modifier_template < 0 or y > 0):
                    first[count], second[count] = x, y
                    slots[count] = _plain_slot(hashes, kind, place, head, modifier) & mask
                    count += 1
    return first[:count], second[:count], slots[:count]


@kernel
def _plain_slot(hashes: ArcHashes, kind: int, place: int, head: int, modifier: int) -> np.uint32:
    """Return the slot of an arc feature, before masking, as if the two words were not neighbours."""
    slot: np.uint32
    if kind == _PAIR:
        slot = hashes.pair[0, head, place] + hashes.pair[_PLAIN_MODIFIER, modifier, place]
    elif kind == _HEAD:
        slot = hashes.head[0, head, place]
    else:
        slot = hashes.modifier[0, modifier, place]
    return slot
