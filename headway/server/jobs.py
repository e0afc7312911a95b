"""The jobs and results that are exchanged with worker processes."""

from dataclasses import dataclass, field
from typing import Any

from headway.bulk.forms import Form
from headway.bulk.pieces import Piece

WORD_FORMS = ("horizontal", "vertical", "plaintext", "lines")
"""Output formats without trees, in addition to those of `Form`."""


@dataclass(frozen=True)
class Order:
    """The settings for the pieces of a request; requests with equal orders can share a batch.

    Parameters
    ----------
    model : str
        The name of the model in the catalogue.
    tag, parse : bool
        The steps requested. If only `parse` is true, the tags that the parser needs are predicted but not written.
    keep_tags : bool
        Keep the tags of the input.
    presegmented : bool
        Treat each line of a text as a sentence.
    plain_spaces : bool
        Describe the white space between words in MISC only by ``SpaceAfter=No``.
    to : str
        The output format: one of those of `Form` or one of `WORD_FORMS`.
    options : tuple of pairs
        Options of `Parser.parse`: pairs of name and value.
    """

    model: str
    tag: bool = True
    parse: bool = True
    keep_tags: bool = True
    presegmented: bool = False
    plain_spaces: bool = False
    to: str = "conllu"
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the output format needs all sentences at once."""
        return self.to not in WORD_FORMS and Form(self.to).whole


@dataclass(frozen=True)
class Job:
    """Some pieces of a request.

    Parameters
    ----------
    counts : dict of str to int
        The state after the request's earlier jobs, as in `headway.bulk.joining.joined`.
    sentence, words : int
        The maximum number of words in a sentence and in the job.
    """

    order: Order
    pieces: tuple[Piece, ...]
    counts: dict[str, int] = field(default_factory=dict)
    sentence: int = 1000
    words: int = 200_000

    @property
    def size(self) -> int:
        """The size in bytes, for limiting a batch."""
        return sum(piece.size for piece in self.pieces)


@dataclass(frozen=True)
class Result:
    """The result of a job.

    Parameters
    ----------
    text : str
        The result in the requested output format.
    counts : dict of str to int
        The state for the request's next job.
    words : int
        The number of words that were read.
    """

    text: str
    counts: dict[str, int]
    words: int


@dataclass(frozen=True)
class Exploration:
    """A job of the explorer: one sentence to analyse.

    Parameters
    ----------
    model : str
        The name of the model in the catalogue.
    conllu : str
        One sentence; missing tags are predicted.
    required, forbidden : tuple of (head, modifier)
        Arcs that every tree must have or must not have; words are counted from 1, the root is 0.
    steps : str
        The search to show step by step, ``climb`` or ``dual``; empty for none.
    sentence : int
        The maximum number of words.
    """

    model: str
    conllu: str
    decoder: str | None = None
    k_best: int = 1
    required: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    steps: str = ""
    seconds: float = 10.0
    sentence: int = 1000

    @property
    def order(self) -> "Exploration":
        """The key for sharing a batch: only an identical job has the same one."""
        return self

    @property
    def size(self) -> int:
        """The size in bytes, for limiting a batch."""
        return 1 << 20
