"""Features of the segmenter: hashes of the characters around a position and of earlier decisions."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.hashing import fold
from headway.kernel import kernel, leaf_kernel
from headway.tagging.characters import NEWLINE, SPACE, STOP, Codes

INSIDE, TOKEN, SENTENCE = 0, 1, 2
WIDTH = 3
"""The possible decisions, and their number."""

NEAR, FEATURES = 37, 60
"""The number of features that are always used, and the maximum number with the wide view before a space."""

_REACH = 24
"""The maximum number of characters of a word that features use."""
_AHEAD = 80
"""The number of characters that are searched for the next full stop."""


class Characters(NamedTuple):
    """A text as returned by `read_characters`."""

    codes: Codes
    lower: Codes
    kinds: Codes


_START, COUNT, _BEFORE, _OPENED, _ENDING, _FIRST = 0, 1, 2, 3, 4, 5
"""Indices into the state: the start of the current token, the number of tokens in the sentence so far, the previous
token, whether a quote is open, how the previous token ended, how the first word of the sentence began.
"""
_CHARACTER = (1 << 21) - 1


@kernel
def fresh_state() -> npt.NDArray[np.int64]:
    """Return the state before the first character."""
    return np.array([-1, 0, 0, 0, 0, 0])


@leaf_kernel
def advance(text: Characters, place: int, decision: int, state: npt.NDArray[np.int64]) -> None:
    """Update the state by one character and the decision after it."""
    if state[_START] < 0:
        state[_START] = place
    if text.codes[place] == 34:
        state[_OPENED] = 1 - state[_OPENED]
    if decision == INSIDE:
        return
    start = state[_START]
    if state[COUNT] == 0:
        state[_FIRST] = _pair(text.codes[start], _at(text.codes, start + 1))
    state[_ENDING] = _pair(_at(text.codes, place - 1) if place > start else 0, text.codes[place])
    state[_BEFORE] = np.int64(_word(text.lower, start, place + 1) >> np.uint64(2))
    state[_START] = -1
    state[COUNT] += 1
    if decision == SENTENCE:
        state[COUNT:] = 0


@leaf_kernel
def _word(codes: Codes, start: int, end: int) -> np.uint64:
    """Return a hash of the characters from `start` to `end`, or of the last ones if there are many."""
    state = np.uint64(7)
    for place in range(max(start, end - _REACH), end):
        state = fold(state, codes[place])
    return state


@leaf_kernel
def _at(values: Codes, place: int) -> int:
    return values[place] if 0 <= place < len(values) else 0


@leaf_kernel
def _pair(one: int, other: int) -> int:
    """Combine two characters into one number."""
    return int(one) << 21 | int(other)


@leaf_kernel
def text_features(
    text: Characters,
    place: int,
    state: npt.NDArray[np.int64],
    wide: bool,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> int:
    """Write the slots of all features after a character; return their number.

    Parameters
    ----------
    wide : bool
        Also use the words on both sides, if a space follows.
    slots : (FEATURES,) uint32, output
    """
    codes, lower, kinds = text.codes, text.lower, text.kinds
    start = state[_START] if state[_START] >= 0 else place
    size = len(codes)
    follow = place + 1  # the next character that is not a space
    gap = 0
    while follow < size and kinds[follow] <= NEWLINE and follow < place + _REACH:
        gap = max(gap, 1) if kinds[follow] == SPACE else (2 if gap < 2 else 3)
        follow += 1
    end = place + 1  # the end of the word
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
    broad = fold(fold(pattern, _at(kinds, place - 3)), _at(kinds, place - 4))
    broad = fold(fold(broad, _at(kinds, place + 4)), _at(kinds, place + 5))
    gapped = gap * 16 + next_kind
    stop = _words_to_stop(kinds, follow) if gap > 0 else 0
    left, kind, right = _at(kinds, place - 1), _at(kinds, place), _at(kinds, place + 1)
    bucket = min(state[COUNT], 4) if state[COUNT] < 6 else min(4 + state[COUNT] // 6, 10)
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
    count = _put(slots, count, 8, broad, np.uint64(0), mask)
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
    count = _put(slots, count, 19, np.uint64(bucket), np.uint64(gapped * 16 + kind), mask)
    count = _put(slots, count, 20, np.uint64(length * 16 + _at(kinds, start)), np.uint64(here * 64 + gapped), mask)
    count = _put(slots, count, 21, np.uint64(gapped), np.uint64(0), mask)
    count = _put(slots, count, 22, np.uint64(state[_OPENED] * 8 + gap), np.uint64(here), mask)
    count = _put(slots, count, 23, np.uint64(gap), next_word, mask)
    count = _put(slots, count, 24, fold(fold(np.uint64(13), back_two), back), np.uint64(here * 64 + gapped), mask)
    shape = np.uint64(5)
    for near in range(begin, min(end, begin + 12)):
        shape = fold(shape, kinds[near]) if near == begin or kinds[near] != kinds[near - 1] else shape
    count = _put(slots, count, 25, shape, np.uint64(gapped * 16 + kind), mask)
    count = _put(slots, count, 26, shape, np.uint64(place - begin), mask)
    ending, gapped_here = fold(fold(np.uint64(17), back), here), np.uint64(here * 64 + gapped)
    first, second = _at(codes, follow), _at(codes, follow + 1)
    count = _put(slots, count, 27, np.uint64(left * 16 + right), np.uint64(here), mask)
    count = _put(slots, count, 28, np.uint64(kind * 16 + _at(kinds, place + 2)), np.uint64(one), mask)
    count = _put(slots, count, 29, np.uint64(left * 256 + kind * 16 + right), np.uint64(0), mask)
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
    if not wide or gap == 0:
        return count
    later = after  # the second word after the gap
    while later < size and kinds[later] <= NEWLINE and later < after + 4:
        later += 1
    last = later
    while last < size and kinds[last] > NEWLINE and last < later + _REACH:
        last += 1
    space, fine = np.uint64(gap), state[COUNT] + 1 if state[COUNT] < 6 else min(7 + (state[COUNT] - 6) // 4, 11)
    fine_space = np.uint64(fine * 8 + gap)
    next_first, next_last, later_last = _pair(first, second), _at(codes, after - 1), 0
    if last > later:
        later_last = _at(codes, last - 1)
    before, before_last = np.uint64(state[_ENDING]), np.uint64(state[_ENDING] & _CHARACTER)
    begun = np.uint64(state[_FIRST])
    count = _put(slots, count, 38, fold(ending, next_first), space, mask)
    count = _put(slots, count, 39, np.uint64(_pair(here, first)), space, mask)
    count = _put(slots, count, 40, np.uint64(_pair(here, next_last)), space, mask)
    count = _put(slots, count, 41, ending, fold(next_ending, gap), mask)
    count = _put(slots, count, 42, token, np.uint64(next_last * 8 + gap), mask)
    count = _put(slots, count, 43, ending, fold(before, gap), mask)
    count = _put(slots, count, 44, fold(fold(before_last, here), next_last), space, mask)
    count = _put(slots, count, 45, np.uint64(_pair(next_last, later_last)), space, mask)
    count = _put(slots, count, 46, np.uint64(_pair(next_last, later_last)), gapped_here, mask)
    count = _put(slots, count, 47, _word(codes, later, last), space, mask)
    count = _put(slots, count, 48, np.uint64(_pair(_at(codes, last - 2), later_last)), space, mask)
    count = _put(slots, count, 49, next_word, fine_space, mask)
    count = _put(slots, count, 50, ending, fine_space, mask)
    count = _put(slots, count, 51, before, fold(next_ending, gap), mask)
    count = _put(slots, count, 52, np.uint64(next_first), np.uint64(_at(codes, follow + 2) * 8 + gap), mask)
    count = _put(slots, count, 53, fold(ending, back_two), np.uint64(first * 8 + gap), mask)
    count = _put(slots, count, 54, begun, fold(ending, gap), mask)
    count = _put(slots, count, 55, begun, fine_space, mask)
    count = _put(slots, count, 56, fold(ending, before_last), fine_space, mask)
    count = _put(slots, count, 57, np.uint64(next_first), np.uint64(kind * 8 + gap), mask)
    count = _put(slots, count, 58, np.uint64(stop), fine_space, mask)
    count = _put(slots, count, 59, next_ending, space, mask)
    count = _put(slots, count, 60, np.uint64(next_last), space, mask)
    return count


@leaf_kernel
def _words_to_stop(kinds: Codes, place: int) -> int:
    """Return the approximate number of words until the next full stop: 0 to 9, or 10 if it is far."""
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
