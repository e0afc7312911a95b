"""One climb: from a tree to a local optimum, one word at a time (Zhang et al. 2014, Figure 1).

Words are visited bottom-up; each takes the head that gives the whole tree the highest score and keeps it a tree. With a
single
root, a word becomes the root's child only if the old child gets a new head at the same time.
"""

import numpy as np

from headway.decoders.crossing import crosses
from headway.kernel import inner_kernel, kernel, leaf_kernel
from headway.kernel.arrays import copy_into
from headway.parts.links import Links, bottom_up, is_below
from headway.parts.tree_scorer import Options, TreeScorer, hang, make_options, plant, take, weigh

_MOST_PASSES = 1000  # in case scores are so large that rounding looks like progress

LEAST = 1e-9
"""The minimum improvement that counts; anything less is rounding."""


@kernel
def climb(scores: TreeScorer, links: Links, single_root: bool, projective: bool) -> float:
    """Climb until moving one word no longer raises the score; return the gain."""
    size = len(links.heads)
    order = np.empty(size - 1, dtype=np.int64)
    options = make_options(size)
    rise = 0.0
    changed, passes = True, 0
    while changed and passes < _MOST_PASSES:
        changed = False
        passes += 1
        bottom_up(links, order)
        for place in range(size - 1):
            modifier = int(order[place])
            step = move_word(scores, links, options, modifier, single_root, projective)
            if single_root and links.heads[modifier] != 0 and scores.layout.number[0, modifier] >= 0:
                step += _take_root(scores, links, options, modifier, projective)
            rise += step
            changed |= step > 0.0
    return rise


@kernel
def polish(scores: TreeScorer, links: Links, single_root: bool, projective: bool) -> float:
    """Continue from a local optimum until moving several words together does not help either.

    A word tries each head, even one that lowers the score. The other children of its old head, that head, and the word
    itself then take their best heads; if the total score rose, the climb continues from there, otherwise all is undone.
    In this way, siblings can follow each other to a new head, and a word and its head can change places.
    """
    size = len(links.heads)
    options, saved = make_options(size), np.empty(size, dtype=np.int32)
    rise, changed, passes = 0.0, True, 0
    while changed and passes < _MOST_PASSES:
        changed = False
        passes += 1
        for modifier in range(1, size):
            index = scores.layout
            for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
                old, new = links.heads[modifier], index.heads[arc]
                if old == 0 or new in (0, old) or is_below(links, new, modifier):
                    continue
                if projective and crosses(links.heads, new, modifier):
                    continue
                copy_into(saved, links.heads)
                gain = _force(scores, links, options, modifier, new)
                for word in range(1, size):
                    if saved[word] == old and word != modifier:
                        gain += move_word(scores, links, options, word, single_root, projective)
                gain += move_word(scores, links, options, old, single_root, projective)
                gain += move_word(scores, links, options, modifier, single_root, projective)
                if gain > LEAST:
                    rise += gain + climb(scores, links, single_root, projective)
                    changed = True
                else:
                    plant(scores, links, saved)
    return rise


@leaf_kernel
def _force(scores: TreeScorer, links: Links, options: Options, modifier: int, head: int) -> float:
    """Attach a word to a head, even if the score falls; return the gain."""
    options.heads[0], options.heads[1] = links.heads[modifier], head
    take(scores, links, modifier)
    weigh(scores, links, modifier, options, 2)
    hang(scores, links, modifier, head)
    return float(options.gains[1] - options.gains[0])


@leaf_kernel
def move_word(
    scores: TreeScorer, links: Links, options: Options, modifier: int, single_root: bool, projective: bool
) -> float:
    """Give a word its best head."""
    count = list_options(scores, links, options, modifier, single_root)
    best = 0
    if count > 1:
        weigh(scores, links, modifier, options, count)
        best = _best(links, options, modifier, count, projective)
    hang(scores, links, modifier, options.heads[best])
    return float(options.gains[best] - options.gains[0]) if best > 0 else 0.0


@inner_kernel
def list_options(scores: TreeScorer, links: Links, options: Options, modifier: int, single_root: bool) -> int:
    """Detach a word and list the heads it could have, its current head first; return their number."""
    index = scores.layout
    head = links.heads[modifier]
    take(scores, links, modifier)
    taken = single_root and links.first[0, 1] != len(links.heads)
    options.heads[0] = head
    count = 1
    for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
        other = index.heads[arc]
        if other != head and not (other == 0 and taken) and not is_below(links, other, modifier):
            options.heads[count] = other
            count += 1
    return count


@inner_kernel
def _best(links: Links, options: Options, modifier: int, count: int, projective: bool) -> int:
    """Return the option with the largest gain; the first one unless another is clearly better."""
    best, most = 0, options.gains[0] + LEAST
    for option in range(1, count):
        if options.gains[option] > most and not (projective and crosses(links.heads, options.heads[option], modifier)):
            best, most = option, options.gains[option]
    return best


@leaf_kernel
def _take_root(scores: TreeScorer, links: Links, options: Options, modifier: int, projective: bool) -> float:
    """Make a word the root's single child, if this and the best new head of the old child raise the score together."""
    old_head, old_root = links.heads[modifier], links.first[0, 1]
    take(scores, links, modifier)
    weigh(scores, links, modifier, options, _own_and_root(options, old_head))
    change = float(options.gains[1] - options.gains[0])
    root = options.heads[1]
    hang(scores, links, modifier, root)
    take(scores, links, old_root)
    count = list_below(scores, links, options, old_root, modifier, projective)
    if count > 1:
        weigh(scores, links, old_root, options, count)
        best = 1 + int(np.argmax(options.gains[1:count]))
        change += options.gains[best] - options.gains[0]
        if change > LEAST:
            hang(scores, links, old_root, options.heads[best])
            return float(change)
    hang(scores, links, old_root, root)
    take(scores, links, modifier)
    hang(scores, links, modifier, old_head)
    return 0.0


@leaf_kernel
def _own_and_root(options: Options, head: int) -> int:
    options.heads[0], options.heads[1] = head, 0
    return 2


@leaf_kernel
def list_below(
    scores: TreeScorer, links: Links, options: Options, old_root: int, new_root: int, projective: bool
) -> int:
    """List the heads that the old child of the root could have, below the new child; return their number."""
    index = scores.layout
    options.heads[0] = 0
    count = 1
    for arc in range(index.offsets[old_root], index.offsets[old_root + 1]):
        head = index.heads[arc]
        if head == 0 or not is_below(links, head, new_root):
            continue
        if not (projective and _cross_together(links, head, old_root, new_root)):
            options.heads[count] = head
            count += 1
    return count


@leaf_kernel
def _cross_together(links: Links, head: int, old: int, new: int) -> bool:
    """Return whether the arcs from `head` to `old` and to `new`, which has its head, cross other arcs or each other."""
    before = links.heads[old]
    links.heads[old] = head
    found = crosses(links.heads, head, old) or crosses(links.heads, links.heads[new], new)
    links.heads[old] = before
    return found
