"""Read and write model files: safetensors with a JSON description, checked on load. Loading executes no code.

The header's metadata has one entry, ``headway``: JSON with the format version, a checksum of the whole file, and the
description. Everything else is stored in tensors; long JSON (the vocabularies) in a tensor of bytes.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from headway.corpus import open_output
from headway.corpus.files import compression
from headway.errors import ModelError, UsageError
from headway.support.arguments import check_path

VERSION = 4
_MOST_HEADER = 1 << 24
_TYPES = {
    "I8": np.int8,
    "U8": np.uint8,
    "I32": np.int32,
    "I64": np.int64,
    "U64": np.uint64,
    "F32": np.float32,
    "F16": np.float16,
    "F64": np.float64,
}
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}
_ALIGNMENT = 8

Tensors = Mapping[str, npt.NDArray[Any]]
Bytes = npt.NDArray[np.uint8]


def write_model_file(path: str | Path, tensors: Tensors, description: Mapping[str, Any]) -> None:
    """Write a model file; it appears complete or not at all."""
    check_model_path(path)
    arrays = {name: np.ascontiguousarray(tensors[name]) for name in _layout(tensors)}
    about = {"version": VERSION, "checksum": _checksum(arrays, description), "description": description}
    header: dict[str, Any] = {"__metadata__": {"headway": json.dumps(about)}}
    end = 0
    for name, array in arrays.items():
        start, end = end, end + array.nbytes
        header[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    with open_output(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays.values():
            file.write(array.reshape(-1).view(np.uint8).data)


def check_model_path(path: str | Path) -> None:
    """Raise UsageError for standard output and for names that mean compression."""
    check_path(path, "the path of a model file")
    if str(path) == "-" or compression(path):
        raise UsageError(f"{path}: a model file cannot be compressed, or written to standard output")


def check_model_place(path: str | Path) -> None:
    """Check, before hours of training, that a model file can be written there; UsageError if not."""
    check_model_path(path)
    folder = Path(path).absolute().parent
    if Path(path).is_dir():
        raise UsageError(f"{path}: is a folder, not a file")
    if not folder.is_dir():
        raise UsageError(f"{path}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path}: no permission to write there")


def read_model_file(
    path: str | Path, content: Bytes | None = None
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return the tensors (read-only) and the description.

    The file is read into memory rather than mapped, so later changes to the file, such as a new model copied over it,
    do not affect loaded models.

    Parameters
    ----------
    content : (bytes,) uint8, optional
        What is in the file, if it has been read already; the tensors are views of it.

    Raises
    ------
    ModelError
        If the file does not exist, is not a Headway model, is damaged, or has another format version.
    """
    name = str(path)
    data = _read(name) if content is None else content
    header, start = _header(name, data)
    about = _about(name, header.pop("__metadata__", None))
    try:
        tensors = {key: _tensor(data, start, entry) for key, entry in header.items()}
        ends = [entry["data_offsets"][1] for entry in header.values()]
        expected = _checksum(tensors, about["description"])
        whole = len(data) == start + max(ends, default=0) and about["checksum"] == expected
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{name}: the model file is damaged ({error})") from error
    if not isinstance(about["description"], dict):
        raise ModelError(f"{name}: the model file is damaged (it has no valid description)")
    if not whole:
        raise ModelError(f"{name}: the model file is damaged or cut short: copy or train it again")
    return tensors, about["description"]


def read_description(path: str | Path) -> dict[str, Any]:
    """Return only the description, without reading or checking the tensors."""
    name = str(path)
    try:
        with open(name, "rb") as file:
            start = np.frombuffer(file.read(8), dtype=np.uint8)
            length = int.from_bytes(start.tobytes(), "little")
            data = file.read(min(length, _MOST_HEADER))
    except OSError as error:
        raise ModelError(f"{name}: cannot read the model: {(error.strerror or str(error)).lower()}") from error
    header, _ = _header(name, np.concatenate([start, np.frombuffer(data, dtype=np.uint8)]))
    description: dict[str, Any] = _about(name, header.get("__metadata__"))["description"]
    return description


def read_only(tensors: Tensors) -> dict[str, npt.NDArray[Any]]:
    """Return read-only views of the tensors, as after loading: kernels are compiled for read-only arrays."""
    views = {name: tensor.view() for name, tensor in tensors.items()}
    for view in views.values():
        view.flags.writeable = False
    return views


