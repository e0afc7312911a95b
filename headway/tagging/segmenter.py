"""Text to tokens and sentences: a linear classifier that looks at a window of characters.

After every character that is no space it decides whether a token ends there, and a sentence with it, from left to
right: what it decided before is part of what it sees (the token so far, the one before it, the words of the sentence
so far). Learned by averaged passive-aggressive steps, every other time with the sentences in a new order, so that it
sees how a sentence ends rather than which two stand side by side; O(characters).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.corpus.text import TreebankText, treebank_text
from headway.features.hashing import fold
from headway.kernel import kernel, leaf_kernel
from headway.learning.averaging import AveragedTable, average, averaged_table
from headway.scorers.rows import NO_DIRECTORY, Rows, find_rows, pack, slot_mask
from headway.tagging.characters import FIRST_LETTER, LAST_LETTER, NEWLINE, SPACE, STOP, Codes, read_characters

INSIDE, TOKEN, SENTENCE = 0, 1, 2
WIDTH = 3
"""What a decision can be."""

LONGEST = 400
"""Tokens after which a sentence ends in any case."""

_SLOTS = 1 << 20
_MOST_ROWS = 60_000
_FEATURES = 37
_REACH = 24
"""Characters of a word that are looked at, at most."""
_AHEAD = 80
"""Characters in which a full stop is looked for."""
_SEED = 1
"""Of the orders in which sentences are read."""
_STEP = 0.1
_EPOCHS = (2, 4, 8)
"""Passes over the text that are tried, where other text tells which are best; else the last number of them."""
_LEANINGS = np.linspace(-1.0, 1.0, 21)


_ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)(?:\([^\s()]*\)|[^\s()])+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NOT_LAST = ".,;:!?)]}>'\"»”’…"
"""What ends an address, but is none of it."""


class _Text(NamedTuple):
    codes: Codes
    lower: Codes
    kinds: Codes


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
    """

    rows: Rows
    known: Codes
    leaning: float = 0.0

    @classmethod
    def fit(cls, sentences: Iterable[Sentence], *, dev: Iterable[Sentence] | None = None) -> "Segmenter":
        """Learn from a treebank's text.

        Parameters
        ----------
        dev : iterable of Sentence, optional
            Their text tells how long to learn, and how readily to end a sentence.
        """
        sentences = list(sentences)
        gold, other = treebank_text(sentences), None if dev is None else treebank_text(dev)
        lesson, orders = _lesson(gold), np.random.default_rng(_SEED)
        table, step = averaged_table(_SLOTS, WIDTH), 0
        known, found = known_characters(gold.text), list[Segmenter]()
        for epoch in range(1, _EPOCHS[-1] + 1):
            if epoch % 2 == 0:
                mixed = _lesson(treebank_text([sentences[one] for one in orders.permutation(len(sentences))]))
            step = _learn(*(lesson if epoch % 2 else mixed), table, step)
            if epoch == _EPOCHS[-1] or (other is not None and epoch in _EPOCHS):
                found.append(cls(pack(average(table, step), most=_MOST_ROWS), known))
        if other is None or not other.ends:
            return found[-1]
        leanings = sorted(_LEANINGS.tolist(), key=abs)
        rivals = (replace(one, leaning=leaning) for one in reversed(found) for leaning in leanings)
        return max(rivals, key=lambda one: sum(one.agreement(other)))

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
        characters = _Text(*read_characters(text))
        leaning = self.leaning / self.rows.scale
        _decide(characters, self.rows, _settled(text, characters, self.known), leaning, decisions)
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


def _lesson(gold: TreebankText) -> tuple[_Text, npt.NDArray[np.int8]]:
    """A text, and what is right after each of its characters."""
    decisions = np.zeros(len(gold.text), dtype=np.int8)
    for end, last in zip(gold.ends, gold.last, strict=True):
        decisions[end - 1] = SENTENCE if last else TOKEN
    return _Text(*read_characters(gold.text)), decisions


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


