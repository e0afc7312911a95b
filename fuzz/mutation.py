"""Mutations of byte strings: pieces deleted, doubled, swapped, or overwritten with unusual content."""

import re
from collections.abc import Sequence
from random import Random

LONGEST = 3000
_NUMBERS = (b"0", b"1", b"-1", b"2", b"255", b"256", b"65536", b"2147483648", b"9" * 20, b"1e999", b"nan", b"01")
_DIGITS = re.compile(rb"\d+")


def changed(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    """Return `data` after one to four random changes.

    Parameters
    ----------
    other : bytes
        Another input, as a source of pieces.
    tokens : sequence of bytes
        Strings with a meaning in this kind of input.
    """
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = random.choice(_CHANGES)(random, data, other, tokens)[:LONGEST]
    return data


def _span(random: Random, data: bytes) -> tuple[int, int]:
    """Return the start and the end of a piece: short pieces are more frequent."""
    start = random.randint(0, len(data))
    return start, min(len(data), start + random.choice((0, 1, 1, 2, 4, 8, 16, 64, 256)))


def _delete(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + data[end:]


def _double(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:end] + data[start:end] * random.choice((1, 1, 2, 7)) + data[end:]


def _write_token(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + random.choice(tokens) + data[start if random.random() < 0.5 else end :]


def _flip(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    if not data:
        return random.randbytes(3)
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def _noise(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + random.randbytes(random.choice((1, 2, 4, 9))) + data[end:]


def _splice(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    (start, end), (first, last) = _span(random, data), _span(random, other)
    return data[:start] + other[first:last] + data[end:]


def _number(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    places = list(_DIGITS.finditer(data))
    if not places:
        return data
    place = random.choice(places)
    return data[: place.start()] + random.choice(_NUMBERS) + data[place.end() :]


def _lines(random: Random, data: bytes, other: bytes, tokens: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    action = random.randrange(3)
    if action == 0:
        lines[first], lines[second] = lines[second], lines[first]
    elif action == 1:
        lines.insert(first, lines[second])
    else:
        del lines[first]
    return b"\n".join(lines)


_CHANGES = (_delete, _double, _write_token, _write_token, _flip, _noise, _splice, _number, _lines)


def smaller(data: bytes) -> list[bytes]:
    """Return `data` without each of its halves, quarters and so on, down to single bytes."""
    found, size = [], len(data)
    while size > 1 and len(found) < 400:
        size = (size + 1) // 2
        found += [data[:start] + data[start + size :] for start in range(0, len(data), size)]
    return found if len(data) > 1 else [b""] if data else []
