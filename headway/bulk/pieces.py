"""Cut files into pieces: chunks that are small enough to be sent to another process."""

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headway.corpus import open_input, remote
from headway.corpus.blocks import Block, read_blocks
from headway.corpus.files import check_readable, compression, read_chunks
from headway.corpus.guessing import looks_like_text
from headway.corpus.reader import file_blocks
from headway.corpus.remote import is_remote
from headway.corpus.text import has_paragraph_end, text_parts
from headway.errors import CorpusError
from headway.support.chunks import ready_chunks

_SENTENCES = 256
"""The number of sentences in a piece of a table."""


@dataclass(frozen=True)
class Piece:
    """A piece of a file: a part of a text, or some sentences of a table.

    Parameters
    ----------
    path : str
        The name of the file.
    text : str or None
        A part of a plain text; None if the file is a table.
    offset : int
        The number of characters before this part of the text.
    blocks : tuple of Block
        The sentences, if the file is a table.
    first : bool
        Whether this is the first piece of the file.
    last : bool
        Whether this is the empty piece that marks the end of an output file.
    paragraph : bool
        Whether the text of this piece starts a new paragraph.
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
        """The size in bytes."""
        if self.text is not None:
            return len(self.text.encode("utf-8", "surrogatepass"))
        return sum(len(block.body) + len(block.after) for block in self.blocks)


def find_files(names: Iterable[str]) -> list[str]:
    """Expand patterns such as ``corpus/**/*.txt`` or ``s3://bucket/**/*.txt`` and return the files in order.

    Raises
    ------
    CorpusError
        If a file cannot be read, or no file matches a pattern.
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
    """Guess from its name or its content whether a file is plain text."""
    return looks_like_text(path)


def is_damaged(text: str) -> bool:
    """Return whether a text was probably in another encoding: it has U+FFFD (bytes that are not UTF-8) or NUL."""
    return "\ufffd" in text or "\0" in text


def bare_name(path: str) -> str:
    """Return a path without its compression suffix, such as ``.gz``."""
    return path[: len(path) - len(compression(path))]


def pieces(path: str, *, text: bool, live: bool = False) -> Iterator[Piece]:
    """Yield the pieces of a file, reading one at a time.

    Parameters
    ----------
    live : bool
        Yield the sentences of a table as soon as they arrive, instead of waiting for a full piece: for pipes, where the
        sender may wait for the result before it sends more.

    Raises
    ------
    CorpusError
        If the file cannot be read, after all pieces that could be read.
    """
    return _text_pieces(path) if text else _block_pieces(path, file_blocks(path), live=live)


def pieces_of(data: bytes, *, name: str, text: bool) -> Iterator[Piece]:
    """Yield the pieces that `pieces` would make of a file with this content; messages call the file `name`."""
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
    """Yield pieces of whole sentences; comments without words stay with the next sentence."""
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
