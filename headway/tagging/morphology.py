"""Predict XPOS and FEATS, and choose between possible UPOS tags, by classifying words.

A class is a combination of UPOS, XPOS and FEATS that occurs in training. Its pieces are the XPOS, each
``attribute=value``, and the class as a whole. The score of a class is the sum of its pieces' scores, so classes share
weights: ``Case=Acc`` is learned from all nouns, singular and plural. A word can have the classes that its form, or else
its ending, had in training with any of its possible tags, so choosing a class also decides between these tags. Words
are classified from left to right; the classes of the previous words are features. Trained by passive-aggressive updates
with averaging.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded, Encoder
from headway.features.hashing import HashPlan, fold, make_plan, plan_templates, role_hashes
from headway.features.templates import read_templates
from headway.kernel import kernel
from headway.kernel.arrays import copy_into
from headway.learning.averaging import AveragedTable, average, averaged_table
from headway.scorers.rows import NO_DIRECTORY, Rows, find_rows, pack, slot_mask
from headway.support.schema import Cells, Sized, check_json
from headway.tagging.lexicon import Class, Lexicon
from headway.tagging.tagger import TagOptions
from headway.tagging.templates import MORPH_TEMPLATES

RankedClass = tuple[Class, float]
"""A class, and its score minus that of the word's best class: 0 or less."""

_SLOTS = 1 << 22
_MOST_ROWS = 1_500_000
_STEP = 0.05
"""The maximum size of an update."""
_CONTEXT = 4
"""The number of features that contain the classes of previous words."""
LOWER, ENDING = 1, 7
"""The indices of the templates that are also combined with the class of the previous word."""
_TRUST_LEARNING = 0.25
"""The weight of a tag's log probability in training; it is small, so that other features are learned, too."""


class _Pieces(NamedTuple):
    """The pieces of all classes: class c has ``pieces[starts[c]:starts[c + 1]]``."""

    starts: npt.NDArray[np.int32]
    pieces: npt.NDArray[np.int32]
    total: int


_Cell = Annotated[str, Cells()]


class _Saved(TypedDict):
    """The model as stored in a model file, except the weights."""

    classes: list[tuple[_Cell, _Cell, _Cell]]
    forms: dict[str, list[int]]
    frequent: list[str]
    endings: dict[str, Annotated[list[int], Sized(1)]]


