"""The structures of a tree straight from their definitions, as (kind, shape, words, tree values)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

ADP, CCONJ, PUNCT = "ADP", "CCONJ", "PUNCT"
OPENING = {")": "(", "]": "[", '"': '"', "”": "“"}


class Structure(NamedTuple):
    kind: str
    shape: int
    words: tuple[int, ...]
    values: dict[str, int]


class Tree:
    """A sentence and its tree; every list has an entry for the root, n + 1 is nobody."""

    def __init__(self, heads: Sequence[int], upos: Sequence[str], tags: Sequence[int], forms: Sequence[str]) -> None:
        self.heads, self.upos, self.tags, self.forms = list(heads), upos, tags, forms
        self.nobody = len(heads)
        self.words = range(1, len(heads))

    def children(self, head: int, *, punctuation: bool = False) -> list[int]:
        return [word for word in self.words if self.heads[word] == head and (punctuation or self.upos[word] != PUNCT)]

    def span(self, word: int) -> tuple[int, int]:
        spans = [(word, word), *(self.span(child) for child in self.children(word, punctuation=True))]
        return min(first for first, _ in spans), max(last for _, last in spans)

    def structures(self, coordination: int, preposition: int) -> Iterator[Structure]:
        for word in self.words:
            yield self._children_of(word)
            yield self._span_of(word)
            if self.upos[word] == ADP:
                yield from self._phrase(word, preposition)
            if self.upos[word] == CCONJ:
                yield from self._coordination(word, coordination)
            yield from self._crossing(word)
        yield from self._pairs()
        yield self._right_branch()

    def _children_of(self, word: int) -> Structure:
        children = self.children(word)
        left = [self.tags[child] for child in children if child < word][::-1]
        right = [self.tags[child] for child in children if child > word]
        values = {
            "left": min(4, len(left)),
            "right": min(4, len(right)),
            "left_tags": sum(tag * 32**place for place, tag in enumerate(left[:4])),
            "right_tags": sum(tag * 32**place for place, tag in enumerate(right[:4])),
        }
        return Structure("children", 1 + min(6, len(children)), (word,), values)

    def _span_of(self, word: int) -> Structure:
        first, last = self.span(word)
        steps = [range(1, 2), range(2, 3), range(3, 4), range(4, 6), range(6, 10), range(10, 17), range(17, 1 << 30)]
        [shape] = [place for place, some in enumerate(steps, start=1) if last - first + 1 in some]
        after = 2 if last + 1 == self.nobody else int(self.upos[last + 1] == PUNCT)
        return Structure("span", shape, (self.heads[word], word, first - 1, last + 1), {"after": after})

    def _phrase(self, word: int, style: int) -> Iterator[Structure]:
        head = self.heads[word]
        if style == 0 and head > 0:
            above = self.heads[head]
            yield Structure("preposition", _chain(above, head, word), (above, head, word), {})
        if style == 1 and self.children(word):
            noun = min(self.children(word), key=lambda child: (child < word, abs(child - word)))
            yield Structure("preposition", _chain(head, word, noun), (head, noun, word), {})

    def _coordination(self, word: int, style: int) -> Iterator[Structure]:
        head = self.heads[word]

        def nearest(parent: int, *, right: bool) -> int:
            """The nearest child of `parent` on one side of the coordinator."""
            found = [child for child in self.children(parent) if (child > word) == right and child != word]
            return min(found, key=lambda child: abs(child - word), default=0)

        left = {0: nearest(word, right=False), 5: nearest(word, right=False)}.get(style, 0)
        right = {0: nearest(word, right=True), 2: nearest(word, right=True)}.get(style, 0)
        if style in (1, 2) and 0 < head < word:
            left = head
            right = nearest(head, right=True) if style == 1 else right
        if style in (3, 4, 5) and head > word:
            right = head
            if style == 3 and self.heads[head] > head:
                left = nearest(head, right=False)
            if style == 4 and 0 < self.heads[head] < word:
                left = self.heads[head]
        if left and right:
            above = self.heads[{0: word, 1: left, 2: left, 3: right, 4: left, 5: right}[style]]
            distance = sum(right - left > most for most in (3, 8))
            yield Structure("coordination", 1 + distance + 3 * (above < left), (above, left, right, word), {})

    def _crossing(self, word: int) -> Iterator[Structure]:
        near, far = sorted((word, self.heads[word]))
        count = sum(not near <= self.heads[inside] <= far for inside in range(near + 1, far))
        if count:
            yield Structure("crossing", min(7, count), (self.heads[word], word), {})

    def _pairs(self) -> Iterator[Structure]:
        waiting: list[int] = []
        for word in self.words:
            form = self.forms[word]
            fitting = [other for other in waiting if self.forms[other] == OPENING.get(form)]
            if fitting:
                waiting.remove(fitting[-1])
                if self.heads[word] == self.heads[fitting[-1]]:
                    head = self.heads[word]
                    yield Structure(
                        "punctuation", 1 + (head > fitting[-1]) + (head > word), (head, fitting[-1], word), {}
                    )
            elif form in OPENING.values():
                waiting.append(word)

    def _right_branch(self) -> Structure:
        word, nodes = 0, 0
        while self.children(word):
            word, nodes = max(self.children(word)), nodes + 1
        return Structure("right_branch", 1 + min(6, 7 * nodes // len(self.heads)), (0,), {"nodes": nodes})


def _chain(first: int, second: int, third: int) -> int:
    if (third > second) == (second > first):
        place = 1
    else:
        place = 2 if (third > first) == (second > first) else 3
    return place + 3 * (second > first)
