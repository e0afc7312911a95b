"""Checks of a model file: JSON against annotations, and arrays against their types, shapes and ranges.

A model may come from an untrusted source, with a correct checksum, and kernels read arrays unchecked. So everything is
checked before use. The annotations are those of the dataclass or typed dictionary that the JSON becomes; ``Annotated``
adds rules. Values of one kind are checked together, so that a hundred thousand strings take milliseconds.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Protocol, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import numpy.typing as npt


class Rule(Protocol):
    """A rule that values of the right type must also satisfy."""

    def check(self, values: Collection[Any], name: str) -> None:
        """Raise ValueError if a value breaks the rule."""
        ...


@dataclass(frozen=True)
class Within:
    """Numbers from `least` to `most`."""

    least: float
    most: float

    def check(self, values: Collection[Any], name: str) -> None:
        """Raise ValueError if a value is out of range."""
        if not all(self.least <= value <= self.most for value in values):
            raise ValueError(f"{name} must be from {self.least:g} to {self.most:g}")


@dataclass(frozen=True)
class OneOf:
    """Strings from a list of names."""

    names: tuple[str, ...]

    def check(self, values: Collection[Any], name: str) -> None:
        """Raise ValueError if a value is not one of the names."""
        if not set(values) <= set(self.names):
            raise ValueError(f"{name} must be one of {', '.join(self.names)}")


@dataclass(frozen=True)
class Cells:
    """Strings that a column of a table can hold: not empty, without tabs and line breaks."""

    def check(self, values: Collection[Any], name: str) -> None:
        """Raise ValueError if a column cannot hold a value."""
        together = " ".join(values)
        if "" in values or any(letter in together for letter in "\t\n\r"):
            raise ValueError(f"{name} must not be empty, and have no tabs or line breaks")


@dataclass(frozen=True)
class Sized:
    """Lists and dictionaries of `least` to `most` entries."""

    least: int
    most: float = math.inf

    def check(self, values: Collection[Any], name: str) -> None:
        """Raise ValueError if a value has fewer or more entries."""
        if not all(self.least <= len(value) <= self.most for value in values):
            raise ValueError(f"{name} must have {self.least} to {self.most:g} entries")


_SCALARS = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text", NoneType: "nothing"}


def check_json(value: Any, annotation: Any, name: str) -> None:
    """Raise ValueError, in a few words, unless a value read from JSON matches an annotation.

    Parameters
    ----------
    annotation
        ``bool``, ``int``, ``float``, ``str``, ``Any``, ``list``, ``tuple`` and ``dict`` of such, a typed dictionary,
        ``X | None``, ``Annotated[X, rule, …]``.
    """
    _check_all([value], annotation, name)


def check_fields(values: Any, owner: type, name: str) -> None:
    """Raise ValueError unless `values` are the fields of a dataclass, by its annotations."""
    known_fields = {field.name: field for field in fields(owner)}
    needed = {
        key for key, field in known_fields.items() if field.default is MISSING and field.default_factory is MISSING
    }
    _check_keys(values, needed, known_fields, name)
    hints = get_type_hints(owner, include_extras=True)
    for key, value in values.items():
        check_json(value, hints[key], f"{name}: {key}")


def _check_keys(values: Any, needed: Collection[str], known: Collection[str], name: str) -> None:
    if type(values) is not dict:
        raise ValueError(f"{name} must be a dictionary")
    if missing := sorted(set(needed) - values.keys()):
        raise ValueError(f"{name} must have {missing[0]}")
    if unknown := sorted(values.keys() - set(known)):
        raise ValueError(f"{name} must not have {unknown[0]!r}")


def _check_all(values: Sequence[Any], annotation: Any, name: str) -> None:
    """Check values that share one annotation."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return
    if origin is NotRequired:
        _check_all(values, arguments[0], name)
    elif origin is Annotated:
        _check_all(values, arguments[0], name)
        for rule in arguments[1:]:
            rule.check(values, name)
    elif origin in (Union, UnionType):
        [other] = [argument for argument in arguments if argument is not NoneType]
        _check_all([value for value in values if value is not None], other, name)
    elif is_typeddict(annotation):
        _check_typed(values, annotation, name)
    elif origin in (list, tuple):
        _check_types(values, {list, tuple}, name, "a list")
        _check_items(values, origin, arguments, name)
    elif origin is dict:
        _check_types(values, {dict}, name, "a dictionary")
        _check_all(list(chain.from_iterable(values)), arguments[0], name)
        _check_all(list(chain.from_iterable(value.values() for value in values)), arguments[1], name)
    else:
        _check_scalars(values, annotation, name)


def _check_items(values: Sequence[Any], origin: Any, arguments: tuple[Any, ...], name: str) -> None:
    if origin is list or Ellipsis in arguments:
        _check_all(list(chain.from_iterable(values)), arguments[0], name)
        return
    if any(len(value) != len(arguments) for value in values):
        raise ValueError(f"{name} must be a list of {len(arguments)}")
    for place, argument in enumerate(arguments):
        _check_all([value[place] for value in values], argument, name)


def _check_typed(values: Sequence[Any], annotation: Any, name: str) -> None:
    hints = get_type_hints(annotation, include_extras=True)
    for value in values:
        _check_keys(value, annotation.__required_keys__, hints, name)
        for key, entry in value.items():
            check_json(entry, hints[key], f"{name}: {key}")


def _check_scalars(values: Sequence[Any], annotation: type, name: str) -> None:
    if annotation is str:
        _check_strings(values, name)
        return
    allowed = {int, float} if annotation is float else {annotation}
    _check_types(values, allowed, name, _SCALARS[annotation])
    if annotation is float and not all(-math.inf < value < math.inf for value in values):
        raise ValueError(f"{name} must be finite")


def _check_strings(values: Sequence[Any], name: str) -> None:
    """Check types and characters in one pass: most of a model's JSON is strings."""
    try:
        "".join(values).encode()
    except TypeError:
        raise ValueError(f"{name} must be {_SCALARS[str]}") from None
    except UnicodeEncodeError:
        raise ValueError(f"{name} must not contain lone surrogates") from None


def _check_types(values: Sequence[Any], allowed: set[type], name: str, wanted: str) -> None:
    if not set(map(type, values)) <= allowed:
        raise ValueError(f"{name} must be {wanted}")


def check_array(
    tensors: Mapping[str, npt.NDArray[Any]],
    name: str,
    kind: npt.DTypeLike,
    shape: tuple[int | None, ...],
    within: tuple[float, float] | None = None,
) -> npt.NDArray[Any]:
    """Return an array of a model file, after checking it.

    Parameters
    ----------
    shape : tuple of int or None
        None for any length.
    within : (least, most), optional
        The range of all numbers; NaN is out of range.

    Raises
    ------
    ValueError
        If it does not exist, or has another type, shape or range.
    """
    array = tensors.get(name)
    if array is None:
        raise ValueError(f"there is no {name}")
    fits = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(kind) or not fits:
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise ValueError(f"{name} must be {np.dtype(kind)} ({wanted}), not {array.dtype} {array.shape}")
    if within is not None and not ((array >= within[0]) & (array <= within[1])).all():
        raise ValueError(f"{name} must be from {within[0]:g} to {within[1]:g}")
    return array
