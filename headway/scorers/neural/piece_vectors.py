"""Static vectors of word pieces, as additional input of a BiLSTM: read from a folder or an installed package.

A folder has ``vectors.npy``, (pieces, size), and ``pieces.txt`` with one piece on each line, in SentencePiece's
notation: ``▁`` marks the beginning of a word.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headway.errors import UsageError

FILES = ("vectors.npy", "pieces.txt")
BEGIN = "▁"


class PieceCutter:
    """Cuts words into the longest known pieces, from left to right; characters that no piece covers are skipped.

    Parameters
    ----------
    pieces : sequence of str
        The known pieces; their numbers count from 1, and 0 is padding.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces, start=1)}
        self._longest = max(map(len, pieces), default=0)
        self._known: dict[str, list[int]] = {}

    def __call__(self, form: str) -> list[int]:
        """Return the numbers of a word's pieces."""
        if form not in self._known:
            if len(self._known) >= 1 << 16:
                self._known = {}
            self._known[form] = self._cut(BEGIN + form)
        return self._known[form]

    def _cut(self, rest: str) -> list[int]:
        found = []
        while rest:
            for length in range(min(len(rest), self._longest), 0, -1):
                if (number := self._numbers.get(rest[:length])) is not None:
                    found.append(number)
                    break
            else:
                length = 1
            rest = rest[length:]
        return found


def read_piece_vectors(folder: Path) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Read pieces and their vectors, scaled to a standard deviation of 1; UsageError if they do not fit together."""
    pieces = (folder / FILES[1]).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    try:
        vectors = np.load(folder / FILES[0], allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise UsageError(f"{folder / FILES[0]}: not an array of NumPy's ({error})") from error
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or len(vectors) != len(pieces):
        raise UsageError(f"{folder}: {FILES[0]} must have a row of numbers for each of the {len(pieces):,} pieces")
    vectors = vectors.astype(np.float32)
    if not np.isfinite(vectors).all():
        raise UsageError(f"{folder / FILES[0]}: has numbers that are not finite")
    return pieces, vectors / max(float(vectors.std()), 1e-12)