@dataclass(frozen=True)
class Morphology:
    """A trained model of XPOS and FEATS."""

    classes: tuple[Class, ...]
    lexicon: Lexicon
    plan: HashPlan
    rows: Rows
    pieces: _Pieces

    @classmethod
    def fit(
        cls,
        encoder: Encoder,
        encoded: Encoded,
        forms: Sequence[str],
        gold: Sequence[Class],
        options: Sequence[TagOptions],
        *,
        epochs: int = 10,
        seed: int = 1,
    ) -> "Morphology":
        """Train on encoded sentences, whose UPOS come from a tagger, and the gold classes of their words.

        Parameters
        ----------
        options : sequence of TagOptions, (words,)
            The possible tags of each word, always including the gold tag.
        """
        classes = tuple(sorted(set(gold)))
        number = {tag_class: index for index, tag_class in enumerate(classes)}
        right = np.array([number[tag_class] for tag_class in gold], dtype=np.int32)
        lexicon, pieces = Lexicon.fit(forms, right.tolist(), classes), _make_pieces(classes)
        plan, table, steps = morph_plan(encoder), averaged_table(_SLOTS, 1), np.zeros(1, dtype=np.int64)
        choices = _choices(lexicon, forms, options, _TRUST_LEARNING)
        generator = np.random.default_rng(seed)
        for _ in range(epochs):
            order = generator.permutation(len(encoded))
            _learn(encoded.atoms, encoded.starts, order, right, *choices, plan, pieces, table, steps)
        rows = pack(average(table, int(steps[0])), most=_MOST_ROWS)
        return cls(classes, lexicon, plan, rows, pieces)

    def analyse(
        self, encoded: Encoded, forms: Sequence[str], options: Sequence[TagOptions], *, trust: float
    ) -> list[Class]:
        """Predict the classes of all words, sentence after sentence; the UPOS in ``encoded`` are their best tags.

        Parameters
        ----------
        trust : float
            The weight of a tag's log probability relative to the scores of this model.
        """
        return [ranked[0][0] for ranked in self.rank(encoded, forms, options, trust=trust, most=1, margin=0.0)]

    def rank(
        self,
        encoded: Encoded,
        forms: Sequence[str],
        options: Sequence[TagOptions],
        *,
        trust: float,
        most: int,
        margin: float,
    ) -> list[list[RankedClass]]:
        """Rank the classes of each word, given the best classes of the words before it.

        Parameters
        ----------
        trust : float
            As for `analyse`.
        most : int
            The maximum number of classes per word.
        margin : float
            The maximum difference to the score of the best class.

        Returns
        -------
        list of list of (Class, float), (words,)
            The first class is the one that `analyse` chooses; each class has its score minus that of the first one,
            which is 0 or less.
        """
        best_classes = np.empty(len(forms), dtype=np.int32)
        offsets, choices, weights = _choices(self.lexicon, forms, options, trust)
        _analyse(
            encoded.atoms, encoded.starts, offsets, choices, weights, self.plan, self.pieces, self.rows, best_classes
        )
        ranked: list[list[RankedClass]] = []
        begin = 0
        for best, tags, end in zip(best_classes.tolist(), options, offsets[1:].tolist(), strict=True):
            if best < 0:
                ranked.append([((max(tags, key=itemgetter(1))[0], "_", "_"), 0.0)])
            else:
                others = self._others(best, choices[begin:end], weights[begin:end], margin) if most > 1 else []
                ranked.append([(self.classes[best], 0.0), *others[: most - 1]])
            begin = end
        return ranked

    def _others(
        self, best: int, choices: npt.NDArray[np.int32], scores: npt.NDArray[np.float64], margin: float
    ) -> list[RankedClass]:
        """Return the other classes of a word within the margin, best first; of those with equal UPOS and FEATS, one."""
        gaps = scores - scores[choices == best].max()
        order = np.argsort(-gaps, kind="stable")
        seen, others = {(self.classes[best][0], self.classes[best][2])}, list[RankedClass]()
        for place in order[gaps[order] >= -margin].tolist():
            upos, _, feats = self.classes[choices[place]]
            if (upos, feats) not in seen:
                seen.add((upos, feats))
                others.append((self.classes[choices[place]], float(gaps[place])))
        return others

    def to_json(self) -> dict[str, Any]:
        """Return everything but the weights as JSON."""
        lexicon = self.lexicon
        return {
            "classes": self.classes,
            "forms": lexicon.forms,
            "frequent": sorted(lexicon.frequent),
            "endings": lexicon.endings,
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any], encoder: Encoder, rows: Rows) -> "Morphology":
        """Read the JSON of `to_json`, with the weights; ValueError if it is not valid."""
        check_json(saved, _Saved, "morphology")
        classes = tuple((upos, xpos, feats) for upos, xpos, feats in saved["classes"])
        tags: dict[str, list[int]] = defaultdict(list)
        for number, tag_class in enumerate(classes):
            tags[tag_class[0]].append(number)
        numbers = [
            number for form_classes in (*saved["forms"].values(), *saved["endings"].values()) for number in form_classes
        ]
        if numbers and not 0 <= min(numbers) <= max(numbers) < len(classes):  # kernels do not check them
            raise ValueError("morphology: a form or an ending has a class that is not in the list")
        lexicon = Lexicon(
            saved["forms"],
            set(saved["frequent"]),
            saved["endings"],
            dict(tags),
            [tag_class[0] for tag_class in classes],
        )
        return cls(classes, lexicon, morph_plan(encoder), rows, _make_pieces(classes))


