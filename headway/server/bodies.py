"""Receive request bodies, within limits of size and time, and read the parameters in them."""

import asyncio
import binascii
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from headway.server.limits import GONE, Limits, Problem

_FIELDS = 64
"""The maximum number of parameters of a request."""


class Intake:
    """Receives request bodies and limits the bytes that all of them hold in memory together."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._held = limits, 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """Receive the body of a request; it counts as held in memory until the ``async with`` block ends.

        Raises
        ------
        Problem
            If it is too large (413), arrives too slowly (408), is compressed (415), or exceeds the memory left (503).
        """
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Problem(415, "a body with a Content-Encoding is not accepted: send it uncompressed")
        held = 0
        pieces: list[bytes] = []
        try:
            async with asyncio.timeout(self._limits.seconds):
                too_large = _announced(request) > self._limits.body
                async for piece in request.stream():  # read to the end: most clients read no response while sending
                    held += len(piece)
                    too_large = too_large or held > self._limits.body
                    if too_large:
                        self._held, held = self._held - sum(map(len, pieces)), 0
                        pieces.clear()
                        continue
                    pieces.append(piece)
                    self._held += len(piece)
                    if self._held > self._limits.buffered:
                        raise Problem(503, "too many large requests at the moment", retry_after=2)
            if too_large:
                raise Problem(413, f"a request may have at most {self._limits.body:,} bytes")
            yield b"".join(pieces)
        except TimeoutError:
            raise Problem(408, f"the request did not arrive within {self._limits.seconds:g} seconds") from None
        except ClientDisconnect:
            raise Problem(GONE, "the client disconnected") from None
        finally:
            self._held -= sum(map(len, pieces))


def _announced(request: Request) -> int:
    length = request.headers.get("content-length", "0")
    return int(length) if length.isdecimal() else 0


def parameters(request: Request, body: bytes) -> dict[str, str]:
    """Return the parameters in a request's query string and body; the body's take precedence.

    Raises
    ------
    Problem
        If they are not UTF-8, or the body is not a form (400).
    """
    found = _pairs(request.url.query.encode("latin-1"), "the query string")
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if not body:
        return found
    if kind == b"multipart/form-data":
        return found | _multipart(body, options.get(b"boundary", b""))
    if kind == b"application/x-www-form-urlencoded":
        return found | _pairs(body, "the body")
    raise Problem(400, "the body must be multipart/form-data or application/x-www-form-urlencoded")


def _pairs(query: bytes, what: str) -> dict[str, str]:
    try:
        text = query.decode("utf-8")
        return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_FIELDS))
    except UnicodeDecodeError:
        raise Problem(400, f"{what} is not in UTF-8") from None
    except ValueError:
        raise Problem(400, f"{what} has more than {_FIELDS} parameters") from None


def _lines(value: bytes | bytearray) -> bytes:
    return bytes(value).replace(b"\r\n", b"\n")


_ENCODINGS: dict[bytes, Callable[[bytes | bytearray], bytes]] = {
    b"": bytes,
    b"binary": bytes,
    b"7bit": _lines,
    b"8bit": _lines,
    b"quoted-printable": lambda value: _lines(binascii.a2b_qp(value)),
    b"base64": lambda value: _lines(binascii.a2b_base64(value)),
}
"""Decoders of ``Content-Transfer-Encoding``. Only libraries for e-mail write this header, such as the one that
udpipe2_client uses; they end all lines with CRLF, whatever the text had, so these become LF again."""


class _Parts:
    """Collects the parts of a multipart body from the parser's callbacks."""

    def __init__(self) -> None:
        self.found: dict[str, bytearray] = {}
        self.encodings: dict[str, bytes] = {}
        self.ended = False
        self._field, self._value, self._name, self._encoding = b"", b"", "", b""

    def begin(self) -> None:
        self._name, self._encoding = "", b""

    def header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def header_end(self) -> None:
        if self._field.lower() == b"content-disposition":
            self._name = parse_options_header(self._value)[1].get(b"name", b"").decode("utf-8")
        elif self._field.lower() == b"content-transfer-encoding":
            self._encoding = self._value.strip().lower()
        self._field = self._value = b""

    def headers_finished(self) -> None:
        if self._name:
            self.found[self._name] = bytearray()
            self.encodings[self._name] = self._encoding
        if len(self.found) > _FIELDS:
            raise Problem(400, f"the body has more than {_FIELDS} parameters")

    def data(self, data: bytes, start: int, end: int) -> None:
        if self._name:
            self.found[self._name] += data[start:end]

    def end(self) -> None:
        self.ended = True


def _decoded(value: bytearray, encoding: bytes) -> str:
    if encoding not in _ENCODINGS:
        raise Problem(400, "unknown Content-Transfer-Encoding: leave this header out")
    return _ENCODINGS[encoding](value).decode("utf-8")


def _multipart(body: bytes, boundary: bytes) -> dict[str, str]:
    parts = _Parts()
    try:
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": parts.begin,
                "on_part_data": parts.data,
                "on_header_field": parts.header_field,
                "on_header_value": parts.header_value,
                "on_header_end": parts.header_end,
                "on_headers_finished": parts.headers_finished,
                "on_end": parts.end,
            },
        )
        parser.write(body)
        parser.finalize()
        values = {name: _decoded(value, parts.encodings[name]) for name, value in parts.found.items()}
    except (FormParserError, binascii.Error):
        raise Problem(400, "the multipart body cannot be read") from None
    except UnicodeDecodeError:
        raise Problem(400, "the body is not in UTF-8") from None
    if not parts.ended:
        raise Problem(400, "the multipart body is truncated")
    return values
