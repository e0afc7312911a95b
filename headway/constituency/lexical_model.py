"""Lexicalised probabilities: a head and its modifiers know each other's words.

Collins (1997), "Three generative, lexicalised models for statistical parsing", Model 1, as Rush et al. (2010) use it,
and with the last modifier on the same side among the conditions. For a phrase P with head child H and head word w/t:

    head       P(H | P, t, w)                               backs off to P, t; then P
    modifier   P(C, c | P, H, side, last, verb, t, w)       backs off to all but w; then P, H, side, first or not, verb
    word       P(v | C, c, P, H, side, t, w)                backs off to all but w; then c

A side ends with a modifier that is none. `verb` says whether a verb stands between the head word and the place of the
modifier. An estimate that was seen f times with u different outcomes weighs f / (f + 5 u); the rest is backed off.

All counts are in one hash table: a condition has its count and its different outcomes, a condition with an outcome its
count.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.constituency.binarisation import MARKER, binarised, read_part
from headway.constituency.cky import Leaves
from headway.constituency.forest import END, LEAF, LEFT, PARENT, RIGHT, RULE, START, SYMBOL, Floats, Forest, Ints
from headway.constituency.grammar import Grammar, noted
from headway.constituency.head_rules import HeadRules, head_children, head_words
from headway.constituency.lexicon import Lexicon
from headway.constituency.tree import Tree
from headway.kernel import inner_kernel, kernel

Keys = npt.NDArray[np.uint64]

PHRASE, HEAD, HAS_HEAD, RIGHT_END, LEFT_END, SIDE, LAST, MODIFIER = range(8)
"""Columns of what a rule does: the phrase, its head child, whether the head is chosen, the last modifier of the side
that ends (-1: it does not), the side of a modifier (-1: there is none), the last one before it, the modifier."""
_WORD, _TAG, _OTHER_WORD, _OTHER_TAG, _VERBS = 8, 9, 10, 11, 12
"""More columns of a rule in a tree: head and modifier; verbs to the modifier, to the right end, to the left end."""
_COLUMNS = 15

_HEAD_KEY, _PHRASE_KEY, _MODIFIER_KEY, _WORD_KEY, _TAG_KEY, _TOP_KEY = (np.uint64(kind << 48) for kind in range(1, 7))
"""What keys begin with: far apart, so that no number mixed in makes two of them equal."""
_DEEPER = -2
"""Keeps conditions with a word apart from outcomes."""
_DIVERSITY = 5.0
_LEAST = 1e-7


class CountTable(NamedTuple):
    """Counts by key: an open hash table with room for more, and so an end to every search.

    Parameters
    ----------
    keys : (size,) uint64
        0 where nothing is; the size is a power of two.
    counts : (size, 2) float32
        How often the condition, or the condition with the outcome, was seen; and how many different outcomes it has.
    """

    keys: Keys
    counts: npt.NDArray[np.float32]


@inner_kernel
def _mix(state: np.uint64, value: int) -> np.uint64:
    mixed = (state ^ np.uint64(value + 2)) * np.uint64(0x9E3779B97F4A7C15)
    return np.uint64(mixed ^ (mixed >> np.uint64(29)))


@kernel
def _set_head_keys(keys: Keys, row: Ints) -> None:
    keys[2] = _mix(_PHRASE_KEY, row[PHRASE])
    keys[1] = _mix(_mix(_HEAD_KEY, row[PHRASE]), row[_TAG])
    keys[0] = _mix(_mix(keys[1], _DEEPER), row[_WORD])


@kernel
def _set_modifier_keys(keys: Keys, row: Ints, side: int, last: int, verb: int, nothing: int) -> None:
    base = _mix(_mix(_mix(_mix(_MODIFIER_KEY, row[PHRASE]), row[HEAD]), side), verb)
    keys[2] = _mix(base, 1 if last == nothing else 0)
    keys[1] = _mix(_mix(base, last + 2), row[_TAG])
    keys[0] = _mix(_mix(keys[1], _DEEPER), row[_WORD])


@kernel
def _set_word_keys(keys: Keys, row: Ints) -> None:
    keys[2] = _mix(_TAG_KEY, row[_OTHER_TAG])
    base = _mix(_mix(_mix(_mix(_WORD_KEY, row[PHRASE]), row[HEAD]), row[SIDE]), row[_TAG])
    keys[1] = _mix(_mix(base, row[MODIFIER]), row[_OTHER_TAG])
    keys[0] = _mix(_mix(keys[1], _DEEPER), row[_WORD])


@kernel
def _list_keys(rows: Ints, nothing: int) -> Keys:
    """(events, 2) Conditions, and conditions with outcomes, of rules in trees."""
    found = np.empty((15 * len(rows), 2), dtype=np.uint64)
    keys, count = np.empty(3, dtype=np.uint64), 0
    for row in rows:
        if row[PHRASE] < 0:  # the top: its tag and its word
            found[count, 0] = _mix(_TOP_KEY, row[HEAD])
            found[count, 1] = _mix(found[count, 0], row[_TAG])
            found[count + 1, 0] = _mix(_TAG_KEY, row[_TAG])
            found[count + 1, 1] = _mix(found[count + 1, 0], row[_WORD])
            count += 2
            continue
        if row[HAS_HEAD] > 0:
            _set_head_keys(keys, row)
            for level in range(3):
                found[count, 0], found[count, 1] = keys[level], _mix(keys[level], row[HEAD])
                count += 1
        for side in range(2):
            last = row[RIGHT_END + side]
            if last >= 0:
                _set_modifier_keys(keys, row, side, last, row[_VERBS + 1 + side], nothing)
                for level in range(3):
                    found[count, 0], found[count, 1] = keys[level], _mix(_mix(keys[level], nothing), 0)
                    count += 1
        if row[SIDE] >= 0:
            _set_modifier_keys(keys, row, row[SIDE], row[LAST], row[_VERBS], nothing)
            for level in range(3):
                found[count, 0] = keys[level]
                found[count, 1] = _mix(_mix(keys[level], row[MODIFIER]), row[_OTHER_TAG])
                count += 1
            _set_word_keys(keys, row)
            for level in range(3):
                found[count, 0], found[count, 1] = keys[level], _mix(keys[level], row[_OTHER_WORD])
                count += 1
    return found[:count]


@inner_kernel
def _find(table: CountTable, key: np.uint64) -> int:
    """The place of a key, or of the gap where it would be."""
    mask = np.uint64(len(table.keys) - 1)
    place = key & mask
    while table.keys[place] != np.uint64(0) and table.keys[place] != key:
        place = (place + np.uint64(1)) & mask
    return np.int64(place)  # type: ignore[return-value]


@kernel
def _insert(table: CountTable, keys: Keys, counts: npt.NDArray[np.float32]) -> None:
    for number in range(len(keys)):
        place = _find(table, keys[number])
        table.keys[place] = keys[number]
        table.counts[place, 0], table.counts[place, 1] = counts[number, 0], counts[number, 1]


@kernel
def _chance(table: CountTable, keys: Keys, first: int, second: int) -> float:
    """The probability of an outcome, backed off; `second` is -2 where outcomes have one part only."""
    chance = _LEAST
    for level in range(2, -1, -1):
        place = _find(table, keys[level])
        total = table.counts[place, 0]
        if total > 0:
            key = _mix(keys[level], first)
            if second > -2:
                key = _mix(key, second)
            seen = table.counts[_find(table, key), 0]
            trust = total / (total + _DIVERSITY * table.counts[place, 1])
            chance = trust * seen / total + (1.0 - trust) * chance
    return chance


@kernel
def _rule_score(table: CountTable, row: Ints, keys: Keys, nothing: int) -> float:
    """The log probability of what a rule does in a tree."""
    score = 0.0
    if row[HAS_HEAD] > 0:
        _set_head_keys(keys, row)
        score += np.log(_chance(table, keys, row[HEAD], -2))
    for side in range(2):
        last = row[RIGHT_END + side]
        if last >= 0:
            _set_modifier_keys(keys, row, side, last, row[_VERBS + 1 + side], nothing)
            score += np.log(_chance(table, keys, nothing, 0))
    if row[SIDE] >= 0:
        _set_modifier_keys(keys, row, row[SIDE], row[LAST], row[_VERBS], nothing)
        score += np.log(_chance(table, keys, row[MODIFIER], row[_OTHER_TAG]))
        _set_word_keys(keys, row)
        score += np.log(_chance(table, keys, row[_OTHER_WORD], -2))
    return score


@inner_kernel
def _has_verb(verbs: Ints, one: int, other: int) -> int:
    """Whether there is a verb among the words from `one` to the one before `other`."""
    return 1 if other > one and verbs[other] > verbs[one] else 0


@kernel
def _set_places(row: Ints, verbs: Ints, head: int, start: int, middle: int, end: int) -> None:
    """Set the verbs between a head word and the modifier, or the ends of its phrase."""
    if row[SIDE] == 0:
        row[_VERBS] = _has_verb(verbs, head + 1, middle)
        start, end = start, middle
    elif row[SIDE] == 1:
        row[_VERBS] = _has_verb(verbs, middle, head)
        start, end = middle, end
    row[_VERBS + 1] = _has_verb(verbs, head + 1, end)
    row[_VERBS + 2] = _has_verb(verbs, start, head)


@kernel
def lexicalised(
    forest: Forest, leaves: Leaves, classes: Ints, verbs: Ints, rules: Ints, table: CountTable, top: Floats
) -> Forest:
    """Return the trees of a forest with a head leaf for every item, scored by their words.

    Parameters
    ----------
    forest : Forest
        Over symbols; every edge becomes one for each pair of head leaves of what it joins.
    classes : (leaves,) int32
        The class of each leaf's word.
    verbs : (words + 1,) int32
        How many verbs there are before each word.
    rules : (rules, 8) int32
        What each rule does.
    top : (symbols,) float64
        The log probability of being the top.
    """
    nothing = len(top)
    places = np.empty(len(classes), dtype=np.int32)
    for word in range(len(leaves.starts) - 1):
        for leaf in range(leaves.starts[word], leaves.starts[word + 1]):
            places[leaf] = word
    first = np.full(len(forest.items), -1, dtype=np.int32)  # the newest item of each coarse one
    room, edge_room = 1024, 4096
    items, following = np.empty((room, 4), dtype=np.int32), np.empty(room, dtype=np.int32)
    edges, scores = np.empty((edge_room, 4), dtype=np.int32), np.empty(edge_room)
    count, edge_count = 0, 0
    row, keys = np.zeros(_COLUMNS, dtype=np.int32), np.empty(3, dtype=np.uint64)
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
                    keys[2] = _mix(_TOP_KEY, symbol)
                    keys[0], keys[1] = keys[2], keys[2]
                    score = top[symbol] + np.log(_chance(table, keys, leaves.tags[leaf], -2))
                    keys[2] = _mix(_TAG_KEY, leaves.tags[leaf])
                    keys[0], keys[1] = keys[2], keys[2]
                    score += np.log(_chance(table, keys, classes[leaf], -2))
                else:
                    head = other if row[SIDE] == 1 else one
                    leaf = items[head, LEAF]
                    row[_WORD], row[_TAG] = classes[leaf], leaves.tags[leaf]
                    if right >= 0:
                        modifier = items[one + other - head, LEAF]
                        row[_OTHER_WORD], row[_OTHER_TAG] = classes[modifier], leaves.tags[modifier]
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


def describe_rules(grammar: Grammar) -> Ints:
    """(rules, 8) The action of each rule of a grammar's table; see `PHRASE`."""
    nothing = len(grammar.symbols)
    rows = [
        [*_describe(grammar, int(parent), int(left), int(right), nothing)]
        for parent, left, right in grammar.table.binary
    ]
    rows += [[*_describe(grammar, int(parent), int(child), -1, nothing)] for parent, child in grammar.table.unary]
    return np.array(rows, dtype=np.int32).reshape(-1, 8)


