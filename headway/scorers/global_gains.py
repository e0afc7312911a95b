"""The change in the score of a tree's structures when one word is attached to each of several heads.

As for parts, only differences between the gains of one call are meaningful. A word affects the children of its head;
the spans of ancestors that it widens; the phrases and coordinations that contain it; its pair of marks; the right
branch, if it is attached there; and the arcs that it crosses. Cost: the affected ancestors, the coordinators of the
sentence and, for crossing arcs only, one pass over the words.

The structures that each head adds and removes are noted first and looked up together, so that memory accesses overlap.
A note is a key and the option that it counts for (for removed structures, minus the option's number minus one).
"""

import numpy as np
import numpy.typing as npt

from headway.encoding.tag_map import ADPOSITION, PUNCTUATION
from headway.kernel import leaf_kernel
from headway.parts import structures
from headway.parts.links import Links, link, unlink
from headway.parts.structures import CLASS, FIRST_STRUCTURE, LISTED, PARTNER
from headway.parts.styles import UNIVERSAL_COORDINATION, find_coordination
from headway.parts.tree_scorer import Options
from headway.scorers.global_features import GlobalScorer, score_anew
from headway.scorers.memo import memo_place

_CHILDREN, _SPAN, _PREPOSITION = (
    structures.CHILDREN - FIRST_STRUCTURE,
    structures.SPAN - FIRST_STRUCTURE,
    structures.PREPOSITION - FIRST_STRUCTURE,
)
_COORDINATION, _PUNCTUATION = structures.COORDINATION - FIRST_STRUCTURE, structures.PUNCTUATION - FIRST_STRUCTURE
_RIGHT_BRANCH, _CROSSING = structures.RIGHT_BRANCH - FIRST_STRUCTURE, structures.CROSSING - FIRST_STRUCTURE


@leaf_kernel
def weigh_globals(scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int) -> None:
    """Add to the gains of attaching `modifier`, which is detached, to each of the first `count` heads of `options`.

    The scorer's spans are those of the forest without `modifier`, and of the words below `modifier`.
    """
    traits = scorer.hashes.traits
    wanted = traits.wanted
    mark = traits.words[modifier, CLASS] == PUNCTUATION
    noted = 0
    if wanted[_CHILDREN] and not mark:
        noted = _note_children(scorer, links, modifier, options, count, noted)
    if wanted[_SPAN]:
        noted = _note_spans(scorer, links, modifier, options, count, noted)
    if wanted[_PREPOSITION] and traits.preposition == 0:
        noted = _note_nouns(scorer, links, modifier, options, count, noted)
    elif wanted[_PREPOSITION]:
        noted = _note_arguments(scorer, links, modifier, options, count, noted)
    if wanted[_COORDINATION]:
        noted = _note_coordinations(scorer, links, modifier, options, count, noted)
    if wanted[_PUNCTUATION] and traits.words[modifier, PARTNER] != 0:
        noted = _note_pair(scorer, links, modifier, options, count, noted)
    if wanted[_RIGHT_BRANCH] and not mark:
        noted = _note_right_branch(scorer, links, modifier, options, count, noted)
    if wanted[_CROSSING]:
        noted = _note_own_arcs(scorer, links, modifier, options, count, noted)
        noted = _note_covering_arcs(scorer, links, modifier, options, count, noted)
    _settle(scorer, options, noted)


@leaf_kernel
def _note(notes: npt.NDArray[np.int64], noted: int, key: int, option: int) -> int:
    notes[noted, 0], notes[noted, 1] = key, option
    return noted + 1


@leaf_kernel
def _settle(scorer: GlobalScorer, options: Options, noted: int) -> int:
    """Look up all notes, add their scores to the gains, and return 0, the new number of notes."""
    notes, gains, memo = scorer.notes, options.gains, scorer.memo
    for number in range(noted):
        key, option = notes[number, 0], notes[number, 1]
        place = memo_place(memo, key)
        value = memo.values[place] if memo.keys[place] == key else score_anew(scorer, place, key)
        if option >= 0:
            gains[option] += value
        else:
            gains[-1 - option] -= value
    return 0


