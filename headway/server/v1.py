"""Headway's API, ``/v1``: requests and responses in JSON."""

import json
import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from headway import __version__
from headway.errors import HeadwayError
from headway.search.constraints import find_constraints
from headway.server.catalogue import Catalogue, Entry
from headway.server.jobs import Exploration, Order, Result
from headway.server.limits import Problem
from headway.server.udpipe import words_table

T = TypeVar("T", bound=BaseModel)

_STRICT = ConfigDict(extra="forbid", str_max_length=16 << 20)

Word = Annotated[str, Field(min_length=1, max_length=1000)]


class ParseRequest(BaseModel):
    """The input to parse: exactly one of a text, words, and a CoNLL-U table."""

    model_config = _STRICT | ConfigDict(
        json_schema_extra={"examples": [{"text": "Dogs bark.", "confidence": True}, {"tokens": [["Dogs", "bark"]]}]}
    )

    text: str | None = Field(None, description="Plain text: it is split into sentences and words.")
    tokens: list[list[Word]] | None = Field(None, description="Sentences, each a list of words.")
    conllu: str | None = Field(None, description="A CoNLL-U table; its tags are kept.")
    model: str | None = Field(None, description="The name of a model in /models; by default the first.")
    presegmented: bool = Field(False, description="Each line of the text is a sentence.")
    decoder: str | None = Field(None, description="The decoder; by default the model's.")
    k_best: int = Field(1, ge=1, le=100, description="The number of trees per sentence, best first.")
    constraints: list[str] = Field([], max_length=8, description="Rules that every tree must obey: one-subject, …")
    keep_heads: bool = Field(False, description="Keep the heads of the table and predict only those that are _.")
    confidence: bool = Field(False, description="Add the probability of every head and relation.")
    certificate: bool = Field(
        False,
        description="Search with a proof: optimal and gap (comments with to=conllu) say how far off the tree may be.",
    )
    multiple_roots: bool = Field(False, description="Allow several roots per sentence.")
    to: Literal["json", "conllu"] = Field("json", description="The output: JSON objects or a CoNLL-U table.")

    @model_validator(mode="after")
    def _one_input(self) -> "ParseRequest":
        if sum(value is not None for value in (self.text, self.tokens, self.conllu)) != 1:
            raise ValueError("give exactly one of text, tokens and conllu")
        if self.keep_heads and self.conllu is None:
            raise ValueError("keep_heads works only with conllu, because text and tokens have no heads")
        if self.certificate and self.decoder not in (None, "exact"):
            raise ValueError("certificate works only with the decoder exact: leave the decoder out")
        return self

    def order(self, entry: Entry, *, seconds: float) -> Order:
        """Return the order for this request.

        Raises
        ------
        Problem
            If decoder or constraints are unknown (422).
        """
        decoder = known_decoder("exact" if self.certificate else self.decoder)
        try:
            constraints = tuple(find_constraints(self.constraints))
        except HeadwayError as error:
            raise Problem(422, str(error)) from None
        options: dict[str, Any] = {
            "single_root": not self.multiple_roots,
            "keep_heads": self.keep_heads,
            "confidence": self.confidence,
            "decoder": decoder,
            "seconds": seconds,
            "k_best": self.k_best,
            "constraints": constraints,
        }
        return Order(entry.name, presegmented=self.presegmented, to=self.to, options=tuple(options.items()))

    def data(self) -> tuple[bytes, bool]:
        """Return the input as UTF-8, and whether it is plain text."""
        try:
            if self.text is not None:
                return self.text.encode(), True
            return words_table(self.tokens or []) if self.conllu is None else self.conllu.encode(), False
        except UnicodeEncodeError:
            raise Problem(422, "the input has half of a surrogate pair, which cannot be encoded in UTF-8") from None


Arc = tuple[Annotated[int, Field(ge=0, le=10_000)], Annotated[int, Field(ge=1, le=10_000)]]


