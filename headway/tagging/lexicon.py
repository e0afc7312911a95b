"""Look up the possible classes of a word: the classes of its form, or else of its longest known ending, in training."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Class = tuple[str, str, str]
"""A class: UPOS, XPOS and FEATS."""

_FREQUENT = 8
"""A form that is at least this frequent can only have the classes that it had in training."""
_ENOUGH = 16
"""The minimum number of different forms with an ending for which it predicts classes."""
_LONGEST_ENDING = 5
_MOST_CLASSES = 24
"""The maximum number of classes stored for an ending; the most frequent ones are kept."""
_MOST_KNOWN = 1 << 14
"""The size of the cache of words."""


@dataclass
class Lexicon:
    """The possible classes of words.

    Parameters
    ----------
    forms : dict of str to list of int
        The classes of lower-cased forms; `frequent` lists the forms that cannot have other classes.
    endings : dict of str to list of int
        The most frequent classes by tag and ending: ``NOUN|ler``.
    tags : dict of str to list of int
        All classes by tag.
    """

    forms: dict[str, list[int]]
    frequent: set[str]
    endings: dict[str, list[int]]
    tags: dict[str, list[int]]
    tag_of: list[str]
    _near: dict[str, dict[str, tuple[int, ...]]] = field(init=False, repr=False)
    _known: dict[tuple[str, str], tuple[int, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Sort the endings by tag."""
        self._near = defaultdict(dict)
        for key, numbers in self.endings.items():
            tag = self.tag_of[numbers[0]]
            self._near[tag][key.removeprefix(f"{tag}|")] = tuple(numbers)

    @classmethod
    def fit(cls, forms: Iterable[str], numbers: Iterable[int], classes: Sequence[Class]) -> "Lexicon":
        """Count classes of forms and endings in training."""
        of_form: dict[str, Counter[int]] = defaultdict(Counter)
        for form, number in zip(forms, numbers, strict=True):
            of_form[form.lower()][number] += 1
        of_ending: dict[str, Counter[int]] = defaultdict(Counter)
        forms_of: Counter[str] = Counter()
        tags: dict[str, set[int]] = defaultdict(set)
        for form, counts in of_form.items():
            endings = set[str]()
            for number, count in counts.items():
                tag = classes[number][0]
                tags[tag].add(number)
                for length in range(min(_LONGEST_ENDING, len(form)) + 1):
                    ending = f"{tag}|{form[len(form) - length :]}"
                    of_ending[ending][number] += count
                    endings.add(ending)
            forms_of.update(endings)
        return cls(
            {form: sorted(counts) for form, counts in of_form.items()},
            {form for form, counts in of_form.items() if sum(counts.values()) >= _FREQUENT},
            {
                ending: sorted(number for number, _ in counts.most_common(_MOST_CLASSES))
                for ending, counts in of_ending.items()
                if forms_of[ending] >= _ENOUGH
            },
            {tag: sorted(numbers) for tag, numbers in tags.items()},
            [one[0] for one in classes],
        )

    def classes(self, form: str, tag: str) -> tuple[int, ...]:
        """Return the possible classes, as numbers, of this word with this tag; none if the tag is unknown."""
        key = form.lower(), tag
        found = self._known.get(key)
        if found is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = self._find(*key)
        return found

    def _find(self, form: str, tag: str) -> tuple[int, ...]:
        seen = [number for number in self.forms.get(form, ()) if self.tag_of[number] == tag]
        if seen and form in self.frequent:
            return tuple(seen)
        known, ending = self._near.get(tag, {}), form[-_LONGEST_ENDING:]
        while ending and ending not in known:
            ending = ending[1:]
        near = known.get(ending)
        if near is not None:
            return tuple(sorted({*seen, *near})) if seen else near
        return tuple(seen or self.tags.get(tag, ()))
