"""Random-walk moves: redraw the heads of K words together by Wilson's loop-erased walk, then accept or reject them.

Zhang et al. (2014), "Steps to excellence", section 3.2.2 and Figure 2; Wilson (1996), "Generating random spanning trees
more quickly than the cover time".

K words S are drawn, all sets of K words with the same probability. All other words keep their heads; in Wilson's
algorithm, they are vertices with one arc. The walk draws a tree y' from the trees that differ from y at most in S::

    q(y' | y, S) = product over m in S of w(y'_m, m) / Z        w(h, m) = exp(arc score of (h, m) / T)

Z sums over all such trees. It depends on S and on the heads outside S, which y and y' share, so it cancels in the ratio
of the two proposals, and the move is accepted with probability::

    min(1, π(y') q(y | y', S) / (π(y) q(y' | y, S)))  =  min(1, exp((rest(y') - rest(y)) / T))

where rest is the score of a tree without its arcs: if only arcs are scored, every move is accepted. The chance that S
is drawn is
the same in y and y'. Detailed balance holds for every S, and so for their mixture.

*Single root.* If S does not contain the root's child r, no word of S may be attached to the root; y' has the same
child, and Z is a sum over fewer trees, the same for both. If S contains r, the walk may produce several children of
the root. Such a tree has probability 0 under π, and the move is rejected; that is an ordinary rejection, and the ratio
for all other trees holds. *Crossing arcs* are rejected in the same way.

*Endless walks.* At low temperatures, words may choose each other in a cycle with probability close to 1. A walk that
takes too many steps is rejected. This is exact, too: the cycles that Wilson's algorithm erases are independent of the
remaining tree, so a limit on their length changes the chance of every tree by the same factor, which depends only on S
and on the heads outside S.

Cost: O(K) steps to the next redrawn word above, if cycles are rare, and one scoring for each word that moves.
With K ≥ 2, all trees can be reached from all others if all arcs are candidates and have weights above 0.
"""

import numpy as np
import numpy.typing as npt

from headway.decoders.chain import Chain, Walk, draw_place, note_change
from headway.decoders.crossing import crosses
from headway.kernel import inner_kernel, leaf_kernel
from headway.kernel.random_numbers import Generator, uniform
from headway.parts.arc_index import ArcIndex
from headway.parts.links import Links
from headway.parts.tree_scorer import TreeScorer, hang, take, weigh

_PATIENCE = 100
"""Steps of a walk for each redrawn word."""

_LARGEST = 600.0
"""The logarithm of a weight that is treated as infinite."""


@leaf_kernel
def redraw_words(
    scores: TreeScorer,
    chain: Chain,
    words: int,
    temperature: float,
    single_root: bool,
    projective: bool,
    generator: Generator,
) -> None:
    """Redraw the heads of several words together; `words` is the number of words."""
    index, links, walk = scores.layout, chain.links, chain.walk
    words = min(words, len(walk.order))
    if walk.temperature[0] != temperature:
        _add_up(index, scores.arc, temperature, walk)
    for place in range(words):
        other = place + draw_place(len(walk.order) - place, generator)
        walk.order[place], walk.order[other] = walk.order[other], walk.order[place]
        walk.redrawn[walk.order[place]] = True
        walk.done[walk.order[place]] = False
    kept = single_root and not walk.redrawn[links.first[0, 1]]
    if _walk(index, links, walk, words, kept, generator):
        _sort(links, walk, words)
        if _is_tree(links, walk, words, single_root and not kept, projective):
            _propose(scores, chain, words, temperature, generator)
    for place in range(words):
        walk.redrawn[walk.order[place]] = False


@leaf_kernel
def _add_up(index: ArcIndex, arc: npt.NDArray[np.float64], temperature: float, walk: Walk) -> None:
    """Compute cumulative weights of a word's arcs from other words; the root's arc, the first, is kept separately.

    The weights of a word may be scaled, so the best arc from another word weighs 1. The root's arc may be forbidden, so
    it must not determine the scale.
    """
    walk.temperature[0] = temperature
    for word in range(1, len(index.most)):
        first, end = index.offsets[word], index.offsets[word + 1]
        highest, total = -np.inf, 0.0
        for number in range(first, end):
            if index.heads[number] > 0:
                highest = max(highest, arc[number])
        for number in range(first, end):
            if index.heads[number] > 0:
                total += np.exp((arc[number] - highest) / temperature)
                walk.sums[number] = total
            else:
                walk.sums[number] = np.exp(min((arc[number] - highest) / temperature, _LARGEST))


