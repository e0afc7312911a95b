"""Cut long sentences into pieces, and join the trees of the pieces into one tree.

A sentence is cut after punctuation, preferably sentence-final; each piece is searched like a sentence, and the roots of
the pieces are joined (Zhang et al. 2014, "Steps to excellence", Section 5). The first root that is allowed becomes the
root of the whole tree and the head of the other roots. Words with required heads in other pieces get these heads
instead; cycles that arise are broken by moving a word to the root of the whole tree. Cost: O(n).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.encoding.breaks import BREAK, CLOSING, NO_BREAK, STOP
from headway.errors import ConstraintError
from headway.parts import Parse
from headway.parts.candidate_batch import IntArray

LONG = 400
"""Longer sentences are searched in pieces: beyond this length, time per word grows, and memory grows quadratically."""

PIECE = 70
"""The maximum number of words of a piece, as in the paper; few treebank sentences are longer."""

_OPEN = -2
"""A head that is still to be determined by joining."""


def piece_starts(breaks: npt.NDArray[np.int8], most: int) -> list[int]:
    """Return the number of words before each piece of a sentence.

    A piece has at most `most` words and, if there are several, at least half as many.

    Parameters
    ----------
    breaks : (n,) int8
        The rank of a cut after each word; higher is better. See `headway.encoding.breaks`.

    Examples
    --------
    >>> piece_starts(np.array([0, 0, 3, 0, 0, 2, 0]), 4)
    [0, 3]
    """
    starts = [0]
    while len(breaks) - starts[-1] > most:
        first = starts[-1] + max(1, most // 2)
        last = max(first, min(starts[-1] + most, len(breaks) - most // 2))
        starts.append(_cut(breaks, first, last))
    return starts


def _cut(breaks: npt.NDArray[np.int8], first: int, last: int) -> int:
    """Return the best cut after `first` to `last` words; on ties, the last one."""
    ranks = breaks[first - 1 : last].copy()
    ranks[ranks == CLOSING] = BREAK
    best = int(ranks.max())
    if best == NO_BREAK:
        return last
    end = first + int(np.flatnonzero(ranks == best)[-1])
    while best == STOP and end < last and breaks[end] == CLOSING:
        end += 1
    return end


@dataclass(frozen=True)
class Cut:
    """Sentences after some of them have been cut into pieces.

    Parameters
    ----------
    encoded : Encoded
        The pieces, each as a sentence.
    first : (sentences + 1,) int64
        The pieces of sentence i are ``first[i]`` to ``first[i + 1] - 1``.
    before : (pieces,) int64
        The number of words of the same sentence before each piece.
    """

    encoded: Encoded
    first: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]

    @classmethod
    def at(cls, encoded: Encoded, starts: Sequence[Sequence[int]]) -> "Cut":
        """Cut each sentence at the starts of its pieces."""
        first = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(piece_starts) for piece_starts in starts], out=first[1:])
        before = np.array([start for piece_starts in starts for start in piece_starts], dtype=np.int64)
        sentences = np.repeat(np.arange(len(encoded)), np.diff(first))
        ends = np.append(before[1:], 0)
        ends[first[1:] - 1] = encoded.lengths()
        sizes = ends - before + 1
        offsets = np.zeros(len(before) + 1, dtype=np.int64)
        np.cumsum(sizes, out=offsets[1:])
        rows = np.arange(offsets[-1]) + np.repeat(encoded.starts[sentences] + before - offsets[:-1], sizes)
        rows[offsets[:-1]] = encoded.starts[sentences]  # each piece has the sentence's root before its first word
        return cls(encoded.gather(rows, offsets), first, before)

    def pieces(self, sentence: int) -> range:
        """Return the indices of the pieces of a sentence."""
        return range(int(self.first[sentence]), int(self.first[sentence + 1]))


def long_starts(encoded: Encoded, longest: int) -> list[list[int]] | None:
    """Return the starts of the pieces of each sentence (one piece for short ones); None if no sentence is too long."""
    lengths = encoded.lengths()
    if not (lengths > longest).any():
        return None
    return [
        sentence_starts(encoded, sentence, longest) if length > longest else [0]
        for sentence, length in enumerate(lengths.tolist())
    ]


def sentence_starts(encoded: Encoded, sentence: int, most: int) -> list[int]:
    """Return the starts of the pieces of one sentence, of at most `most` and at most `PIECE` words each."""
    rows = slice(int(encoded.starts[sentence]) + 1, int(encoded.starts[sentence + 1]))
    return piece_starts(encoded.breaks[rows], max(1, min(most, PIECE)))


def piece_numbers(length: int, starts: Sequence[int]) -> npt.NDArray[np.int64]:
    """(n + 1,) Return the piece of each word; -1 for the root."""
    return np.append(-1, np.searchsorted(np.array(starts), np.arange(length), side="right") - 1)


def joined_words(parse: Parse) -> set[int]:
    """Return the words whose heads are in other pieces; none if the sentence was not cut."""
    if not parse.pieces:
        return set()
    pieces = piece_numbers(len(parse.heads) - 1, parse.pieces)
    return set((np.flatnonzero((parse.heads[1:] > 0) & (pieces[parse.heads[1:]] != pieces[1:])) + 1).tolist())


@dataclass(frozen=True)
class Joints:
    """The constraints on arcs between pieces.

    Parameters
    ----------
    required : mapping of modifier to head
    forbidden : collection of (head, modifier)
    leaves : collection of int
        Words that must not have children.
    """

    required: Mapping[int, int]
    forbidden: Collection[tuple[int, int]] = ()
    leaves: Collection[int] = ()

    def allow(self, head: int, modifier: int) -> bool:
        """Return whether an arc is allowed."""
        required = self.required.get(modifier, head)
        kept = head == required and head not in self.leaves and (head, modifier) not in self.forbidden
        return kept and head != modifier


FREE = Joints({})
"""No constraints."""


def join_heads(pieces: Sequence[IntArray], starts: Sequence[int], joints: Joints = FREE) -> IntArray:
    """(n + 1,) Join the trees of pieces into one tree with a single root.

    Parameters
    ----------
    pieces : sequence of (words + 1,) int32
        The heads of each piece's words, in the numbering of the piece; a piece may have several roots.
    starts : sequence of int
        The number of words before each piece.

    Raises
    ------
    ConstraintError
        If a piece cannot be joined to the others without a forbidden arc.

    Examples
    --------
    >>> join_heads([np.array([-1, 2, 0]), np.array([-1, 0, 1])], [0, 2]).tolist()
    [-1, 2, 0, 2, 3]
    """
    parts = [np.where(heads[1:] > 0, heads[1:] + start, _OPEN) for heads, start in zip(pieces, starts, strict=True)]
    joined = np.concatenate([[-1], *parts]).astype(np.int32)
    for modifier, head in joints.required.items():
        joined[modifier] = head
    waiting = np.flatnonzero(joined == _OPEN).tolist()
    top = next(iter(np.flatnonzero(joined == 0).tolist()), 0) or _choose_top(waiting, joints)
    if top:
        joined[top] = 0
        _hang(joined, [word for word in waiting if word != top], top, joints)
    for cycle in _cycles(joined):
        moved = next((word for word in cycle if word not in joints.required and joints.allow(top, word)), 0)
        if not moved:
            raise ConstraintError(f"the required heads of word {cycle[0]} and of others are in different pieces")
        joined[moved] = top
        top = top or moved
    return joined


def _choose_top(waiting: Sequence[int], joints: Joints) -> int:
    """Return the first word that may be the root, preferably one that may have children; 0 if none is waiting."""
    possible = [word for word in waiting if joints.allow(0, word)]
    if waiting and not possible:
        raise ConstraintError(f"word {waiting[0]} must not be the root, and neither must any other word")
    return next((word for word in possible if word not in joints.leaves), possible[0] if possible else 0)


def _hang(joined: IntArray, waiting: Sequence[int], top: int, joints: Joints) -> None:
    """Attach words to `top` or, if that is forbidden, to a child of it."""
    hanging = [word for word in waiting if joints.allow(top, word)]
    joined[hanging] = top
    for word in waiting:
        if joined[word] == _OPEN:
            joined[word] = next((head for head in hanging if joints.allow(head, word)), _OPEN)
        if joined[word] == _OPEN:
            raise ConstraintError(f"word {word} can be joined to no other piece of its sentence")


def _cycles(heads: IntArray) -> Iterator[list[int]]:
    """List the words of each cycle; O(n)."""
    above, done = heads.tolist(), [False] * len(heads)
    done[0] = True
    for start in range(1, len(above)):
        path, place, word = list[int](), dict[int, int](), start
        while not done[word] and word not in place:
            place[word] = len(path)
            path.append(word)
            word = above[word]
        if not done[word]:
            yield path[place[word] :]
        for seen in path:
            done[seen] = True
