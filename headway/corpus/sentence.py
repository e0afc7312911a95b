"""A sentence exactly as in its file: every field of every line, and the white space around it.

Sentences that were read have all fields in one list (`headway.corpus.fields`) until their rows, which are lists of
strings, are needed; everything else (heads as numbers, single columns) is computed on access.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from headway.corpus.fields import Fields
from headway.corpus.layout import CONLLU, Layout
from headway.corpus.word import Word, counted, shorten, surface_text
from headway.errors import CorpusError
from headway.support.arguments import check_words

Row = list[str]
T = TypeVar("T")

_LARGE = 1024
_NUMBERS = [*map(str, range(_LARGE)), "_"]
"""Heads as strings; index -1 gives ``_``."""


class Sentence:
    """The words of one sentence, and everything in the file that belongs to it.

    Parameters
    ----------
    layout : Layout
        The table format that the rows follow.
    comments : list of str
        The lines before the first token, each with its ``#``.
    rows : list of list of str, or Fields
        Every token line as its fields, in file order: words, multiword ranges, empty nodes.
    word_rows : list of list of str
        The rows that are words: the same lists as in `rows`. Left out if `rows` are `Fields`.
    line, path : int, str
        The position of the sentence, for error messages.
    before, newline, after : str
        What is needed to write the same bytes again: the text before the first line, the line end, and the text after
        the last line (its line end and blank lines).
    """

    __slots__ = (
        "_cache", "_fields", "_rows", "_word_rows", "after", "before", "comments", "layout", "line", "newline", "path",
    )  # fmt: skip

    def __init__(
        self,
        layout: Layout,
        comments: list[str],
        rows: list[Row] | Fields,
        word_rows: list[Row] | None = None,
        *,
        line: int = 1,
        path: str = "-",
        before: str = "",
        newline: str = "\n",
        after: str = "\n\n",
    ) -> None:
        self.layout, self.comments = layout, comments
        self._fields = rows if isinstance(rows, Fields) else None
        self._rows: list[Row] = [] if isinstance(rows, Fields) else rows
        self._word_rows: list[Row] = word_rows or []
        self._cache: dict[Callable[[Sentence], Any], Any] | None = {} if isinstance(rows, Fields) else None
        self.line, self.path = line, path
        self.before, self.newline, self.after = before, newline, after

    @classmethod
    def from_words(
        cls,
        forms: Sequence[str],
        *,
        lemmas: Sequence[str] | None = None,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: Sequence[int] | None = None,
        labels: Sequence[str] | None = None,
        comments: Sequence[str] = (),
        layout: Layout = CONLLU,
    ) -> "Sentence":
        """Build a sentence from columns; columns that are not given are ``_``.

        Parameters
        ----------
        forms, lemmas, upos, xpos, feats, labels : sequence of str, (n,)
            One entry for each word. `xpos` is ignored by layouts with a single tag column.
        heads : sequence of int, (n,)
            0 is the root, -1 is unknown.
        comments : sequence of str
            Lines to put before the words, each beginning with ``#``.

        Raises
        ------
        CorpusError
            If a field is empty or contains a tab or a line break, or a comment does not begin with ``#``.
        ValueError
            If the columns differ in length.

        Examples
        --------
        >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"])
        >>> sentence.upos, sentence.heads
        (['NOUN', 'VERB'], [-1, -1])
        """
        check_words(forms)
        words = [[str(number)] + ["_"] * (layout.columns - 1) for number in range(1, len(forms) + 1)]
        columns: list[tuple[int | None, Sequence[str] | None]] = [
            (layout.form, forms),
            (layout.lemma, lemmas),
            (layout.upos, upos),
            (layout.xpos, xpos),
            (layout.feats, feats),
            (layout.head, None if heads is None else _head_strings(heads)),
            (layout.deprel, labels),
        ]
        given = {column: values for column, values in columns if column is not None and values is not None}
        for comment in comments:
            if not comment.startswith("#") or "\n" in comment:
                raise CorpusError(f"not a comment line: {comment!r}")
        return cls(layout, list(comments), words.copy(), words)._with_columns(given)

    def with_tree(self, heads: Sequence[int], labels: Sequence[str]) -> "Sentence":
        """Return a copy with these heads and labels, and nothing else changed.

        Parameters
        ----------
        heads : sequence of int, (n,)
            The head of each word: 0 is the root, -1 writes ``_``.
        labels : sequence of str, (n,)
            The relation of each word to its head.

        Notes
        -----
        Enhanced dependencies (DEPS) stay as they are.
        """
        return self._with_columns({self.layout.head: _head_strings(heads), self.layout.deprel: labels})

    def with_tags(
        self,
        *,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        lemmas: Sequence[str] | None = None,
    ) -> "Sentence":
        """Return a copy with these columns, (n,) each, and nothing else changed."""
        layout = self.layout
        columns = ((layout.upos, upos), (layout.xpos, xpos), (layout.feats, feats), (layout.lemma, lemmas))
        given = {column: values for column, values in columns if column is not None and values is not None}
        return self._with_columns(given)

    def misc(self, name: str) -> list[str | None]:
        """(n,) Return the value of ``name`` in the words' MISC column; None for words without it."""
        if "MISC" not in self.layout.names:
            return [None] * len(self)
        fields = self._column(self.layout.names.index("MISC"))
        return [_find_value(field, name) if name in field else None for field in fields]

    def has_notes(self, *signs: str) -> bool:
        """Return whether a comment or MISC may contain one of these strings; only False is certain."""
        fields = self._fields
        found = "|".join([row[-1] for row in self._word_rows]) if fields is None else fields.notes()
        notes = "\n".join([found, *self.comments])
        return any(sign in notes for sign in signs)

    def with_misc(self, name: str, values: Sequence[str | None]) -> "Sentence":
        """Return a copy whose words have ``name=value`` in MISC, replacing an existing value of that name.

        Parameters
        ----------
        values : sequence of str or None, (n,)
            None for no value.
        """
        if "MISC" not in self.layout.names:
            raise CorpusError(f"{self.layout.name} has no MISC column to write {name} to", path=self.path)
        column = self.layout.names.index("MISC")
        fields = []
        for field, value in zip(self._column(column), values, strict=True):
            kept = [piece for piece in field.split("|") if piece != "_" and not piece.startswith(f"{name}=")]
            fields.append("|".join([*kept, *([] if value is None else [f"{name}={value}"])]) or "_")
        return self._with_columns({column: fields})

    def with_comments(self, *comments: str) -> "Sentence":
        """Return a copy with comments (``# name = value``) added; they replace comments of the same name."""
        copy = self.without_comments([_read_comment(comment)[0] for comment in comments])
        copy.comments = [*copy.comments, *comments]
        return copy

    def without_comments(self, names: Collection[str]) -> "Sentence":
        """Return a copy without the comments ``# name = value`` of these names."""
        copy = self._copy()
        copy.comments = [
            comment for comment in self.comments if "=" not in comment or _read_comment(comment)[0] not in names
        ]
        return copy

    def _copy(self) -> "Sentence":
        """A copy whose rows can be changed."""
        rows: list[Row] | Fields | None = self._fields
        words = None
        if rows is None:
            words = [row.copy() for row in self._word_rows]
            fresh = dict(zip(map(id, self._word_rows), words, strict=True))
            rows = [fresh.get(id(row)) or row.copy() for row in self._rows]
        copy = Sentence(
            self.layout,
            self.comments,
            rows,
            words,
            line=self.line,
            path=self.path,
            before=self.before,
            newline=self.newline,
            after=self.after,
        )
        copy._cache = {}
        return copy

    def _with_columns(self, columns: Mapping[int, Sequence[str]]) -> "Sentence":
        """Return a copy with new columns of the words, written to their twins, too."""
        for column, values in columns.items():
            _check_column(column, values, len(self))
        places = {place: values for column, values in columns.items() for place in self.layout.places(column)}
        copy = self._copy()
        if copy._fields is not None:
            copy._fields = copy._fields.with_columns(places)
        for place, values in places.items():
            for row, value in zip(copy._word_rows, values, strict=False):  # no rows if there are `Fields`
                row[place] = value
        return copy

    @property
    def rows(self) -> list[Row]:
        """Every token line as its fields, in file order: words, multiword ranges, empty nodes."""
        self._cache = None
        return self.read_rows()[0]

    @property
    def word_rows(self) -> list[Row]:
        """The rows that are words: the same lists as in `rows`."""
        self._cache = None
        return self.read_rows()[1]

    def remembered(self, find: Callable[["Sentence"], T]) -> T:
        """Return ``find(sentence)``, computed only once unless others have the rows, which they may change."""
        cache = self._cache
        if cache is None:
            return find(self)
        if find not in cache:
            cache[find] = find(self)
        found: T = cache[find]
        return found

    def read_rows(self) -> tuple[list[Row], list[Row]]:
        """Return all rows and the rows of words, for reading only; they now replace the `Fields`."""
        fields = self._fields
        if fields is not None:
            self._rows, self._word_rows = fields.rows()
            self._fields = None
        return self._rows, self._word_rows

    def table(self) -> str:
        """Return the token lines, without the end of the last one."""
        fields = self._fields
        if fields is not None:
            return fields.text()
        return "\n".join(map("\t".join, self._rows))

    def __len__(self) -> int:
        fields = self._fields
        return len(self._word_rows) if fields is None else fields.count

    def __iter__(self) -> Iterator[Word]:
        return (Word(self, index) for index in range(1, len(self) + 1))

    @overload
    def __getitem__(self, place: int) -> Word: ...
    @overload
    def __getitem__(self, place: slice) -> list[Word]: ...
    def __getitem__(self, place: int | slice) -> Word | list[Word]:
        """Return words by their place, counted from 0 as in a list."""
        chosen = range(1, len(self) + 1)[place]
        return Word(self, chosen) if isinstance(chosen, int) else [Word(self, index) for index in chosen]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return (self.layout, self.comments, self.table()) == (other.layout, other.comments, other.table())

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Sentence of {counted(len(self), 'word')}: {shorten(' '.join(self.forms))}>"

    @property
    def words(self) -> list[Word]:
        """The words, (n,), as objects that know their heads and children."""
        return list(self)

    @property
    def root(self) -> Word | None:
        """The first word whose head is the root; None if there is none."""
        return next((word for word in self if word.head_index == 0), None)

    @property
    def text(self) -> str:
        """The sentence as plain text: its comment ``# text = …`` or, if it has none, its tokens."""
        return self.metadata.get("text") or surface_text(self)

    @property
    def confidence(self) -> float | None:
        """The probability that all heads are right; None unless the sentence was parsed with ``confidence=True``."""
        value = self.metadata.get("tree_prob")
        return float(value) if value else None

    @property
    def forms(self) -> list[str]:
        """The words themselves, (n,)."""
        return self._column(self.layout.form)

    @property
    def lemmas(self) -> list[str]:
        """The lemmas, (n,)."""
        return self._column(self.source(self.layout.lemma))

    @property
    def upos(self) -> list[str]:
        """The universal (or coarse) part-of-speech tags, (n,)."""
        return self._column(self.source(self.layout.upos))

    @property
    def xpos(self) -> list[str]:
        """The language-specific part-of-speech tags, (n,); all ``_`` if the layout has none."""
        column = self.layout.xpos
        return ["_"] * len(self) if column is None else self._column(column)

    @property
    def feats(self) -> list[str]:
        """The morphological features, (n,), as the file spells them: ``Case=Nom|Number=Sing``."""
        return self._column(self.source(self.layout.feats))

    @property
    def labels(self) -> list[str]:
        """The relations of the words to their heads, (n,)."""
        return self._column(self.layout.deprel)

    @property
    def heads(self) -> list[int]:
        """The heads, (n,): entry i belongs to word i + 1; 0 is the root, -1 stands for ``_``."""
        return [-1 if head == "_" else int(head) for head in self._column(self.layout.head)]

    @property
    def metadata(self) -> dict[str, str]:
        """The comments as a dictionary: ``# sent_id = 3`` is ``{"sent_id": "3"}``; without ``=``, it is ``""``."""
        return dict(map(_read_comment, self.comments))

    def source(self, column: int) -> int:
        """Return the column or, if it is empty and the layout has a predicted twin, that one: for blind test data."""
        twin = self.layout.places(column)[-1]
        return column if twin == column or any(field != "_" for field in self._column(column)) else twin

    def _column(self, column: int) -> list[str]:
        fields = self._fields
        if fields is not None:
            return fields.column(column)
        return [row[column] for row in self._word_rows]


