"""Lemmatize by edit scripts, learned from a treebank, which replace letters at both ends of a word.

A known word with a known tag gets its script from training. Other words get the script of their longest ending that
occurred with the same tag and features, or else with the same tag, or else with any tag.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from headway.support.schema import check_json

Word = tuple[str, str, str]
"""A word for the lemmatizer: form, UPOS and FEATS."""

_LONGEST_ENDING = 6
_ENOUGH = 2
"""The minimum number of words with an ending for which a script is learned."""
_MOST_KNOWN = 1 << 14
"""The size of the cache of lemmas."""
_BETWEEN = "\t"
_LOWER, _KEEP, _CAPITAL, _WHOLE = "lower", "keep", "capital", "whole"


def make_script(form: str, lemma: str) -> str:
    """Return the script from form to lemma: case, then letters removed and added at the front and at the end.

    >>> make_script("Houses", "house").split(), make_script("better", "well").split()
    (['lower', '0', '1'], ['whole', 'well'])
    """
    lower, case, target = form.lower(), _LOWER, lemma
    if lemma != lemma.lower():
        case = _KEEP if form[:1] == lemma[:1] else _CAPITAL
        if case == _CAPITAL:
            target = lemma[:1].lower() + lemma[1:]
    source = form if case == _KEEP else lower
    from difflib import SequenceMatcher  # only training needs it

    match = SequenceMatcher(None, source, target, autojunk=False).find_longest_match()
    if match.size == 0 or (match.size == 1 and match.a > 0):
        return _BETWEEN.join((_WHOLE, lemma))
    rest = len(source) - match.a - match.size
    script = _BETWEEN.join((case, str(match.a), target[: match.b], str(rest), target[match.b + match.size :]))
    return script if apply_script(form, script) == lemma else _BETWEEN.join((_WHOLE, lemma))


def apply_script(form: str, script: str) -> str | None:
    """Apply a script to a form; return None if the form is too short for it."""
    case, *pieces = script.split(_BETWEEN)
    if case == _WHOLE:
        return pieces[0]
    front, put, end, add = pieces
    source = form if case == _KEEP else form.lower()
    kept = source[int(front) : len(source) - int(end)]
    if not kept:
        return None
    lemma = put + kept + add
    return lemma[:1].upper() + lemma[1:] if case == _CAPITAL else lemma


class Scripts:
    """A rule for `headway.support.schema`: strings that `apply_script` can read."""

    def check(self, values: Collection[Any], name: str) -> None:
        """Raise ValueError if a string is not a script."""
        for script in set(values):
            case, *pieces = script.split(_BETWEEN)
            whole = case == _WHOLE and len(pieces) == 1
            numbers = case in (_LOWER, _KEEP, _CAPITAL) and len(pieces) == 4 and (pieces[0] + pieces[2]).isdecimal()
            if not (whole or (numbers and pieces[0] and pieces[2])) or "\n" in script or "\r" in script:
                raise ValueError(f"{name} must be scripts of lemmas")


class _Saved(TypedDict):
    """The lemmatizer as stored in a model file."""

    words: dict[str, Annotated[str, Scripts()]]
    endings: dict[str, Annotated[str, Scripts()]]


@dataclass
class Lemmatizer:
    """The scripts of words and endings; keys are form or ending, UPOS and FEATS, joined by tabs.

    Parameters
    ----------
    words : dict of str to str
        Scripts by form and UPOS or by form, UPOS and FEATS, for words whose ending has another script.
    endings : dict of str to str
        Scripts by ending, UPOS and FEATS, by ending and UPOS, or only by ending.
    """

    words: dict[str, str]
    endings: dict[str, str]
    _known: dict[Word, str] = field(default_factory=dict, repr=False)

    @classmethod
    def fit(cls, words: Iterable[Word], lemmas: Iterable[str]) -> "Lemmatizer":
        """Learn from words and their lemmas."""
        of_pair: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        of_word: dict[Word, Counter[str]] = defaultdict(Counter)
        of_ending: dict[str, Counter[str]] = defaultdict(Counter)
        for (word, lemma), count in Counter(zip(words, lemmas, strict=True)).items():
            if lemma == "_":
                continue
            form, upos, feats = word
            script = make_script(form, lemma)
            of_pair[form, upos][script] += count
            of_word[word][script] += count
            for ending in _endings(form) if _is_about_the_end(script) else ():
                for tags in _tags(upos, feats):
                    of_ending[ending + tags][script] += 1
        endings = {key: _most(counts) for key, counts in of_ending.items() if sum(counts.values()) >= _ENOUGH}
        lemmatizer = cls({}, _without_repeats(endings))
        every: dict[tuple[str, str], list[str]] = defaultdict(list)
        for form, upos, feats in of_word:
            every[form, upos].append(feats)
        for (form, upos), counts in of_pair.items():
            script = _most(counts)
            if any(lemmatizer._script(form, upos, feats) != script for feats in every[form, upos]):
                lemmatizer.words[_key(form, upos)] = script
        for (form, upos, feats), counts in of_word.items():
            if lemmatizer._script(form, upos, feats) != _most(counts):
                lemmatizer.words[_key(form, upos, feats)] = _most(counts)
        return lemmatizer

    def lemma(self, form: str, upos: str, feats: str) -> str:
        """Return the lemma of a tagged word."""
        result = self._known.get((form, upos, feats))
        if result is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            script = self._script(form, upos, feats)
            result = self._known[form, upos, feats] = (script and apply_script(form, script)) or form
        return result

    def lemmas(self, words: Sequence[Word]) -> list[str]:
        """Return the lemmas of tagged words."""
        return [self.lemma(*word) for word in words]

    def _script(self, form: str, upos: str, feats: str) -> str | None:
        for key in (_key(form, upos, feats), _key(form, upos)):
            if key in self.words:
                return self.words[key]
        endings = _endings(form)
        for tags in _tags(upos, feats):
            for ending in endings:
                script = self.endings.get(ending + tags)
                if script is not None and apply_script(form, script) is not None:
                    return script
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that `from_json` reads."""
        return {"words": self.words, "endings": self.endings}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> "Lemmatizer":
        """Read the JSON of `to_json`; ValueError if it is not valid."""
        check_json(saved, _Saved, "lemmas")
        return cls(saved["words"], saved["endings"])


def _is_about_the_end(script: str) -> bool:
    """Return whether a script changes only case and ending, so that it can apply to other words."""
    case, *pieces = script.split(_BETWEEN)
    return case != _WHOLE and not pieces[1]


def _key(*parts: str) -> str:
    return _BETWEEN.join(parts)


def _tags(upos: str, feats: str) -> tuple[str, str, str]:
    """Return the suffixes of an ending's keys, the most precise first."""
    return _key("", upos, feats), _key("", upos), ""


def _endings(form: str) -> list[str]:
    """Return the endings of a word, longest first; a mark at the start shows that the ending is the whole word."""
    marked = "^" + form.lower()
    return [marked[-length:] for length in range(min(_LONGEST_ENDING, len(marked)), 0, -1)]


def _without_repeats(endings: dict[str, str]) -> dict[str, str]:
    """Remove endings that have the same script as the next shorter ending with the same tags."""
    kept = {}
    for key, script in endings.items():
        ending, *tags = key.split(_BETWEEN)
        shorter = (_key(ending[first:], *tags) for first in range(1, len(ending)))
        if next((endings[other] for other in shorter if other in endings), None) != script:
            kept[key] = script
    return kept


def _most(counts: Counter[str]) -> str:
    """Return the most frequent script; on ties, the first in alphabetical order."""
    return min(counts, key=lambda script: (-counts[script], script))
