"""Compare one gold sentence with the system's, word by word.

Linear in the number of words, except for projectivity; both corpora are read once, in parallel.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from operator import and_, eq
from unicodedata import category

from headway.corpus import Sentence, nonprojective_arcs
from headway.corpus.arguments import checked_sentences
from headway.encoding.tag_map import UNIVERSAL_TAGS
from headway.errors import HeadwayError

_SHOWN_WORDS = 8


@dataclass(frozen=True)
class Side:
    """One version of a sentence, column by column, (n,) each."""

    forms: list[str]
    tags: list[str]
    heads: list[int]
    labels: list[str]

    @cached_property
    def punctuation(self) -> list[bool]:
        """Whether the word is punctuation: tagged PUNCT or, if its tag is not universal, only punctuation marks."""
        return list(map(_is_punctuation, self.forms, self.tags))

    @cached_property
    def universal(self) -> list[str]:
        """The relations without their subtypes: ``nsubj:pass`` is ``nsubj``."""
        return [label.partition(":")[0] for label in self.labels]

    @cached_property
    def lengths(self) -> list[int]:
        """The distance of each word to its head; 0 for words at the root, -1 if the head is missing."""
        return [abs(head - word) if head > 0 else head for word, head in enumerate(self.heads, start=1)]

    @cached_property
    def nonprojective(self) -> list[bool]:
        """Whether the arc is non-projective."""
        return nonprojective_arcs(self.heads)

    @cached_property
    def projectivity(self) -> list[str]:
        """The kind of each arc: "projective", "non-projective" or "missing"."""
        names = ("projective", "non-projective")
        pairs = zip(self.heads, self.nonprojective, strict=True)
        return ["missing" if head < 0 else names[nonprojective] for head, nonprojective in pairs]


@dataclass(frozen=True)
class Comparison:
    """A sentence in both versions; each list below has an entry for every word, (n,)."""

    gold: Side
    system: Side

    @cached_property
    def heads(self) -> list[bool]:
        """Whether the head is right; a missing head never is."""
        return list(map(eq, self.gold.heads, self.system.heads))

    @cached_property
    def labels(self) -> list[bool]:
        """Whether the relation is right, including its subtype."""
        return list(map(eq, self.gold.labels, self.system.labels))

    @cached_property
    def labelled(self) -> list[bool]:
        """Whether head and relation are right."""
        return list(map(and_, self.heads, self.labels))

    @cached_property
    def universal_labels(self) -> list[bool]:
        """Whether the relation is right, ignoring subtypes."""
        return list(map(eq, self.gold.universal, self.system.universal))

    @cached_property
    def universal_labelled(self) -> list[bool]:
        """Whether head and relation are right, ignoring subtypes."""
        return list(map(and_, self.heads, self.universal_labels))


def compare(gold: Iterable[Sentence], system: Iterable[Sentence]) -> Iterator[Comparison]:
    """Iterate over both versions of a corpus in parallel, one sentence at a time.

    Raises
    ------
    HeadwayError
        If the words differ, a head is outside its sentence, or a gold word has no head; the message has the
        sentence's number.
    """
    both = zip_longest(checked_sentences(gold), checked_sentences(system))
    for number, (gold_sentence, system_sentence) in enumerate(both, start=1):
        if gold_sentence is None or system_sentence is None:
            raise HeadwayError(_early_end(number, gold_sentence, system_sentence))
        _check_words(number, gold_sentence, system_sentence)
        pair = Comparison(_side(gold_sentence), _side(system_sentence))
        _check_heads(number, gold_sentence, pair.gold.heads, side="gold", lowest=0)
        _check_heads(number, system_sentence, pair.system.heads, side="system", lowest=-1)
        yield pair


def _side(sentence: Sentence) -> Side:
    return Side(forms=sentence.forms, tags=sentence.upos, heads=sentence.heads, labels=sentence.labels)


def _is_punctuation(form: str, tag: str) -> bool:
    """Return whether a word is punctuation; for tags that are not universal, as eval07.pl of CoNLL 2007 does."""
    if tag in UNIVERSAL_TAGS:
        return tag == "PUNCT"
    return all(category(letter).startswith("P") for letter in form)


def _check_words(number: int, gold: Sentence, system: Sentence) -> None:
    gold_forms, system_forms = gold.forms, system.forms
    if gold_forms == system_forms:
        return
    pairs = zip_longest(gold_forms, system_forms)
    word, (expected, found) = next((i, pair) for i, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
    raise HeadwayError(
        f"{_name(number, gold)}: gold has {len(gold)} words and system {len(system)}, not the same ones: "
        f"word {word} is {_show(expected)} in gold and {_show(found)} in system"
    )


def _check_heads(number: int, sentence: Sentence, heads: list[int], *, side: str, lowest: int) -> None:
    for word, head in enumerate(heads, start=1):
        if not lowest <= head <= len(heads):
            fault = "no head" if head == -1 else f"head {head}, which is not in the sentence"
            place = f"{_name(number, sentence)}: {side} word {word}"
            raise HeadwayError(f"{place} ({sentence.forms[word - 1]!r}) has {fault}")


def _early_end(number: int, gold: Sentence | None, system: Sentence | None) -> str:
    short, long, sentence = ("gold", "system", system) if gold is None else ("system", "gold", gold)
    assert sentence is not None
    words = " ".join(sentence.forms[:_SHOWN_WORDS]) + (" …" if len(sentence) > _SHOWN_WORDS else "")
    beyond = f"{_name(number, sentence)}: {words!r}"
    return f"{short} ends after {number - 1} sentences, but {long} goes on with {beyond}"


def _name(number: int, sentence: Sentence) -> str:
    identifier = sentence.metadata.get("sent_id")
    return f"sentence {number}" + (f" ({identifier})" if identifier else "")


def _show(form: str | None) -> str:
    return "missing" if form is None else repr(form)
