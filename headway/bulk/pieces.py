"""Files in pieces, each small enough to be sent to another process."""

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headway.chunks import ready_chunks
from headway.corpus import open_input, remote
from headway.corpus.blocks import Block, read_blocks
from headway.corpus.files import check_readable, compression, read_chunks
from headway.corpus.guessing import looks_like_text
from headway.corpus.reader import file_blocks
from headway.corpus.remote import is_remote
from headway.corpus.text import has_paragraph_end, text_parts
from headway.errors import CorpusError

_SENTENCES = 256
"""Sentences of a table that make a piece."""


@dataclass(frozen=True)
class Piece:
    """A part of a file.

    Parameters
    ----------
    path : str
        The file.
    text : str or None
        A part of a plain text; None where it is a table.
    offset : int
        Characters of the text before that.
    blocks : tuple of Block
        Sentences of a table.
    first : bool
        Whether the file begins here.
    last : bool
        Whether this holds nothing, and says that nothing more comes for its output.
    paragraph : bool
        Whether a paragraph of the text begins here.
    """

    path: str
    text: str | None = None
    offset: int = 0
    blocks: tuple[Block, ...] = ()
    first: bool = False
    last: bool = False
    paragraph: bool = True

    @property
    def size(self) -> int:
        """In bytes."""
        if self.text is not None:
            return len(self.text.encode("utf-8", "surrogatepass"))
        return sum(len(block.body) + len(block.after) for block in self.blocks)


def find_files(names: Iterable[str]) -> list[str]:
    """Files by name or by pattern (``corpus/**/*.txt``), in order; also remote ones (``s3://bucket/**/*.txt``).

    Raises
    ------
    CorpusError
        If one cannot be read, or a pattern fits none.
    """
    paths: list[str] = []
    for name in names:
        if glob.has_magic(name) and not exists(name):
            found = remote.matching(name) if is_remote(name) else _matching(name)
            if not found:
                raise CorpusError("no file matches this pattern", path=name)
            paths += found
        else:
            paths.append(name)
    for path in paths:
        check_readable(path)
    return paths


def _matching(pattern: str) -> list[str]:
    return sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))


def exists(path: str) -> bool:
    """Return whether there is a file or a folder, here or remote."""
    return remote.exists(path) if is_remote(path) else os.path.exists(path)


def is_text(path: str) -> bool:
    """Return whether a file is plain text, by its name or its content."""
    return looks_like_text(path)


def is_damaged(text: str) -> bool:
    """Whether this text holds signs of another encoding: U+FFFD, for bytes that are not UTF-8, or NUL."""
    return "\ufffd" in text or "\0" in text


def bare_name(path: str) -> str:
    """A path without the ending that says how it is compressed."""
    return path[: len(path) - len(compression(path))]


def pieces(path: str, *, text: bool, live: bool = False) -> Iterator[Piece]:
    """A file in pieces; only one of them need be in memory.

    Parameters
    ----------
    live : bool
        Give sentences of a table out as they come, instead of waiting for a piece to fill: for pipes whose other end
        waits for the answer.

    Raises
    ------
    CorpusError
        Where it cannot be read on, once all that could be read has been given.
    """
    return _text_pieces(path) if text else _block_pieces(path, file_blocks(path), live=live)


def pieces_of(data: bytes, *, name: str, text: bool) -> Iterator[Piece]:
    """The content of a file in the pieces that `pieces` would cut it into; `name` stands for it in messages."""
    return _text_parts(name, [data]) if text else _block_pieces(name, read_blocks([data]), live=False)


def _text_pieces(path: str) -> Iterator[Piece]:
    with open_input(path) as file:
        yield from _text_parts(path, read_chunks(file, path))


def _text_parts(path: str, chunks: Iterable[bytes]) -> Iterator[Piece]:
    offset, paragraph = 0, True
    for part in text_parts(chunks):
        yield Piece(path, text=part, offset=offset, first=offset == 0, paragraph=paragraph)
        offset, paragraph = offset + len(part), has_paragraph_end(part, at_end=True)


def _block_pieces(path: str, blocks: Iterable[Block], *, live: bool) -> Iterator[Piece]:
    """Whole sentences; comments without words stay with the sentence that follows."""
    groups = ready_chunks(blocks, _SENTENCES) if live else ([block] for block in blocks)
    pending: list[Block] = []
    first, failure = True, None
    try:
        for group in groups:
            pending += group
            if (live or len(pending) >= _SENTENCES) and _has_words(pending[-1]):
                yield Piece(path, blocks=tuple(pending), first=first)
                pending, first = [], False
    except CorpusError as error:
        failure = error
    if pending:
        yield Piece(path, blocks=tuple(pending), first=first)
    if failure is not None:
        raise failure


def _has_words(block: Block) -> bool:
    return any(not line.startswith(b"#") for line in block.body.splitlines())
