"""Convert forms to the integer inputs of a network: words and characters, or word pieces.

Every sentence gets a root before its first word, so that position i of a batch is word i of a tree.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Any, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from headway.scorers.neural.extras import require
from headway.scorers.neural.piece_vectors import PieceCutter
from headway.support.schema import Sized, check_json

Inputs = dict[str, npt.NDArray[np.int64]]

PADDING, UNKNOWN, ROOT, FIRST_FREE = 0, 1, 2, 3
_LONGEST_WORD = 32
"""The maximum number of characters of a word that are read: half at its beginning and half at its end."""

MOST_PIECES = 512
"""The maximum number of word pieces of a sentence, because BERT-shaped encoders have no more positions."""


class Reader(Protocol):
    """Makes the inputs of a network."""

    @property
    def kind(self) -> str:
        """The name of the reader in model files."""
        ...

    def batch(self, sentences: Sequence[Sequence[str]]) -> Inputs:
        """Return the inputs for some sentences, given their forms, padded to the same size."""
        ...

    def sizes(self, sentences: Sequence[Sequence[str]]) -> list[int]:
        """Return the number of positions that each sentence takes in a batch, including its root."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that `reader_from_json` reads."""
        ...


class _SavedWords(TypedDict):
    kind: str
    words: list[str]
    characters: Annotated[list[str], Sized(0, 1 << 17)]


class _SavedWordsAndPieces(_SavedWords):
    pieces: list[str]


class _SavedPieces(TypedDict):
    kind: str
    tokenizer: Any


class WordReader:
    """Reads lower-cased words and their characters, and the pieces of words that have static vectors.

    Parameters
    ----------
    words, characters : sequence of str
        The known words and characters; their numbers follow those of padding, unknown and root.
    pieces : sequence of str
        The pieces that have static vectors; see `headway.scorers.neural.piece_vectors`.
    """

    def __init__(self, words: Sequence[str], characters: Sequence[str], pieces: Sequence[str] = ()) -> None:
        self.words, self.characters, self.pieces = list(words), list(characters), list(pieces)
        self._cut = PieceCutter(self.pieces)
        self._word = {word: number for number, word in enumerate(self.words, start=FIRST_FREE)}
        self._character = {one: number for number, one in enumerate(self.characters, start=FIRST_FREE)}

    @property
    def kind(self) -> str:
        """See `Reader`."""
        return "words and pieces" if self.pieces else "words"

    @classmethod
    def fit(cls, sentences: Iterable[Sequence[str]], *, least: int = 2, pieces: Sequence[str] = ()) -> "WordReader":
        """Collect words and characters; words that occur less than `least` times are unknown."""
        words, characters = Counter[str](), set[str]()
        for forms in sentences:
            words.update(form.lower() for form in forms)
            for form in forms:
                characters.update(_spelled(form))
        known = sorted(word for word, count in words.items() if count >= least)
        return cls(known, sorted(characters), pieces)

    def batch(self, sentences: Sequence[Sequence[str]]) -> Inputs:
        """Return ``words`` (B, T) and the spelling of each of the U different forms; see `Reader`.

        ``spellings`` (U, C) are the characters of the forms, ``spelling_lengths`` (U,) their numbers, and ``which`` (B,
        T) the form of each word; the ``lengths`` (B,) of sentences include the root. With static vectors,
        ``form_pieces`` (U, P) are the pieces of the forms.
        """
        lengths = np.array([len(forms) + 1 for forms in sentences], dtype=np.int64)
        words = np.full((len(sentences), int(lengths.max())), PADDING, dtype=np.int64)
        which = np.zeros_like(words)
        words[:, 0] = ROOT
        places: dict[str, int] = {}
        for row, forms in enumerate(sentences):
            words[row, 1 : len(forms) + 1] = [self._word.get(form.lower(), UNKNOWN) for form in forms]
            which[row, 1 : len(forms) + 1] = [places.setdefault(form, len(places) + 1) for form in forms]
        spellings = [[ROOT], *([self._character.get(one, UNKNOWN) for one in _spelled(form)] for form in places)]
        made = {
            "words": words,
            "spellings": _padded(spellings),
            "spelling_lengths": np.array([len(one) for one in spellings], dtype=np.int64),
            "which": which,
            "lengths": lengths,
        }
        if self.pieces:
            made["form_pieces"] = _padded([[PADDING], *(self._cut(form) for form in places)])
        return made

    def sizes(self, sentences: Sequence[Sequence[str]]) -> list[int]:
        """See `Reader`."""
        return [len(forms) + 1 for forms in sentences]

    def to_json(self) -> dict[str, Any]:
        """See `Reader`."""
        saved = {"kind": self.kind, "words": self.words, "characters": self.characters}
        return saved | ({"pieces": self.pieces} if self.pieces else {})


