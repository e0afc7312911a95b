"""The lexicalised model against a slow twin: Collins's Model 1 in dictionaries, over trees that are not binarised."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
from slow_forests import all_trees

from headway.constituency.binarisation import unbinarised
from headway.constituency.brackets import format_tree, parse_trees
from headway.constituency.cky import Leaves
from headway.constituency.forest import LEAF, PARENT, START, SYMBOL, Forest
from headway.constituency.grammar import Grammar, noted
from headway.constituency.head_rules import HeadRules, head_children, head_words
from headway.constituency.lexical_counts import (
    COLUMNS,
    HEAD,
    MODIFIER,
    OTHER_TAG,
    PHRASE,
    SIDE,
    TAG,
    TAG_KEY,
    TOP_KEY,
    WORD,
    CountTable,
    chance,
    mix,
    set_head_keys,
    set_modifier_keys,
    set_word_keys,
)
from headway.constituency.lexical_rules import count_events
from headway.constituency.lexicon import Lexicon, shape
from headway.constituency.parser import ConstituentParser, Weights
from headway.constituency.tree import MARKER, Tree

TEXT = """
(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .)))
(ROOT (S (NP (DT a) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))
(ROOT (S (NP (NNP Kim)) (VP (VBD saw) (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (NNP Lee))))) (. .)))
(ROOT (S (NP (NNP Kim)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))
(ROOT (S (NP (PRP she)) (VP (MD will) (VP (VB see) (NP (PRP it)) (PP (IN with) (NP (NNP Kim))))) (. .)))
(ROOT (S (NP (NNP Lee)) (VP (VP (VBZ sleeps)) (CC and) (VP (VBZ sees) (NP (NNP Kim)))) (. .)))
(ROOT (S (SBAR (IN as) (S (NP (NNP Kim)) (VP (VBD saw) (NP (PRP it))))) (, ,) (NP (NNP Lee)) (VP (VBD left)) (. .)))
(ROOT (S (NP (NP (DT the) (NN dog)) (SBAR (WP that) (S (VP (VBZ sleeps)))) (PP (IN on) (NP (DT a) (NN mat))))
         (VP (ADVP (RB quietly)) (VBD left) (NP (NNP Kim))) (. .)))
(ROOT (NP (NP (DT the) (JJ old) (NN mat)) (CC or) (NP (DT the) (NN dog))))
(ROOT (INTJ (UH oh)))
"""
TREES = list(parse_trees(TEXT))
RULES = HeadRules.read("english")
ALL = Weights(beam=1e4, margin=1e4, narrow=1e4)
"""Weights that prune nothing."""
LEAST, DIVERSITY, FREQUENT, RARE = 1e-7, 5, 3, 5
Levels = tuple[tuple[Any, ...], ...]
"""The conditions of an event, from the most specific to the most general."""


def lone_parser(trees: Sequence[Tree], rules: HeadRules = RULES) -> ConstituentParser:
    """A parser without a tagger and a dependency parser."""
    grammar, lexicon = Grammar.fit(trees, rules), Lexicon.fit([(tree.forms, tree.tags) for tree in trees])
    counts, missing = count_events(trees, grammar, lexicon, rules), cast(Any, None)
    return ConstituentParser(grammar, lexicon, counts, missing, missing, missing, weights=ALL)


@dataclass(frozen=True)
class Twin:
    """The counts of every condition's outcomes, of top symbols and of words, and the conditions of events.

    The probabilities are those of `headway.constituency.lexical_model`. Every condition begins with its kind. The class
    of a word is the word, or its shape and ending.
    """

    counts: dict[tuple[Any, ...], Counter[Any]]
    tops: Counter[str]
    words: Counter[str]
    seen: set[Levels]

    @classmethod
    def count(cls, trees: Sequence[Tree], rules: HeadRules = RULES) -> "Twin":
        tags = {tag for tree in trees for tag in tree.tags}
        words = Counter(form for tree in trees for form in tree.forms)
        twin = cls(defaultdict(Counter), Counter(), words, set())
        for tree in trees:
            tree, heads = noted(tree, tags), head_words(tree, head_children(tree, rules))
            twin.tops[tree.labels[0]] += 1
            for levels, outcome in twin.events(tree, heads, [is_verb(tag) for tag in tree.tags]):
                twin.seen.add(levels)
                for level in set(levels):
                    twin.counts[level][outcome] += 1
        return twin

    def word_class(self, form: str) -> str | None:
        for name in (form, form.lower()):
            if self.words[name] >= FREQUENT:
                return name
        rare = {name for word, count in self.words.items() if count <= RARE for name in endings(word)}
        return next((name for name in reversed(endings(form)) if name in rare), None)

    def events(self, tree: Tree, heads: Sequence[int], verbs: Sequence[bool]) -> Iterator[tuple[Levels, Any]]:
        """Conditions and outcomes: the top; then, for every phrase, the head child, and modifiers on both sides."""
        tags, words = tree.tags, [self.word_class(form) for form in tree.forms]
        yield 3 * (("top", tree.labels[0]),), tags[heads[0]]
        yield 3 * (("word", tags[heads[0]]),), words[heads[0]]
        for node, below in enumerate(tree.children):
            if not below:
                continue
            place, (start, end), phrase = heads[node], tree.spans[node].tolist(), tree.labels[node]
            t, w = tags[place], words[place]
            [middle] = [number for number, child in enumerate(below) if heads[child] == place]
            head = tree.labels[below[middle]]
            yield (("head", phrase, t, w), ("head", phrase, t), ("head", phrase)), head
            for side, modifiers in (("right", below[middle + 1 :]), ("left", below[:middle][::-1])):
                last = None
                for child in [*modifiers, None]:
                    if side == "right":
                        between = verbs[place + 1 : end if child is None else tree.spans[child][0]]
                    else:
                        between = verbs[start if child is None else tree.spans[child][1] : place]
                    verb = any(between)
                    levels = (
                        ("modifier", phrase, head, side, last, verb, t, w),
                        ("modifier", phrase, head, side, last, verb, t),
                        ("modifier", phrase, head, side, last is None, verb),
                    )
                    if child is None:
                        yield levels, None
                        continue
                    last, c, v = tree.labels[child], tags[heads[child]], words[heads[child]]
                    yield levels, (last, c)
                    specific = ("word", last, c, phrase, head, side, t)
                    yield ((*specific, w), specific, ("word", c)), v

    def trust(self, level: tuple[Any, ...]) -> float:
        """The weight of an estimate: f / (f + 5 u)."""
        if level not in self.counts:
            return 0.0
        total, different = self.counts[level].total(), len(self.counts[level])
        return total / (total + DIVERSITY * different)

    def chance(self, levels: Levels, outcome: Any) -> float:
        found = LEAST
        for level in reversed(levels):
            if trust := self.trust(level):
                seen = self.counts[level][outcome] / self.counts[level].total()
                found = trust * seen + (1 - trust) * found
        return found

    def score(self, tree: Tree, heads: Sequence[int], verbs: Sequence[bool]) -> float:
        """The log probability of a tree with notes on its labels, without its words as a sequence."""
        top = math.log(self.tops[tree.labels[0]] / self.tops.total())
        return top + sum(math.log(self.chance(*event)) for event in self.events(tree, heads, verbs))


def is_verb(tag: str) -> bool:
    return tag == "MD" or tag.startswith("V")


def endings(form: str) -> list[str]:
    """The shape of a word, then with endings of up to three letters, which do not cover the word."""
    look = shape(form)
    return [f"/{look}", *(f"/{look}{form.lower()[-size:]}" for size in (1, 2, 3) if len(form) > size)]


def likeliest_verbs(parser: ConstituentParser, forms: Sequence[str]) -> list[bool]:
    """Whether the most probable tag of each word is a verb's."""
    names, totals = parser.lexicon.tags, parser.lexicon.totals
    options = [parser.lexicon.tag_scores(form) for form in forms]
    return [is_verb(names[max(pairs, key=lambda one: one[1] + np.log(totals[one[0]]))[0]]) for pairs in options]


def tree_of(parser: ConstituentParser, forest: Forest, edges: Sequence[int], forms: Sequence[str]) -> Tree:
    """The tree of a forest's edges, with the grammar's notes on labels."""
    labels, parents, words, above = list[str](), list[int](), list[str | None](), dict[int, int]()
    for parent, left, right, _ in forest.edges[list(edges[1:])].tolist():
        parents.append(above.get(parent, -1))
        above |= {left: len(labels), right: len(labels)}
        labels.append(parser.grammar.symbols[forest.items[parent, SYMBOL]])
        words.append(forms[forest.items[parent, START]] if left < 0 else None)
    return unbinarised(Tree(tuple(labels), tuple(parents), tuple(words)))


def head_places(parser: ConstituentParser, forest: Forest, edges: Sequence[int], leaves: Leaves) -> list[int]:
    """The head word of every node of `tree_of`."""
    places = np.repeat(np.arange(len(leaves.starts) - 1), np.diff(leaves.starts))
    items = forest.items[forest.edges[list(edges[1:]), PARENT]]
    return [
        int(places[leaf]) for symbol, leaf in items[:, [SYMBOL, LEAF]] if MARKER not in parser.grammar.symbols[symbol]
    ]


@pytest.fixture(scope="module")
def parser() -> ConstituentParser:
    return lone_parser(TREES)


@pytest.fixture(scope="module")
def twin() -> Twin:
    return Twin.count(TREES)


HELD_OUT = [
    "Kim sees the mat on Lee .",
    "the cat with Kim sleeps and left .",
    "as Lee left , it saw a dog .",
    "zyx will Qwertz the blog quietly .",  # unknown words, with several tags
    "she 12 or the zyx",
    "the old dog that left on it saw Kim with Lee .",
]


@pytest.mark.parametrize("text", [*(" ".join(tree.forms) for tree in TREES), *HELD_OUT])
def test_scores_of_all_trees_are_those_of_a_slow_twin(parser: ConstituentParser, twin: Twin, text: str) -> None:
    forms = text.split()
    leaves, forest = parser.forest(forms)
    assert forest is not None
    verbs, seen = likeliest_verbs(parser, forms), set[int]()
    for edges in all_trees(forest):
        if seen.issuperset(edges):
            continue
        seen.update(edges)
        tree, heads = tree_of(parser, forest, edges, forms), head_places(parser, forest, edges, leaves)
        assert forest.scores[edges].sum() == pytest.approx(twin.score(tree, heads, verbs))
    assert seen
    assert seen == set(range(len(forest.edges)))


def sums_over_outcomes(parser: ConstituentParser, twin: Twin, table: CountTable) -> Iterator[tuple[Levels, float]]:
    """The conditions of every event of the twin's trees, and the sum of the kernel's probabilities of seen outcomes."""
    nothing = len(parser.grammar.symbols)
    number = {**parser.grammar.number, None: nothing}
    classes = {name.replace("\0", "/"): place for name, place in parser.lexicon.classes.items()} | {None: -1}
    keys, row = np.empty(3, dtype=np.uint64), np.zeros(COLUMNS, dtype=np.int32)
    for levels in twin.seen:
        kind, *given = levels[0]
        if kind == "head":
            row[[PHRASE, TAG]], row[WORD] = [number[name] for name in given[:2]], classes[given[2]]
            set_head_keys(keys, row)
        elif kind == "modifier":
            phrase, head, side, last, verb, t, w = given
            row[[PHRASE, HEAD, TAG]], row[WORD] = [number[name] for name in (phrase, head, t)], classes[w]
            set_modifier_keys(keys, row, int(side == "left"), number[last], int(verb), nothing)
        elif len(given) > 1:
            modifier, c, phrase, head, side, t, w = given
            row[[MODIFIER, OTHER_TAG, PHRASE, HEAD, TAG]] = [number[name] for name in (modifier, c, phrase, head, t)]
            row[SIDE], row[WORD] = side == "left", classes[w]
            set_word_keys(keys, row)
        else:
            keys[:] = mix(TOP_KEY if kind == "top" else TAG_KEY, number[given[0]])
        total = 0.0
        for outcome in twin.counts[levels[-1]]:
            if kind == "modifier":
                pair = (nothing, 0) if outcome is None else (number[outcome[0]], number[outcome[1]])
            else:
                pair = (classes if kind == "word" else number)[outcome], -2
            total += chance(table, keys, *pair)
        yield levels, total


def test_probabilities_sum_to_one_but_for_the_weight_of_unseen_outcomes(parser: ConstituentParser, twin: Twin) -> None:
    kinds = set[str]()
    for levels, total in sums_over_outcomes(parser, twin, parser.counts):
        rest = math.prod(1 - twin.trust(level) for level in levels)
        assert total == pytest.approx(1 - rest + rest * LEAST * len(twin.counts[levels[-1]]))
        kinds.add(levels[0][0])
    assert kinds == {"top", "head", "modifier", "word"}


def test_probabilities_sum_to_one_in_a_large_treebank(parser: ConstituentParser, twin: Twin) -> None:
    many = parser.counts._replace(counts=parser.counts.counts * np.array([1e6, 1.0], dtype=np.float32))
    for _, total in sums_over_outcomes(parser, twin, many):
        assert total == pytest.approx(1.0, abs=1e-4)


TABLE = HeadRules.read("S left VP\nVP left VBD\nNP left NN NP\nPP left IN\nZ right W\n")
VERB = "(ROOT (S (NP (NN we)) (VP (VBD {}) (NP (NN {})) (PP (IN {}) (NP (NN day))))))"
NOUN = "(ROOT (S (NP (NN we)) (VP (VBD {}) (NP (NP (NN {})) (PP (IN {}) (NP (NN day)))))))"


def best_trees(trees: Sequence[Tree], *, grammar: str = "lexicalised") -> list[str]:
    """The best trees of a treebank's sentences, with their tags, after training on three copies."""
    parser = lone_parser([*trees] * 3, TABLE)
    forms, tags = [tree.forms for tree in trees], [tree.tags for tree in trees]
    return [format_tree(parse.tree) for parse in parser.parse(forms, tags=tags, mode="alone", grammar=grammar)]


@pytest.mark.parametrize(
    ("verb", "noun"),
    [
        (("saw", "men", "by"), ("saw", "men", "of")),  # the modifier's word decides
        (("put", "men", "in"), ("saw", "men", "in")),  # the word of one head
        (("saw", "them", "in"), ("saw", "men", "in")),  # the word of the other head
    ],
)
def test_only_words_decide_an_attachment(verb: tuple[str, ...], noun: tuple[str, ...]) -> None:
    trees = [*parse_trees(VERB.format(*verb)), *parse_trees(NOUN.format(*noun))]
    assert best_trees(trees) == list(map(format_tree, trees))
    one, other = best_trees(trees, grammar="markovised")
    assert ("(NP (NP" in one) == ("(NP (NP" in other)


@pytest.mark.parametrize(("far", "near"), [("JJ", "VBD"), ("VBD", "JJ")])
def test_only_distance_decides_an_attachment(far: str, near: str) -> None:
    """The PP is the noun's or Z's: it only matters whether the word before Z's head is a verb.

    Z alone is seen with either word, with and without a PP.
    """
    texts = [
        f"(ROOT (NP (NN n) (Z ({far} x) (W w)) (PP (IN p))))",
        f"(ROOT (NP (NN n) (Z ({near} x) (W w) (PP (IN p)))))",
        f"(ROOT (Y (Q q) (Z ({far} x) (W w) (PP (IN p)))))",
        f"(ROOT (Y (Q q) (Z ({near} x) (W w))))",
    ]
    assert best_trees([next(parse_trees(text)) for text in texts]) == texts
