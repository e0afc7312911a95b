"""Lexicalised probabilities, which depend on the words of heads and modifiers.

Collins (1997), "Three generative, lexicalised models for statistical parsing", Model 1, as used by Rush et al. (2010),
with the previous modifier on the same side as a further condition. For a phrase P with head child H and head word w/t:

    head       P(H | P, t, w)                               backs off to P, t; then P
    modifier   P(C, c | P, H, side, last, verb, t, w)       backs off to all but w; then P, H, side, first or not, verb
    word       P(v | C, c, P, H, side, t, w)                backs off to all but w; then c
    top        P(P) P(t | P) P(w | t)                       no backoff; the last two have their weight three times

Each side ends with an empty modifier. `verb` is whether there is a verb between the head word and the modifier. An
estimate from f observations with u different outcomes has the weight f / (f + 5 u); the rest is for the backoff. The
most general estimate backs off to 1e-7 for any outcome, so the probabilities of all outcomes sum to less than 1.
"""

import numpy as np

from headway.constituency.cky import Leaves
from headway.constituency.forest import END, LEAF, LEFT, PARENT, RIGHT, RULE, START, SYMBOL, Floats, Forest, Ints
from headway.constituency.lexical_counts import (
    COLUMNS,
    HAS_HEAD,
    HEAD,
    LAST,
    MODIFIER,
    OTHER_TAG,
    OTHER_WORD,
    RIGHT_END,
    SIDE,
    TAG,
    TAG_KEY,
    TOP_KEY,
    VERBS,
    WORD,
    CountTable,
    Keys,
    chance,
    mix,
    set_head_keys,
    set_modifier_keys,
    set_word_keys,
)
from headway.kernel import inner_kernel, kernel


@kernel
def _rule_score(table: CountTable, row: Ints, keys: Keys, nothing: int) -> float:
    """Return the log probability of a rule in a tree."""
    score = 0.0
    if row[HAS_HEAD] > 0:
        set_head_keys(keys, row)
        score += np.log(chance(table, keys, row[HEAD], -2))
    for side in range(2):
        last = row[RIGHT_END + side]
        if last >= 0:
            set_modifier_keys(keys, row, side, last, row[VERBS + 1 + side], nothing)
            score += np.log(chance(table, keys, nothing, 0))
    if row[SIDE] >= 0:
        set_modifier_keys(keys, row, row[SIDE], row[LAST], row[VERBS], nothing)
        score += np.log(chance(table, keys, row[MODIFIER], row[OTHER_TAG]))
        set_word_keys(keys, row)
        score += np.log(chance(table, keys, row[OTHER_WORD], -2))
    return score


@inner_kernel
def _has_verb(verbs: Ints, one: int, other: int) -> int:
    """Return whether there is a verb among the words from `one` up to, but not including, `other`."""
    return 1 if other > one and verbs[other] > verbs[one] else 0


@kernel
def _set_places(row: Ints, verbs: Ints, head: int, start: int, middle: int, end: int) -> None:
    """Set whether there are verbs between a head word and the modifier, or the ends of its phrase."""
    if row[SIDE] == 0:
        row[VERBS] = _has_verb(verbs, head + 1, middle)
        start, end = start, middle
    elif row[SIDE] == 1:
        row[VERBS] = _has_verb(verbs, middle, head)
        start, end = middle, end
    row[VERBS + 1] = _has_verb(verbs, head + 1, end)
    row[VERBS + 2] = _has_verb(verbs, start, head)


