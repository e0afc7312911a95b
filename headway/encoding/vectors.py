"""Read pretrained word vectors in word2vec's formats, text or binary.

A text file has a line for each word: the word and its numbers; a first line with the numbers of words and dimensions is
optional. A binary file begins with that line, followed by each word, a space, and its numbers as 32-bit floats.
"""

import lzma
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from headway.corpus import open_input
from headway.encoding.vocabulary import FIRST_FREE
from headway.errors import CorpusError

MOST_VECTORS = 100_000
"""The number of words that are kept: the first ones in the file, which are the most frequent."""

_LARGEST = 127
"""The maximum absolute value of a quantised number."""
_LONGEST_WORD = 1 << 12
_LONGEST_LINE = 1 << 20
_MOST_NUMBERS = 1 << 16
_LARGEST_NUMBER = 1e16
"""The maximum absolute value of a number, so that the squared length of the longest vectors cannot overflow."""

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class WordVectors:
    """Word vectors, quantised to one byte per number.

    Parameters
    ----------
    words : list of str
    values : (words + `FIRST_FREE`, D) int8
        A row for each id of a vocabulary of the words; rows of reserved ids are zero.
    scales : (D,) float32
        The factors from `values` to numbers, one for each dimension. They make the mean length of the vectors 1, so
        that a vector weighs as much as one feature.
    """

    words: list[str]
    values: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]

    @classmethod
    def pack(cls, words: list[str], vectors: Vectors) -> "WordVectors":
        """Quantise float vectors (words, D)."""
        length = float(np.linalg.norm(vectors, axis=1).mean()) if len(vectors) else 1.0
        scales = np.abs(vectors).max(axis=0, initial=0.0) / _LARGEST
        scales[scales == 0.0] = 1.0
        values = np.zeros((len(words) + FIRST_FREE, vectors.shape[1]), dtype=np.int8)
        values[FIRST_FREE:] = np.rint(vectors / scales)
        return cls(words, values, (scales / (length or 1.0)).astype(np.float32))


def read_vectors(path: str, *, wanted: Collection[str] = (), most: int = MOST_VECTORS) -> WordVectors:
    """Read the vectors of a file; ``.gz`` and ``.xz`` are decompressed.

    Parameters
    ----------
    wanted : collection of str
        Words that are kept regardless of their position in the file.
    most : int
        The number of other words that are kept.

    Raises
    ------
    CorpusError
        If the file cannot be read or is not a file of word vectors.
    """
    wanted = frozenset(wanted)
    vectors: dict[str, Vectors] = {}
    others = 0
    with open_input(path) as file:
        for word, vector in _clear(_entries(file, path), path):
            others += word not in wanted
            if word not in vectors and (word in wanted or others <= most):
                if not (np.abs(vector) <= _LARGEST_NUMBER).all():
                    raise CorpusError(f"the vector of {word!r} has a number that is NaN, infinite or huge", path=path)
                vectors[word] = vector
    if not vectors:
        raise CorpusError("there are no word vectors in this file", path=path)
    return WordVectors.pack(list(vectors), np.stack(list(vectors.values())))


def _clear(entries: Iterator[tuple[str, Vectors]], path: str) -> Iterator[tuple[str, Vectors]]:
    """Yield the entries; raise CorpusError if the file cannot be read or decompressed."""
    try:
        yield from entries
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise CorpusError(f"cannot be read to its end ({error})", path=path) from None


def _entries(file: BinaryIO, path: str) -> Iterator[tuple[str, Vectors]]:
    """Yield the words and vectors of a file in either format."""
    first = file.readline(_LONGEST_LINE)
    counts = first.split()
    if len(counts) == 2 and all(count.isdigit() for count in counts):
        if max(map(len, counts)) > 15 or not 0 < int(counts[1]) <= _MOST_NUMBERS:
            raise CorpusError(f"vectors must have 1 to {_MOST_NUMBERS} numbers", path=path, line=1)
        words, size = map(int, counts)
        second = file.readline(_LONGEST_LINE)
        if _text_vector(second, size) is None:
            return (yield from _binary_entries(file, second, words, size, path))
        lines: Iterator[bytes] = chain([second], file)
        begin = 2
    else:
        size, begin, lines = len(counts) - 1, 1, chain([first], file)
    for number, line in enumerate(lines, start=begin):
        if line.strip():
            entry = _text_vector(line, size)
            if entry is None:
                raise CorpusError(f"expected a word and {max(size, 1)} numbers", path=path, line=number)
            yield entry
    return None


def _text_vector(line: bytes, size: int) -> tuple[str, Vectors] | None:
    """Return a word, which may contain spaces, and its `size` numbers."""
    word, *numbers = line.decode("utf-8", "replace").rstrip().rsplit(" ", max(size, 1))
    if len(numbers) != size:
        return None
    try:
        with np.errstate(over="ignore"):  # numbers that are too large become infinite and are rejected later
            return word, np.array([float(text) for text in numbers], dtype=np.float32)
    except ValueError:
        return None


def _binary_entries(file: BinaryIO, begun: bytes, words: int, size: int, path: str) -> Iterator[tuple[str, Vectors]]:
    """Yield the words and vectors of a binary file, of which the bytes `begun` have been read after the first line."""
    buffer = begun
    for _ in range(words):
        while (
            b" " not in buffer.lstrip(b"\n")[:_LONGEST_WORD] or len(buffer.lstrip(b"\n").split(b" ", 1)[1]) < 4 * size
        ):
            more = file.read(1 << 16)
            if not more or (b" " not in buffer and len(buffer) > _LONGEST_WORD):
                raise CorpusError("the file ends before its last word vector", path=path)
            buffer += more
        word, buffer = buffer.lstrip(b"\n").split(b" ", 1)
        yield word.decode("utf-8", "replace"), np.frombuffer(buffer[: 4 * size], dtype="<f4").astype(np.float32)
        buffer = buffer[4 * size :]
