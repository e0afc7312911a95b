"""Predict UPOS by a trigram model: rich features of words, and weights of three successive tags.

Trained by passive-aggressive updates against the most violated sequence, with averaging. Decoding is exact.

Rush, Sontag, Collins and Jaakkola (2010), "On dual decomposition and linear programming relaxations for natural
language processing", sections 3 and 4.1: this is their trigram tagger, with more features.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway import corpus
from headway.encoding import Encoded, Encoder
from headway.features.hashing import HashPlan, make_plan, plan_templates, role_hashes
from headway.features.templates import read_templates
from headway.kernel import kernel
from headway.kernel.arrays import copy_into
from headway.learning.averaging import AveragedTable, average, averaged_table
from headway.scorers.rows import NO_DIRECTORY, Rows, find_rows, pack, slot_mask
from headway.tagging.templates import DICTIONARY_TEMPLATES, TAG_TEMPLATES
from headway.tagging.viterbi import Transitions, best_tags, step_weights, tag_probabilities

_SLOTS = 1 << 19
_MOST_ROWS = 150_000
_STEP = 0.05
_TEMPERATURE = 0.25
"""The temperature with the highest likelihood on the dev set of Turkish-IMST; other treebanks were not used."""
_FLAT, _LIKELY = 1.0, 0.05
"""The temperature for finding options, and the minimum probability, at that temperature, of a tag to be one."""

SHARES = (0.5, 0.25, 1.0, 2.0, 4.0, 8.0)
"""The weights of a tagger beside another one that are tried on a dev set; the first is the default."""
_UNSEEN = -20.0
"""The log probability of tags that the other tagger does not know."""

TagOptions = list[tuple[str, float]]
"""The possible tags of a word, each with its log probability, which is 0 for a certain tag."""


class TagScores(NamedTuple):
    """Scores of tags by another tagger, such as a network.

    Parameters
    ----------
    names : sequence of str
        The tags.
    log_probabilities : (words, tags)
        The log probabilities for all words, sentence after sentence.
    """

    names: Sequence[str]
    log_probabilities: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tagger:
    """A trained tagger.

    Parameters
    ----------
    names : tuple of str
        The tags, in the order of the weights' columns.
    temperature : float
        Scores are divided by this to become log probabilities.
    """

    names: tuple[str, ...]
    plan: HashPlan
    rows: Rows
    transitions: Transitions
    temperature: float = _TEMPERATURE

    @classmethod
    def fit(
        cls,
        encoder: Encoder,
        encoded: Encoded,
        tags: Sequence[str],
        *,
        epochs: int = 8,
        seed: int = 1,
        allowed: npt.NDArray[np.bool_] | None = None,
    ) -> "Tagger":
        """Train on encoded sentences and their tags, sentence after sentence.

        Parameters
        ----------
        allowed : (words, tags) bool, optional
            The possible tags of each word, always including the gold tag; the columns are the tags sorted by name. By
            default, all tags are possible. With few possible tags, training is many times faster.
        """
        names = tuple(sorted(set(tags)))
        number = {name: index for index, name in enumerate(names)}
        gold = np.array([number[tag] for tag in tags], dtype=np.int32)
        barred = np.zeros((0, len(names)), dtype=np.bool_) if allowed is None else ~allowed
        if allowed is not None:
            barred[np.arange(len(gold)), gold] = False
        plan, width = tag_plan(encoder), len(names)
        table, steps = averaged_table(_SLOTS, width), np.zeros(1, dtype=np.int64)
        pairs, triples = averaged_table(width + 1, width + 1), averaged_table((width + 1) ** 2, width + 1)
        generator = np.random.default_rng(seed)
        for _ in range(epochs):
            order = generator.permutation(len(encoded))
            _learn(encoded.atoms, encoded.starts, order, gold, barred, plan, table, pairs, triples, steps)
        step_count, size = int(steps[0]), width + 1
        rows = pack(average(table, step_count), most=_MOST_ROWS)
        transitions = Transitions(average(pairs, step_count), average(triples, step_count).reshape(size, size, size))
        return cls(names, plan, rows, transitions)

    def tag(self, encoded: Encoded) -> list[str]:
        """Predict the tags of all words, sentence after sentence."""
        return self._best_and_chances(encoded, self.temperature)[0]

    def probabilities(self, encoded: Encoded) -> npt.NDArray[np.float64]:
        """(words, tags) Return the probability of each tag of each word."""
        return self._best_and_chances(encoded, self.temperature)[1]

    def _best_and_chances(self, encoded: Encoded, temperature: float) -> tuple[list[str], npt.NDArray[np.float64]]:
        """Return the best tags of all words, and (words, tags) the probability of each tag at a temperature."""
        words = len(encoded.atoms) - len(encoded)
        best, chances = np.empty(words, dtype=np.int32), np.empty((words, len(self.names)))
        _tag(encoded.atoms, encoded.starts, self.plan, self.rows, self.transitions, temperature, best, chances)
        return [self.names[tag] for tag in best.tolist()], chances

    def emissions(self, encoded: Encoded) -> npt.NDArray[np.float64]:
        """(words, tags) Return the score of each tag of each word, without transitions."""
        scores = []
        for begin, end in itertools.pairwise(encoded.starts.tolist()):
            slots = np.empty((end - begin - 1, plan_templates(self.plan)), dtype=np.uint32)
            scores.append(_emissions(encoded.atoms[begin:end], self.plan, self.rows, slots))
        return np.concatenate(scores)

    def _mixed(self, encoded: Encoded, beside: TagScores, share: float) -> npt.NDArray[np.float64]:
        """(words, tags) Return the normalised weighted product of this tagger's probabilities and another tagger's.

        The larger of the two exponents is 1.
        """
        linear, other = min(share, 1.0), min(1.0 / share, 1.0)
        mixed = linear * np.log(np.maximum(self.probabilities(encoded), 1e-9)) + other * _UNSEEN
        for column, name in enumerate(beside.names):
            if name in self.names:
                mixed[:, self.names.index(name)] += other * (beside.log_probabilities[:, column] - _UNSEEN)
        mixed = np.exp(mixed - mixed.max(axis=1, keepdims=True))
        normalised: npt.NDArray[np.float64] = mixed / mixed.sum(axis=1, keepdims=True)
        return normalised

    def options(
        self, encoded: Encoded, beside: TagScores | None = None, *, share: float = SHARES[0]
    ) -> tuple[list[str], list[TagOptions]]:
        """Return the best tags of all words, and for each word its plausible tags, including the best one.

        Parameters
        ----------
        beside : TagScores, optional
            The scores of another tagger; tags are then chosen by a weighted product of both probabilities.
        share : float
            The exponent of this tagger's probabilities, divided by that of the other's.
        """
        if beside is None:
            best, chances = self._best_and_chances(encoded, _FLAT)
        else:
            chances = self._mixed(encoded, beside, share)
            best = [self.names[tag] for tag in chances.argmax(axis=1).tolist()]
        number = {name: index for index, name in enumerate(self.names)}
        likely = chances >= _LIKELY
        likely[np.arange(len(best)), [number[tag] for tag in best]] = True
        words, tags = np.nonzero(likely)
        weights = np.log(np.maximum(chances[words, tags], 1e-4))
        found: list[TagOptions] = [[] for _ in best]
        for word, tag, weight in zip(words.tolist(), tags.tolist(), weights.tolist(), strict=True):
            found[word].append((self.names[tag], weight))
        return best, found


def crossed_options(
    encoder: Encoder, encoded: Encoded, tags: Sequence[str], *, parts: int = 2, seed: int = 1
) -> tuple[list[str], list[TagOptions]]:
    """Return `Tagger.options` from taggers trained on other folds; gold tags are always among the options."""
    ends = np.cumsum([0, *encoded.lengths()])
    best, found = list(tags), [[(tag, 0.0)] for tag in tags]
    if len(encoded) < 2:
        return best, found
    for part in corpus.folds(len(encoded), number=min(parts, len(encoded)), seed=seed):
        held_out, others = np.sort(part), np.setdiff1d(np.arange(len(encoded)), part)
        learned = [tags[word] for sentence in others for word in range(ends[sentence], ends[sentence + 1])]
        tagger = Tagger.fit(encoder, encoded.some(others), learned, seed=seed)
        words = [word for sentence in held_out for word in range(ends[sentence], ends[sentence + 1])]
        for word, tag, options in zip(words, *tagger.options(encoded.some(held_out)), strict=True):
            unseen = [] if any(name == tags[word] for name, _ in options) else [(tags[word], np.log(_LIKELY))]
            best[word], found[word] = tag, [*options, *unseen]
    return best, found


def tag_plan(encoder: Encoder) -> HashPlan:
    """Compile the templates."""
    lines = TAG_TEMPLATES if encoder.dictionary is None else TAG_TEMPLATES + DICTIONARY_TEMPLATES
    templates = read_templates(lines, roles=("w",), atoms=encoder.names, constant=encoder.constant_atoms())
    return make_plan(templates, roles=("w",), atoms=encoder.names)


@kernel
def _emissions(
    atoms: npt.NDArray[np.int32], plan: HashPlan, rows: Rows, slots: npt.NDArray[np.uint32]
) -> npt.NDArray[np.float64]:
    """(n, tags) Return the score of each tag for each word, and write the slots of its features to ``slots``."""
    hashes = role_hashes(atoms, plan)[0]
    scores = np.zeros((len(atoms) - 1, rows.values.shape[1]))
    mask = slot_mask(rows)
    word_slots = np.empty(hashes.shape[1], dtype=np.uint32)
    for word in range(len(scores)):
        for template in range(hashes.shape[1]):
            word_slots[template] = hashes[word + 1, template] & mask
            slots[word, template] = word_slots[template]
        for index in range(find_rows(rows, word_slots, len(word_slots))):
            for tag in range(scores.shape[1]):
                scores[word, tag] += rows.values[word_slots[index], tag]
        for tag in range(scores.shape[1]):
            scores[word, tag] *= rows.scale
    return scores


@kernel
def _learn(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    gold: npt.NDArray[np.int32],
    barred: npt.NDArray[np.bool_],
    plan: HashPlan,
    table: AveragedTable,
    pairs: AveragedTable,
    triples: AveragedTable,
    steps: npt.NDArray[np.int64],
) -> None:
    rows, edge = Rows(table.values, NO_DIRECTORY, 1.0), table.values.shape[1]
    size = edge + 1
    transitions = Transitions(pairs.values, triples.values.reshape(size, size, size))
    templates = plan_templates(plan)
    for sentence in order:
        begin, end = starts[sentence], starts[sentence + 1]
        length = end - begin - 1
        first = begin - sentence
        right = gold[first : first + length]
        slots = np.empty((length, templates), dtype=np.uint32)
        scores = _emissions(atoms[begin:end], plan, rows, slots)
        plain = scores.copy()
        scores += 1.0
        for word in range(length):
            scores[word, right[word]] -= 1.0
        if len(barred) > 0:
            for word in range(length):
                for tag in range(edge):
                    if barred[first + word, tag]:
                        scores[word, tag] = -np.inf
        found = np.empty(length, dtype=np.int32)
        best_tags(scores, transitions, 1.0, found)
        wrong, loss, norm = 0, 0.0, 0.0
        for word in range(length):
            if found[word] != right[word]:
                wrong += 1
                loss += 1.0 + plain[word, found[word]] - plain[word, right[word]]
                norm += 2.0 * templates
        if wrong > 0:
            loss += _context_score(found, transitions) - _context_score(right, transitions)
            step = min(_STEP, max(loss, 0.0) / max(norm, 1.0))  # the norm is 0 if there are no templates
            for word in range(length):
                if found[word] != right[word]:
                    for slot in slots[word]:
                        _add(table, slot, right[word], step, steps[0])
                        _add(table, slot, found[word], -step, steps[0])
            _move_context(right, pairs, triples, step, steps[0])
            _move_context(found, pairs, triples, -step, steps[0])
        steps[0] += 1


@kernel
def _add(table: AveragedTable, row: int, column: int, change: float, step: int) -> None:
    table.values[row, column] += change
    table.changes[row, column] += change * step


@kernel
def _context_score(tags: npt.NDArray[np.int32], transitions: Transitions) -> float:
    edge = transitions.pairs.shape[0] - 1
    older, last, total = edge, edge, 0.0
    for place in range(len(tags) + 1):
        tag = tags[place] if place < len(tags) else edge
        total += transitions.pairs[last, tag] + transitions.triples[older, last, tag]
        older, last = last, tag
    return total


@kernel
def _move_context(
    tags: npt.NDArray[np.int32], pairs: AveragedTable, triples: AveragedTable, change: float, step: int
) -> None:
    edge = pairs.values.shape[0] - 1
    older, last = edge, edge
    for place in range(len(tags) + 1):
        tag = tags[place] if place < len(tags) else edge
        _add(pairs, last, tag, change, step)
        _add(triples, older * (edge + 1) + last, tag, change, step)
        older, last = last, tag


@kernel
def _tag(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    plan: HashPlan,
    rows: Rows,
    transitions: Transitions,
    temperature: float,
    best: npt.NDArray[np.int32],
    chances: npt.NDArray[np.float64],
) -> None:
    steps = step_weights(transitions, 1.0 / temperature)
    for sentence in range(len(starts) - 1):
        begin, end = starts[sentence], starts[sentence + 1]
        first, after = begin - sentence, end - sentence - 1
        slots = np.empty((after - first, plan_templates(plan)), dtype=np.uint32)
        scores = _emissions(atoms[begin:end], plan, rows, slots)
        best_tags(scores, transitions, 1.0, best[first:after])
        found = tag_probabilities(scores / temperature, steps)
        for word in range(after - first):
            copy_into(chances[first + word], found[word])
