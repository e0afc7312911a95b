"""Split text into tokens and sentences: a linear classifier over a window of characters.

From left to right, it decides after every non-space character whether a token or a sentence ends there. Earlier
decisions are features (the token so far, the token before it, the words of the sentence so far). It is a log-linear
model, trained with AdaGrad. In every second pass the sentences are shuffled, so that it learns how sentences end
instead of memorising adjacent pairs. The cost is O(characters).

Some languages and kinds of text do not mark sentence ends, so only the words on both sides show them. With this `wide`
view, a random half of the features is dropped in training whenever a space follows; otherwise the model would overfit
to known pairs of words.
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
"""After `LONG` tokens, sentence ends become more likely; after `LONGEST` tokens, a sentence always ends."""

_HASTE = 0.1
"""The increase of the sentence-break bias (log odds) for every token beyond `LONG`."""

_SLOTS = 1 << 21
_MOST_ROWS = 80_000
_VOICES = 3
"""The number of models whose weights are averaged; they differ in the order of sentences and in dropout."""
_SEED = np.uint64(1)
_RATE = 0.2
_SURE = 0.999
"""The probability of the right decision above which no update is made."""
_WAYS = ((False, (2, 4, 8)), (True, (24,)))
"""The options to try on held-out text: the wide view or not, and the number of passes."""
_PARTS, _TRUST = 10, 0.5
"""Without a dev set: one of this many parts is held out, and the sentence-break bias tuned on it gets this weight."""
_LEANINGS = np.linspace(-4.0, 4.0, 33)


_SEEN = r"[^\s()\x00-\x1f\x7f-\x9f]"
_ADDRESS = re.compile(rf"(?:https?://|ftp://|www\.)(?:\({_SEEN}*\)|{_SEEN})+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NOT_LAST = ".,;:!?)]}>'\"»”’…"
"""Punctuation that may follow an address, but is not part of it."""


class _Table(NamedTuple):
    """Weights in training, and the sums of squared gradients for AdaGrad."""

    values: npt.NDArray[np.float32]
    squares: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Segmenter:
    """A trained segmenter.

    Parameters
    ----------
    rows : Rows
        The packed weights, with a column for each decision.
    known : (characters,) int32
        The characters of the treebank, sorted. Sequences of unknown letters are never split.
    leaning : float
        Sentence-break bias (log odds), added wherever a token ends.
    wide : bool
        Whether the words on both sides of a space are features.
    """

    rows: Rows
    known: Codes
    leaning: float = 0.0
    wide: bool = False

    @classmethod
    def fit(cls, sentences: Iterable[Sentence], *, dev: Iterable[Sentence] | None = None) -> "Segmenter":
        """Train on a treebank's text.

        Parameters
        ----------
        dev : iterable of Sentence, optional
            Dev set: used for choosing the wide view, the number of passes and the sentence-break bias. By default, a
            tenth of the treebank is held out; as that resembles the training data more than new text will, the bias
            tuned on it gets less weight.
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
        """Return the best segmenter on held-out text and its number of passes; on ties, that with the fewest."""
        leanings = sorted(_LEANINGS.tolist(), key=abs)
        rivals = (
            (replace(segmenter, leaning=leaning), number)
            for wide, passes in _WAYS
            for segmenter, number in zip(cls._learned(sentences, wide, passes), passes, strict=True)
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
        """Return the F1 scores of tokens and of sentences, from 0 to 1."""
        tokens: tuple[set[tuple[int, int]], ...] = set(), set()
        sentences: tuple[set[tuple[int, int]], ...] = set(), set()
        for side, text in enumerate((_sentences(gold), self.segment(gold.text))):
            for spans in text:
                tokens[side].update(spans)
                sentences[side].add((spans[0][0], spans[-1][1]))
        return _f1(*tokens), _f1(*sentences)

    def segment(self, text: str) -> Iterator[list[tuple[int, int]]]:
        """Yield the sentences of a text, each as the start and end offsets of its tokens."""
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
    """Return the characters of a text and the gold decision after each of them."""
    decisions = np.zeros(len(gold.text), dtype=np.int8)
    for end, last in zip(gold.ends, gold.last, strict=True):
        decisions[end - 1] = SENTENCE if last else TOKEN
    return Characters(*read_characters(gold.text)), decisions


def _sentences(gold: TreebankText) -> Iterator[list[tuple[int, int]]]:
    """Yield the offsets of the tokens of each sentence."""
    spans, start = list[tuple[int, int]](), 0
    for end, last in zip(gold.ends, gold.last, strict=True):
        while start < end - 1 and gold.text[start].isspace():
            start += 1
        spans.append((start, end))
        start = end
        if last:
            yield spans
            spans = []


def _f1(gold: set[tuple[int, int]], found: set[tuple[int, int]]) -> float:
    return 2 * len(gold & found) / max(len(gold) + len(found), 1)


def known_characters(text: str) -> Codes:
    """Return the distinct characters of a text, sorted."""
    return np.unique(read_characters(text)[0])


_FREE, _WITHIN, _END = 0, 1, 2


def _settled(text: str, characters: Characters, known: Codes) -> npt.NDArray[np.int8]:
    """(characters,) Return fixed decisions: addresses and sequences of unknown letters are never split."""
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
    """Make a training pass over a text; return the number of updates so far."""
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
        _to_chances(chances, 2.0 if dropping else 1.0)  # scaled to about the scores of all features
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
    """Keep the slots whose bits are set; return their number."""
    kept = 0
    for index in range(count):
        if bits >> np.uint64(index) & np.uint64(1):
            slots[kept] = slots[index]
            kept += 1
    return kept


@leaf_kernel
def _to_chances(totals: npt.NDArray[np.float64], scale: float) -> None:
    """Turn scores into probabilities, in place."""
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
    """Read a text and write the decision after each character that is not `settled`."""
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
