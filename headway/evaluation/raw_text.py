"""Score a system that starts from raw text, by the metrics of the CoNLL 2018 shared task.

Gold and system may split the text differently, so they are aligned by their characters, ignoring white space.
Tokens and sentences are correct if they span the same characters. Words are correct if they are such tokens or, inside
multiword tokens, if they are in the longest common subsequence of forms. All other metrics count correct words; each is
an F1 over the words of both sides.

Zeman et al. (2018), "CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies", section 5.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from headway.corpus import Sentence
from headway.corpus.text import surface_tokens, without_controls
from headway.errors import CorpusError
from headway.evaluation.metrics import CONTENT_RELATIONS, Score

METRICS = (
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
)
"""The names of the scores, in the order of the shared task."""

_FUNCTION_RELATIONS = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
"""Relations of the function words that MLAS compares with their content words."""

_UNIVERSAL_FEATURES = frozenset(
    (
        "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
        "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
    )
)  # fmt: skip


@dataclass(frozen=True)
class _Word:
    """A word, identified by its number in the whole file; heads are such numbers, and -1 is the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    relation: str
    start: int
    end: int
    in_multiword: bool


@dataclass(frozen=True)
class _Text:
    characters: str
    tokens: list[tuple[int, int]]
    sentences: list[tuple[int, int]]
    words: list[_Word]


def evaluate_text(
    gold: Iterable[Sentence], system: Iterable[Sentence], *, names: tuple[str, str] = ("gold", "system")
) -> dict[str, Score]:
    """Score system sentences against gold ones of the same text; return the scores by the names of `METRICS`.

    Parameters
    ----------
    names : tuple of str
        The files of both, for error messages.

    Raises
    ------
    CorpusError
        If the two do not have the same text.
    """
    right, found = _read(gold), _read(system)
    if right.characters != found.characters:
        both = zip(right.characters, found.characters, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], both))
        near, here = (text.characters[max(0, same - 10) : same + 20] for text in (right, found))
        raise CorpusError(
            f"not the same text as {names[0]}: after {same} characters there is {here!r}, not {near!r}", path=names[1]
        )
    pairs = list(_align(right.words, found.words))
    match = {theirs: ours for ours, theirs in pairs}
    sizes = len(right.words), len(found.words)

    def share(test: Callable[[_Word, _Word], bool], among: Callable[[_Word], bool] = lambda word: True) -> Score:
        correct = sum(
            1 for ours, theirs in pairs
            if among(right.words[ours]) and test(right.words[ours], found.words[theirs])
        )  # fmt: skip
        aligned = sum(among(right.words[ours]) for ours, _ in pairs)
        if among is _is_content:
            return Score(correct, sum(map(_is_content, right.words)), sum(map(_is_content, found.words)), aligned)
        return Score(correct, *sizes, aligned)

    def same_head(ours: _Word, theirs: _Word) -> bool:
        return ours.head == (match.get(theirs.head, -2) if theirs.head >= 0 else -1)

    def same_arc(ours: _Word, theirs: _Word) -> bool:
        return same_head(ours, theirs) and ours.relation == theirs.relation

    gold_children, system_children = _function_words(right.words), _function_words(found.words)

    def same_morphology(ours: _Word, theirs: _Word) -> bool:
        """Return whether arc, tag, features and function words agree; system words stand for the words they match."""
        return (
            same_arc(ours, theirs)
            and (ours.upos, ours.feats) == (theirs.upos, theirs.feats)
            and [(child, *_morphology(right.words[child])) for child in gold_children.get(places[id(ours)], [])]
            == [
                (match.get(child), *_morphology(found.words[child]))
                for child in system_children.get(places[id(theirs)], [])
            ]
        )

    places = {id(word): place for text in (right, found) for place, word in enumerate(text.words)}
    tags = ("upos", "xpos", "feats")
    return {
        "Tokens": _spans(right.tokens, found.tokens),
        "Sentences": _spans(right.sentences, found.sentences),
        "Words": Score(len(pairs), *sizes),
        "UPOS": share(lambda one, other: one.upos == other.upos),
        "XPOS": share(lambda one, other: one.xpos == other.xpos),
        "UFeats": share(lambda one, other: one.feats == other.feats),
        "AllTags": share(lambda one, other: all(getattr(one, name) == getattr(other, name) for name in tags)),
        "Lemmas": share(lambda one, other: one.lemma in ("_", other.lemma)),
        "UAS": share(same_head),
        "LAS": share(same_arc),
        "CLAS": share(same_arc, _is_content),
        "MLAS": share(same_morphology, _is_content),
        "BLEX": share(lambda one, other: same_arc(one, other) and one.lemma in ("_", other.lemma), _is_content),
    }


