"""Text to tokens and sentences: a linear classifier that looks at a window of characters.

After every character that is no space it decides whether a token ends there, and a sentence with it, from left to
right: what it decided before is part of what it sees (the token so far, the one before it, the words of the sentence
so far). A log-linear model, learned by steps that shrink where much was learned (AdaGrad), every other time with the
sentences in a new order, so that it sees how a sentence ends rather than which two stand side by side; O(characters).

Some languages and kinds of text do not mark ends: they are seen by the words on both sides. Such a `wide` view is
learned with half of the features left out each time where a space follows, at random, or it would trust the pairs of
words that it knows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.corpus.text import TreebankText, treebank_text
from headway.features.hashing import fold
from headway.kernel import kernel, leaf_kernel
from headway.scorers.rows import NO_DIRECTORY, Rows, find_rows, pack, slot_mask
from headway.tagging.characters import FIRST_LETTER, LAST_LETTER, NEWLINE, Codes, read_characters
from headway.tagging.text_features import (
    COUNT,
    FEATURES,
    INSIDE,
    NEAR,
    SENTENCE,
    TOKEN,
    WIDTH,
    Characters,
    advance,
    fresh_state,
    text_features,
)

LONG, LONGEST = 100, 400
"""Tokens after which a sentence had better end, the longer the rather, and after which it ends in any case."""

_HASTE = 0.1
"""What every token beyond `LONG` adds to the leaning towards an end."""

_SLOTS = 1 << 21
_MOST_ROWS = 80_000
_VOICES = 3
"""Learners whose weights are averaged: they read sentences in other orders, and leave out other features."""
_SEED = np.uint64(1)
_RATE = 0.2
_SURE = 0.999
"""How probable the right decision is where nothing is left to learn."""
_WAYS = ((False, (2, 4, 8)), (True, (24,)))
"""Wide or not, and passes over the text: all are tried, and other text tells which are best."""
_PARTS, _TRUST = 10, 0.5
"""One of them tells, where there is no other text, and how far it is believed about how readily sentences end."""
_LEANINGS = np.linspace(-4.0, 4.0, 33)


_SEEN = r"[^\s()\x00-\x1f\x7f-\x9f]"
_ADDRESS = re.compile(rf"(?:https?://|ftp://|www\.)(?:\({_SEEN}*\)|{_SEEN})+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NOT_LAST = ".,;:!?)]}>'\"»”’…"
"""What ends an address, but is none of it."""


class _Table(NamedTuple):
    """Weights while they are learned, and the squares of what has been learned of each so far."""

    values: npt.NDArray[np.float32]
    squares: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Segmenter:
    """A trained segmenter.

    Parameters
    ----------
    rows : Rows
        Packed weights, a column for each decision.
    known : (characters,) int32
        The characters of the treebank, sorted. Letters that are not among them are kept together, whatever the weights
        say.
    leaning : float
        What speaks for the end of a sentence wherever a token ends.
    wide : bool
        Whether it looks at the words on both sides of a space.
    """

    rows: Rows
    known: Codes
    leaning: float = 0.0
    wide: bool = False

    @classmethod
    def fit(cls, sentences: Iterable[Sentence], *, dev: Iterable[Sentence] | None = None) -> "Segmenter":
        """Learn from a treebank's text.

        Parameters
        ----------
        dev : iterable of Sentence, optional
            Their text tells how far to look, how long to learn, and how readily to end a sentence; without them, the
            text of a tenth of the treebank does, which is more like the rest than other text will be.
        """
        sentences = list(sentences)
        if dev is not None and (gold := treebank_text(dev)).ends:
            return cls._best(sentences, gold)[0]
        block = max(1, len(sentences) // 100)
        numbers = range(len(sentences))
        held = [sentences[number] for number in numbers if number // block % _PARTS == _PARTS - 1]
        if not held:
            return list(cls._learned(sentences, *_WAYS[0]))[-1]
        others = [sentences[number] for number in numbers if number // block % _PARTS < _PARTS - 1]
        best, passes = cls._best(others, treebank_text(held))
        [again] = cls._learned(sentences, best.wide, [passes])
        return replace(again, leaning=_TRUST * best.leaning)

    @classmethod
    def _best(cls, sentences: Sequence[Sentence], gold: TreebankText) -> tuple["Segmenter", int]:
        """The way to learn that is best for some other text, the shortest among equals, and its passes."""
        leanings = sorted(_LEANINGS.tolist(), key=abs)
        rivals = (
            (replace(one, leaning=leaning), number)
            for wide, passes in _WAYS
            for one, number in zip(cls._learned(sentences, wide, passes), passes, strict=True)
            for leaning in leanings
        )
        return max(rivals, key=lambda rival: sum(rival[0].agreement(gold)))

    @classmethod
    def _learned(cls, sentences: Sequence[Sentence], wide: bool, passes: Sequence[int]) -> Iterator["Segmenter"]:
        """Yield the segmenter after each of these numbers of passes over the text."""
        gold = treebank_text(sentences)
        lesson, known = _lesson(gold), known_characters(gold.text)
        sums = {number: np.zeros((_SLOTS, WIDTH), np.float32) for number in passes}
        for voice in range(_VOICES):
            orders, step = np.random.default_rng(voice), voice << 32
            table = _Table(np.zeros((_SLOTS, WIDTH), np.float32), np.ones((_SLOTS, WIDTH), np.float32))
            for number in range(1, passes[-1] + 1):
                if number % 2 == 0:
                    mixed = _lesson(treebank_text([sentences[one] for one in orders.permutation(len(sentences))]))
                step = _learn(*(lesson if number % 2 else mixed), wide, table, step)
                if number in passes:
                    sums[number] += table.values
        for values in sums.values():
            yield cls(pack(values / np.float32(_VOICES), most=_MOST_ROWS), known, wide=wide)

    def agreement(self, gold: TreebankText) -> tuple[float, float]:
        """F1 of tokens and of sentences, from 0 to 1."""
        tokens: tuple[set[tuple[int, int]], ...] = set(), set()
        sentences: tuple[set[tuple[int, int]], ...] = set(), set()
        for side, text in enumerate((_sentences(gold), self.segment(gold.text))):
            for spans in text:
                tokens[side].update(spans)
                sentences[side].add((spans[0][0], spans[-1][1]))
        return _f1(*tokens), _f1(*sentences)

    def segment(self, text: str) -> Iterator[list[tuple[int, int]]]:
        """The sentences of a text, each as the places of its tokens: first character, and the one after the last."""
        decisions = np.zeros(len(text), dtype=np.int8)
        characters = Characters(*read_characters(text))
        leaning = self.leaning / self.rows.scale
        _decide(characters, self.rows, _settled(text, characters, self.known), leaning, self.wide, decisions)
        tokens: list[tuple[int, int]] = []
        start = -1
        spaces = characters.kinds <= NEWLINE
        for place in np.flatnonzero(~spaces).tolist():
            if start < 0:
                start = place
            if decisions[place] != INSIDE:
                tokens.append((start, place + 1))
                start = -1
                if decisions[place] == SENTENCE:
                    yield tokens
                    tokens = []
        if tokens:
            yield tokens


def _lesson(gold: TreebankText) -> tuple[Characters, npt.NDArray[np.int8]]:
    """A text, and what is right after each of its characters."""
    decisions = np.zeros(len(gold.text), dtype=np.int8)
    for end, last in zip(gold.ends, gold.last, strict=True):
        decisions[end - 1] = SENTENCE if last else TOKEN
    return Characters(*read_characters(gold.text)), decisions


def _sentences(gold: TreebankText) -> Iterator[list[tuple[int, int]]]:
    """The places of the tokens of each sentence."""
    own, start = list[tuple[int, int]](), 0
    for end, last in zip(gold.ends, gold.last, strict=True):
        while start < end - 1 and gold.text[start].isspace():
            start += 1
        own.append((start, end))
        start = end
        if last:
            yield own
            own = []


def _f1(gold: set[tuple[int, int]], found: set[tuple[int, int]]) -> float:
    return 2 * len(gold & found) / max(len(gold) + len(found), 1)


def known_characters(text: str) -> Codes:
    """The characters of a text, sorted."""
    return np.unique(read_characters(text)[0])


_FREE, _WITHIN, _END = 0, 1, 2


def _settled(text: str, characters: Characters, known: Codes) -> npt.NDArray[np.int8]:
    """(characters,) Where tokens end or do not, whatever the weights say: addresses and unknown letters are whole."""
    letters = (characters.kinds >= FIRST_LETTER) & (characters.kinds <= LAST_LETTER)
    unknown = letters & (np.append(known, -1)[np.searchsorted(known, characters.codes)] != characters.codes)
    settled = np.full(len(text), _FREE, dtype=np.int8)
    settled[:-1][(unknown[:-1] & letters[1:]) | (letters[:-1] & unknown[1:])] = _WITHIN
    for match in _ADDRESS.finditer(text):
        start, end = match.start(), match.start() + len(match[0].rstrip(_NOT_LAST))
        settled[max(0, start - 1) : start] = _END
        settled[start : end - 1], settled[end - 1] = _WITHIN, _END
    return settled


@kernel
def _learn(text: Characters, decisions: npt.NDArray[np.int8], wide: bool, table: _Table, step: int) -> int:
    """Read the text once, with the right decisions behind; the steps made so far are returned."""
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    slots, chances, state = np.empty(FEATURES, dtype=np.uint32), np.empty(WIDTH), fresh_state()
    for place in range(len(decisions)):
        if text.kinds[place] <= NEWLINE:
            continue
        count, right = text_features(text, place, state, wide, slot_mask(rows), slots), decisions[place]
        dropping = wide and count > NEAR
        if dropping:
            count = _drop_half(slots, count, fold(fold(_SEED, step), _SEED))
        _score(rows, slots, count, chances)
        _to_chances(chances, 2.0 if dropping else 1.0)  # as all of them would score, about
        if chances[right] < _SURE:
            for decision in range(WIDTH):
                slope = chances[decision] - (decision == right)
                for slot in slots[:count]:
                    table.squares[slot, decision] += slope * slope
                    table.values[slot, decision] -= _RATE * slope / np.sqrt(table.squares[slot, decision])
        step += 1
        advance(text, place, right, state)
    return step


@leaf_kernel
def _drop_half(slots: npt.NDArray[np.uint32], count: int, bits: np.uint64) -> int:
    """Keep the slots whose bits are set; the number of them is returned."""
    kept = 0
    for index in range(count):
        if bits >> np.uint64(index) & np.uint64(1):
            slots[kept] = slots[index]
            kept += 1
    return kept


@leaf_kernel
def _to_chances(totals: npt.NDArray[np.float64], scale: float) -> None:
    """From scores to probabilities, in place."""
    top, total = max(totals[INSIDE], totals[TOKEN], totals[SENTENCE]), 0.0
    for decision in range(WIDTH):
        totals[decision] = np.exp(scale * (totals[decision] - top))
        total += totals[decision]
    for decision in range(WIDTH):
        totals[decision] /= total


@kernel
def _decide(
    text: Characters,
    rows: Rows,
    settled: npt.NDArray[np.int8],
    leaning: float,
    wide: bool,
    decisions: npt.NDArray[np.int8],
) -> None:
    """Read a text, and write what is decided after each character that is not `settled`."""
    slots, totals, state = np.empty(FEATURES, dtype=np.uint32), np.empty(WIDTH), fresh_state()
    final = -1
    for place in range(len(decisions)):
        if text.kinds[place] <= NEWLINE:
            continue
        count = find_rows(rows, slots, text_features(text, place, state, wide, slot_mask(rows), slots))
        _score(rows, slots, count, totals)
        best = INSIDE if settled[place] == _WITHIN else int(np.argmax(totals))
        if best != INSIDE:
            haste = _HASTE / rows.scale * max(0, state[COUNT] - LONG)
            best = SENTENCE if totals[SENTENCE] + leaning + haste > totals[TOKEN] else TOKEN
        elif settled[place] == _END:
            best = TOKEN
        if state[COUNT] >= LONGEST - 1 and best == TOKEN:
            best = SENTENCE
        decisions[place] = best
        final = place
        advance(text, place, best, state)
    if final >= 0:
        decisions[final] = SENTENCE


@leaf_kernel
def _score(rows: Rows, slots: npt.NDArray[np.uint32], count: int, totals: npt.NDArray[np.float64]) -> None:
    totals[:] = 0.0
    for index in range(count):
        for decision in range(WIDTH):
            totals[decision] += rows.values[slots[index], decision]