def _part(grammar: Grammar, symbol: int) -> tuple[int, int, int, int] | None:
    """The phrase, the head child, the side (0 right, 1 left) and the last modifier of a part of a phrase."""
    if MARKER not in grammar.symbols[symbol]:
        return None
    phrase, head, side, last = read_part(grammar.symbols[symbol])
    return grammar.number[phrase], grammar.number[head], ">".find(side) * -1, grammar.number[last]


def _describe(grammar: Grammar, parent: int, left: int, right: int, nothing: int) -> tuple[int, ...]:
    if right < 0:
        part = _part(grammar, left)
        if part is None:  # a phrase of one child
            return parent, left, 1, nothing, nothing, -1, 0, 0
        _, head, side, last = part
        ends = (last, nothing) if side == 0 else (-1, last)
        return parent, head, 0, *ends, -1, 0, 0
    part = _part(grammar, parent)
    assert part is not None
    phrase, head, side, modifier = part
    inner = _part(grammar, left if side == 0 else right)
    if inner is None:  # the head child itself
        return phrase, head, 1, -1 if side == 0 else nothing, -1, side, nothing, modifier
    turns = side == 1 and inner[2] == 0
    return phrase, head, 0, inner[3] if turns else -1, -1, side, nothing if turns else inner[3], modifier