@leaf_kernel
def _is_full(notes: npt.NDArray[np.int64], noted: int, links: Links) -> bool:
    """Return whether there may be no room for three more notes per word."""
    return noted + 3 * len(links.heads) > len(notes)


@leaf_kernel
def _note_children(scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int) -> int:
    words, notes, none = scorer.hashes.traits.words, scorer.notes, len(links.heads)
    for option in range(count):
        head = options.heads[option]
        if head != 0:
            noted = _note(notes, noted, structures.children_key(links, words, head, modifier), option)
            noted = _note(notes, noted, structures.children_key(links, words, head, none), -1 - option)
    return noted


@leaf_kernel
def _note_spans(scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int) -> int:
    """Note changed spans; an ancestor that already covers the modifier's span hides it from all words above."""
    spans, notes, heads = scorer.spans, scorer.notes, links.heads
    for option in range(count):
        if _is_full(notes, noted, links):
            noted = _settle(scorer, options, noted)
        above = options.heads[option]
        left, right = spans[modifier, 0], spans[modifier, 1]
        noted = _note(notes, noted, structures.span_key(above, modifier, left, right), option)
        while above > 0 and (left < spans[above, 0] or right > spans[above, 1]):
            first, last = spans[above, 0], spans[above, 1]
            left, right = min(left, first), max(right, last)
            noted = _note(notes, noted, structures.span_key(heads[above], above, left, right), option)
            noted = _note(notes, noted, structures.span_key(heads[above], above, first, last), -1 - option)
            above = heads[above]
    return noted


@leaf_kernel
def _note_nouns(scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int) -> int:
    """Note prepositional phrases, in which prepositions are children of nouns: the modifier is one, or has some."""
    words, notes = scorer.hashes.traits.words, scorer.notes
    if words[modifier, CLASS] == ADPOSITION:
        if _is_full(notes, noted, links):
            noted = _settle(scorer, options, noted)
        for option in range(count):
            noun = options.heads[option]
            if noun != 0:
                key = structures.preposition_key(0, links.heads[noun], noun, modifier)
                noted = _note(notes, noted, key, option)
    for side in range(2):
        child = links.first[modifier, side]
        while child != len(links.heads):
            if words[child, CLASS] == ADPOSITION:
                if _is_full(notes, noted, links):
                    noted = _settle(scorer, options, noted)
                for option in range(count):
                    key = structures.preposition_key(0, options.heads[option], modifier, child)
                    noted = _note(notes, noted, key, option)
            child = links.following[child]
    return noted


@leaf_kernel
def _note_arguments(scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int) -> int:
    """Note prepositional phrases, in which nouns are children of prepositions: the modifier has, or becomes, a noun."""
    words, notes, none = scorer.hashes.traits.words, scorer.notes, len(links.heads)
    if _is_full(notes, noted, links):
        noted = _settle(scorer, options, noted)
    argument = none
    if words[modifier, CLASS] == ADPOSITION:
        argument = structures.argument(links, words, modifier)
    for option in range(count):
        head = options.heads[option]
        if argument != none:
            noted = _note(notes, noted, structures.preposition_key(1, head, argument, modifier), option)
        if words[head, CLASS] != ADPOSITION or words[modifier, CLASS] == PUNCTUATION:
            continue
        noun, above = structures.argument(links, words, head), links.heads[head]
        if noun == none or (noun < modifier < head) or (head < modifier and not head < noun < modifier):
            noted = _note(notes, noted, structures.preposition_key(1, above, modifier, head), option)
            if noun != none:
                noted = _note(notes, noted, structures.preposition_key(1, above, noun, head), -1 - option)
    return noted


