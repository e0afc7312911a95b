"""UDPipe's interface: ``/models`` and ``/process``.

Parameters, answers and errors are those of the UDPipe 2 service, so its clients can be pointed here. Two things differ:
character ranges are in every result that comes from text, and texts are not normalised, since results are those of
``headway parse``.
"""

from collections.abc import Mapping
from typing import Any

from headway import __version__
from headway.corpus import format_sentence
from headway.corpus.text import word_sentences
from headway.server.catalogue import Catalogue, Entry
from headway.server.jobs import Order
from headway.server.limits import Problem

GENERATOR = f"Headway {__version__}"

INPUTS = ("conllu", "horizontal", "vertical")
OUTPUTS = ("conllu", "json", "horizontal", "vertical", "plaintext", "tree", "svg", "html")
_TOKENIZER = ("presegmented", "ranges", "normalized_spaces")


def list_models(catalogue: Catalogue) -> dict[str, Any]:
    """The answer to ``/models``."""
    return {
        "models": {entry.name: entry.steps for entry in catalogue.entries},
        "default_model": catalogue.default.name,
    }


def read_request(given: Mapping[str, str], catalogue: Catalogue) -> tuple[Entry, Order, bytes, bool]:
    """Understand the parameters of ``/process``.

    Returns
    -------
    entry : Entry
        The model.
    order : Order
    data : bytes
        A text or a table.
    text : bool
        Which of the two.

    Raises
    ------
    Problem
        If a parameter is missing or not understood (400).
    """
    if "data" not in given:
        raise Problem(400, "the parameter 'data' is required")
    entry = catalogue.find(given.get("model"))
    options = _tokenizer_options(given["tokenizer"]) if "tokenizer" in given else frozenset[str]()
    order = Order(
        entry.name,
        tag="tagger" in given,
        parse="parser" in given,
        keep_tags=False,
        presegmented="presegmented" in options,
        plain_spaces="normalized_spaces" in options,
        to=_output(given.get("output", "conllu")),
        options=(("seconds", 10.0),),
    )
    if order.parse is False and order.to in ("tree", "svg", "html"):
        raise Problem(400, f"the output '{order.to}' draws trees: ask for the parser, too")
    if "tokenizer" in given:
        return entry, order, _encode(given["data"]), True
    return entry, order, _table(given["data"], given.get("input", "conllu")), False


def _tokenizer_options(text: str) -> frozenset[str]:
    options = frozenset(filter(None, text.split(";")))
    if options - set(_TOKENIZER):
        raise Problem(400, f"unknown tokenizer option; there is {', '.join(_TOKENIZER)}, joined by semicolons")
    return options


def _output(text: str) -> str:
    name, _, option = text.partition("=")
    if name not in OUTPUTS:
        raise Problem(400, f"unknown output format; there is {', '.join(OUTPUTS)}")
    return "lines" if (name, option) == ("plaintext", "normalized_spaces") else name


def _table(data: str, form: str) -> bytes:
    name = form.partition("=")[0]
    if name == "conllu":
        return _encode(data)
    if name not in INPUTS:
        raise Problem(400, f"unknown input format; there is {', '.join(INPUTS)}")
    if name == "horizontal":
        sentences = [line.split() for line in data.splitlines()]
    else:
        blocks = data.replace("\r\n", "\n").split("\n\n")
        sentences = [[line.strip() for line in block.split("\n") if line.strip()] for block in blocks]
    return words_table(sentences)


def words_table(sentences: list[list[str]]) -> bytes:
    """Return sentences of words as a table."""
    words = [[" ".join(word.split()) or "_" for word in sentence] for sentence in sentences if sentence]
    return _encode("".join(map(format_sentence, word_sentences(words))))


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem(400, "the data hold half a character, which UTF-8 cannot") from None


def answer(entry: Entry, order: Order, result: str) -> dict[str, Any]:
    """The answer to ``/process``."""
    if order.to == "conllu" and result:
        result = _with_origin(entry, result)
    return {"model": entry.name, "acknowledgements": [entry.about] if entry.about else [], "result": result}


def _with_origin(entry: Entry, result: str) -> str:
    """Put comments that say where trees come from before the first sentence."""
    start = len(result) - len(result.lstrip("\ufeff\r\n "))
    newline = "\r\n" if "\r\n" in result[: result.find("\n") + 1] else "\n"
    lines = [f"# generator = {GENERATOR}", f"# udpipe_model = {entry.name}"]
    lines += [f"# udpipe_model_licence = {entry.licence}"] if entry.licence else []
    return result[:start] + "".join(line + newline for line in lines) + result[start:]
