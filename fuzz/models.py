"""Forged model files, with correct checksums.

An input is JSON, a list of changes of a small model:

- ``["set", TENSOR, PATH, VALUE]``: a value inside a tensor that holds JSON, or inside the description (``""``)
- ``["put", TENSOR, PLACE, VALUE]``: a number of an array
- ``["shape", TENSOR, SHAPE]``, ``["type", TENSOR, TYPE]``, ``["drop", TENSOR]``, ``["copy", TENSOR, FROM]``
- ``["byte", PLACE, VALUE]``, ``["cut", LENGTH]``: of the finished file, so that the checksum is wrong

Any other input is used as the bytes of a file.
"""

import json
import math
from functools import cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from fuzz import mutation, samples
from fuzz.findings import expect, shape
from headway.annotator import Annotator, load_model
from headway.corpus import Sentence, is_tree
from headway.errors import HeadwayError, ModelError
from headway.model_file import read_model_file, read_text_tensor, text_tensor, write_model_file

JSON_TENSORS = ("settings", "encoder", "labels", "words", "splitter")
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 255, 1 << 20, 1 << 31, 1 << 62, 1 << 63, -(1 << 63), 1 << 70, 0.5, -0.5,
    1e308, 1e-308, float("nan"), float("inf"), -float("inf"), "", "x", "_", "\n", "\ud800", "é" * 50, "h.upos",
    "h.upos m.upos", "no such", "eisner", "hill-climbing", "linear", "exact", [], [0], [None], ["a", "b"], [[]],
    [1, 2, 3], {}, {"a": 1}, {"": None},
)  # fmt: skip
TYPES = ("int8", "uint8", "int32", "int64", "uint64", "float32", "float64")
SENTENCE = Sentence.from_words(["The", "pilot", "saw", "it", "."], upos=["DET", "NOUN", "VERB", "PRON", "PUNCT"])
LARGEST = 1 << 20
TEXT = "The pilot saw Clara. It waited!"

Tensors = dict[str, npt.NDArray[Any]]


@cache
def _models() -> list[tuple[Tensors, dict[str, Any]]]:
    return [read_model_file(samples.place(name)) for name in (samples.TEXT, samples.PARTS)]


class Models:
    """Changes of a model."""

    lines = ("model.py", "model_file.py", "annotator.py", "encoding/", "features/", "scorers/rows.py", "tagging/")

    def fresh(self, random: Random) -> bytes:
        """A change or two of a model."""
        return _written([random.randrange(2), *(_change(random) for _ in range(random.choice((1, 1, 1, 2))))])

    def changed(self, random: Random, data: bytes, other: bytes) -> bytes:
        """Return more changes, or the same changes with other values."""
        mine, others = _read(data), _read(other)
        if mine is None or random.random() < 0.02:
            return mutation.changed(random, data, other, (b"[", b"{", b'"', b"null", b"1"))
        action = random.randrange(4)
        if action == 0 and len(mine) < 5:
            mine.append(_change(random))
        elif action == 1 and others:
            mine.append(random.choice(others[1:] or [_change(random)]))
        elif action == 2 and len(mine) > 1:
            edit = random.choice(mine[1:])
            if isinstance(edit, list) and edit:
                edit[-1] = random.choice(VALUES)
        else:
            mine = [random.randrange(2), _change(random)]
        return _written(mine)

    def smaller(self, data: bytes) -> list[bytes]:
        """Fewer changes."""
        edits = _read(data)
        if edits is None:
            return mutation.smaller(data)
        return [_written(edits[:place] + edits[place + 1 :]) for place in range(1, len(edits))]

    def check(self, data: bytes) -> str:
        """Load the model and use it; the only allowed error is a refusal."""
        path = samples.place("forged.headway")
        edits = _read(data)
        told = _forge(path, edits) if edits is not None else path.write_bytes(data)
        try:
            model = load_model(path)
        except ModelError as error:
            return f"{told} refused {shape(error)}"
        try:
            _use(model)
        except HeadwayError as error:
            return f"{told} loaded, {shape(error)}"
        return f"{told} used"


def _written(edits: list[Any]) -> bytes:
    return json.dumps(edits).encode()