@leaf_kernel
def _note_coordinations(
    scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int
) -> int:
    """Note coordinations: the modifier is above a coordinator, or is attached above one and becomes a conjunct."""
    words, style, notes = scorer.hashes.traits.words, scorer.hashes.traits.coordination, scorer.notes
    kept, place = links.heads[modifier], 0
    while words[place, LISTED] != 0:
        coordinator = words[place, LISTED]
        place += 1
        near = _is_near(links, coordinator, modifier)
        if not near and style == UNIVERSAL_COORDINATION:
            continue
        if _is_full(notes, noted, links):
            noted = _settle(scorer, options, noted)
        above = links.heads[coordinator]
        before = -1 if near else find_coordination(links, words, coordinator, style)
        for option in range(count):
            head = options.heads[option]
            if near or head in (coordinator, above):
                link(links, modifier, head)
                key = find_coordination(links, words, coordinator, style)
                unlink(links, modifier)
                if key >= 0:
                    noted = _note(notes, noted, key, option)
                if before >= 0:
                    noted = _note(notes, noted, before, -1 - option)
        links.heads[modifier] = kept
    return noted


@leaf_kernel
def _is_near(links: Links, word: int, above: int) -> bool:
    """Return whether `above` is a word, its head or its head's head."""
    if word == above or links.heads[word] == above:
        return True
    return bool(links.heads[word] > 0 and links.heads[links.heads[word]] == above)


@leaf_kernel
def _note_pair(scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int) -> int:
    if _is_full(scorer.notes, noted, links):
        noted = _settle(scorer, options, noted)
    partner = scorer.hashes.traits.words[modifier, PARTNER]
    for option in range(count):
        head = options.heads[option]
        if head == links.heads[partner]:
            key = structures.pair_key(head, min(partner, modifier), max(partner, modifier))
            noted = _note(scorer.notes, noted, key, option)
    return noted


@leaf_kernel
def _note_right_branch(
    scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int
) -> int:
    """Note the right branch: the modifier, with the words below it, may replace a child to its left."""
    words, notes, size = scorer.hashes.traits.words, scorer.notes, len(links.heads)
    if _is_full(notes, noted, links):
        noted = _settle(scorer, options, noted)
    below = 1 + structures.right_path(links, words, modifier)
    before = structures.branch_key(structures.right_path(links, words, 0), size)
    word, nodes = 0, 0
    while word != size:
        child = structures.rightmost_child(links, words, word)
        if child == size or modifier > child:
            for option in range(count):
                if options.heads[option] == word:
                    noted = _note(notes, noted, structures.branch_key(nodes + below, size), option)
                    noted = _note(notes, noted, before, -1 - option)
        word = child
        nodes += 1
    return noted


@leaf_kernel
def _note_own_arcs(scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int) -> int:
    if _is_full(scorer.notes, noted, links):
        noted = _settle(scorer, options, noted)
    for option in range(count):
        head = options.heads[option]
        crossing = structures.count_crossing(links.heads, head, modifier, 0)
        if crossing > 0:
            noted = _note(scorer.notes, noted, structures.crossing_key(head, modifier, crossing), option)
    return noted


@leaf_kernel
def _note_covering_arcs(
    scorer: GlobalScorer, links: Links, modifier: int, options: Options, count: int, noted: int
) -> int:
    """Note arcs over the modifier: they are crossed by one word more if its head is outside them."""
    notes, heads = scorer.notes, links.heads
    for word in range(1, len(heads)):
        head = heads[word]
        left, right = min(head, word), max(head, word)
        if not left < modifier < right:
            continue
        if _is_full(notes, noted, links):
            noted = _settle(scorer, options, noted)
        crossing = -1
        for option in range(count):
            if left <= options.heads[option] <= right:
                continue
            if crossing < 0:
                crossing = structures.count_crossing(heads, head, word, modifier)
            noted = _note(notes, noted, structures.crossing_key(head, word, crossing + 1), option)
            if crossing > 0:
                noted = _note(notes, noted, structures.crossing_key(head, word, crossing), -1 - option)
    return noted