def _read_comment(comment: str) -> tuple[str, str]:
    """Name and value of ``# name = value``."""
    name, _, value = comment.lstrip("#").partition("=")
    return name.strip(), value.strip()


def _find_value(field: str, name: str) -> str | None:
    """The value of ``name`` in ``A=b|C=d``."""
    return dict(piece.partition("=")[::2] for piece in field.split("|")).get(name)


def _head_strings(heads: Iterable[int]) -> list[str]:
    try:
        return [_NUMBERS[head] if -1 <= head < _LARGE else str(int(head)) if head >= 0 else "_" for head in heads]
    except TypeError:
        raise TypeError("expected heads to be a list of numbers (int): 0 for the root, -1 for unknown") from None


def _check_column(column: int, values: Sequence[str], count: int) -> None:
    """Raise an error if these values cannot be a column of `count` words."""
    check_words(values)
    if len(values) != count:
        raise ValueError(f"{len(values)} values for the {count} words of column {column + 1}")
    joined = "".join(values)  # check all values at once, and one by one only if there is an error
    if "" in values or "\t" in joined or "\n" in joined:
        number, value = next(pair for pair in enumerate(values) if not pair[1] or "\t" in pair[1] or "\n" in pair[1])
        raise CorpusError(f"word {number + 1} cannot have {value!r} in column {column + 1}")
