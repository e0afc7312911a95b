"""The limits of a server, and the error for requests that exceed them."""

from dataclasses import dataclass

GONE = 499
"""The status, in log and metrics, of requests whose client disconnected."""


@dataclass(frozen=True)
class Limits:
    """The maximum that a server accepts.

    Parameters
    ----------
    body : int
        Bytes of a request.
    words : int
        Words of a request.
    sentence : int
        Words of a sentence.
    seconds : float
        Time limit for receiving a request, and separately for answering it.
    queue : int
        Requests that are being answered or are waiting for a worker.
    buffered : int
        Bytes of all requests that are being received or answered.
    """

    body: int = 4 << 20
    words: int = 200_000
    sentence: int = 1000
    seconds: float = 60.0
    queue: int = 64
    buffered: int = 256 << 20


class Problem(Exception):
    """A request that is answered with an error.

    Parameters
    ----------
    status : int
        The HTTP status.
    message : str
        One line for the client.
    retry_after : int, optional
        Seconds after which the client may try again.
    """

    def __init__(self, status: int, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after

    def __reduce__(self) -> tuple[type["Problem"], tuple[int, str]]:
        return Problem, (self.status, self.message)


def too_many_words(most: int) -> Problem:
    """Return the error for a request with more words than this."""
    return Problem(413, f"a request may have at most {most:,} words")
