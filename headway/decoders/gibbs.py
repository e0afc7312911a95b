"""Gibbs moves: the head of one word, or of two, drawn from its distribution given all other heads.

Zhang, Lei, Barzilay, Jaakkola and Globerson (2014), "Steps to excellence: simple inference with refined scoring of
dependency trees", section 3.2.1.

Let B be the set of trees that a move can end in. If B is the same for every tree of B that the move starts from, and
the end is drawn from B in proportion to π(y) = exp(score(y) / T), then π(y) P(y, y') = π(y) π(y') / π(B) is symmetric
in y and y': detailed balance holds, and every move is accepted.

*A word.* B holds the trees that differ from y at most in the head of one word. With a single root, the heads of all
other words determine the root's child, so such a move never changes it.

*The root.* A word w is drawn from the words R that can be children of the root; r is the root's child now. B holds the
trees that differ at most in the heads of r and w. Without these two arcs, the tree falls into two pieces: w with all
words below it, and the rest, which contains r. So in a tree of B either r is the root's child and w is attached to the
piece of r, or w is and r is attached to the piece of w. The pair {r, w} is drawn with probability 1 / |R| in each: by
drawing w if r is the root's child, and r if w is. This would not hold for one fixed w, so w is drawn anew each time.

Cost: scoring the candidate heads of a word, as for a step of hill climbing; of two words for a move of the root.

If all arcs are candidates, all trees can be reached from all others: top-down, attach every word to the root or to its
child (if arcs must not cross, those furthest from their heads first), and reverse the path to the other tree.
With few candidates, several words may have to move together, and the chain may not reach every tree.
"""

from headway.decoders.chain import Chain, draw_option, note_change
from headway.decoders.climbing import list_below, list_options
from headway.decoders.crossing import crosses
from headway.kernel import inner_kernel, leaf_kernel
from headway.kernel.random_numbers import Generator
from headway.parts.links import Links
from headway.parts.tree_scorer import Options, TreeScorer, hang, take, weigh


@leaf_kernel
def redraw_head(
    scores: TreeScorer,
    chain: Chain,
    word: int,
    temperature: float,
    single_root: bool,
    projective: bool,
    generator: Generator,
) -> None:
    """Draw the head of a word given all other heads."""
    links, options = chain.links, chain.options
    count = list_options(scores, links, options, word, single_root)
    if projective:
        count = drop_crossing(links, options, word, count)
    chosen = 0
    if count > 1:
        weigh(scores, links, word, options, count)
        chosen = draw_option(options.gains, count, temperature, chain.weights, generator)
    hang(scores, links, word, options.heads[chosen])
    if chosen > 0:
        note_change(chain, options.gains[chosen] - options.gains[0])


@leaf_kernel
def redraw_root(
    scores: TreeScorer, chain: Chain, word: int, temperature: float, projective: bool, generator: Generator
) -> None:
    """Draw the heads of a word and of the root's only child together, one of the two being the root's child."""
    links, options, below = chain.links, chain.options, chain.below
    root = links.first[0, 1]
    if word == root:
        return
    count = list_options(scores, links, options, word, True)  # in the piece of the root's child, its own head first
    if projective:
        count = drop_crossing(links, options, word, count)
    options.heads[count] = 0  # the path to the other half of B leads through a tree with two children of the root
    weigh(scores, links, word, options, count + 1)
    hang(scores, links, word, 0)
    take(scores, links, root)
    lower = list_below(scores, links, below, root, word, projective)
    if lower > 1:
        weigh(scores, links, root, below, lower)
    swap = options.gains[count] - below.gains[0]
    for option in range(1, lower):  # pieces share no words, so there is room for the options of both
        options.gains[count + option - 1] = swap + below.gains[option]
    chosen = draw_option(options.gains, count + lower - 1, temperature, chain.weights, generator)
    if chosen >= count:
        hang(scores, links, root, below.heads[chosen - count + 1])
    else:
        hang(scores, links, root, 0)
        take(scores, links, word)
        hang(scores, links, word, options.heads[chosen])
    if chosen > 0:
        note_change(chain, options.gains[chosen] - options.gains[0])


@inner_kernel
def drop_crossing(links: Links, options: Options, word: int, count: int) -> int:
    """Keep the heads whose arc to the word crosses no other, the word's own head first; return their number."""
    kept = 1
    for option in range(1, count):
        if not crosses(links.heads, options.heads[option], word):
            options.heads[kept] = options.heads[option]
            kept += 1
    return kept
