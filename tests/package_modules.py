"""All modules of the package that can be imported here: some need PyTorch, which is optional."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import headway

OPTIONAL = {"torch"}


def package_modules() -> Iterator[ModuleType]:
    """Import every module of the package, except those that need an optional package that is not installed."""
    for module in pkgutil.walk_packages(headway.__path__, "headway."):
        try:
            yield importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name not in OPTIONAL:
                raise