@leaf_kernel
def _walk(index: ArcIndex, links: Links, walk: Walk, words: int, kept: bool, generator: Generator) -> bool:
    """Write the new heads of the redrawn words; return False if this takes too long.

    Parameters
    ----------
    kept : bool
        Whether the root keeps its single child, so that no redrawn word can be attached to it.
    """
    steps = _PATIENCE * words
    for place in range(words):
        word = walk.order[place]
        while word > 0 and not walk.done[word]:
            steps -= 1
            head = _draw_head(index, walk, word, kept, generator)
            if head < 0 or steps < 0:
                return False
            walk.heads[word] = head
            word = _redrawn_above(links, walk, head)
        word = walk.order[place]
        while word > 0 and not walk.done[word]:
            walk.done[word] = True
            word = _redrawn_above(links, walk, walk.heads[word])
    return True


@inner_kernel
def _redrawn_above(links: Links, walk: Walk, word: int) -> int:
    """Return the nearest redrawn word above a word, or the word itself if it is redrawn; 0 if there is none."""
    while word > 0 and not walk.redrawn[word]:
        word = links.heads[word]
    return word


@inner_kernel
def _draw_head(index: ArcIndex, walk: Walk, word: int, kept: bool, generator: Generator) -> int:
    """Draw a head of a word by arc weights, except the root if that keeps its child; -1 if there is none."""
    number, end = index.offsets[word], index.offsets[word + 1]
    root = 0.0
    if number < end and index.heads[number] == 0:
        root = 0.0 if kept else walk.sums[number]
        number += 1
    others = walk.sums[end - 1] if number < end else 0.0
    if root + others <= 0.0:
        return -1
    sought = uniform(generator) * (root + others) - root
    if sought < 0.0 or number == end:
        return 0
    while number < end - 1 and walk.sums[number] <= sought:
        number += 1
    return int(index.heads[number])


@leaf_kernel
def _sort(links: Links, walk: Walk, words: int) -> None:
    """Sort the redrawn words top-down, by the new tree."""
    for place in range(words):
        word = walk.order[place]
        depth, above = 0, _redrawn_above(links, walk, walk.heads[word])
        while above > 0:
            depth += 1
            above = _redrawn_above(links, walk, walk.heads[above])
        walk.depths[word] = depth
        free = place
        while free > 0 and walk.depths[walk.order[free - 1]] > depth:
            walk.order[free] = walk.order[free - 1]
            free -= 1
        walk.order[free] = word


@leaf_kernel
def _is_tree(links: Links, walk: Walk, words: int, single_root: bool, projective: bool) -> bool:
    """Return whether the new tree is allowed: at most one redrawn child of a single root, and no crossing arcs."""
    roots = 0
    for place in range(words):
        if walk.heads[walk.order[place]] == 0:
            roots += 1
    if single_root and roots != 1:
        return False
    if not projective:
        return True
    _exchange(links, walk, words)
    found = False
    for place in range(words):
        word = walk.order[place]
        if links.heads[word] != walk.heads[word] and crosses(links.heads, links.heads[word], word):
            found = True
            break
    _exchange(links, walk, words)
    return not found


@inner_kernel
def _exchange(links: Links, walk: Walk, words: int) -> None:
    """Exchange old and new heads of the redrawn words, without changing the lists of children."""
    for place in range(words):
        word = walk.order[place]
        links.heads[word], walk.heads[word] = walk.heads[word], links.heads[word]


@leaf_kernel
def _propose(scores: TreeScorer, chain: Chain, words: int, temperature: float, generator: Generator) -> None:
    """Move the words to their new heads; move them back unless the new tree is accepted.

    The words move top-down: then the path up from the new head of a word lies in the new tree, so the head is not below
    the word, and every intermediate structure is a tree.
    """
    number, links, walk, options = scores.layout.number, chain.links, chain.walk, chain.options
    change, arcs = 0.0, 0.0
    for place in range(words):
        word = walk.order[place]
        old, new = links.heads[word], walk.heads[word]
        if new != old:
            options.heads[0], options.heads[1] = old, new
            take(scores, links, word)
            weigh(scores, links, word, options, 2)
            hang(scores, links, word, new)
            change += options.gains[1] - options.gains[0]
            arcs += scores.arc[number[new, word]] - scores.arc[number[old, word]]
            walk.heads[word] = old
    before = chain.scores[0]
    note_change(chain, change)
    if uniform(generator) < np.exp(min((change - arcs) / temperature, 0.0)):
        return
    chain.scores[0] = before
    for place in range(words - 1, -1, -1):
        word = walk.order[place]
        old = walk.heads[word]
        if old != links.heads[word]:
            take(scores, links, word)
            hang(scores, links, word, old)
