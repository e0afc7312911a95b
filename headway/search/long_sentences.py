"""Search sentences in pieces if they are too long, or have too many parts, to be searched as a whole.

Each piece is searched with the same `Search`, and the trees and probabilities are combined. There is no proof for the
whole tree, and its probability is unknown.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoded
from headway.errors import ConstraintError, UsageError
from headway.parts import Parse
from headway.parts.candidate_batch import IntArray
from headway.parts.constraints import check_arc, check_required
from headway.search.confidence import Chances, Curve, Judgement
from headway.search.pieces import FREE, Cut, Joints, join_heads, piece_numbers
from headway.support.threads import Threads

if TYPE_CHECKING:
    from headway.search.search import Search

_LARGEST_TABLE = 5_000
"""The maximum number of words for which a table of all arcs is made (200 MB)."""


def trees_in_pieces(
    search: "Search", encoded: Encoded, starts: Sequence[Sequence[int]], *, threads: Threads
) -> list[Parse]:
    """Find the tree of every sentence, given the starts of its pieces."""
    cut = Cut.at(encoded, starts)
    piece_trees = search.trees(cut.encoded, threads=threads)
    return [
        _join([piece_trees[piece] for piece in cut.pieces(sentence)], piece_starts, FREE)
        if len(piece_starts) > 1
        else piece_trees[cut.first[sentence]]
        for sentence, piece_starts in enumerate(starts)
    ]


def best_in_pieces(
    search: "Search", encoded: Encoded, sentence: int, starts: Sequence[int], *, k: int, joints: Joints
) -> list[Parse]:
    """Find the k best trees of one sentence under constraints, from the k best trees of its pieces."""
    length = int(encoded.lengths()[sentence])
    _check(length, joints, single_root=search.single_root)
    cut = Cut.at(encoded.some(np.array([sentence])), [starts])
    lists = [
        _piece_trees(_hurried(search, cut, piece), cut.encoded, piece, k, inner)
        for piece, inner in enumerate(_inner_joints(length, starts, joints))
    ]
    return [
        _join([trees[choice] for trees, choice in zip(lists, choices, strict=True)], starts, joints)
        for choices in _best_choices([[parse.score for parse in trees] for trees in lists], k)
    ]


def _check(length: int, joints: Joints, *, single_root: bool) -> None:
    """Raise ConstraintError if no tree satisfies the constraints, however the sentence is cut."""
    check_required(length, joints.required, single_root=single_root)
    for head, modifier in joints.forbidden:
        check_arc(length, head, modifier)
    for modifier, head in joints.required.items():
        if not joints.allow(head, modifier):
            raise ConstraintError(f"the arc {head} -> {modifier} is both required and forbidden")


def _inner_joints(length: int, starts: Sequence[int], joints: Joints) -> list[Joints]:
    """Return the constraints of each piece in its numbering; words with required heads elsewhere become its roots."""
    piece = piece_numbers(length, starts).tolist()
    required: dict[int, dict[int, int]] = defaultdict(dict)
    forbidden: dict[int, list[tuple[int, int]]] = defaultdict(list)
    leaves: dict[int, list[int]] = defaultdict(list)
    for modifier, head in joints.required.items():
        start = starts[piece[modifier]]
        required[piece[modifier]][modifier - start] = head - start if piece[head] == piece[modifier] else 0
    for head, modifier in joints.forbidden:
        if piece[head] == piece[modifier]:
            forbidden[piece[head]].append((head - starts[piece[head]], modifier - starts[piece[head]]))
    for leaf in joints.leaves:
        leaves[piece[leaf]].append(leaf - starts[piece[leaf]])
    return [Joints(required[number], forbidden[number], leaves[number]) for number in range(len(starts))]


def _hurried(search: "Search", cut: Cut, piece: int) -> "Search":
    """Return the search with the piece's share of the time limit, if the decoder has one."""
    if "seconds" not in {field.name for field in fields(search.decoder)}:  # type: ignore[arg-type]
        return search
    lengths = cut.encoded.lengths()
    share = search.decoder.seconds * float(lengths[piece] / lengths.sum())  # type: ignore[attr-defined]
    return replace(search, decoder=replace(search.decoder, seconds=share))  # type: ignore[type-var]


def _piece_trees(search: "Search", encoded: Encoded, piece: int, k: int, joints: Joints) -> Sequence[Parse]:
    """Return the k best trees of a piece; if none has one root, allow several, or else use only arc scores."""
    several = replace(search, single_root=False)
    ways = [several, replace(several, decoder=SpanningTree(), ignore=search.scorer.kinds)]
    if list(joints.required.values()).count(0) < 2:
        ways = [search, *ways]
    failure = ConstraintError("")
    for way in ways:
        try:
            return way.best(
                encoded, piece, k=k, required=joints.required, forbidden=joints.forbidden, leaves=joints.leaves
            )
        except ConstraintError as error:
            failure = error
    raise failure


