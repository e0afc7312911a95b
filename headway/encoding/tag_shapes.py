"""Derive universal tags from the shapes of gold trees, for treebanks with unknown names of relations.

Only the following tags are found, each by the behaviour of most of its words:

=========== =========================================================================================================
VERB        often the root, and has children
CCONJ       a closed class; between two words with the same tag that would be conjuncts in some style of coordination
ADP         a closed class; stands at the edge of its head's phrase, on the side of that phrase's head, or else between
            its head and its only child; the phrase is not a verb's
SCONJ       the same, but the phrase is a verb's
NOUN        an open class; has adpositions as children or as heads, or about one child or more on average
=========== =========================================================================================================

`headway.parts.styles` shows the styles of coordination. Other tags, and tags with few words, are X.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from headway.corpus import Sentence
from headway.encoding.tag_profiles import is_mark

_LEAST_WORDS = 20
_OFTEN_ROOT, _VERB_CHILDREN = 2.0, 0.9
_JOINING, _NEARLY_BEST, _SHARE_OF_COORDINATORS = 0.2, 0.8, 0.005
_AT_EDGE, _BETWEEN = 0.55, 0.6
_WITH_ADPOSITION, _NOUN_CHILDREN = 0.15, 0.8


@dataclass
class _Shape:
    """Counts over the words of one tag; punctuation marks do not count as children.

    Parameters
    ----------
    edges, between : int
        Words at the edge of a phrase, and words between their head and their only child.
    joining : Counter of int
        Words between conjuncts of the same tag, for each style of coordination.
    children, heads, phrases : Counter of str
        The tags of children, of heads, and of the phrases that are introduced by words at an edge or between two words.
    """

    words: int = 0
    roots: int = 0
    edges: int = 0
    between: int = 0
    joining: Counter[int] = field(default_factory=Counter)
    children: Counter[str] = field(default_factory=Counter)
    heads: Counter[str] = field(default_factory=Counter)
    phrases: Counter[str] = field(default_factory=Counter)

    def share(self, count: int) -> float:
        return count / max(1, self.words)

    def share_of(self, tags: Collection[str], counts: Counter[str]) -> float:
        return self.share(sum(counts[tag] for tag in tags))

    @property
    def joins(self) -> float:
        """The share of words that join two words of the same tag, in the most frequent style."""
        return self.share(max(self.joining.values(), default=0))

    @property
    def links(self) -> bool:
        """Whether the words link a phrase to its head, as adpositions do."""
        return self.share(self.edges) >= _AT_EDGE or self.share(self.between) >= _BETWEEN


def shape_tags(sentences: Sequence[Sentence], *, closed: Collection[str]) -> dict[str, str]:
    """Return the universal tag of each tag for which the trees suggest one.

    Parameters
    ----------
    closed : collection of str
        The tags of closed classes: few forms make up most of their words.
    """
    counted: dict[str, _Shape] = defaultdict(_Shape)
    for sentence in sentences:
        _count(sentence, counted)
    words, roots = (sum(getattr(shape, name) for shape in counted.values()) for name in ("words", "roots"))
    shapes = {tag: shape for tag, shape in counted.items() if shape.words >= _LEAST_WORDS}
    universal_tags = {
        tag: "VERB"
        for tag, shape in shapes.items()
        if shape.share(shape.roots) * words >= _OFTEN_ROOT * roots
        and shape.share(shape.children.total()) >= _VERB_CHILDREN
    }
    verbs, few = (
        set(universal_tags),
        {tag: shape for tag, shape in shapes.items() if tag in closed and tag not in universal_tags},
    )
    joins = {tag: shape.joins for tag, shape in few.items() if shape.words >= _SHARE_OF_COORDINATORS * words}
    best = max(joins.values(), default=0.0)
    for tag, shape in few.items():
        if joins.get(tag, 0.0) >= max(_JOINING, _NEARLY_BEST * best):
            universal_tags[tag] = "CCONJ"
        elif shape.links:
            universal_tags[tag] = (
                "SCONJ" if 2 * sum(shape.phrases[verb] for verb in verbs) > shape.phrases.total() else "ADP"
            )
    adpositions = {tag for tag, universal in universal_tags.items() if universal == "ADP"}
    for tag, shape in shapes.items():
        if tag in closed or tag in universal_tags:
            continue
        linked = shape.share_of(adpositions, shape.children) + shape.share_of(adpositions, shape.heads)
        if linked >= _WITH_ADPOSITION or shape.share(shape.children.total()) >= _NOUN_CHILDREN:
            universal_tags[tag] = "NOUN"
    return universal_tags


def _count(sentence: Sentence, shapes: dict[str, _Shape]) -> None:
    tags, heads = ["", *sentence.upos], [0, *sentence.heads]
    words = [word for word, form in enumerate(sentence.forms, start=1) if not is_mark(form)]
    children: list[list[int]] = [[] for _ in tags]
    first, last = list(range(len(tags))), list(range(len(tags)))
    for word in words:
        children[heads[word]].append(word)
        above = word
        while above:
            first[above], last[above] = min(first[above], word), max(last[above], word)
            above = heads[above]
    for word in words:
        shape, head = shapes[tags[word]], heads[word]
        above = heads[head]
        shape.words += 1
        shape.roots += head == 0
        shape.heads[tags[head]] += 1
        shape.children.update(tags[child] for child in children[word])
        if head and above and (above < word == first[head] < head or above > word == last[head] > head):
            shape.edges += 1
            shape.phrases[tags[head]] += 1
        elif head and len(children[word]) == 1 and (head < word) == (word < children[word][0]):
            shape.between += 1
            shape.phrases[tags[children[word][0]]] += 1
        for style, (left, right) in enumerate(_conjuncts(word, heads, children)):
            shape.joining[style] += 0 < left < word < right and tags[left] == tags[right]


def _conjuncts(word: int, heads: Sequence[int], children: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return the conjuncts that a word would join in each style of coordination; zeros if there are none."""
    head = heads[word]
    left = max((child for child in children[word] if child < word), default=0)
    right = min((child for child in children[word] if child > word), default=0)
    siblings = children[head] if head else ()
    before = max((child for child in siblings if child < word), default=0)
    after = min((child for child in siblings if child > word), default=0)
    return [(left, right), (head, after), (head, right), (before, head), (heads[head], head), (left, head)]
