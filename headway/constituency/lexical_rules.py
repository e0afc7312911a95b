"""Describe the rules of a grammar as rows for `lexical_model`, and count them in trees."""

from collections.abc import Mapping, Sequence

import numpy as np

from headway.constituency.binarisation import binarised, read_part
from headway.constituency.forest import Ints
from headway.constituency.grammar import Grammar, noted
from headway.constituency.head_rules import HeadRules, head_children, head_words
from headway.constituency.lexical_counts import (
    COLUMNS,
    HEAD,
    OTHER_TAG,
    OTHER_WORD,
    PHRASE,
    SIDE,
    TAG,
    VERBS,
    WORD,
    CountTable,
    list_keys,
    make_table,
)
from headway.constituency.lexicon import Lexicon
from headway.constituency.tree import MARKER, Tree

_CHUNK = 1000
"""The number of trees whose events are counted at once."""


def describe_rules(grammar: Grammar) -> Ints:
    """(rules, 8) Describe each rule of a grammar's table; for the columns see `PHRASE`."""
    nothing = len(grammar.symbols)
    rows = [
        [*_describe(grammar, int(parent), int(left), int(right), nothing)]
        for parent, left, right in grammar.table.binary
    ]
    rows += [[*_describe(grammar, int(parent), int(child), -1, nothing)] for parent, child in grammar.table.unary]
    return np.array(rows, dtype=np.int32).reshape(-1, 8)


def _part(grammar: Grammar, symbol: int) -> tuple[int, int, int, int] | None:
    """Return phrase, head child, side (0 right, 1 left) and last modifier of a part of a phrase."""
    if MARKER not in grammar.symbols[symbol]:
        return None
    phrase, head, side, last = read_part(grammar.symbols[symbol])
    return grammar.number[phrase], grammar.number[head], ">".find(side) * -1, grammar.number[last]


def _describe(grammar: Grammar, parent: int, left: int, right: int, nothing: int) -> tuple[int, ...]:
    if right < 0:
        part = _part(grammar, left)
        if part is None:  # a phrase with a single child
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
    """Count the events of the lexicalised model in stripped trees."""
    nothing, described, classes = len(grammar.symbols), describe_rules(grammar), dict[str, int]()
    tags = frozenset(grammar.symbols[: grammar.tags])
    numbers = {
        tuple(rule): place for place, rule in enumerate([*grammar.table.binary.tolist(), *grammar.table.unary.tolist()])
    }
    chunks = []
    for start in range(0, max(len(trees), 1), _CHUNK):
        rows = []
        for tree in trees[start : start + _CHUNK]:
            made = binarised(noted(tree, tags, parents=parents), head_children(tree, head_rules))
            words = [classes.setdefault(form, lexicon.word_class(form)) for form in made.forms]
            rows += _tree_rows(made, words, grammar.number, numbers, described)
        chunks.append(list_keys(np.array(rows, dtype=np.int32).reshape(-1, COLUMNS), nothing))
    return make_table(chunks)


def _tree_rows(
    made: Tree,
    words: Sequence[int],
    number: Mapping[str, int],
    numbers: Mapping[tuple[int, ...], int],
    described: Ints,
) -> list[list[int]]:
    """Return the rows of a binarised tree: one for its top, and one for each rule of the grammar.

    Parameters
    ----------
    words : sequence of int
        The class of each word.
    number : mapping of str to int
        The index of each symbol.
    numbers : mapping of (tuple of int) to int
        The index of each rule.
    """
    symbols = [number[label] for label in made.labels]
    tags = [number[tag] for tag in made.tags]
    verbs, spans = count_verbs(made.tags).tolist(), made.spans.tolist()
    heads = head_words(made, _binary_heads(made))
    row = [0] * COLUMNS
    row[PHRASE], row[HEAD], row[WORD], row[TAG] = -1, symbols[0], words[heads[0]], tags[heads[0]]
    rows = [row]
    for node, below in enumerate(made.children):
        rule = numbers.get((symbols[node], *(symbols[child] for child in below)))
        if rule is None:  # a leaf, or a unary rule that was left out
            continue
        row = [*described[rule].tolist(), *[0] * (COLUMNS - described.shape[1])]
        head, (start, end), middle = heads[node], spans[node], spans[below[0]][1]
        row[WORD], row[TAG] = words[head], tags[head]
        if len(below) == 2:
            modifier = heads[below[0]] + heads[below[1]] - head
            row[OTHER_WORD], row[OTHER_TAG] = words[modifier], tags[modifier]
        between = (head + 1, middle) if row[SIDE] == 0 else (middle, head)
        ends = (start, middle) if row[SIDE] == 0 else (middle, end) if row[SIDE] == 1 else (start, end)
        pairs = (between, (head + 1, ends[1]), (ends[0], head))
        row[VERBS:] = [int(one < other and verbs[other] > verbs[one]) for one, other in pairs]
        rows.append(row)
    return rows


def count_verbs(tags: Sequence[str]) -> Ints:
    """(words + 1,) Return the number of verbs before each word."""
    return np.cumsum([0, *(tag[:1] == "V" or tag == "MD" for tag in tags)]).astype(np.int32)


def _binary_heads(tree: Tree) -> list[int]:
    """(nodes,) Return the head child of every node of a binarised tree."""
    heads = []
    for label, below in zip(tree.labels, tree.children, strict=True):
        is_left = len(below) == 2 and read_part(label)[2] == "<"
        heads.append(below[1 if is_left else 0] if below else -1)
    return heads