def _layout(tensors: Tensors) -> list[str]:
    """Return the order of tensors in the file: large item sizes first, so that all tensors are aligned."""
    return sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))


_LINES = "lines"
_LONG_LIST = 50


def text_tensor(value: Any) -> npt.NDArray[np.uint8]:
    """Encode a JSON value as an array of bytes: one line of JSON, then the strings of its long lists, one per line.

    In the JSON, ``{"lines": length}`` replaces such a list: reading strings from JSON would take five times as long.
    """
    strings: list[str] = []
    text = json.dumps(_without_strings(value, strings), ensure_ascii=False)
    return np.frombuffer("\n".join([text, *strings]).encode(), dtype=np.uint8)


def _without_strings(value: Any, strings: list[str]) -> Any:
    """Move the strings of long lists to `strings`, and replace each such list by its length."""
    if isinstance(value, dict):
        return {key: _without_strings(entry, strings) for key, entry in value.items()}
    if not isinstance(value, list | tuple):
        return value
    if len(value) < _LONG_LIST or not all(type(entry) is str and "\n" not in entry for entry in value):
        return [_without_strings(entry, strings) for entry in value]
    strings.extend(value)
    return {_LINES: len(value)}


def read_text_tensor(tensor: npt.NDArray[np.uint8]) -> Any:
    """Decode the result of `text_tensor`; ValueError if it is not valid."""
    text, *strings = tensor.tobytes().decode().split("\n")
    end = 0

    def with_strings(entry: dict[str, Any]) -> Any:
        nonlocal end
        if entry.keys() != {_LINES} or type(entry[_LINES]) is not int:
            return entry
        start, end = end, end + max(0, entry[_LINES])
        return strings[start:end]

    value = json.loads(text, object_hook=with_strings)
    if end != len(strings):
        raise ValueError(f"{len(strings)} strings where there should be {end}")
    return value


def _read(name: str) -> Bytes:
    try:
        with open(name, "rb") as file:
            data = np.fromfile(file, dtype=np.uint8)
    except OSError as error:
        raise ModelError(f"{name}: cannot read the model: {(error.strerror or str(error)).lower()}") from error
    data.flags.writeable = False
    return data


def _header(name: str, data: Bytes) -> tuple[dict[str, Any], int]:
    length = int.from_bytes(data[:8].tobytes(), "little") if len(data) >= 8 else 0
    if not 2 <= length <= min(_MOST_HEADER, len(data) - 8):
        raise ModelError(f"{name}: not a Headway model, or cut short")
    try:
        header = json.loads(data[8 : 8 + length].tobytes())
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{name}: not a Headway model, or damaged") from error
    if not isinstance(header, dict):
        raise ModelError(f"{name}: not a Headway model")
    return header, 8 + length


def _about(name: str, metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, dict) or not isinstance(metadata.get("headway"), str):
        raise ModelError(f"{name}: not a Headway model")
    try:
        about: dict[str, Any] = json.loads(metadata["headway"])
        version = about["version"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise ModelError(f"{name}: the model file is damaged") from error
    if version != VERSION:
        raise ModelError(
            f"{name}: model format {version}, but this version of Headway reads format {VERSION}: train it again"
        )
    return about


def _tensor(data: Bytes, start: int, entry: dict[str, Any]) -> npt.NDArray[Any]:
    first, last = entry["data_offsets"]
    if not 0 <= first <= last <= len(data) - start:
        raise ValueError("a tensor lies outside the file")
    kind = np.dtype(_TYPES[entry["dtype"]])
    if (start + first) % kind.itemsize:
        raise ValueError("a tensor is not aligned")
    values = np.frombuffer(data, dtype=kind, count=(last - first) // kind.itemsize, offset=start + first)
    return values.reshape(entry["shape"])


def _checksum(tensors: Tensors, description: Mapping[str, Any]) -> int:
    """Return the CRC-32 of tensors and description, which detects damage but not forgery."""
    checksum = crc32(json.dumps(description).encode())
    for name in sorted(tensors):
        checksum = crc32(f"{name} {tensors[name].dtype} {tensors[name].shape}\n".encode(), checksum)
        checksum = crc32(tensors[name].reshape(-1).view(np.uint8).data, checksum)
    return checksum
