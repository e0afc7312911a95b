"""Score the rivals of a tree, in which one word has another head: confidence for any scorer and decoder."""

import numpy as np
import numpy.typing as npt

from headway.decoders.climbing import list_options
from headway.encoding import Encoded
from headway.kernel import kernel
from headway.parts import Candidates
from headway.parts.candidate_batch import IntArray
from headway.parts.links import Links, make_links
from headway.parts.scorer import Scorer
from headway.parts.tree_scorer import TreeScorer, hang, make_options, plant, tree_total, weigh


def rivals(
    scorer: Scorer,
    encoded: Encoded,
    sentence: int,
    allowed: npt.NDArray[np.bool_],
    heads: IntArray,
    *,
    single_root: bool = True,
) -> npt.NDArray[np.float64]:
    """(n + 1, n + 1) [head, modifier] Return the scores of all trees that differ from `heads` in the head of one word.

    Parameters
    ----------
    heads : (n + 1,) int32
        The tree; its arcs must be allowed.

    Returns
    -------
    (n + 1, n + 1) float64
        The score of the tree with this arc, up to a constant for each modifier; -inf if that is not a tree. With a
        single root, the root's child has rivals, too: another word can take its place and become its head.
    """
    allowed = allowed.copy()
    allowed[1:, heads == 0] |= allowed[0, 1:, None]  # a word that replaces the root's child becomes its head
    np.fill_diagonal(allowed, False)
    gains = np.full(allowed.shape, -np.inf)
    scores = scorer.tree_scorer(encoded, sentence, Candidates.from_mask(allowed))
    _weigh_rivals(scores, np.ascontiguousarray(heads), single_root, gains)
    return gains


@kernel
def _weigh_rivals(scores: TreeScorer, heads: IntArray, single_root: bool, gains: npt.NDArray[np.float64]) -> None:
    links, options = make_links(len(heads)), make_options(len(heads))
    plant(scores, links, heads)
    for modifier in range(1, len(heads)):
        count = list_options(scores, links, options, modifier, single_root)
        weigh(scores, links, modifier, options, count)
        for option in range(count):
            gains[options.heads[option], modifier] = options.gains[option]
        hang(scores, links, modifier, heads[modifier])
    top = _only_child(heads)
    if single_root and top > 0:
        _root_rivals(scores, links, heads, top, gains)


@kernel
def _only_child(heads: IntArray) -> int:
    """Return the single child of the root, or 0 if there are several."""
    found = 0
    for modifier in range(1, len(heads)):
        if heads[modifier] == 0:
            if found > 0:
                return 0
            found = modifier
    return found


@kernel
def _root_rivals(scores: TreeScorer, links: Links, heads: IntArray, top: int, gains: npt.NDArray[np.float64]) -> None:
    """Score the trees in which another word replaces `top` as the root's child, and `top` becomes its child."""
    number = scores.layout.number
    tree = heads.copy()
    tree_score = tree_total(scores, links)
    gains[0, top] = tree_score
    for other in range(1, len(heads)):
        if other == top or number[0, other] < 0 or number[other, top] < 0:
            continue
        tree[other], tree[top] = 0, other
        plant(scores, links, tree)
        total = tree_total(scores, links)
        gains[other, top] = total
        gains[0, other] = total - tree_score + gains[heads[other], other]
        tree[other], tree[top] = heads[other], 0