class ExploreRequest(BaseModel):
    """One sentence to analyse."""

    model_config = _STRICT

    conllu: str = Field(description="One sentence; missing tags are predicted, and its heads are ignored.")
    model: str | None = Field(None, description="The name of a model in /models; by default the first.")
    decoder: str | None = Field(None, description="The decoder; by default the model's.")
    k_best: int = Field(1, ge=1, le=50, description="The number of trees, best first.")
    required: list[Arc] = Field([], max_length=2000, description="Arcs (head, modifier) that trees must have.")
    forbidden: list[Arc] = Field([], max_length=2000, description="Arcs (head, modifier) that trees must not have.")
    steps: Literal["", "climb", "dual"] = Field("", description="A search to show step by step.")

    def job(self, entry: Entry, *, seconds: float, sentence: int) -> Exploration:
        """Return the job for this request."""
        return Exploration(
            entry.name, self.conllu, known_decoder(self.decoder), self.k_best, tuple(self.required),
            tuple(self.forbidden), self.steps, seconds, sentence,
        )  # fmt: skip


def known_decoder(name: str | None) -> str | None:
    """Check the name of a decoder and return it; Problem (422) if there is no such decoder."""
    from headway.decoders import decoder_names

    if name is not None and name not in decoder_names():
        raise Problem(422, f"unknown decoder; choose from {', '.join(decoder_names())}")
    return name


class WordAnswer(BaseModel):
    """A word of a parsed sentence."""

    number: int
    form: str
    lemma: str | None
    upos: str | None
    xpos: str | None
    feats: str | None
    head: int
    relation: str
    confidence: float | None
    second_head: int | None
    second_confidence: float | None
    start: int | None
    end: int | None


class SentenceAnswer(BaseModel):
    """A parsed sentence; with `k_best`, there is one for each tree."""

    id: str | None
    text: str | None
    rank: int | None = None
    score: float | None = None
    optimal: bool | None = Field(
        None, description="Whether the tree is proved to be the best; only where a proof was looked for."
    )
    gap: float | None = Field(
        None, description="How far the best score may be above that of a tree without proof; null if no bound is known."
    )
    ignored: list[str] | None = Field(None, description="The kinds of parts that the proof leaves out.")
    parsed_in_pieces: int | None = Field(
        None, description="The number of pieces of a sentence too long for one search."
    )
    confidence: float | None
    words: list[WordAnswer]


class ParseAnswer(BaseModel):
    """The response to a request to parse."""

    model: str
    licence: str
    words: int
    sentences: list[SentenceAnswer] | None = Field(None, description="With to=json.")
    conllu: str | None = Field(None, description="With to=conllu: byte for byte what headway parse writes.")


class ErrorAnswer(BaseModel):
    """The response to a request that failed."""

    error: str


def validated(kind: type[T], body: bytes) -> T:
    """Validate a JSON body; Problem (422) if it is invalid, with a message that does not quote texts."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        if first["type"] == "extra_forbidden":
            raise Problem(422, f"unknown field: choose from {', '.join(kind.model_fields)}") from None
        raise Problem(422, _complaint(first)) from None


def _complaint(error: ErrorDetails) -> str:
    """Return pydantic's message as one line that names the value; it repeats numbers, not texts."""
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"]).removeprefix(".")
    place, message = place or "the request", re.sub(" after validation|, (unable to|got) .*", "", error["msg"])
    if error["type"] in ("value_error", "json_invalid"):
        return message.removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"{place} is missing"
    if error["type"] in ("greater_than_equal", "less_than_equal"):
        message += f", not {error['input']}"
    return re.sub(r"^\w+ should ", f"{place} must ", message)


def model_of(catalogue: Catalogue, name: str | None) -> Entry:
    """Find the model that a request names; Problem (404) if there is no such model."""
    return catalogue.find(name, status=404)


def answer(entry: Entry, order: Order, result: Result) -> bytes:
    """Return the response to ``/v1/parse`` as JSON."""
    facts = {"model": entry.name, "licence": entry.licence, "words": result.words}
    if order.to == "conllu":
        return json.dumps({**facts, "conllu": result.text}, ensure_ascii=False).encode()
    sentences = ",".join(result.text.split("\n")[:-1])  # each line is an object already
    return f'{json.dumps(facts, ensure_ascii=False)[:-1]}, "sentences": [{sentences}]}}'.encode()


def list_models(catalogue: Catalogue) -> dict[str, Any]:
    """Return the response to ``/v1/models``."""
    from headway.decoders import decoder_names

    models = [
        {"name": entry.name, "reads_text": entry.reads_text, "licence": entry.licence, "about": entry.about}
        for entry in catalogue.entries
    ]
    return {"version": __version__, "models": models, "decoders": decoder_names()}
