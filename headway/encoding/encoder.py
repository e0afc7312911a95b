"""Encode sentences as integer arrays: a row of atoms (see `headway.encoding.atoms`) for each word.

Each distinct string of a column is analysed once: its atoms become one row of that column's table. Encoding a word then
takes five dictionary look-ups, for the rows of its five columns, and a copy of these rows. Atoms that depend on the
surrounding words (clauses or tag dictionary) are computed afterwards.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Any, NotRequired, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding.atoms import COLUMNS, MORPH_SLOTS, TAG_CLASSES, VECTOR, Atom, atoms
from headway.encoding.breaks import break_ranks
from headway.encoding.clauses import CLAUSE_ATOMS, Clauses
from headway.encoding.strings import NONE, attributes
from headway.encoding.tag_dictionary import DICTIONARY_ATOMS, TagDictionary
from headway.encoding.vocabulary import FIRST_FREE, ROOT, UNKNOWN, Vocabulary
from headway.support.schema import OneOf, Sized, check_json

_STAND_IN = "\0"
"""The prefix of vocabulary entries for stand-ins of rare strings; see `Atom.stand_in`."""

_MOST_STRINGS = 1 << 14
"""A column's table is cleared if it has more strings than this, so that memory is bounded."""

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Encoded:
    """Several encoded sentences, one after the other.

    Parameters
    ----------
    atoms : (rows, atoms) int32
        A root row and then a row for each word, sentence after sentence.
    tags : (rows,) int32
        The class of the coarse tag, below 32, so that a set of classes fits in 32 bits; 0 for the root.
    starts : (sentences + 1,) int64
        The root row of each sentence, and the total number of rows.
    breaks : (rows,) int8
        How suitable the place after each word is for cutting a long sentence; see `headway.encoding.breaks`.
    forms : (rows,) object, optional
        The forms of the words, for scorers that need them; empty for the root.
    """

    atoms: IntArray
    tags: IntArray
    starts: npt.NDArray[np.int64]
    breaks: npt.NDArray[np.int8]
    forms: npt.NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    def lengths(self) -> npt.NDArray[np.int64]:
        """(sentences,) The number of words of each sentence."""
        return np.diff(self.starts) - 1

    def some(self, sentences: npt.NDArray[np.int64]) -> "Encoded":
        """Return only the given sentences, in the given order."""
        starts = np.zeros(len(sentences) + 1, dtype=np.int64)
        np.cumsum(self.lengths()[sentences] + 1, out=starts[1:])
        rows = np.concatenate([np.arange(self.starts[sentence], self.starts[sentence + 1]) for sentence in sentences])
        return self.gather(rows, starts)

    def gather(self, rows: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]) -> "Encoded":
        """Return the given rows as sentences that start at `starts`."""
        forms = None if self.forms is None else self.forms[rows]
        return Encoded(self.atoms[rows], self.tags[rows], starts, self.breaks[rows], forms)


class HasColumns(Protocol):
    """The interface of objects that can be encoded, such as `Sentence`: columns, (n,) each."""

    @property
    def forms(self) -> list[str]: ...  # noqa: D102
    @property
    def lemmas(self) -> list[str]: ...  # noqa: D102
    @property
    def upos(self) -> list[str]: ...  # noqa: D102
    @property
    def xpos(self) -> list[str]: ...  # noqa: D102
    @property
    def feats(self) -> list[str]: ...  # noqa: D102
    def __len__(self) -> int: ...


class SavedEncoder(TypedDict):
    """The encoder as stored in a model file."""

    morph_attributes: Annotated[list[str], Sized(0, MORPH_SLOTS)]
    has_lemmas: bool
    ignored: list[Annotated[str, OneOf(COLUMNS)]]
    affixes: NotRequired[bool]
    vocabularies: dict[str, list[str]]
    tag_map: NotRequired[dict[str, str]]
    dictionary: NotRequired[dict[str, list[str]]]


