"""Words and the tags they may have: counts, and for rare and unknown words, their shapes and endings.

A word's class is itself if it was seen often enough, else its shape and ending. How probable a tag is for a rare or an
unknown word is told by ever longer descriptions, each smoothed by the one before.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_PRIOR = 2.0
"""What a description counts beside the words that have it."""
_LEAST = 1e-4
"""Tags that are less probable for a word, beside its best one, are not tried."""
_RARE = 5
_NUMBER = re.compile(r"[\d.,:/%-]*\d[\d.,:/%-]*$")


def shape(form: str) -> str:
    """Return what a word looks like, in one letter.

    >>> [shape(form) for form in ("dog", "Dog", "DNA", "1,000", "a-b", "x2", "...")]
    ['a', 'A', 'C', '0', '-', '1', '.']
    """
    if _NUMBER.match(form):
        return "0"
    if any(letter.isdigit() for letter in form):
        return "1"
    if not any(letter.isalpha() for letter in form):
        return "."
    if "-" in form[1:-1]:
        return "-"
    if form.isupper() and len(form) > 1:
        return "C"
    return "A" if form[0].isupper() else "a"


def descriptions(form: str) -> list[str]:
    """Return descriptions of a word from the vaguest to the most exact one."""
    form = form.replace("\\/", "/").replace("\\*", "*")  # as the Penn Treebank writes them
    look, end = shape(form), form.lower()
    return [look, *(f"{look}{end[-size:]}" for size in (1, 2, 3) if len(end) > size)]


@dataclass(frozen=True)
class Lexicon:
    """The counts of words and tags.

    Parameters
    ----------
    tags : tuple of str
    words : dict of str to dict of int to int
        How often each word has each tag, by its number.
    shapes : dict of str to dict of int to int
        The same for descriptions, of rare words.
    least : int
        How often a word must have been seen to be a class of its own.
    """

    tags: tuple[str, ...]
    words: dict[str, dict[int, int]]
    shapes: dict[str, dict[int, int]]
    least: int = 3
    classes: dict[str, int] = field(init=False)
    totals: Floats = field(init=False)

    def __post_init__(self) -> None:
        often = [word for word, counts in self.words.items() if sum(counts.values()) >= self.least]
        names = [*often, *(f"\0{name}" for name in self.shapes)]
        totals = np.ones(len(self.tags))
        for counts in self.words.values():
            for tag, count in counts.items():
                totals[tag] += count
        object.__setattr__(self, "classes", {name: number for number, name in enumerate(names)})
        object.__setattr__(self, "totals", totals / totals.sum())

    @classmethod
    def fit(cls, sentences: Sequence[tuple[Sequence[str], Sequence[str]]], *, least: int = 3) -> "Lexicon":
        """Count words and tags."""
        pairs = Counter(pair for forms, tags in sentences for pair in zip(forms, tags, strict=True))
        names = tuple(sorted({tag for _, tag in pairs}))
        number = {tag: place for place, tag in enumerate(names)}
        words: dict[str, dict[int, int]] = defaultdict(dict)
        for (form, tag), count in pairs.items():
            words[form][number[tag]] = count
        shapes: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for form, counts in words.items():
            if sum(counts.values()) <= _RARE:
                for description in descriptions(form):
                    for one in counts:
                        shapes[description][one] += 1
        return cls(names, dict(words), {name: dict(counts) for name, counts in shapes.items()}, least)

    def logs(self, tags: npt.NDArray[np.int32]) -> Floats:
        """Return the log of how frequent tags are."""
        return np.asarray(np.log(self.totals[tags]))

    def word_class(self, form: str) -> int:
        """Return the class of a word: its own, or that of the longest description that is known; -1 for none."""
        for name in (form, form.lower()):
            if (found := self.classes.get(name)) is not None:
                return found
        for description in reversed(descriptions(form)):
            if (found := self.classes.get(f"\0{description}")) is not None:
                return found
        return -1

    def tag_scores(self, form: str) -> list[tuple[int, float]]:
        """Return the tags that a word may have, and log P(tag | word) - log P(tag), which is log P(word | tag) + c."""
        chances = self.totals
        known = self.words.get(form) or self.words.get(form.lower(), {})
        seen = sum(known.values())
        if seen <= _RARE:
            for description in descriptions(form):
                if counts := self.shapes.get(description):
                    chances = _smoothed(counts, chances, _PRIOR)
        if known and seen <= _RARE:
            chances = _smoothed(known, chances, 1.0)
        elif known:
            chances = _smoothed(known, chances, 0.0)
        likely = np.flatnonzero(chances >= _LEAST * chances.max())
        return [
            (int(tag), float(np.log(chances[tag]) - np.log(self.totals[tag]))) for tag in likely if chances[tag] > 0
        ]

    def allowed(self, forms: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(words, tags) Return which tags words may have: those of `tag_scores`."""
        rows: dict[str, npt.NDArray[np.bool_]] = {}
        for form in set(forms):
            rows[form] = np.zeros(len(self.tags), dtype=np.bool_)
            rows[form][[tag for tag, _ in self.tag_scores(form)]] = True
        return np.array([rows[form] for form in forms], dtype=np.bool_).reshape(-1, len(self.tags))


def _smoothed(counts: dict[int, int], prior: Floats, weight: float) -> Floats:
    found = prior * weight
    for tag, count in counts.items():
        found[tag] += count
    return np.asarray(found / found.sum())