class PieceReader:
    """Reads word pieces by the tokenizer of a pretrained encoder; the first piece represents its word.

    Parameters
    ----------
    tokenizer : str
        The content of a ``tokenizer.json``.
    """

    kind = "pieces"

    def __init__(self, tokenizer: str) -> None:
        tokenizers = require("tokenizers")
        self._saved = tokenizer
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(tokenizer)
        except Exception as error:  # the package only raises the base class
            raise ValueError(f"tokenizer: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        special = {token: self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]", "[UNK]")}
        if None in special.values():
            raise ValueError("tokenizer: [CLS], [SEP] and [UNK] must be known")
        self._first, self._last, self._unknown = special.values()
        mask = self._tokenizer.token_to_id("[MASK]")
        self.mask = -1 if mask is None else int(mask)
        self._pieces: dict[str, list[int]] = {}

    def batch(self, sentences: Sequence[Sequence[str]]) -> Inputs:
        """Return ``pieces`` (B, P), the positions ``firsts`` (B, T) of each word's first piece, and both lengths.

        At most `MOST_PIECES` are read; words beyond are represented by the last piece.
        """
        self._cut(sentences)
        rows, firsts = [], []
        for forms in sentences:
            pieces, places = [self._first], [0]
            for form in forms:
                places.append(min(len(pieces), MOST_PIECES - 1))
                pieces.extend(self._pieces[form])
            rows.append([*pieces[: MOST_PIECES - 1], self._last])
            firsts.append(places)
        return {
            "pieces": _padded(rows),
            "piece_lengths": np.array([len(row) for row in rows], dtype=np.int64),
            "firsts": _padded(firsts),
            "lengths": np.array([len(row) for row in firsts], dtype=np.int64),
        }

    def sizes(self, sentences: Sequence[Sequence[str]]) -> list[int]:
        """Return the number of pieces read of each sentence, or its number of words if that is larger; see `Reader`."""
        self._cut(sentences)
        pieces = (sum(len(self._pieces[form]) for form in forms) + 2 for forms in sentences)
        return [max(min(size, MOST_PIECES), len(forms) + 1) for size, forms in zip(pieces, sentences, strict=True)]

    def _cut(self, sentences: Sequence[Sequence[str]]) -> None:
        """Cache the pieces of all forms."""
        if len(self._pieces) > 1 << 18:
            self._pieces = {}
        new = sorted({form for forms in sentences for form in forms} - self._pieces.keys())
        for form, cut in zip(new, self._tokenizer.encode_batch(new, add_special_tokens=False), strict=True):
            self._pieces[form] = cut.ids or [self._unknown]

    def to_json(self) -> dict[str, Any]:
        """See `Reader`."""
        return {"kind": self.kind, "tokenizer": self._saved}


def reader_from_json(saved: Any) -> Reader:
    """Make a reader from the JSON of `to_json`; ValueError if it is not valid."""
    kind = saved.get("kind") if isinstance(saved, dict) else None
    if kind in ("words", "words and pieces"):
        check_json(saved, _SavedWords if kind == "words" else _SavedWordsAndPieces, "reader")
        if not all(saved["words"]) or any(len(one) != 1 for one in saved["characters"]):
            raise ValueError("reader: an empty word, or a character that is none")
        return WordReader(saved["words"], saved["characters"], saved.get("pieces", ()))
    if kind != PieceReader.kind:
        raise ValueError("reader: no known kind")
    check_json(saved, _SavedPieces, "reader")
    if not isinstance(saved["tokenizer"], str):
        raise ValueError("reader: the tokenizer is no text")
    return PieceReader(saved["tokenizer"])


@lru_cache(maxsize=1 << 16)
def _spelled(form: str) -> str:
    """Return the characters of a word that are read, decomposed into letters and accents, or into Korean letters."""
    spelled, half = unicodedata.normalize("NFD", form), _LONGEST_WORD // 2
    return spelled if len(spelled) <= _LONGEST_WORD else spelled[:half] + spelled[-half:]


def _padded(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """(rows, longest) Pad rows of different lengths to one array."""
    array = np.full((len(rows), max(map(len, rows))), PADDING, dtype=np.int64)
    for place, row in enumerate(rows):
        array[place, : len(row)] = row
    return array
