"""Arc swaps: repeat the best single change of a head (Tchernowitz, Yedidsion and Reichart 2016, Section 6).

For a word v with head u, and another head u'::

    u' is not below v:   u' → v instead of u → v
    u' is below v:       u' → v and u → w instead of u → v and v → w, where w is the child of v towards u'

All swaps are tried, and the one that gains most is made; this is repeated up to a given number of rounds, or until none
gains. Cost of a round: the candidate heads of all n words, times the cost of a move in the tree scorer.
"""

import numpy as np
import numpy.typing as npt

from headway.decoders.climbing import LEAST, list_options
from headway.kernel import kernel
from headway.parts.links import Links, is_below
from headway.parts.tree_scorer import Options, TreeScorer, hang, make_options, take, weigh


@kernel
def swap_arcs(scores: TreeScorer, links: Links, rounds: int, single_root: bool) -> int:
    """Make the best swap, at most `rounds` times; return the number of swaps."""
    options, best = make_options(len(links.heads)), np.zeros(3, dtype=np.int64)
    for made in range(rounds):
        most = LEAST
        for word in range(1, len(links.heads)):
            most = _best_move(scores, links, options, word, single_root, most, best)
            most = _best_turn(scores, links, options, word, most, best)
        if most <= LEAST:
            return made
        word, head, child = int(best[0]), int(best[1]), int(best[2])
        above = links.heads[word]
        if child > 0:
            take(scores, links, child)
            hang(scores, links, child, above)
        take(scores, links, word)
        hang(scores, links, word, head)
    return rounds


@kernel
def _best_move(
    scores: TreeScorer,
    links: Links,
    options: Options,
    word: int,
    single_root: bool,
    most: float,
    best: npt.NDArray[np.int64],
) -> float:
    """Try all heads that are not below the word; record the best swap so far, and return its gain."""
    head = links.heads[word]
    count = list_options(scores, links, options, word, single_root)
    if count > 1:
        weigh(scores, links, word, options, count)
    hang(scores, links, word, head)
    for option in range(1, count):
        gain = options.gains[option] - options.gains[0]
        if gain > most:
            most = gain
            best[0], best[1], best[2] = word, options.heads[option], 0
    return most


@kernel
def _best_turn(
    scores: TreeScorer, links: Links, options: Options, word: int, most: float, best: npt.NDArray[np.int64]
) -> float:
    """Try all heads below the word; the child towards such a head is attached to the word's old head instead."""
    index, above, none = scores.layout, links.heads[word], len(links.heads)
    for child in range(1, none):
        if links.heads[child] != word or index.number[above, child] < 0:
            continue
        options.heads[0], options.heads[1] = word, above
        take(scores, links, child)
        weigh(scores, links, child, options, 2)
        rise = options.gains[1] - options.gains[0]
        hang(scores, links, child, above)
        take(scores, links, word)
        options.heads[0], count = above, 1
        for arc in range(index.offsets[word], index.offsets[word + 1]):
            if index.heads[arc] != above and is_below(links, index.heads[arc], child):
                options.heads[count] = index.heads[arc]
                count += 1
        if count > 1:
            weigh(scores, links, word, options, count)
        for option in range(1, count):
            gain = rise + options.gains[option] - options.gains[0]
            if gain > most:
                most = gain
                best[0], best[1], best[2] = word, options.heads[option], child
        hang(scores, links, word, above)
        take(scores, links, child)
        hang(scores, links, child, word)
    return most