def count_events(
    trees: Sequence[Tree], grammar: Grammar, lexicon: Lexicon, head_rules: HeadRules, *, parents: bool = False
) -> CountTable:
    """Count what the rules of stripped trees do."""
    nothing, number, rules = len(grammar.symbols), grammar.number, describe_rules(grammar)
    binary = {tuple(rule): place for place, rule in enumerate(grammar.table.binary.tolist())}
    unary = {tuple(rule): place + len(binary) for place, rule in enumerate(grammar.table.unary.tolist())}
    rows: list[Ints] = []
    known: dict[str, int] = {}
    for tree in trees:
        plain = noted(tree, parents=parents)
        made = binarised(plain, head_children(tree, head_rules))
        symbols = [number[label] for label in made.labels]
        words = [known.setdefault(form, lexicon.word_class(form)) for form in made.forms]
        tags = [number[tag] for tag in made.tags]
        verbs = count_verbs(made.tags)
        heads = head_words(made, _binary_heads(made))
        spans = made.spans.tolist()
        row = np.zeros(_COLUMNS, dtype=np.int32)
        row[[PHRASE, HEAD, _WORD, _TAG]] = -1, symbols[0], words[heads[0]], tags[heads[0]]
        rows.append(row)
        for node, below in enumerate(made.children):
            rule = (binary if len(below) == 2 else unary).get((symbols[node], *(symbols[child] for child in below)))
            if rule is None:  # a leaf, or a rule that would make a circle
                continue
            row = np.zeros(_COLUMNS, dtype=np.int32)
            row[:8] = rules[rule]
            head, (start, end), middle = heads[node], spans[node], spans[below[0]][1]
            row[_WORD], row[_TAG] = words[head], tags[head]
            if len(below) == 2:
                modifier = heads[below[0]] + heads[below[1]] - head
                row[_OTHER_WORD], row[_OTHER_TAG] = words[modifier], tags[modifier]
            between = (head + 1, middle) if row[SIDE] == 0 else (middle, head)
            ends = (start, middle) if row[SIDE] == 0 else (middle, end) if row[SIDE] == 1 else (start, end)
            pairs = (between, (head + 1, ends[1]), (ends[0], head))
            row[_VERBS:] = [one < other and verbs[other] > verbs[one] for one, other in pairs]
            rows.append(row)
    keys = _list_keys(np.array(rows, dtype=np.int32).reshape(-1, _COLUMNS), nothing)
    return make_table(keys)


