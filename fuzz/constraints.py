"""Trees under constraints: the result is a tree that satisfies them, or ConstraintError if there is none.

The bytes of an input are choices, one after the other: the length of the sentence, the required and forbidden arcs,
the decoder, the scores of arcs. So every string of bytes is an input.
"""

import itertools
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from fuzz import mutation, samples
from fuzz.findings import expect, shape
from headway.corpus import Sentence, is_projective, is_tree, tree_problems
from headway.decoders import find_decoder
from headway.errors import ConstraintError, HeadwayError
from headway.parser import Parser
from headway.parts.candidates import Candidates
from headway.parts.scores import Scores
from headway.search.constraints import CONSTRAINTS, find_constraints

T = TypeVar("T")

LONGEST = 6
"""The longest sentence: all trees of this many words can be listed."""

FORMS = ("pilot", "saw", ".", "Clara", "it", "(", "ß", "10")
TAGS = ("NOUN", "VERB", "PUNCT", "DET", "_", "X")
LABELS = ("_", "nsubj", "obj", "root", "strange", "punct")
QUICK, SLOW = ("spanning-tree", "eisner", "hill-climbing"), ("model1", "sibling", "model2", "ad3", "exact")
LISTING = ("eisner", "spanning-tree", "model1")
SPECIAL = (0.0, 1.0, -1.0, 1e-9, 1e9, -1e9, 1e300, -1e300, -np.inf, np.inf, np.nan, -0.0)


