"""Make short training sentences from long ones: clauses of a treebank without most of their modifiers.

If a word is removed together with all its descendants, the remaining words still form a tree, and their tags, heads and
relations stay correct. ``The old dogs of my neighbour bark when it rains .`` becomes ``The dogs bark .`` and
``It rains .``. Treebanks have few simple sentences of this kind, but they are the first thing that new users try.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from headway.corpus.sentence import Sentence
from headway.corpus.trees import is_tree

MODIFIERS = frozenset(
    (
        "acl", "advcl", "advmod", "amod", "appos", "conj", "discourse", "dislocated", "list", "nmod", "nummod", "obl",
        "orphan", "parataxis", "vocative",
    )
)  # fmt: skip
"""Universal relations of words that a clause does not need."""

OBJECTS = frozenset(("obj", "iobj", "ccomp", "xcomp"))
"""Relations of words that are optional for many verbs."""

CLAUSES = frozenset(("advcl", "ccomp", "conj", "parataxis"))
"""Relations of clause heads: if such a word has a subject, its clause can stand as a sentence."""

_SUBJECTS = frozenset(("nsubj", "csubj"))
_JOINING = frozenset(("cc", "mark"))


@dataclass(frozen=True)
class Shortening:
    """The options for shortening.

    Parameters
    ----------
    modifiers, objects : float
        The probabilities of leaving out a modifier and an object.
    draws : int
        The number of random shortenings of each clause; duplicates are dropped.
    longest : int
        The maximum length, in words, of a shortened sentence.
    """

    modifiers: float = 0.9
    objects: float = 0.4
    draws: int = 2
    longest: int = 6


def shortened(sentences: Iterable[Sentence], *, seed: int = 1, rule: Shortening | None = None) -> Iterator[Sentence]:
    """Yield short sentences made from the clauses of a treebank; sentences without a tree are skipped.

    Notes
    -----
    The same seed gives the same sentences. They have neither comments nor multiword tokens.
    """
    rule, generator = rule or Shortening(), np.random.default_rng(seed)
    for sentence in sentences:
        if len(sentence) > 1 and is_tree(sentence.heads):
            yield from _Shortener(sentence).shorten(rule, generator)


class _Shortener:
    """The tree of one sentence."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.forms, self.heads = sentence.forms, sentence.heads
        self.relations = [label.partition(":")[0] for label in sentence.labels]
        self.children: list[list[int]] = [[] for _ in range(len(self.heads) + 1)]
        for word, head in enumerate(self.heads, start=1):
            self.children[head].append(word)
        last = len(self.heads)
        self.stop = last if sentence.upos[-1] == "PUNCT" and self.heads[-1] != 0 else 0  # the final mark, 0 for none

    def shorten(self, rule: Shortening, generator: "np.random.Generator") -> Iterator[Sentence]:
        """Yield the shortened forms of each clause."""
        for top in range(1, len(self.heads) + 1):
            if not self._is_clause(top):
                continue
            seen = set[tuple[int, ...]]()
            for _ in range(rule.draws):
                kept = tuple(self._kept(top, rule, generator))
                if 1 < len(kept) <= rule.longest and len(kept) < len(self.heads) and kept not in seen:
                    seen.add(kept)
                    yield self._part(kept, top)

    def _is_clause(self, word: int) -> bool:
        if self.heads[word - 1] == 0:
            return True
        has_subject = any(self.relations[child - 1] in _SUBJECTS for child in self.children[word])
        return has_subject and self.relations[word - 1] in CLAUSES

    def _kept(self, top: int, rule: Shortening, generator: "np.random.Generator") -> list[int]:
        """Draw the words to keep, in order; the ancestors of a kept word, up to `top`, are always kept, too."""
        kept, pending = [], [top]
        while pending:
            word = pending.pop()
            kept.append(word)
            for child in self.children[word]:
                relation = self.relations[child - 1]
                chance = rule.modifiers if relation in MODIFIERS else rule.objects if relation in OBJECTS else 0.0
                opens = word == top and self.heads[top - 1] != 0 and relation in _JOINING
                if relation != "punct" and not opens and generator.random() >= chance:
                    pending.append(child)
        if self.stop and self.stop not in kept:
            kept.append(self.stop)
        return sorted(kept)

    def _part(self, kept: Sequence[int], top: int) -> Sentence:
        """Return these words as a sentence with the root `top`."""
        sentence, place = self.sentence, {word: number for number, word in enumerate(kept, start=1)}
        labels = sentence.labels
        heads = [0 if word == top else place.get(self.heads[word - 1], place[top]) for word in kept]
        labels = ["root" if word == top else labels[word - 1] for word in kept]
        forms = [self.forms[word - 1] for word in kept]
        if self.forms[0][0].isupper():
            forms[0] = forms[0][0].upper() + forms[0][1:]
        lemmas, upos, xpos, feats = (
            [column[word - 1] for word in kept]
            for column in (sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
        )
        return Sentence.from_words(
            forms, lemmas=lemmas, upos=upos, xpos=xpos, feats=feats, heads=heads, labels=labels, layout=sentence.layout
        )
