"""Plain text and tokens: restore the text of a treebank, and make sentences from tokens with character offsets.

A token is a unit of the text; it consists of one word, or of several (a multiword token: ``don't`` is ``do n't``).
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from headway.corpus.layout import CONLLU
from headway.corpus.sentence import Row, Sentence
from headway.errors import CorpusError

PARAGRAPH = "\n\n"
_ESCAPES = {" ": "\\s", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "|": "\\p"}
_NOTHING = "_"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, because its mark begins with that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",  # only if there is a mark: this decoder drops an incomplete one at the end of a text
}
_LONGEST_MARK = 4

PART = 1 << 16
"""The minimum number of characters of a part of a text."""

_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n\s*")
_LINE_ENDS = (re.compile(r"""[.!?。！？…]["'”’»)\]]*[ \t]*\r?\n\s*"""), re.compile(r"\n\s*"), re.compile(r"\s+"))
"""Boundaries in a text without paragraphs, best first: full stop at a line end, line end, any white space."""


@dataclass(frozen=True)
class Token:
    """A token of a text.

    Parameters
    ----------
    start, end : int
        The offsets of its first character, and of the character after its last, in the whole text.
    words : tuple of str
        The words of the token; usually one.
    """

    form: str
    start: int
    end: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class TreebankText:
    """The text of a treebank, and the boundaries of its tokens and sentences.

    Parameters
    ----------
    ends : list of int
        The end offset of each token.
    last : list of bool
        Whether each token is the last of its sentence.
    """

    text: str
    ends: list[int]
    last: list[bool]


def text_parts(chunks: Iterable[bytes], *, least: int = PART) -> Iterator[str]:
    """Split a text into parts that end between paragraphs or, if there are none, at the best boundary nearby.

    Parameters
    ----------
    chunks : iterable of bytes
        The bytes of the text, in chunks of any size. The encoding is UTF-8, or that of the byte-order mark (UTF-16,
        UTF-32); invalid bytes are replaced.
    least : int
        The minimum number of characters of each part but the last; no part has more than four times as many.

    Raises
    ------
    CorpusError
        Any error that `chunks` raises, after all text before it has been yielded.
    """
    decoder = _TextDecoder()
    text, failure = "", None
    stream = iter(chunks)
    more = True
    while more:
        try:
            chunk = next(stream, None)
        except CorpusError as error:
            chunk, failure = None, error
        more = chunk is not None
        text += decoder.decode(chunk or b"", final=not more)
        while (end := _part_end(text, least, more=more)) is not None:
            yield text[:end]
            text = text[end:]
    if text:
        yield text
    if failure is not None:
        raise failure


class _TextDecoder:
    """Decodes bytes by their byte-order mark, or as UTF-8 if there is none."""

    def __init__(self) -> None:
        self._start = b""
        self._decoder: codecs.IncrementalDecoder | None = None

    def decode(self, data: bytes, *, final: bool) -> str:
        """Return the text of the next bytes, except for an incomplete character at the end."""
        if self._decoder is None:
            self._start += data
            if len(self._start) < _LONGEST_MARK and not final:
                return ""
            data, self._decoder = self._start, codecs.getincrementaldecoder(_encoding(self._start))(errors="replace")
        return self._decoder.decode(data, final)


def _encoding(start: bytes) -> str:
    return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), "utf-8")


def _part_end(text: str, least: int, *, more: bool) -> int | None:
    """Return the end of the first part of a text; None if it depends on text that may follow (`more`)."""
    most = 4 * least
    if paragraph := _PARAGRAPH_END.search(text, least, most):
        return None if more and paragraph.end() == len(text) < most else paragraph.end()
    if len(text) < most:
        return None
    found = (pattern.search(text, least, most) for pattern in _LINE_ENDS)
    return next((match.end() for match in found if match), most)


def has_paragraph_end(text: str, *, at_end: bool = False) -> bool:
    """Return whether a text contains a blank line; with `at_end`, whether it ends with one."""
    found = _PARAGRAPH_END.search(text, len(text.rstrip()) if at_end else 0)
    return found is not None


def surface_tokens(sentence: Sentence) -> Iterator[tuple[str, list[str], bool]]:
    """Yield the tokens of a sentence: the written form, its words, and whether a space follows."""
    columns = sentence.layout.names
    form, misc = sentence.layout.form, columns.index("MISC") if "MISC" in columns else None
    until, words = 0, list[str]()
    token, space = "", True
    for row in sentence.read_rows()[0]:
        first, dash, last = row[0].partition("-")
        if dash:
            until, words, token, space = int(last), [], row[form], _is_followed(row, misc)
        elif "." in row[0]:
            continue
        elif int(first) <= until:
            words.append(row[form])
            if int(first) == until:
                yield token, words, space
        else:
            yield row[form], [row[form]], _is_followed(row, misc)


def _is_followed(row: Row, misc: int | None) -> bool:
    return misc is None or "SpaceAfter=No" not in row[misc].split("|")


def without_controls(form: str) -> str:
    """Return a form without control characters, which no token contains."""
    return form if form.isprintable() else _CONTROL.sub("", form)