def make_table(events: Keys) -> CountTable:
    """Return the table of conditions and of conditions with outcomes, (events, 2)."""
    outcomes, firsts, seen = np.unique(events[:, 1], return_index=True, return_counts=True)
    conditions, different = np.unique(events[firsts, 0], return_counts=True)
    _, totals = np.unique(events[:, 0], return_counts=True)
    size = 1 << int(np.ceil(np.log2(2 * (len(outcomes) + len(conditions)) + 2)))
    table = CountTable(np.zeros(size, dtype=np.uint64), np.zeros((size, 2), dtype=np.float32))
    _insert(table, conditions, np.stack([totals, different], axis=1).astype(np.float32))
    _insert(table, outcomes, np.stack([seen, np.zeros_like(seen)], axis=1).astype(np.float32))
    return table


def count_verbs(tags: Sequence[str]) -> Ints:
    """(words + 1,) The number of verbs before each word."""
    return np.cumsum([0, *(tag[:1] == "V" or tag == "MD" for tag in tags)]).astype(np.int32)


def _binary_heads(tree: Tree) -> list[int]:
    """(nodes,) The head child of every node of a binarised tree."""
    heads = []
    for label, below in zip(tree.labels, tree.children, strict=True):
        is_left = len(below) == 2 and read_part(label)[2] == "<"
        heads.append(below[1 if is_left else 0] if below else -1)
    return heads
