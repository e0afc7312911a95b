"""The work that a request asks for, and its result, as worker processes get and give them."""

from dataclasses import dataclass, field
from typing import Any

from headway.bulk.forms import Form
from headway.bulk.pieces import Piece

WORD_FORMS = ("horizontal", "vertical", "plaintext", "lines")
"""Outputs of words without trees, beside those of `Form`."""


@dataclass(frozen=True)
class Order:
    """The settings for the pieces of a request; requests with equal orders can share a batch.

    Parameters
    ----------
    model : str
        The name that the server has for it.
    tag, parse : bool
        Which steps to take. Tags that a parser needs and that nobody asked for are found, and not written.
    keep_tags : bool
        Leave tags that the input has as they are.
    presegmented : bool
        Take each line of a text for a sentence.
    plain_spaces : bool
        Write no white space between words into MISC but ``SpaceAfter=No``.
    to : str
        The form of the result: one of `Form`, or of `WORD_FORMS`.
    options : tuple of pairs
        Those of `Parser.parse`, by their names.
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
        """Whether the result can be written only when all sentences are there."""
        return self.to not in WORD_FORMS and Form(self.to).whole


@dataclass(frozen=True)
class Job:
    """Some pieces of a request.

    Parameters
    ----------
    counts : dict of str to int
        As for `headway.bulk.joining.joined`: what came before in the same result.
    sentence : int
        The most words that a sentence may have.
    """

    order: Order
    pieces: tuple[Piece, ...]
    counts: dict[str, int] = field(default_factory=dict)
    sentence: int = 1000

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(piece.size for piece in self.pieces)


@dataclass(frozen=True)
class Result:
    """The answer to a job.

    Parameters
    ----------
    text : str
        In the form that was ordered.
    counts : dict of str to int
        For the next job of the same request.
    words : int
        How many were read.
    """

    text: str
    counts: dict[str, int]
    words: int


@dataclass(frozen=True)
class Exploration:
    """A sentence to look at.

    Parameters
    ----------
    model : str
        The name that the server has for it.
    conllu : str
        One sentence; tags that it lacks are found.
    required, forbidden : tuple of (head, modifier)
        Arcs that every tree must have, and that none may have; words are counted from 1, the root is 0.
    steps : str
        ``climb`` or ``dual``, to show a search step by step; else empty.
    sentence : int
        The most words that it may have.
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
        """The jobs that may share a batch with this one: none but the same."""
        return self

    @property
    def size(self) -> int:
        """In bytes."""
        return 1 << 20
