"""Statistics of a treebank's tags: the frequency of each, its forms, and the votes of its words."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

FEW_FORMS = 20
"""A closed class: this many forms make up `MOSTLY` of its words, and forms occur `OFTEN` times on average."""

MOSTLY, OFTEN = 0.8, 3

_BRACKETS = frozenset(("-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"))
_IN_NUMBERS = frozenset(".,:/-−–%+'")


@dataclass
class TagProfile:
    """Counts over the words with one tag.

    Parameters
    ----------
    forms : Counter of str
        The lower-cased forms.
    votes : Counter of str
        The universal tags that words vote for; not all words vote.
    before_head : int
        The number of words whose head is one of the next two words.
    """

    forms: Counter[str] = field(default_factory=Counter)
    votes: Counter[str] = field(default_factory=Counter)
    before_head: int = 0

    @property
    def words(self) -> int:
        """The number of words."""
        return self.forms.total()

    def add(self, other: "TagProfile") -> None:
        """Add the words of another profile."""
        self.forms.update(other.forms)
        self.votes.update(other.votes)
        self.before_head += other.before_head

    def share(self, forms: Iterable[str]) -> float:
        """Return the share of the words whose form is in `forms`."""
        return sum(self.forms[form] for form in forms) / max(1, self.words)

    def is_before_head(self) -> bool:
        """Return whether, for most words, the head is one of the next two words."""
        return self.before_head >= MOSTLY * self.words

    def is_closed(self, *, most: int = FEW_FORMS) -> bool:
        """Return whether few forms make up most words, and there are enough words to judge."""
        return (
            self.words >= OFTEN * len(self.forms)
            and self.share(form for form, _ in self.forms.most_common(most)) >= MOSTLY
        )

    def is_marks(self) -> bool:
        """Return whether most words are made of punctuation marks and symbols."""
        return self.share(filter(is_mark, self.forms)) > 0.5

    def is_numbers(self) -> bool:
        """Return whether most words are made of digits."""
        return self.share(filter(_is_number, self.forms)) > 0.5


def is_mark(form: str) -> bool:
    """Return whether a form is made of punctuation marks and symbols.

    >>> is_mark("..."), is_mark("$"), is_mark("-LRB-"), is_mark("e.g.")
    (True, True, True, False)
    """
    return form.lower() in _BRACKETS or all(unicodedata.category(letter)[0] in "PS" for letter in form)


def is_symbol(form: str) -> bool:
    """Return whether a form is made of symbols, such as currency signs and mathematical signs."""
    return all(unicodedata.category(letter)[0] == "S" for letter in form)


def _is_number(form: str) -> bool:
    return any(map(str.isdigit, form)) and all(letter.isdigit() or letter in _IN_NUMBERS for letter in form)


def pooled(profiles: dict[str, TagProfile], *, enough: int) -> dict[str, TagProfile]:
    """Return profiles in which a tag with few words is pooled with tags of the same prefix.

    Parameters
    ----------
    enough : int
        Tags with fewer words are pooled, with the tags that share the longest prefix for which there are enough words.
    """
    by_beginning: dict[str, TagProfile] = defaultdict(TagProfile)
    rare = {tag for tag, profile in profiles.items() if profile.words < enough}
    beginnings = {tag[:length] for tag in rare for length in range(1, len(tag) + 1)}
    for tag, profile in profiles.items():
        for length in range(1, len(tag) + 1):
            if tag[:length] in beginnings:
                by_beginning[tag[:length]].add(profile)

    def of(tag: str) -> TagProfile:
        if tag not in rare:
            return profiles[tag]
        pools = (by_beginning[tag[:length]] for length in range(len(tag), 0, -1))
        return next((pool for pool in pools if pool.words >= enough), profiles[tag])

    return {tag: of(tag) for tag in profiles}
