"""Decoders, which search for a tree given candidates and scores, and their registry.

A decoder is imported when its name is first used. Other packages add decoders by the entry-point group
``headway.decoders``, or by `register_decoder`.
"""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from headway.decoders.decoder import (
    Decoder,
    HasMarginals,
    ListsTrees,
    RunsChains,
    SamplesTrees,
    SearchesTrees,
    TableDecoder,
)
from headway.errors import UsageError
from headway.support.plugins import find_plugins, load_plugin

GROUP = "headway.decoders"
"""The entry-point group for decoders of other packages."""

_CHARTS = ("sibling", "model0", "model1", "model2", "carreras", "tri-sibling")

_BUILT_IN = {
    "spanning-tree": "headway.decoders.spanning_tree:SpanningTree",
    "eisner": "headway.decoders.eisner:Eisner",
    "hill-climbing": "headway.decoders.hill_climbing:HillClimbing",
    "greedy": "headway.decoders.greedy:Greedy",
    "sampling": "headway.decoders.sampling:Sampling",
    **dict.fromkeys(_CHARTS, "headway.decoders.third_order:ChartDecoder"),
    "dual-decomposition": "headway.decoders.dual_decomposition:DualDecomposition",
    "ad3": "headway.decoders.dual_decomposition:AlternatingDirections",
    "exact": "headway.decoders.dual_decomposition:Exact",
    "integer-program": "headway.decoders.integer_program:IntegerProgram",
}

_REGISTERED: dict[str, Callable[..., Decoder]] = {}


def register_decoder(name: str, decoder: Callable[..., Decoder]) -> None:
    """Register a decoder: a frozen dataclass, or a function of keyword options that returns a decoder."""
    _REGISTERED[name] = decoder


def decoder_names() -> list[str]:
    """Return the names of all decoders: built-in ones, those of other packages, and registered ones."""
    return list(dict.fromkeys([*_BUILT_IN, *find_plugins(GROUP), *_REGISTERED]))


def find_decoder(name: str, **options: Any) -> Decoder:
    """Make the decoder with this name.

    Parameters
    ----------
    options
        Options of the decoder, such as ``projective``, ``seconds`` or ``restarts``; options that it does not have are
        ignored.

    Raises
    ------
    UsageError
        If there is no such decoder, or if the package that has it cannot be imported.
    """
    if name in _REGISTERED:
        factory: Callable[..., Decoder] = _REGISTERED[name]
    elif name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        factory = getattr(import_module(module), attribute)
    elif name in (plugins := find_plugins(GROUP)):
        factory = load_plugin(plugins[name])
    else:
        raise UsageError(f"no decoder {name!r}; choose from {', '.join(decoder_names())}")
    if name in _CHARTS:
        options["factorization"] = name
    parameters = inspect.signature(factory).parameters
    return factory(**{option: value for option, value in options.items() if option in parameters})


__all__ = [
    "GROUP",
    "Decoder",
    "HasMarginals",
    "ListsTrees",
    "RunsChains",
    "SamplesTrees",
    "SearchesTrees",
    "TableDecoder",
    "decoder_names",
    "find_decoder",
    "register_decoder",
]