def _settled(text: str, characters: _Text, known: Codes) -> npt.NDArray[np.int8]:
    """(characters,) Where tokens end or do not, whatever the weights say: addresses and unknown letters are whole."""
    letters = (characters.kinds >= FIRST_LETTER) & (characters.kinds <= LAST_LETTER)
    unknown = letters & ~np.isin(characters.codes, known)
    settled = np.full(len(text), _FREE, dtype=np.int8)
    settled[:-1][(unknown[:-1] & letters[1:]) | (letters[:-1] & unknown[1:])] = _WITHIN
    for match in _ADDRESS.finditer(text):
        start, end = match.start(), match.start() + len(match[0].rstrip(_NOT_LAST))
        settled[max(0, start - 1) : start] = _END
        settled[start : end - 1], settled[end - 1] = _WITHIN, _END
    return settled


@kernel
def _learn(text: _Text, decisions: npt.NDArray[np.int8], table: AveragedTable, step: int) -> int:
    """Read the text once, with the right decisions behind; the steps made so far are returned."""
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    slots, totals, state = np.empty(_FEATURES, dtype=np.uint32), np.empty(WIDTH), _start()
    for place in range(len(decisions)):
        if text.kinds[place] <= NEWLINE:
            continue
        count = _features(text, place, state, slot_mask(rows), slots)
        _score(rows, slots, count, totals)
        right = decisions[place]
        rival = -1
        for decision in range(WIDTH):
            if decision != right and (rival < 0 or totals[decision] > totals[rival]):
                rival = decision
        loss = 1.0 - totals[right] + totals[rival]
        if loss > 0.0:
            size = min(_STEP, loss / (2.0 * count))
            for slot in slots[:count]:
                table.values[slot, right] += size
                table.changes[slot, right] += size * step
                table.values[slot, rival] -= size
                table.changes[slot, rival] -= size * step
        step += 1
        _advance(text, place, right, state)
    return step


@kernel
def _decide(
    text: _Text, rows: Rows, settled: npt.NDArray[np.int8], leaning: float, decisions: npt.NDArray[np.int8]
) -> None:
    """Read a text, and write what is decided after each character that is not `settled`."""
    slots, totals, state = np.empty(_FEATURES, dtype=np.uint32), np.empty(WIDTH), _start()
    final = -1
    for place in range(len(decisions)):
        if text.kinds[place] <= NEWLINE:
            continue
        count = find_rows(rows, slots, _features(text, place, state, slot_mask(rows), slots))
        _score(rows, slots, count, totals)
        best = INSIDE if settled[place] == _WITHIN else int(np.argmax(totals))
        if best != INSIDE:
            best = SENTENCE if totals[SENTENCE] + leaning > totals[TOKEN] else TOKEN
        elif settled[place] == _END:
            best = TOKEN
        if state[_COUNT] >= LONGEST - 1 and best == TOKEN:
            best = SENTENCE
        decisions[place] = best
        final = place
        _advance(text, place, best, state)
    if final >= 0:
        decisions[final] = SENTENCE


@leaf_kernel
def _score(rows: Rows, slots: npt.NDArray[np.uint32], count: int, totals: npt.NDArray[np.float64]) -> None:
    totals[:] = 0.0
    for index in range(count):
        for decision in range(WIDTH):
            totals[decision] += rows.values[slots[index], decision]


_START, _COUNT, _BEFORE, _OPENED = 0, 1, 2, 3
"""Where the token began, tokens of the sentence so far, the token before, whether a quote is open."""


@kernel
def _start() -> npt.NDArray[np.int64]:
    return np.array([-1, 0, 0, 0])


@leaf_kernel
def _advance(text: _Text, place: int, decision: int, state: npt.NDArray[np.int64]) -> None:
    if state[_START] < 0:
        state[_START] = place
    if text.codes[place] == 34:
        state[_OPENED] = 1 - state[_OPENED]
    if decision == INSIDE:
        return
    state[_BEFORE] = np.int64(_word(text.lower, state[_START], place + 1) >> np.uint64(2))
    state[_START] = -1
    state[_COUNT] += 1
    if decision == SENTENCE:
        state[_COUNT], state[_BEFORE], state[_OPENED] = 0, 0, 0


