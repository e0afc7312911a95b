"""The counts for lexicalised probabilities: keys of conditions and outcomes, and their hash table.

The conditions of each probability, from the most specific to the most general, are those of `lexical_model`. All counts
are in one hash table: for a condition, its count and its number of different outcomes; for a condition with an outcome,
its count.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.constituency.forest import Ints
from headway.kernel import inner_kernel, kernel

Keys = npt.NDArray[np.uint64]

PHRASE, HEAD, HAS_HEAD, RIGHT_END, LEFT_END, SIDE, LAST, MODIFIER = range(8)
"""Columns that describe a rule: the phrase, its head child, whether the rule chooses the head, the last modifier on the
right and on the left if the rule ends that side (otherwise -1), the side of the new modifier (-1 for none), the
previous modifier on this side, the new modifier."""
WORD, TAG, OTHER_WORD, OTHER_TAG, VERBS = 8, 9, 10, 11, 12
"""Further columns of a rule in a tree: word and tag of head and modifier; verbs up to the modifier and both ends."""
COLUMNS = 15

_HEAD_KEY, _PHRASE_KEY, _MODIFIER_KEY, _WORD_KEY, TAG_KEY, TOP_KEY = (np.uint64(kind << 48) for kind in range(1, 7))
"""The initial values of keys, which are far apart so that keys of different kinds are never equal."""
_DEEPER = -2
"""A number that is mixed in to distinguish conditions with a word from outcomes."""
_DIVERSITY = 5.0
_LEAST = 1e-7


class CountTable(NamedTuple):
    """Counts by key: a hash table (open addressing) that always has free places, so that every search ends.

    Parameters
    ----------
    keys : (size,) uint64
        0 for free places; the size is a power of two.
    counts : (size, 2) float32
        The count of the condition, or of the condition with the outcome; and its number of different outcomes.
    """

    keys: Keys
    counts: npt.NDArray[np.float32]


@inner_kernel
def mix(state: np.uint64, value: int) -> np.uint64:
    """Return a key with one more number mixed in."""
    mixed = (state ^ np.uint64(value + 2)) * np.uint64(0x9E3779B97F4A7C15)
    return np.uint64(mixed ^ (mixed >> np.uint64(29)))


@kernel
def set_head_keys(keys: Keys, row: Ints) -> None:
    """Set the conditions of a head child, from the most specific to the most general."""
    keys[2] = mix(_PHRASE_KEY, row[PHRASE])
    keys[1] = mix(mix(_HEAD_KEY, row[PHRASE]), row[TAG])
    keys[0] = mix(mix(keys[1], _DEEPER), row[WORD])


@kernel
def set_modifier_keys(keys: Keys, row: Ints, side: int, last: int, verb: int, nothing: int) -> None:
    """Set the conditions of a modifier, or of the end of a side."""
    base = mix(mix(mix(mix(_MODIFIER_KEY, row[PHRASE]), row[HEAD]), side), verb)
    keys[2] = mix(base, 1 if last == nothing else 0)
    keys[1] = mix(mix(base, last + 2), row[TAG])
    keys[0] = mix(mix(keys[1], _DEEPER), row[WORD])


@kernel
def set_word_keys(keys: Keys, row: Ints) -> None:
    """Set the conditions of a modifier's head word."""
    keys[2] = mix(TAG_KEY, row[OTHER_TAG])
    base = mix(mix(mix(mix(_WORD_KEY, row[PHRASE]), row[HEAD]), row[SIDE]), row[TAG])
    keys[1] = mix(mix(base, row[MODIFIER]), row[OTHER_TAG])
    keys[0] = mix(mix(keys[1], _DEEPER), row[WORD])