def treebank_text(sentences: Iterable[Sentence]) -> TreebankText:
    """Return the text of sentences: blank lines before paragraphs and documents, spaces as in the file."""
    pieces, ends, last, length = list[str](), list[int](), list[bool](), 0
    space = False
    for sentence in sentences:
        fresh = any(comment.lstrip("# ").startswith(("newpar", "newdoc")) for comment in sentence.comments)
        gap = PARAGRAPH if fresh and pieces else " " if space else ""
        for form, _, space in surface_tokens(sentence):
            form = without_controls(form)
            if not form:
                gap = gap or (" " if space and pieces else "")
                continue
            pieces += (gap, form)
            length += len(gap) + len(form)
            ends.append(length)
            last.append(False)
            gap = " " if space else ""
        if last:
            last[-1] = True
    return TreebankText("".join(pieces), ends, last)


def make_sentence(
    tokens: Sequence[Token],
    text: str,
    *,
    number: int,
    before: int,
    after: int,
    offset: int = 0,
    new_document: bool = False,
    new_paragraph: bool = False,
) -> Sentence:
    """Make a sentence from tokens and their text; MISC holds token offsets and the white space between tokens.

    Parameters
    ----------
    text : str
        The whole text, or a part of it that begins at `offset`.
    number : int
        The number of the sentence, from 1.
    before : int
        The offset where the white space before the first token starts, as far as it belongs to this sentence.
    after : int
        The offset where the text after the last token ends.
    offset : int
        The number of characters before this text, if it is a part of a longer one.
    new_document, new_paragraph : bool
        Whether to add the comments ``# newdoc`` and ``# newpar``.
    """
    rows: list[Row] = []
    words: list[Row] = []
    for index, token in enumerate(tokens):
        end = tokens[index + 1].start if index + 1 < len(tokens) else after
        misc = [
            *_gap(text[token.end : end]),
            f"TokenRange={offset + token.start}:{offset + token.end}",
        ]
        if index == 0 and before < token.start:
            misc.insert(0, f"SpacesBefore={_escape(text[before : token.start])}")
        if _clean(token.form) != token.form:
            misc.append(f"SpacesInToken={_escape(token.form)}")
        notes = "|".join(misc)
        first = len(words) + 1
        if len(token.words) > 1:
            rows.append([f"{first}-{first + len(token.words) - 1}", _clean(token.form), *[_NOTHING] * 7, notes])
        for word in token.words:
            row = [str(len(words) + 1), _clean(word), *[_NOTHING] * 7, _NOTHING if len(token.words) > 1 else notes]
            rows.append(row)
            words.append(row)
    surface = _clean(text[tokens[0].start : tokens[-1].end])
    comments = [f"# sent_id = {number}", f"# text = {surface}"]
    new = (["# newdoc"] if new_document else []) + (["# newpar"] if new_paragraph else [])
    return Sentence(CONLLU, new + comments, rows, words)


def word_sentences(sentences: Iterable[Sequence[str]]) -> list[Sentence]:
    """Make sentences from words, with offsets as if the text had one space between words."""
    text = " ".join(word for words in sentences for word in words)
    made: list[Sentence] = []
    end = 0
    for number, words in enumerate(sentences, start=1):
        tokens: list[Token] = []
        before = end
        for word in words:
            tokens.append(Token(word, end, end + len(word), (word,)))
            end += len(word) + 1
        made.append(make_sentence(tokens, text, number=number, before=before, after=min(end, len(text))))
    return made


def _clean(form: str) -> str:
    """Make a form fit into a column: single spaces for white space and control characters, no lone surrogates."""
    if not form.isprintable():
        form = _SURROGATE.sub("\ufffd", _CONTROL.sub(" ", form))
    return " ".join(form.split()) or _NOTHING


def rebuild_text(sentences: Iterable[Sentence]) -> str:
    """Rebuild the text that `make_sentence` was given, from only the sentences."""
    pieces: list[str] = []
    for sentence in sentences:
        misc = sentence.layout.names.index("MISC")
        until = 0
        for row in sentence.read_rows()[0]:
            first, dash, last = row[0].partition("-")
            if "." in first or (not dash and int(first) <= until):
                continue
            until = int(last) if dash else until
            notes = dict(note.partition("=")[::2] for note in row[misc].split("|"))
            gap = "" if notes.get("SpaceAfter") == "No" else _unescape(notes.get("SpacesAfter", "\\s"))
            form = _unescape(notes["SpacesInToken"]) if "SpacesInToken" in notes else row[sentence.layout.form]
            pieces += (_unescape(notes.get("SpacesBefore", "")), form, gap)
    return "".join(pieces)


def _gap(gap: str) -> list[str]:
    if gap == " ":
        return []
    return ["SpaceAfter=No"] if not gap else [f"SpacesAfter={_escape(gap)}"]


def _escape(text: str) -> str:
    """Escape text for a column: white space by the usual escapes, other invisible characters by their code points."""
    return "".join(_ESCAPES.get(letter) or (letter if letter.isprintable() else _number(letter)) for letter in text)


def _number(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"


def _unescape(text: str) -> str:
    letters = {escape: letter for letter, escape in _ESCAPES.items()}
    return re.sub(
        r"\\u([0-9a-f]{4})|\\U(00(?:0[0-9a-f]|10)[0-9a-f]{4})|\\.",
        lambda match: chr(int(match[1] or match[2], 16)) if match.lastindex else letters.get(match[0], match[0]),
        text,
    )