def morph_plan(encoder: Encoder) -> HashPlan:
    """Compile the templates of morphology."""
    templates = read_templates(MORPH_TEMPLATES, roles=("w",), atoms=encoder.names, constant=encoder.constant_atoms())
    return make_plan(templates, roles=("w",), atoms=encoder.names)


def _make_pieces(classes: Sequence[Class]) -> _Pieces:
    number: dict[str, int] = {}
    starts, pieces = [0], list[int]()
    for upos, xpos, feats in classes:
        for piece in (f"{upos} {xpos} {feats}", f"xpos {xpos}", *(feats.split("|") if feats != "_" else ())):
            pieces.append(number.setdefault(piece, len(number)))
        starts.append(len(pieces))
    return _Pieces(np.array(starts, dtype=np.int32), np.array(pieces, dtype=np.int32), len(number))


def _choices(
    lexicon: Lexicon, forms: Sequence[str], options: Sequence[TagOptions], trust: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return the offsets of each word's possible classes, these classes, and the weighted scores of their tags."""
    classes, weights, offsets = list[int](), list[float](), [0]
    for form, tags in zip(forms, options, strict=True):
        for tag, weight in tags:
            possible = lexicon.classes(form, tag)
            classes += possible
            weights += [trust * weight] * len(possible)
        offsets.append(len(classes))
    return np.array(offsets), np.array(classes, dtype=np.int32), np.array(weights, dtype=np.float64)


@kernel
def _slots(hashes: npt.NDArray[np.uint32], before: int, earlier: int, slots: npt.NDArray[np.uint32]) -> None:
    """Write a word's features: its hashes, and some of them combined with the classes of the previous words."""
    count = len(hashes)
    copy_into(slots, hashes)
    lower = np.uint64(hashes[LOWER] if count > LOWER else 0)  # constant templates are left out
    ending = np.uint64(hashes[ENDING] if count > ENDING else 0)
    last, older = np.int64(before), np.int64(earlier)  # -1 for none, which uncompiled Python cannot make unsigned
    slots[count] = np.uint32(fold(fold(np.uint64(17), last), 1) >> np.uint64(32))
    slots[count + 1] = np.uint32(fold(fold(np.uint64(19), last), older) >> np.uint64(32))
    slots[count + 2] = np.uint32(fold(fold(np.uint64(23), last), lower) >> np.uint64(32))
    slots[count + 3] = np.uint32(fold(fold(np.uint64(29), last), ending) >> np.uint64(32))


@kernel
def _score_pieces(
    rows: Rows,
    slots: npt.NDArray[np.uint32],
    choices: npt.NDArray[np.int32],
    pieces: _Pieces,
    seen: npt.NDArray[np.int64],
    stamp: int,
    scores: npt.NDArray[np.float64],
    slots_of_piece: npt.NDArray[np.uint32],
) -> None:
    """Write the scores of the pieces of all choices; ``seen[piece] == stamp`` if a piece has been scored already."""
    mask = slot_mask(rows)
    for choice in choices:
        for place in range(pieces.starts[choice], pieces.starts[choice + 1]):
            piece = pieces.pieces[place]
            if seen[piece] == stamp:
                continue
            seen[piece] = stamp
            for index in range(len(slots)):
                slots_of_piece[index] = _mix(slots[index], piece) & mask
            total = 0.0
            for index in range(find_rows(rows, slots_of_piece, len(slots))):
                total += rows.values[slots_of_piece[index], 0]
            scores[piece] = total * rows.scale


@kernel
def _mix(slot: np.uint32, piece: int) -> np.uint32:
    return np.uint32(fold(np.uint64(slot), piece + 1) >> np.uint64(20))


@kernel
def _best(
    choices: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    pieces: _Pieces,
    scores: npt.NDArray[np.float64],
    right: int,
) -> tuple[int, float, float]:
    """Return the best choice, its score and that of the gold class `right`; -1 for none.

    With a gold class, the scores of all other choices are increased by a margin of 1.
    """
    best, highest, right_score = -1, -np.inf, -np.inf
    for index in range(len(choices)):
        choice, total = choices[index], weights[index]
        for place in range(pieces.starts[choice], pieces.starts[choice + 1]):
            total += scores[pieces.pieces[place]]
        if choice == right:
            right_score = total
        elif right >= 0:
            total += 1.0
        if total > highest:
            best, highest = choice, total
    return best, highest, right_score


@kernel
def _add_scores(
    choices: npt.NDArray[np.int32], pieces: _Pieces, scores: npt.NDArray[np.float64], totals: npt.NDArray[np.float64]
) -> None:
    """Add the scores of its pieces to the total of each choice."""
    for index in range(len(choices)):
        for place in range(pieces.starts[choices[index]], pieces.starts[choices[index] + 1]):
            totals[index] += scores[pieces.pieces[place]]


@kernel
def _learn(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    gold: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    choices: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    plan: HashPlan,
    pieces: _Pieces,
    table: AveragedTable,
    steps: npt.NDArray[np.int64],
) -> None:
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    scores, seen, stamp = np.zeros(pieces.total), np.zeros(pieces.total, dtype=np.int64), 0
    slots = np.empty(plan_templates(plan) + _CONTEXT, dtype=np.uint32)
    slots_of_piece = np.empty_like(slots)
    for sentence in order:
        begin, end = starts[sentence], starts[sentence + 1]
        hashes = role_hashes(atoms[begin:end], plan)[0]
        before, earlier = -1, -1
        for word in range(1, end - begin):
            place = begin - sentence + word - 1
            some = choices[offsets[place] : offsets[place + 1]]
            right = gold[place]
            _slots(hashes[word], before, earlier, slots)
            stamp += 1
            _score_pieces(rows, slots, some, pieces, seen, stamp, scores, slots_of_piece)
            best, highest, total = _best(some, weights[offsets[place] : offsets[place + 1]], pieces, scores, right)
            if best != right:
                loss = highest - total
                size = min(_STEP, loss / (2.0 * len(slots) * (pieces.starts[right + 1] - pieces.starts[right])))
                _move(table, slots, pieces, right, size, steps[0])
                _move(table, slots, pieces, best, -size, steps[0])
            before, earlier = right, before
        steps[0] += 1


@kernel
def _move(
    table: AveragedTable, slots: npt.NDArray[np.uint32], pieces: _Pieces, one: int, change: float, step: int
) -> None:
    mask = np.uint32(len(table.values) - 1)
    for where in range(pieces.starts[one], pieces.starts[one + 1]):
        for slot in slots:
            row = _mix(slot, pieces.pieces[where]) & mask
            table.values[row, 0] += change
            table.changes[row, 0] += change * step


@kernel
def _analyse(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    choices: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    plan: HashPlan,
    pieces: _Pieces,
    rows: Rows,
    found: npt.NDArray[np.int32],
) -> None:
    """Write the best class of each word into `found`, -1 if it has no choices.

    The scores of choices are added to `weights`, which has the scores of their tags, for words with several choices.
    """
    scores, seen, stamp = np.zeros(pieces.total), np.zeros(pieces.total, dtype=np.int64), 0
    slots = np.empty(plan_templates(plan) + _CONTEXT, dtype=np.uint32)
    slots_of_piece = np.empty_like(slots)
    for sentence in range(len(starts) - 1):
        begin, end = starts[sentence], starts[sentence + 1]
        hashes = role_hashes(atoms[begin:end], plan)[0]
        before, earlier = -1, -1
        for word in range(1, end - begin):
            place = begin - sentence + word - 1
            some = choices[offsets[place] : offsets[place + 1]]
            best = -1
            if len(some) == 1:
                best = some[0]
            elif len(some) > 1:
                _slots(hashes[word], before, earlier, slots)
                stamp += 1
                _score_pieces(rows, slots, some, pieces, seen, stamp, scores, slots_of_piece)
                best, _, _ = _best(some, weights[offsets[place] : offsets[place + 1]], pieces, scores, -1)
                _add_scores(some, pieces, scores, weights[offsets[place] : offsets[place + 1]])
            found[place] = best
            before, earlier = best, before