@kernel
def list_keys(rows: Ints, nothing: int) -> Keys:
    """(events, 2) Return conditions, and conditions with outcomes, of rules in trees."""
    found = np.empty((15 * len(rows), 2), dtype=np.uint64)
    keys, count = np.empty(3, dtype=np.uint64), 0
    for row in rows:
        if row[PHRASE] < 0:  # the top of a tree: tag and word
            found[count, 0] = mix(TOP_KEY, row[HEAD])
            found[count, 1] = mix(found[count, 0], row[TAG])
            found[count + 1, 0] = mix(TAG_KEY, row[TAG])
            found[count + 1, 1] = mix(found[count + 1, 0], row[WORD])
            count += 2
            continue
        if row[HAS_HEAD] > 0:
            set_head_keys(keys, row)
            for level in range(3):
                found[count, 0], found[count, 1] = keys[level], mix(keys[level], row[HEAD])
                count += 1
        for side in range(2):
            last = row[RIGHT_END + side]
            if last >= 0:
                set_modifier_keys(keys, row, side, last, row[VERBS + 1 + side], nothing)
                for level in range(3):
                    found[count, 0], found[count, 1] = keys[level], mix(mix(keys[level], nothing), 0)
                    count += 1
        if row[SIDE] >= 0:
            set_modifier_keys(keys, row, row[SIDE], row[LAST], row[VERBS], nothing)
            for level in range(3):
                found[count, 0] = keys[level]
                found[count, 1] = mix(mix(keys[level], row[MODIFIER]), row[OTHER_TAG])
                count += 1
            set_word_keys(keys, row)
            for level in range(3):
                found[count, 0], found[count, 1] = keys[level], mix(keys[level], row[OTHER_WORD])
                count += 1
    return found[:count]


@inner_kernel
def _find(table: CountTable, key: np.uint64) -> int:
    """Return the position of a key, or of the free place where it would be."""
    mask = np.uint64(len(table.keys) - 1)
    place = key & mask
    while table.keys[place] != np.uint64(0) and table.keys[place] != key:
        place = (place + np.uint64(1)) & mask
    return np.int64(place)  # type: ignore[return-value]


@kernel
def _insert(table: CountTable, keys: Keys, counts: npt.NDArray[np.float32]) -> None:
    for number in range(len(keys)):
        place = _find(table, keys[number])
        table.keys[place] = keys[number]
        table.counts[place, 0], table.counts[place, 1] = counts[number, 0], counts[number, 1]


@kernel
def chance(table: CountTable, keys: Keys, first: int, second: int) -> float:
    """Return the probability of an outcome with backoff; `second` is -2 if outcomes have only one part."""
    chance = _LEAST
    for level in range(2, -1, -1):
        place = _find(table, keys[level])
        total = table.counts[place, 0]
        if total > 0:
            key = mix(keys[level], first)
            if second > -2:
                key = mix(key, second)
            seen = table.counts[_find(table, key), 0]
            trust = total / (total + _DIVERSITY * table.counts[place, 1])
            chance = trust * seen / total + (1.0 - trust) * chance
    return chance


def make_table(chunks: Iterable[Keys]) -> CountTable:
    """Count conditions and conditions with outcomes, (events, 2) in each chunk."""
    merged = [_merged(chunk, np.ones(len(chunk), dtype=np.int64)) for chunk in chunks]
    keys, counts = np.concatenate([found for found, _ in merged]), np.concatenate([count for _, count in merged])
    keys, counts = _merged(keys, counts)
    conditions, places, different = np.unique(keys[:, 0], return_inverse=True, return_counts=True)
    totals = np.bincount(places, counts, minlength=len(conditions))
    size = 1 << int(np.ceil(np.log2(2 * (len(keys) + len(conditions)) + 2)))
    table = CountTable(np.zeros(size, dtype=np.uint64), np.zeros((size, 2), dtype=np.float32))
    _insert(table, conditions, np.stack([totals, different], axis=1).astype(np.float32))
    _insert(table, keys[:, 1].copy(), np.stack([counts, np.zeros_like(counts)], axis=1).astype(np.float32))
    return table


def _merged(keys: Keys, counts: npt.NDArray[np.int64]) -> tuple[Keys, npt.NDArray[np.int64]]:
    """Return every outcome once, with its condition and its count."""
    if not len(keys):
        return keys, counts
    order = np.argsort(keys[:, 1])
    outcomes = keys[order, 1]
    starts = np.flatnonzero(np.append(True, outcomes[1:] != outcomes[:-1]))
    return keys[order[starts]], np.add.reduceat(counts[order], starts)
