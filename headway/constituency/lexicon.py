"""Words and their possible tags: counts of words and, for rare and unknown words, of shapes and endings.

The class of a word is the word itself if it is frequent enough, or else its shape and ending. The tag probabilities of
rare and unknown words are estimated from increasingly specific descriptions, each smoothed by the one before.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_PRIOR = 2.0
"""The weight of the prior in smoothing, in words."""
_LEAST = 1e-4
"""The minimum probability of a tag, relative to the word's best tag."""
_RARE = 5
_NUMBER = re.compile(r"[\d.,:/%-]*\d[\d.,:/%-]*$")


def shape(form: str) -> str:
    """Return the shape of a word as one letter.

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
    """Return descriptions of a word, from the most general to the most specific."""
    form = form.replace("\\/", "/").replace("\\*", "*")  # spellings of the Penn Treebank
    look, end = shape(form), form.lower()
    return [look, *(f"{look}{end[-size:]}" for size in (1, 2, 3) if len(end) > size)]


@dataclass(frozen=True)
class Lexicon:
    """The counts of words and tags.

    Parameters
    ----------
    tags : tuple of str
    words : dict of str to dict of int to int
        The count of each tag (by index) of each word.
    shapes : dict of str to dict of int to int
        The same for descriptions, of rare words.
    least : int
        The minimum frequency of a word that is a class by itself.
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
        """Return the log frequencies of tags."""
        return np.asarray(np.log(self.totals[tags]))

    def word_class(self, form: str) -> int:
        """Return the class of a word, or else of its longest known description; -1 for none."""
        for name in (form, form.lower()):
            if (found := self.classes.get(name)) is not None:
                return found
        for description in reversed(descriptions(form)):
            if (found := self.classes.get(f"\0{description}")) is not None:
                return found
        return -1

    def tag_scores(self, form: str) -> list[tuple[int, float]]:
        """Return the possible tags of a word with log P(tag | word) - log P(tag), which is log P(word | tag) + c."""
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
        """(words, tags) Return whether each tag is possible for each word; see `tag_scores`."""
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
