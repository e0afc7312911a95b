"""Split a stream of bytes into sentences at its blank lines, in constant memory.

A blank line has nothing in it but spaces; lines end in LF or CRLF and in nothing else, so that lone carriage
returns, form feeds and Unicode line separators stay inside their fields.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LARGEST_BLOCK = 16 << 20
"""The maximum number of bytes between two blank lines (some 200,000 words); larger blocks are errors."""

_BLANK = b" \r\n"
_KEPT = 4096
_BOUNDARY = re.compile(rb"\n(?: *\r?\n)+")


@dataclass(frozen=True, slots=True)
class Block:
    """The bytes of one sentence.

    Parameters
    ----------
    body : bytes
        The lines of the sentence, without the line end of the last one.
    after : bytes
        The line end of the last line, and the blank lines that follow.
    line : int
        The number of the first line, counted from 1.
    oversized : bool
        Whether the block exceeds the limit; `body` is then only its beginning.
    """

    body: bytes
    after: bytes
    line: int
    oversized: bool = False


def read_blocks(chunks: Iterable[bytes], *, live: bool = False, limit: int = LARGEST_BLOCK) -> Iterator[Block]:
    """Cut `chunks` at runs of blank lines.

    Parameters
    ----------
    chunks : iterable of bytes
        The content of the file, in chunks of any size.
    live : bool
        Yield a block as soon as its first blank line has arrived, instead of waiting to see whether more
        blank lines follow it (they then belong to the next block). For pipes, where the sender may wait for the
        result before it sends more.
    limit : int
        A block of more bytes than this is yielded as `oversized`.

    Yields
    ------
    Block
        In file order. Blank lines at the start of the file are part of `body`; with `live`, so are late ones.
    """
    buffer, line, resume, skipping = b"", 1, 0, False
    for chunk in chunks:
        buffer += chunk
        start, settled = 0, len(buffer.rstrip(_BLANK))
        for match in _BOUNDARY.finditer(buffer, resume):
            if match.end() > settled and not live:  # more blank lines may follow
                break
            block = _cut(buffer[start : match.start()], match[0], line, limit)
            line += buffer.count(b"\n", start, match.end())
            if not skipping:
                yield block
            skipping, start = False, match.end()
        buffer = buffer[start:]
        resume = len(buffer.rstrip(_BLANK))  # an incomplete boundary begins after this position
        if len(buffer) > limit:
            if not skipping:
                yield _cut(buffer, b"", line, limit)
            skipping, resume = True, max(resume, len(buffer) - _KEPT)
            line += buffer.count(b"\n", 0, resume)
            buffer, resume = buffer[resume:], 0
    if buffer and not skipping:
        end = buffer.find(b"\n", len(buffer.rstrip(_BLANK)))
        end = end if end >= 0 else len(buffer)
        yield _cut(buffer[:end], buffer[end:], line, limit)


def _cut(body: bytes, after: bytes, line: int, limit: int) -> Block:
    if len(body) + len(after) <= limit:
        return Block(body, after, line)
    return Block(body[:limit], b"", line, oversized=True)
