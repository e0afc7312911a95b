"""The possible classes of a word: those that its form, or else its longest known ending, had in training."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Class = tuple[str, str, str]
"""A class: UPOS, XPOS and FEATS."""

_FREQUENT = 8
"""A form that is at least this frequent has no classes beside those in training."""
_ENOUGH = 16
"""An ending needs this many different forms to predict classes: with few forms, it is hardly more than these forms."""
_LONGEST_ENDING = 5
_MOST_CLASSES = 24
"""The most frequent classes of an ending that are kept."""
_MOST_KNOWN = 1 << 14
"""The number of words whose classes are kept, so that memory stays bounded."""


@dataclass
class Lexicon:
    """The possible classes of words.

    Parameters
    ----------
    forms : dict of str to list of int
        The classes of lower-cased forms; `frequent` lists the forms that cannot have other classes.
    endings : dict of str to list of int
        The most frequent classes of endings, after the tag: ``NOUN|ler``.
    tags : dict of str to list of int
        All classes with a tag.
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
        """Return the numbers of the classes that this word may have with this tag; none if the tag is unknown."""
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