def _function_words(words: Sequence[_Word]) -> dict[int, list[int]]:
    """Return the function words of each word, by number."""
    children: dict[int, list[int]] = {}
    for place, word in enumerate(words):
        if word.relation in _FUNCTION_RELATIONS:
            children.setdefault(word.head, []).append(place)
    return children


def _morphology(word: _Word) -> tuple[str, str, str]:
    return word.relation, word.upos, word.feats


def _is_content(word: _Word) -> bool:
    return word.relation in CONTENT_RELATIONS


def _spans(gold: Sequence[tuple[int, int]], system: Sequence[tuple[int, int]]) -> Score:
    return Score(len(set(gold) & set(system)), len(gold), len(system))


def _read(sentences: Iterable[Sentence]) -> _Text:
    pieces, length = list[str](), 0
    tokens, whole, words = list[tuple[int, int]](), list[tuple[int, int]](), list[_Word]()
    for sentence in sentences:
        first, begin = len(words), length
        columns = list(zip(
            sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.heads,
            sentence.labels, strict=True,
        ))  # fmt: skip
        number = 0
        for form, parts, _ in surface_tokens(sentence):
            letters = "".join(without_controls(form).split())
            pieces.append(letters)
            span = length, length + len(letters)
            length = span[1]
            tokens.append(span)
            for _ in parts:
                word, lemma, upos, xpos, feats, head, relation = columns[number]
                place = first + head - 1 if head > 0 else -1
                words.append(
                    _Word(
                        word, lemma, upos, xpos, _universal(feats), place, relation.split(":")[0], *span, len(parts) > 1
                    )
                )
                number += 1
        if number:
            whole.append((begin, length))
    return _Text("".join(pieces), tokens, whole, words)


def _universal(feats: str) -> str:
    """Return the universal features, sorted."""
    pieces = (piece for piece in feats.split("|") if piece.split("=")[0] in _UNIVERSAL_FEATURES)
    return "|".join(sorted(pieces))


def _align(gold: Sequence[_Word], system: Sequence[_Word]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of aligned words, by number."""
    one = other = 0
    while one < len(gold) and other < len(system):
        ours, theirs = gold[one], system[other]
        if not ours.in_multiword and not theirs.in_multiword:
            if (ours.start, ours.end) == (theirs.start, theirs.end):
                yield one, other
                one, other = one + 1, other + 1
            elif ours.start <= theirs.start and ours.end <= theirs.end:
                one += 1
            else:
                other += 1
            continue
        if ours.end <= theirs.start:
            one += 1
            continue
        if theirs.end <= ours.start:
            other += 1
            continue
        last = max(word.end for word in (ours, theirs) if word.in_multiword)
        one_end, other_end = one, other
        grown = True
        while grown:  # overlapping multiword tokens extend the region
            grown = False
            while one_end < len(gold) and gold[one_end].start < last:
                if gold[one_end].in_multiword and gold[one_end].end > last:
                    last, grown = gold[one_end].end, True
                one_end += 1
            while other_end < len(system) and system[other_end].start < last:
                if system[other_end].in_multiword and system[other_end].end > last:
                    last, grown = system[other_end].end, True
                other_end += 1
        for left, right in _common(
            [word.form.lower() for word in gold[one:one_end]], [word.form.lower() for word in system[other:other_end]]
        ):
            yield one + left, other + right
        one, other = one_end, other_end


def _common(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of a longest common subsequence."""
    lengths = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for left in range(len(one) - 1, -1, -1):
        for right in range(len(other) - 1, -1, -1):
            same = one[left] == other[right]
            lengths[left][right] = max(
                lengths[left + 1][right], lengths[left][right + 1], same + lengths[left + 1][right + 1]
            )
    pairs, left, right = [], 0, 0
    while left < len(one) and right < len(other):
        if one[left] == other[right]:
            pairs.append((left, right))
            left, right = left + 1, right + 1
        elif lengths[left + 1][right] >= lengths[left][right + 1]:
            left += 1
        else:
            right += 1
    return pairs
