"""Scorers, which compute scores of parts and trees, and their registry.

Linear models, networks and sums of scorers are built in. Other packages can add scorers by the entry-point group
``headway.scorers`` or by `register_scorer`. A model file contains the name of its scorer.
"""

from importlib import import_module
from typing import Any

from headway.errors import UsageError
from headway.support.plugins import find_plugins, load_plugin

GROUP = "headway.scorers"
"""The entry-point group for scorers of other packages."""

_BUILT_IN = {"neural": ("headway.scorers.neural.scorer", "NeuralScorer")}
"""Built-in scorers that are only imported when a model needs them."""

_REGISTERED: dict[str, Any] = {}


def register_scorer(name: str, scorer: Any) -> None:
    """Register a class of scorers; its class method ``from_tensors(encoder, tensors)`` loads one from a model file."""
    _REGISTERED[name] = scorer


def find_scorer(name: str) -> Any:
    """Return the class of scorers registered under that name."""
    if name in _BUILT_IN and name not in _REGISTERED:
        module, built_in = _BUILT_IN[name]
        return getattr(import_module(module), built_in)
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name in (plugins := find_plugins(GROUP)):
        return load_plugin(plugins[name])
    known = ", ".join(["linear", "sum", *_BUILT_IN, *plugins, *_REGISTERED])
    raise UsageError(f"no scorer {name!r}; choose from {known}: import or install the package that has it")