class Encoder:
    """The atoms and their vocabularies; made by `Encoder.fit` or from a saved model."""

    def __init__(
        self,
        morph_attributes: Sequence[str],
        vocabularies: dict[str, Vocabulary],
        *,
        has_lemmas: bool,
        ignored: Sequence[str] = (),
        affixes: bool = False,
        tag_map: Mapping[str, str] | None = None,
        dictionary: TagDictionary | None = None,
    ) -> None:
        self.morph_attributes = list(morph_attributes)
        self.vocabularies = vocabularies
        self.has_lemmas = has_lemmas
        self.ignored = tuple(ignored)
        self.affixes = affixes
        self.tag_map = dict(tag_map or {})
        vector_words = vocabularies[VECTOR].ids if VECTOR in vocabularies else None
        self.atoms = atoms(self.morph_attributes, has_lemmas=has_lemmas, affixes=affixes, vectors=vector_words)
        self.names = [atom.name for atom in self.atoms]
        if not affixes:  # clause atoms need tags, which taggers do not have yet
            self.names.extend(CLAUSE_ATOMS)
        elif dictionary is not None:
            self.names.extend(DICTIONARY_ATOMS)
        self.dictionary = dictionary
        self._tables = [_ColumnTable(column, self.atoms, vocabularies) for column in COLUMNS]
        self._order = _inverse([index for table in self._tables for index in table.places])
        upos = vocabularies["upos"]
        self._tag_of_upos = _tag_classes(upos, self.tag_map)
        self._classes = {tag: int(self._tag_of_upos[upos[tag]]) for tag in upos.strings}
        self._clauses = None if affixes else Clauses.find(self._classes, self.tag_map)

    @classmethod
    def fit(
        cls,
        sentences: Iterable[Sentence],
        *,
        ignored: Sequence[str] = (),
        affixes: bool = False,
        vectors: Sequence[str] | None = None,
        tag_map: Mapping[str, str] | None = None,
        dictionary: TagDictionary | None = None,
    ) -> "Encoder":
        """Build the vocabularies from training sentences.

        Parameters
        ----------
        ignored : sequence of str
            Columns that are treated as empty, in training and in parsing.
        affixes : bool
            Whether to add the atoms that taggers use.
        vectors : sequence of str, optional
            The words that have vectors, in order.
        tag_map : mapping of str to str, optional
            Maps coarse tags that are not universal to universal ones, for the classes of tags and for clauses.
        dictionary : TagDictionary, optional
            The tags of forms in training, for additional atoms of taggers.
        """
        counts = {column: Counter[str]() for column in COLUMNS}
        pairs = Counter[tuple[str, str]]()
        for sentence in sentences:
            columns = _columns(sentence, ignored)
            for column, values in zip(COLUMNS, columns, strict=True):
                counts[column].update(values)
            pairs.update(zip(columns[COLUMNS.index("upos")], columns[COLUMNS.index("feats")], strict=True))
        morph, has_lemmas = informative_attributes(pairs), set(counts["lemma"]) != {NONE}
        all_atoms = atoms(morph, has_lemmas=has_lemmas, affixes=affixes)
        vocabularies = {atom.name: _vocabulary(atom, counts[atom.column]) for atom in all_atoms}
        if vectors is not None:
            vocabularies[VECTOR] = Vocabulary(vectors)
        return cls(
            morph, vocabularies, has_lemmas=has_lemmas, ignored=ignored, affixes=affixes, tag_map=tag_map,
            dictionary=dictionary,
        )  # fmt: skip

    def constant_atoms(self) -> set[str]:
        """The atoms that are the same for all training words, because their column is empty or there are no verbs."""
        constant = {name for name, vocabulary in self.vocabularies.items() if len(vocabulary) <= 1}
        if self.dictionary is not None:
            return constant if self.dictionary.has_verbs else constant | {DICTIONARY_ATOMS[-1]}
        return constant if self._clauses else constant | set(self.names[len(self.atoms) :])

    def tag_classes(self) -> dict[str, int]:
        """The class number of each UPOS, as used in `Encoded.tags`."""
        return dict(self._classes)

    def encode(self, sentences: Sequence[HasColumns]) -> Encoded:
        """Return the atoms of several sentences as arrays."""
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        starts = np.zeros(len(sentences) + 1, dtype=np.int64)
        np.cumsum(lengths + 1, out=starts[1:])
        columns: list[list[str]] = [[] for _ in COLUMNS]
        for sentence in sentences:
            for column, values in zip(columns, _columns(sentence, self.ignored), strict=True):
                column.extend(values)
        all_forms = columns[0]
        if "form" in self.ignored:
            all_forms = [form for sentence in sentences for form in sentence.forms]
        words = np.ones(starts[-1], dtype=np.bool_)
        words[starts[:-1]] = False
        gathered = [table.rows(values) for table, values in zip(self._tables, columns, strict=True)]
        encoded = np.full((starts[-1], len(self.names)), ROOT, dtype=np.int32)
        encoded[words, : len(self.atoms)] = np.concatenate(gathered, axis=1)[:, self._order]
        tags = self._tag_of_upos[encoded[:, self.names.index("upos")]]
        context_atoms = encoded[:, len(self.atoms) :]
        context_atoms[words] = UNKNOWN
        if self._clauses is not None:
            lemmas, feats = encoded[:, self.names.index("lemma")], columns[COLUMNS.index("feats")]
            self._clauses.write(tags, lemmas, feats, starts, words, context_atoms)
        elif self.dictionary is not None:
            self.dictionary.write(columns[COLUMNS.index("form")], starts, words, context_atoms)
        breaks = np.zeros(len(words), dtype=np.int8)
        breaks[words] = break_ranks(all_forms)
        forms = np.full(len(words), "", dtype=np.object_)
        forms[words] = columns[COLUMNS.index("form")]
        return Encoded(encoded, tags, starts, breaks, forms)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON from which `from_json` restores this encoder."""
        strings = {name: vocabulary.strings for name, vocabulary in self.vocabularies.items()}
        saved: dict[str, Any] = {
            "morph_attributes": self.morph_attributes,
            "has_lemmas": self.has_lemmas,
            "ignored": self.ignored,
            "affixes": self.affixes,
            "vocabularies": strings,
        }
        if self.dictionary is not None:
            saved["dictionary"] = self.dictionary.forms
        return saved | ({"tag_map": self.tag_map} if self.tag_map else {})

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> "Encoder":
        """Restore an encoder from the JSON of `to_json`; ValueError if it is not valid."""
        check_json(saved, SavedEncoder, "encoder")
        vocabularies = {name: Vocabulary(strings) for name, strings in saved["vocabularies"].items()}
        return cls(
            saved["morph_attributes"],
            vocabularies,
            has_lemmas=saved["has_lemmas"],
            ignored=saved["ignored"],
            affixes=saved.get("affixes", False),
            tag_map=saved.get("tag_map"),
            dictionary=TagDictionary(saved["dictionary"]) if "dictionary" in saved else None,
        )


class _ColumnTable:
    """A cache with a row for each string of a column: the atoms that are computed from the column."""

    def __init__(self, column: str, all_atoms: Sequence[Atom], vocabularies: dict[str, Vocabulary]) -> None:
        self.places = [index for index, atom in enumerate(all_atoms) if atom.column == column]
        self._readers = [(all_atoms[index], vocabularies[all_atoms[index].name]) for index in self.places]
        self._lock = Lock()
        self._clear()

    def _clear(self) -> None:
        self._row_of: dict[str, int] = {}
        self._table = np.zeros((1024, len(self.places)), dtype=np.int32)

    def rows(self, strings: list[str]) -> IntArray:
        with self._lock:  # threads can share an encoder, and new strings change the table
            row_of = self._row_of
            try:
                numbers = list(map(row_of.__getitem__, strings))
            except KeyError:
                self._learn(strings)
                numbers = list(map(self._row_of.__getitem__, strings))
            return self._table.take(np.array(numbers, dtype=np.intp), axis=0)

    def _learn(self, strings: list[str]) -> None:
        if len(self._row_of) > _MOST_STRINGS:
            self._clear()
        for string in dict.fromkeys(strings):
            if string not in self._row_of:
                self._add(string)

    def _add(self, string: str) -> None:
        row = len(self._row_of)
        if row == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        self._table[row] = [_identify(atom, vocabulary, string) for atom, vocabulary in self._readers]
        self._row_of[string] = row


def informative_attributes(pairs: Counter[tuple[str, str]], *, most: int = MORPH_SLOTS) -> list[str]:
    """Return the FEATS attributes with the highest conditional entropy given the coarse tag, highest first.

    Parameters
    ----------
    pairs : Counter
        The number of occurrences of each (UPOS, FEATS).
    """
    tags = Counter[str]()
    values: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for (tag, feats), count in pairs.items():
        tags[tag] += count
        for name, value in attributes(feats).items():
            values[name][tag, value] += count
    entropies = {name: _conditional_entropy(counts, tags) for name, counts in values.items()}
    ranked = sorted(entropies, key=lambda name: (-entropies[name], name))
    return [name for name in ranked if entropies[name] > 0][:most]


def _conditional_entropy(counts: Counter[tuple[str, str]], tags: Counter[str]) -> float:
    absent = Counter(tags)
    entropy = 0.0
    for (tag, _), count in counts.items():
        absent[tag] -= count
        entropy -= count * math.log(count / tags[tag])
    return entropy - sum(count * math.log(count / tags[tag]) for tag, count in absent.items() if count > 0)


def _columns(sentence: HasColumns, ignored: Sequence[str]) -> tuple[list[str], ...]:
    columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats
    if not ignored:
        return columns
    empty = [NONE] * len(sentence)
    return tuple(empty if name in ignored else column for name, column in zip(COLUMNS, columns, strict=True))


def _vocabulary(atom: Atom, strings: Counter[str]) -> Vocabulary:
    counts = Counter[str]()
    for string, count in strings.items():
        counts[atom.read(string)] += count
    vocabulary = Vocabulary.count(counts, cutoff=atom.cutoff)
    if atom.stand_in is None:
        return vocabulary
    rare = Counter[str]()
    for string, count in strings.items():
        if vocabulary[atom.read(string)] == UNKNOWN:
            rare[_STAND_IN + atom.stand_in(string)] += count
    return Vocabulary(vocabulary.strings + Vocabulary.count(rare, cutoff=2).strings)


def _identify(atom: Atom, vocabulary: Vocabulary, string: str) -> int:
    known = vocabulary[atom.read(string)]
    if known == UNKNOWN and atom.stand_in is not None:
        return vocabulary[_STAND_IN + atom.stand_in(string)]
    return known


def _tag_classes(upos: Vocabulary, tag_map: Mapping[str, str]) -> IntArray:
    """Return the class of each UPOS id: frequent tags have a class each; rare and unknown tags share one.

    With a tag map, the most frequent tag of each universal tag has its own class as well, and rare tags share the
    class of the most frequent tag with the same universal tag.
    """
    universal = [tag_map.get(tag, tag) for tag in upos.strings]
    first = {tag: universal.index(tag) for tag in set(tag_map.values()) & set(universal)}
    places = sorted(range(len(universal)), key=lambda place: (first.get(universal[place]) != place, place))
    number = {place: rank for rank, place in enumerate(sorted(places[: TAG_CLASSES - 1]), start=1)}
    shared = [number.get(first.get(tag, -1), TAG_CLASSES) for tag in universal]
    classes = np.full(len(upos) + FIRST_FREE, TAG_CLASSES, dtype=np.int32)
    classes[FIRST_FREE:] = [number.get(place, shared_class) for place, shared_class in enumerate(shared)]
    classes[ROOT] = 0
    return classes


def _inverse(places: list[int]) -> npt.NDArray[np.int64]:
    """Return the inverse of a permutation."""
    return np.argsort(np.array(places))
