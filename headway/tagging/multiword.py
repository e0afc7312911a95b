"""Split multiword tokens into words.

A known form gets its most frequent split in the treebank. Any other token is split by a rule for its ending: ``John's``
like other tokens that end in ``'s``. A rule consists of an ending to remove and the words to put in its place.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from headway.corpus import Sentence
from headway.corpus.text import surface_tokens
from headway.support.schema import Cells, check_json

_LONGEST_ENDING = 7
_ENOUGH = 3
"""The minimum number of forms with an ending for which a rule is learned."""

Rule = tuple[str, tuple[str, ...]]
"""The ending to remove, and the words; the first word is appended to what is left of the token."""

WHOLE: Rule = ("", ())


class _Saved(TypedDict):
    """The splitter as stored in a model file."""

    forms: dict[str, list[Annotated[str, Cells()]]]
    endings: dict[str, tuple[str, list[str]]]


@dataclass(frozen=True)
class Splitter:
    """Splits tokens into words.

    Parameters
    ----------
    forms : dict of str to list of str
        The words of each known multiword token, empty for other known tokens, in lower case.
    endings : dict of str to Rule
    """

    forms: dict[str, list[str]]
    endings: dict[str, Rule]

    @classmethod
    def fit(cls, sentences: Iterable[Sentence]) -> "Splitter":
        """Learn from a treebank's multiword tokens."""
        seen: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for sentence in sentences:
            for form, words, _ in surface_tokens(sentence):
                lower = tuple(map(_lower, words)) if len(words) > 1 else ()
                seen[_lower(form)][lower] += 1
        if not any(words for counts in seen.values() for words in counts):
            return cls({}, {})
        chosen = {form: counts.most_common(1)[0][0] for form, counts in seen.items()}
        rules: dict[str, Counter[Rule]] = defaultdict(Counter)
        for form, split in chosen.items():
            rule = make_rule(form, split) if split else WHOLE
            for length in range(1, min(_LONGEST_ENDING, len(form) - 1) + 1):
                rules[form[-length:]][rule] += 1
        endings: dict[str, Rule] = {}
        for ending in sorted(rules, key=len):
            counts = rules[ending]
            rule, _ = counts.most_common(1)[0]
            if sum(counts.values()) >= _ENOUGH and rule != endings_rule(endings, ending[1:]):
                endings[ending] = rule
        forms = {
            form: list(words) for form, words in chosen.items()
            if apply_rule(form, endings_rule(endings, form)) != list(words)
        }  # fmt: skip
        return cls(forms, endings)

    def split(self, token: str) -> list[str]:
        """Return the words of a token, or the token itself if it is a single word."""
        if not self.endings and not self.forms:
            return [token]
        lower = _lower(token)
        words = self.forms.get(lower)
        if words is None:
            words = apply_rule(lower, endings_rule(self.endings, lower))
        return _in_case(words, token) if words else [token]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that `from_json` reads."""
        return {"forms": self.forms, "endings": self.endings}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> "Splitter":
        """Read the JSON of `to_json`; ValueError if it is not valid."""
        check_json(saved, _Saved, "splitter")
        return cls(saved["forms"], {ending: (off, tuple(words)) for ending, (off, words) in saved["endings"].items()})


def make_rule(form: str, words: tuple[str, ...]) -> Rule:
    """Return the rule that splits a form into these words.

    >>> make_rule("john's", ("john", "'s")), make_rule("da", ("de", "a"))
    (("'s", ('', "'s")), ('a', ('e', 'a')))
    """
    shared = _shared(form, words[0])
    return form[shared:], (words[0][shared:], *words[1:])


def apply_rule(form: str, rule: Rule) -> list[str]:
    """Split a form by a rule; return an empty list if the rule does not apply."""
    off, words = rule
    if not words or len(off) >= len(form) or not form.endswith(off):
        return []
    return [form.removesuffix(off) + words[0], *words[1:]]


def endings_rule(endings: dict[str, Rule], form: str) -> Rule:
    """Return the rule for the longest ending of a form that has a rule; `WHOLE` if there is none."""
    for length in range(min(_LONGEST_ENDING, len(form)), 0, -1):
        rule = endings.get(form[-length:])
        if rule is not None:
            return rule
    return WHOLE


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two words."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _lower(form: str) -> str:
    """Lower-case a word without changing its length.

    >>> len(_lower("İki")), len("İki".lower())
    (3, 4)
    """
    lower = form.lower()
    return lower if len(lower) == len(form) else "".join(letter.lower()[0] for letter in form)


def _in_case(words: list[str], token: str) -> list[str]:
    """Give the words the token's spelling where the letters match; otherwise copy its upper case or initial capital."""
    lower = _lower(token)
    if "".join(words) == lower:
        ends = list(itertools.accumulate(map(len, words)))
        return [token[end - len(word) : end] for word, end in zip(words, ends, strict=True)]
    if token.isupper() and len(token) > 1:
        return [word.upper() for word in words]
    shared = _shared(lower, words[0])
    first = token[:shared] + words[0][shared:]
    return [first[:1].upper() + first[1:] if token[:1].isupper() else first, *words[1:]]