class Choices:
    """Bytes as choices; after the end of the bytes, the first option is chosen."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def number(self, count: int) -> int:
        """Return a number below `count`."""
        value = self.data[self.place] if self.place < len(self.data) else 0
        self.place += 1
        return value % count

    def one(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.number(len(values))]

    def yes(self, times: int = 1, of: int = 2) -> bool:
        """Return True in `times` of `of` cases."""
        return self.number(of) >= of - times


class Constraints:
    """Choices of sentences, scores and constraints."""

    lines = ("search/", "parts/", "decoders/", "parser.py", "marginals/")

    def fresh(self, random: Random) -> bytes:
        """Random bytes."""
        return random.randbytes(random.choice((8, 24, 48, 80)))

    def changed(self, random: Random, data: bytes, other: bytes) -> bytes:
        """Return the same bytes with changes."""
        return mutation.changed(random, data, other, [bytes([number]) for number in range(8)])[:160]

    def smaller(self, data: bytes) -> list[bytes]:
        """Return the same without some of its bytes."""
        return mutation.smaller(data)

    def check(self, data: bytes) -> str:
        """Search a tree and compare it with the constraints."""
        choices = Choices(data)
        return choices.one((_check_sentence, _check_one, _check_table))(choices)


def _sentence(choices: Choices) -> Sentence:
    words = range(1 + choices.number(LONGEST))
    return Sentence.from_words([choices.one(FORMS) for _ in words], upos=[choices.one(TAGS) for _ in words])


def _parser(choices: Choices) -> tuple[Parser, str]:
    """Return a model and a decoder; slow decoders are rare."""
    if choices.yes(1, 3):
        return samples.parts_parser(), choices.one((*QUICK, *QUICK, *QUICK, *SLOW))
    return samples.annotator().parser, choices.one(("", *QUICK))


def _check_sentence(choices: Choices) -> str:
    """Keep heads, labels and rules, as the command line does."""
    sentence, (parser, decoder) = _sentence(choices), _parser(choices)
    length = len(sentence)
    heads = [choices.number(length + 1) if choices.yes(1, 3) else -1 for _ in range(length)]
    labels = [choices.one(LABELS) if head >= 0 else "_" for head in heads]
    names = [name for name in CONSTRAINTS if choices.yes(1, 3)]
    single, keep, k = not choices.yes(1, 4), choices.yes(), 3 if decoder in LISTING and choices.yes(1, 4) else 1
    given = sentence.with_tree(heads, labels)
    required = {word: head for word, head in enumerate(heads, start=1) if head >= 0} if keep else {}
    tag_map = parser.model.settings.tag_map
    leaves = {word for rule in find_constraints(names) for word in rule.childless(given, tag_map)}
    forbidden = [(leaf, word) for leaf in leaves for word in range(1, len(given) + 1) if word != leaf]
    try:
        trees = list(
            parser.parse(
                [given], decoder=decoder or None, single_root=single, keep_heads=keep, k_best=k, seconds=0.2,
                confidence=choices.yes(1, 4), constraints=find_constraints(names),
            )
        )  # fmt: skip
    except ConstraintError as error:
        expect(not _possible(length, required, forbidden, single=single), f"{decoder} finds no tree, and there is one")
        return f"{decoder} {shape(error)}"
    expect(1 <= len(trees) <= k, f"{decoder} lost a sentence")
    for tree in trees:
        _check_tree(tree.heads, required, forbidden, f"{decoder} {'single' if single else 'several'}", single=single)
        if keep:
            kept = [(old, new) for old, new in zip(labels, tree.labels, strict=True) if old != "_"]
            expect(all(old == new for old, new in kept), "a label is not kept")
        if "tree_prob" in tree.metadata:
            least = min(float(chance or "nan") for chance in tree.misc("HeadProb"))
            expect(float(tree.metadata["tree_prob"]) <= least + 1e-9, f"{decoder}: a tree surer than an arc of it")
        if "one-subject" in names and not required:
            _check_subjects(tree)
    return f"{decoder} {names} {single} {keep} {k} {len(trees)}"


def _check_subjects(tree: Sentence) -> None:
    subjects = [head for head, label in zip(tree.heads, tree.labels, strict=True) if label[:5] in ("nsubj", "csubj")]
    expect(len(subjects) == len(set(subjects)), "a head with two subjects")


def _check_one(choices: Choices) -> str:
    """Require and forbid arcs, including impossible ones."""
    sentence, (parser, decoder) = _sentence(choices), _parser(choices)
    length, single = len(sentence), not choices.yes(1, 4)

    def word() -> int:
        return choices.number(length + 1) if choices.yes(15, 16) else choices.number(4) * (length + 1) - 1

    required = {word(): word() for _ in range(choices.number(4))}
    forbidden = [(word(), word()) for _ in range(choices.number(12))]
    try:
        parse = parser.parse_one(
            sentence, required=required, forbidden=forbidden, single_root=single, decoder=decoder or None
        )
    except ConstraintError as error:
        expect(not _possible(length, required, forbidden, single=single), f"{decoder} finds no tree, and there is one")
        return f"one {decoder} {shape(error)}"
    _check_tree(parse.heads[1:].tolist(), required, forbidden, decoder, single=single)
    expect(parse.labels is not None and len(parse.labels) == length, "labels are missing")
    return f"one {decoder} {single} {len(required)} {min(len(forbidden), 3)} {parse.exact}"


def _check_table(choices: Choices) -> str:
    """Search arcs with any scores, including NaN and infinity."""
    length, single, decoder = 1 + choices.number(LONGEST), not choices.yes(1, 4), choices.one(QUICK)
    special = choices.yes(1, 3)

    def score() -> float:
        return choices.one(SPECIAL) if special else (choices.number(256) - 128) / 16.0

    required = {1 + choices.number(length): choices.number(length + 1) for _ in range(choices.number(3))}
    forbidden = [(choices.number(length + 1), 1 + choices.number(length)) for _ in range(choices.number(8))]
    try:
        candidates = Candidates.all(length).restrict(required, forbidden, single_root=single)
        table = Scores(np.array([score() for _ in range(len(candidates))]))
        parse = find_decoder(decoder).decode(candidates, table, single_root=single)
    except ConstraintError as error:
        projective = decoder == "eisner"
        if not special:
            exists = _possible(length, required, forbidden, single=single, projective=projective)
            expect(not exists, f"{decoder} finds no tree in a table, and there is one")
        return f"table {decoder} {shape(error)}"
    except HeadwayError as error:
        expect(special, f"{decoder} refuses a table")
        return f"table {decoder} {shape(error)}"
    _check_tree(parse.heads[1:].tolist(), required, forbidden, f"table {decoder}", single=single)
    return f"table {decoder} {single} {special} {parse.exact}"


def _check_tree(
    heads: list[int], required: dict[int, int], forbidden: Sequence[tuple[int, int]], name: str, *, single: bool
) -> None:
    expect(not list(tree_problems(heads, single_root=single)), f"{name}: no tree")
    expect(all(heads[modifier - 1] == head for modifier, head in required.items()), f"{name}: a head is not kept")
    arcs = {(head, modifier) for modifier, head in enumerate(heads, start=1)}
    expect(arcs.isdisjoint(forbidden), f"{name}: a forbidden arc")


@cache
def _trees(length: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """(trees, n) Return all trees of that many words, and (trees,) whether each is projective."""
    found = [
        heads for heads in itertools.product(range(length + 1), repeat=length) if is_tree(heads, single_root=False)
    ]
    return np.array(found, dtype=np.int8), np.array([is_projective(heads) for heads in found])


def _possible(
    length: int,
    required: dict[int, int],
    forbidden: Sequence[tuple[int, int]],
    *,
    single: bool,
    projective: bool = False,
) -> bool:
    """Return whether a tree satisfies the constraints; required arcs that are impossible satisfy nothing."""
    trees, flat = _trees(length)
    kept = flat.copy() if projective else np.ones(len(trees), dtype=np.bool_)
    for head, modifier in [*((head, modifier) for modifier, head in required.items()), *forbidden]:
        if not (1 <= modifier <= length and 0 <= head <= length and head != modifier):
            return False
    for modifier, head in required.items():
        kept &= trees[:, modifier - 1] == head
    for head, modifier in forbidden:
        kept &= trees[:, modifier - 1] != head
    if single:
        kept &= (trees == 0).sum(axis=1) == 1
    return bool(kept.any())