@kernel
def lexicalised(
    forest: Forest, leaves: Leaves, classes: Ints, verbs: Ints, rules: Ints, table: CountTable, top: Floats
) -> Forest:
    """Lexicalise a forest: add a head leaf to every item and score the edges by their words.

    Parameters
    ----------
    forest : Forest
        The forest without heads; every edge becomes one edge for each pair of its children's head leaves.
    classes : (leaves,) int32
        The class of each leaf's word.
    verbs : (words + 1,) int32
        The number of verbs before each word.
    rules : (rules, 8) int32
        The description of each rule.
    top : (symbols,) float64
        The log probability of each symbol at the top of a tree.
    """
    nothing = len(top)
    places = np.empty(len(classes), dtype=np.int32)
    for word in range(len(leaves.starts) - 1):
        for leaf in range(leaves.starts[word], leaves.starts[word + 1]):
            places[leaf] = word
    first = np.full(len(forest.items), -1, dtype=np.int32)  # the last new item of each old one
    room, edge_room = 1024, 4096
    items, following = np.empty((room, 4), dtype=np.int32), np.empty(room, dtype=np.int32)
    edges, scores = np.empty((edge_room, 4), dtype=np.int32), np.empty(edge_room)
    count, edge_count = 0, 0
    row, keys = np.zeros(COLUMNS, dtype=np.int32), np.empty(3, dtype=np.uint64)
    for edge in range(len(forest.edges)):
        parent, left, right = forest.edges[edge, PARENT], forest.edges[edge, LEFT], forest.edges[edge, RIGHT]
        rule = forest.edges[edge, RULE]
        is_leaf, is_top = left < 0, parent == len(forest.items) - 1
        start, end = forest.items[parent, START], forest.items[parent, END]
        middle = forest.items[left, END] if right >= 0 else end
        if rule >= 0:
            for column in range(8):
                row[column] = rules[rule, column]
        one = 0 if is_leaf else first[left]
        while one >= 0:
            other = -1 if right < 0 else first[right]
            while True:
                if is_leaf:
                    leaf, score = leaves.starts[start], 0.0
                    while leaves.tags[leaf] != forest.items[parent, SYMBOL]:
                        leaf += 1
                elif is_top:
                    leaf = items[one, LEAF]
                    symbol = forest.items[left, SYMBOL]
                    keys[2] = mix(TOP_KEY, symbol)
                    keys[0], keys[1] = keys[2], keys[2]
                    score = top[symbol] + np.log(chance(table, keys, leaves.tags[leaf], -2))
                    keys[2] = mix(TAG_KEY, leaves.tags[leaf])
                    keys[0], keys[1] = keys[2], keys[2]
                    score += np.log(chance(table, keys, classes[leaf], -2))
                else:
                    head = other if row[SIDE] == 1 else one
                    leaf = items[head, LEAF]
                    row[WORD], row[TAG] = classes[leaf], leaves.tags[leaf]
                    if right >= 0:
                        modifier = items[one + other - head, LEAF]
                        row[OTHER_WORD], row[OTHER_TAG] = classes[modifier], leaves.tags[modifier]
                    _set_places(row, verbs, places[leaf], start, middle, end)
                    score = _rule_score(table, row, keys, nothing)
                found = first[parent]
                if is_top:
                    leaf = -1
                while found >= 0 and items[found, LEAF] != leaf:
                    found = following[found]
                if found < 0:
                    if count == room:
                        room *= 2
                        items = np.concatenate((items, np.empty_like(items)))
                        following = np.concatenate((following, np.empty_like(following)))
                    for column in range(3):
                        items[count, column] = forest.items[parent, column]
                    items[count, LEAF], following[count] = leaf, first[parent]
                    first[parent], found = count, count
                    count += 1
                if edge_count == edge_room:
                    edge_room *= 2
                    edges = np.concatenate((edges, np.empty_like(edges)))
                    scores = np.concatenate((scores, np.empty_like(scores)))
                edges[edge_count, PARENT] = found
                edges[edge_count, LEFT], edges[edge_count, RIGHT] = -1 if is_leaf else one, other
                edges[edge_count, RULE], scores[edge_count] = rule, score
                edge_count += 1
                if other < 0:
                    break
                other = following[other]
                if other < 0:
                    break
            one = -1 if is_leaf else following[one]
    return Forest(items[:count].copy(), edges[:edge_count].copy(), scores[:edge_count].copy())