def _read(data: bytes) -> list[Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and found else None


def _use(model: Any) -> None:
    parser = model.parser if isinstance(model, Annotator) else model
    trees = list(parser.parse([SENTENCE], confidence=True))
    trees += parser.parse([SENTENCE.with_tree([2, -1, 0, -1, 3], ["det", "_", "root", "_", "punct"])], keep_heads=True)
    if isinstance(model, Annotator):
        trees += model.annotate(TEXT)
        expect(len(trees) > 2, "a text without sentences")
    expect(all(is_tree(tree.heads) for tree in trees), "a tree that is none")
    parser.description()


def _change(random: Random) -> list[Any]:
    """A random change of one of the models."""
    tensors, facts = _models()[random.randrange(2)]
    name = random.choice(sorted(tensors))
    action = random.random()
    if action < 0.6:
        held = random.choice([one for one in JSON_TENSORS if one in tensors] * 4 + [""])
        content = read_text_tensor(tensors[held]) if held else facts
        return ["set", held, _path(random, content), random.choice(VALUES)]
    if action < 0.75:
        value = random.choice([value for value in VALUES if isinstance(value, int | float)])
        return ["put", name, random.randrange(1 << 16), value]
    if action < 0.8:
        size = tensors[name].size
        return ["shape", name, random.choice(([], [size], [1, size], [size, 1], [0], [size // 2, 2], [size, 0]))]
    if action < 0.85:
        return ["type", name, random.choice(TYPES)]
    if action < 0.9:
        return ["drop", name]
    if action < 0.95:
        return ["copy", name, random.choice(sorted(tensors))]
    return random.choice(
        (["byte", random.randrange(1 << 18), random.randrange(256)], ["cut", random.randrange(1 << 18)])
    )


def _path(random: Random, content: Any) -> list[Any]:
    """Return the path to a value inside JSON."""
    path = []
    while isinstance(content, dict | list) and content and (not path or random.random() < 0.7):
        step = random.choice(sorted(content)) if isinstance(content, dict) else random.randrange(len(content))
        path.append(step)
        content = content[step]
    return path


def _forge(path: Any, edits: list[Any]) -> str:
    """Write a changed model, and return the kinds of its changes; impossible changes are left out."""
    which = edits[0] if isinstance(edits[0], int) else 0
    tensors, facts = _models()[which % 2]
    tensors, facts, late, told = dict(tensors), json.loads(json.dumps(facts)), [], set()
    for edit in edits[1:]:
        if isinstance(edit, list) and edit and edit[0] in ("byte", "cut"):
            late.append(edit)
        try:
            if _apply(edit, tensors, facts):
                told.add(f"{edit[0]} {edit[1]}")
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
            continue
    write_model_file(path, tensors, facts)
    data = path.read_bytes() if late else b""
    for edit in late:
        if edit[0] == "cut" and isinstance(edit[-1], int):
            data = data[: abs(edit[-1])]
        elif len(edit) == 3 and all(isinstance(number, int) for number in edit[1:]) and data:
            place = edit[1] % len(data)
            data = data[:place] + bytes([edit[2] % 256]) + data[place + 1 :]
    if late:
        path.write_bytes(data)
    return f"{which % 2} {sorted(told)}"


def _apply(edit: Any, tensors: Tensors, facts: dict[str, Any]) -> bool:
    action, name, *rest = edit
    if action == "set":
        _set(name, *rest, tensors, facts)
    elif action == "put":
        array = tensors[name].copy()
        with np.errstate(all="ignore"):
            array.reshape(-1)[rest[0] % array.size] = rest[1]
        tensors[name] = array
    elif action == "shape":
        if math.prod(rest[0]) > LARGEST:
            return False
        tensors[name] = np.resize(tensors[name], rest[0])
    elif action == "type" and rest[0] in TYPES:
        with np.errstate(all="ignore"):
            tensors[name] = tensors[name].astype(rest[0])
    elif action == "drop":
        del tensors[name]
    elif action == "copy":
        tensors[name] = tensors[rest[0]]
    else:
        return False
    return True


def _set(name: str, path: list[Any], value: Any, tensors: Tensors, facts: dict[str, Any]) -> None:
    content = read_text_tensor(tensors[name]) if name else facts
    if not path and name:
        tensors[name] = text_tensor(value)
        return
    inner = content
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    if name:
        tensors[name] = text_tensor(content)