def _best_choices(scores: Sequence[Sequence[float]], k: int) -> list[list[int]]:
    """Choose one number from each list: return the k choices with the highest sums, best first, as indices."""
    totals, steps = np.zeros(1), []
    for choice_scores in scores:
        sums = totals[:, None] + np.array(choice_scores)
        order = np.argsort(-sums, axis=None, kind="stable")[:k]
        steps.append(np.divmod(order, len(choice_scores)))
        totals = sums.reshape(-1)[order]
    ways = []
    for way in range(len(totals)):
        choices = []
        for before, choice in reversed(steps):
            choices.append(int(choice[way]))
            way = int(before[way])
        ways.append(choices[::-1])
    return ways


def _join(parses: Sequence[Parse], starts: Sequence[int], joints: Joints) -> Parse:
    """Join the trees of pieces; the score is the sum over pieces, and there is no proof for the whole tree."""
    heads = join_heads([parse.heads for parse in parses], starts, joints)
    pieces = [start + inner for parse, start in zip(parses, starts, strict=True) for inner in parse.pieces or (0,)]
    ignored = frozenset().union(*(parse.ignored for parse in parses))
    return Parse(heads, sum(parse.score for parse in parses), ignored=ignored, pieces=tuple(pieces))


def chances_in_pieces(
    search: "Search", encoded: Encoded, sentence: int, starts: Sequence[int], heads: IntArray | None
) -> Curve:
    """Return the probabilities of the arcs inside pieces as a function of the temperature.

    They are computed when needed, one piece at a time, because the tables of all pieces would not fit in memory.
    """
    cut = Cut.at(encoded.some(np.array([sentence])), [starts])

    def curve(temperature: float) -> PieceChances:
        chances = []
        for piece, length in enumerate(cut.encoded.lengths().tolist()):
            local = None if heads is None else _local(heads, starts[piece], length)
            several = local is not None and np.count_nonzero(local == 0) != 1
            way = replace(search, single_root=False) if several else search
            chances.append(way.chances(cut.encoded, piece, heads=local)(temperature))
        return PieceChances(tuple(starts), tuple(chances))

    return curve


def _local(heads: IntArray, start: int, length: int) -> IntArray:
    """(length + 1,) Return the heads of a piece's words in its own numbering; 0 for heads in other pieces."""
    local = heads[start + 1 : start + length + 1] - start
    return np.concatenate([[-1], np.where((local > 0) & (local <= length), local, 0)]).astype(np.int32)


@dataclass(frozen=True, eq=False)
class PieceChances:
    """The probabilities of arcs inside the pieces of a sentence; see `Chances`.

    Parameters
    ----------
    starts : tuple of int
        The number of words before each piece.
    chances
        The probabilities of each piece.
    """

    starts: tuple[int, ...]
    chances: tuple["Chances | PieceChances", ...]

    @property
    def length(self) -> int:
        """The number of words, n."""
        return self.starts[-1] + self.chances[-1].length

    def judge(self, heads: IntArray) -> Judgement:
        """Return the probabilities of a tree's arcs (NaN between pieces), and of the second-best heads."""
        judged = []
        for start, chances in zip(self.starts, self.chances, strict=True):
            local, words = _local(heads, start, chances.length), slice(start + 1, start + chances.length + 1)
            judgement = chances.judge(local)
            joint = (local[1:] == 0) & (heads[words] != 0)
            has_root = bool((heads[words] == 0).any())
            outside = (judgement.seconds == 0) & (not has_root)  # a piece's root is not a head
            judged.append(
                Judgement(
                    np.where(joint, np.nan, judgement.chances),
                    np.where(judgement.seconds > 0, judgement.seconds + start, judgement.seconds),
                    np.where(outside | joint, 0.0, judgement.others),
                )
            )
        return Judgement(
            *(np.concatenate(column) for column in zip(*(vars(piece).values() for piece in judged), strict=True))
        )

    @property
    def arcs(self) -> npt.NDArray[np.float64]:
        """(n + 1, n + 1) [head, modifier] Return the probabilities as one table; 0 for arcs between pieces.

        The root's row has the probability that a word is the root of its piece.
        """
        if self.length > _LARGEST_TABLE:
            raise UsageError(
                f"the table of all arcs of {self.length:,} words is too large: use those of one tree instead"
            )
        table = np.zeros((self.length + 1, self.length + 1))
        for start, chances in zip(self.starts, self.chances, strict=True):
            words = slice(start + 1, start + chances.length + 1)
            table[words, words] = chances.arcs[1:, 1:]
            table[0, words] = chances.arcs[0, 1:]
        return table
