"""The API that is compatible with UDPipe: ``/models`` and ``/process``.

Parameters, responses and errors are those of the UDPipe 2 REST service, so its clients work with this server. There are
two differences, because results are those of ``headway parse``: every result for plain text has character ranges, and
texts are not normalised.
"""

import re
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


def list_models(catalogue: Catalogue) -> dict[str, Any]:
    """Return the response to ``/models``."""
    return {
        "models": {entry.name: entry.steps for entry in catalogue.entries},
        "default_model": catalogue.default.name,
    }


def read_request(given: Mapping[str, str], catalogue: Catalogue) -> tuple[Entry, Order, bytes, bool]:
    """Interpret the parameters of ``/process``.

    Returns
    -------
    entry : Entry
        The model.
    order : Order
    data : bytes
        The input, in UTF-8.
    text : bool
        Whether the input is plain text; otherwise it is a CoNLL-U table.

    Raises
    ------
    Problem
        If a parameter is missing or invalid (400).
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
    """Return the names of the options; values and unknown names are ignored, as by UDPipe (``tokenizer=yes``)."""
    return frozenset(option.partition("=")[0] for option in text.split(";"))


def _output(text: str) -> str:
    name, _, option = text.partition("=")
    if name not in OUTPUTS:
        raise Problem(400, f"unknown output format; choose from {', '.join(OUTPUTS)}")
    return "lines" if (name, option) == ("plaintext", "normalized_spaces") else name


def _table(data: str, form: str) -> bytes:
    name = form.partition("=")[0]
    if name == "conllu":
        return _encode(data)
    if name not in INPUTS:
        raise Problem(400, f"unknown input format; choose from {', '.join(INPUTS)}")
    if name == "horizontal":  # a no-break space is part of a word
        return words_table([re.findall(r"[^ \t]+", line) for line in re.split("[\r\n]+", data)])
    blocks = re.split(r"\n[ \t]*(?=\n)", data.replace("\r\n", "\n"))
    lines = [[line.strip("\t").partition("\t")[0].strip() for line in block.split("\n")] for block in blocks]
    return words_table([list(filter(None, words)) for words in lines])


def words_table(sentences: list[list[str]]) -> bytes:
    """Return sentences, given as lists of words, as a CoNLL-U table."""
    words = [[" ".join(word.split()) or "_" for word in sentence] for sentence in sentences if sentence]
    return _encode("".join(map(format_sentence, word_sentences(words))))


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem(400, "the data has half of a surrogate pair, which cannot be encoded in UTF-8") from None


def answer(entry: Entry, order: Order, result: str) -> dict[str, Any]:
    """Return the response to ``/process``."""
    if order.to == "conllu" and result:
        result = _with_origin(entry, result)
    if order.to == "lines":
        result = result.removeprefix("\n")
    return {"model": entry.name, "acknowledgements": [entry.about] if entry.about else [], "result": result}


def _with_origin(entry: Entry, result: str) -> str:
    """Insert UDPipe's comments about generator, model and licence before the first sentence."""
    start = len(result) - len(result.lstrip("\ufeff\r\n "))
    newline = "\r\n" if "\r\n" in result[: result.find("\n") + 1] else "\n"
    lines = [f"# generator = {GENERATOR}", f"# udpipe_model = {entry.name}"]
    lines += [f"# udpipe_model_licence = {entry.licence}"] if entry.licence else []
    return result[:start] + "".join(line + newline for line in lines) + result[start:]
