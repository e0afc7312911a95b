"""Models that were changed on purpose, one thing at a time, with checksums that fit."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from headway.annotator import Annotator, load_model
from headway.corpus import Sentence
from headway.errors import HeadwayError
from headway.model_file import read_text_tensor, write_model_file
from headway.parser import Parser

Tensors = dict[str, Any]
Forgery = tuple[str, Tensors, dict[str, Any]]

HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 7, 10**9, 10**30, -0.5, 0.5, 1e308, float("nan"), float("inf"), "", "x", "a\tb\n", "\ud800",
    [], [[]], [None], [1.5], ["a", "b"], {}, {"a": 1}, {"upos": []},
)  # fmt: skip
"""Values to put in place of anything in JSON."""

DROPPED = object()
TEXTS = ("encoder", "settings", "labels", "words", "splitter")
"""The tensors that are JSON."""

TEXT = "Dogs bark, and the old man's 2 cats (which he saw) didn't."
WORDS = Sentence.from_words(
    ["Dogs", "bark", ",", "and", "cats", "saw", "it", "."],
    upos=["NOUN", "VERB", "PUNCT", "CCONJ", "NOUN", "VERB", "PRON", "PUNCT"],
)


def forgeries(tensors: Tensors, facts: dict[str, Any]) -> Iterator[Forgery]:
    """List changed models: every entry of every JSON, then every array."""
    for name in (name for name in TEXTS if name in tensors):
        value = read_text_tensor(tensors[name])
        for place, changed in _changed_json(value):
            text = np.frombuffer(json.dumps(changed).encode(), dtype=np.uint8)
            yield f"{name}{place}", {**tensors, name: text}, facts
    for name, array in tensors.items():
        yield f"{name} missing", {key: other for key, other in tensors.items() if key != name}, facts
        for what, changed in _changed_arrays(array):
            yield f"{name} {what}", {**tensors, name: changed}, facts
    for fact in ([], 3, "x", None, {"calibrated": []}, {"preset": {"a": {"b": None}}}):
        yield f"description = {fact!r}", tensors, fact  # type: ignore[misc]
    yield "an extra array", {**tensors, "extra": np.zeros(3)}, facts


def _changed_json(value: Any) -> Iterator[tuple[str, Any]]:
    for place in _places(value):
        for hostile in (*HOSTILE, DROPPED):
            if place or hostile is not DROPPED:
                what = "dropped" if hostile is DROPPED else repr(hostile)[:20]
                yield f"{list(place)} = {what}", _replaced(value, place, hostile)
        if isinstance(_at(value, place), dict):
            yield f"{list(place)} with more", _replaced(value, (*place, "more"), 1)


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all entries; of long lists and dictionaries, to a few."""
    yield place
    if isinstance(value, dict):
        keys = list(value)
        for key in keys if len(keys) < 40 else [keys[0], keys[len(keys) // 2]]:
            yield from _places(value[key], (*place, key))
    elif isinstance(value, list) and value:
        yield from _places(value[0], (*place, 0))


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


def _replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copy = value.copy()
    if len(place) == 1 and new is DROPPED:
        del copy[place[0]]
    else:
        copy[place[0]] = _replaced(copy.get(place[0]) if isinstance(copy, dict) else copy[place[0]], place[1:], new)
    return copy


def _changed_arrays(array: Any) -> Iterator[tuple[str, Any]]:
    for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64):
        if array.dtype != kind:
            with np.errstate(all="ignore"):
                yield f"as {np.dtype(kind)}", array.astype(kind)
    yield "empty", array[:0]
    yield "shorter", array[:-1]
    yield "longer", np.concatenate([array, array[:1]])
    yield "flat", array.reshape(-1)
    yield "deeper", array[None]
    yield "a number", array.reshape(-1)[:1].reshape(())
    if array.ndim > 1:
        yield "narrower", np.ascontiguousarray(array[..., :-1])
        yield "turned", np.ascontiguousarray(array.T)
    kind = array.dtype
    extreme = [np.iinfo(kind).min, np.iinfo(kind).max] if kind.kind in "iu" else [np.nan, np.inf, -np.inf, 1e38, -1e38]
    for value in (0, 1, 100, *extreme):
        for what, where in (("first", slice(0, 1)), ("all", slice(None))):
            changed = array.copy()
            changed.reshape(-1)[where] = value
            yield f"{what} {value}", changed


def outcome(forgery: Forgery, path: Path) -> str | None:
    """Load and use a forged model: None if that works, else the error that a user is meant to read.

    Any other error comes through.
    """
    _, tensors, facts = forgery
    write_model_file(path, tensors, facts)
    try:
        model = load_model(path)
        parser = model if isinstance(model, Parser) else model.parser
        parser.description()
        if isinstance(model, Annotator):
            model(TEXT).to_conllu().encode()
        [found] = parser.parse([WORDS], confidence=True)
        "".join(found.labels).encode()
    except HeadwayError as error:
        return f"{type(error).__name__}: {error}"
    return None