@leaf_kernel
def _word(codes: Codes, start: int, end: int) -> np.uint64:
    """A hash of some characters, the last ones if there are many."""
    state = np.uint64(7)
    for place in range(max(start, end - _REACH), end):
        state = fold(state, codes[place])
    return state


@leaf_kernel
def _at(values: Codes, place: int) -> int:
    return values[place] if 0 <= place < len(values) else 0


@leaf_kernel
def _features(
    text: _Text, place: int, state: npt.NDArray[np.int64], mask: np.uint32, slots: npt.NDArray[np.uint32]
) -> int:
    """Write the slots of all that can be seen after a character; the number of them is returned."""
    codes, lower, kinds = text.codes, text.lower, text.kinds
    start = state[_START] if state[_START] >= 0 else place
    size = len(codes)
    follow = place + 1  # the next character that is no space, and what is between
    gap = 0
    while follow < size and kinds[follow] <= NEWLINE and follow < place + _REACH:
        gap = max(gap, 1) if kinds[follow] == SPACE else (2 if gap < 2 else 3)
        follow += 1
    end = place + 1  # of what is written together
    while end < size and kinds[end] > NEWLINE and end < place + _REACH:
        end += 1
    begin = place
    while begin > 0 and kinds[begin - 1] > NEWLINE and begin > place - _REACH:
        begin -= 1
    after = follow  # the end of the word after the gap
    while after < size and kinds[after] > NEWLINE and after < follow + _REACH:
        after += 1
    token, token_lower = _word(codes, start, place + 1), _word(lower, start, place + 1)
    rest, chunk = _word(lower, place + 1, end), _word(lower, begin, end)
    next_word = _word(codes, follow, after) if gap > 0 else np.uint64(1)
    next_kind = _at(kinds, follow)
    here, one, two = _at(codes, place), _at(codes, place + 1), _at(codes, place + 2)
    back, back_two = _at(codes, place - 1), _at(codes, place - 2)
    pattern = np.uint64(3)
    for near in range(place - 2, place + 4):
        pattern = fold(pattern, _at(kinds, near))
    wide = fold(fold(pattern, _at(kinds, place - 3)), _at(kinds, place - 4))
    wide = fold(fold(wide, _at(kinds, place + 4)), _at(kinds, place + 5))
    gapped = gap * 16 + next_kind
    stop = _words_to_stop(kinds, follow) if gap > 0 else 0
    left, own, right = _at(kinds, place - 1), _at(kinds, place), _at(kinds, place + 1)
    bucket = min(state[_COUNT], 4) if state[_COUNT] < 6 else min(4 + state[_COUNT] // 6, 10)
    length = min(place + 1 - start, 8)
    count = 0
    count = _put(slots, count, 1, np.uint64(here), np.uint64(gapped), mask)
    count = _put(slots, count, 2, np.uint64(here), np.uint64(one), mask)
    count = _put(slots, count, 3, np.uint64(back) << np.uint64(21) | np.uint64(here), np.uint64(one), mask)
    count = _put(slots, count, 4, np.uint64(one) << np.uint64(21) | np.uint64(here), np.uint64(two), mask)
    four = fold(fold(fold(fold(np.uint64(11), back), here), one), two)
    count = _put(slots, count, 5, four, np.uint64(0), mask)
    count = _put(slots, count, 6, fold(fold(four, back_two), _at(codes, place + 3)), np.uint64(0), mask)
    count = _put(slots, count, 7, pattern, np.uint64(0), mask)
    count = _put(slots, count, 8, wide, np.uint64(0), mask)
    count = _put(slots, count, 9, pattern, np.uint64(here), mask)
    count = _put(slots, count, 10, token, np.uint64(one), mask)
    count = _put(slots, count, 11, token_lower, np.uint64(gapped), mask)
    count = _put(slots, count, 12, token_lower, rest, mask)
    count = _put(slots, count, 13, rest, np.uint64(here), mask)
    count = _put(slots, count, 14, chunk, np.uint64(place - begin), mask)
    count = _put(slots, count, 15, token_lower, next_word, mask)
    count = _put(slots, count, 16, next_word, np.uint64(here * 8 + gap), mask)
    count = _put(slots, count, 17, np.uint64(state[_BEFORE]), token_lower, mask)
    count = _put(slots, count, 18, np.uint64(state[_BEFORE]), np.uint64(here * 64 + gapped), mask)
    count = _put(slots, count, 19, np.uint64(bucket), np.uint64(gapped * 16 + own), mask)
    count = _put(slots, count, 20, np.uint64(length * 16 + _at(kinds, start)), np.uint64(here * 64 + gapped), mask)
    count = _put(slots, count, 21, np.uint64(gapped), np.uint64(0), mask)
    count = _put(slots, count, 22, np.uint64(state[_OPENED] * 8 + gap), np.uint64(here), mask)
    count = _put(slots, count, 23, np.uint64(gap), next_word, mask)
    count = _put(slots, count, 24, fold(fold(np.uint64(13), back_two), back), np.uint64(here * 64 + gapped), mask)
    shape = np.uint64(5)
    for near in range(begin, min(end, begin + 12)):
        shape = fold(shape, kinds[near]) if near == begin or kinds[near] != kinds[near - 1] else shape
    count = _put(slots, count, 25, shape, np.uint64(gapped * 16 + own), mask)
    count = _put(slots, count, 26, shape, np.uint64(place - begin), mask)
    ending, gapped_here = fold(fold(np.uint64(17), back), here), np.uint64(here * 64 + gapped)
    first, second = _at(codes, follow), _at(codes, follow + 1)
    count = _put(slots, count, 27, np.uint64(left * 16 + right), np.uint64(here), mask)
    count = _put(slots, count, 28, np.uint64(own * 16 + _at(kinds, place + 2)), np.uint64(one), mask)
    count = _put(slots, count, 29, np.uint64(left * 256 + own * 16 + right), np.uint64(0), mask)
    count = _put(slots, count, 30, np.uint64(left), gapped_here, mask)
    count = _put(slots, count, 31, ending, np.uint64(bucket * 64 + gapped), mask)
    count = _put(slots, count, 32, fold(fold(np.uint64(19), first), second), np.uint64(gapped * 16 + bucket), mask)
    count = _put(slots, count, 33, np.uint64(stop), gapped_here, mask)
    count = _put(slots, count, 34, np.uint64(stop * 64 + gapped), np.uint64(bucket), mask)
    next_ending = fold(fold(np.uint64(23), _at(codes, after - 2)), _at(codes, after - 1))
    count = _put(slots, count, 35, next_ending, gapped_here, mask)
    count = _put(slots, count, 36, fold(ending, _at(codes, after - 1)), np.uint64(gapped), mask)
    beyond = fold(fold(np.uint64(29), _at(codes, after + 1)), _at(codes, after + 2))
    count = _put(slots, count, 37, beyond, gapped_here, mask)
    return count


@leaf_kernel
def _words_to_stop(kinds: Codes, place: int) -> int:
    """Words until the next full stop, roughly: 0 to 9; 10 if it is far."""
    end, words = min(len(kinds), place + _AHEAD), 0
    while place < end and kinds[place] != STOP:
        words += kinds[place] <= NEWLINE
        place += 1
    if place == end:
        return 10
    return min(words, 5) if words < 6 else min(3 + words // 3, 9)


@leaf_kernel
def _put(
    slots: npt.NDArray[np.uint32], count: int, kind: int, one: np.uint64, other: np.uint64, mask: np.uint32
) -> int:
    state = fold(fold(fold(np.uint64(kind), one), other), kind)
    slots[count] = np.uint32(state >> np.uint64(32)) & mask
    return count + 1
