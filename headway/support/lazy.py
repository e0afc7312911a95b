"""Packages that import their modules on first use, so that unused modules take no time."""

TYPE_CHECKING = False  # importing nothing: `headway` itself uses this
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(package: str, homes: "Mapping[str, str]") -> "Callable[[str], Any]":
    """Return the ``__getattr__`` of a package.

    Parameters
    ----------
    homes : mapping of str to str
        Maps the names that the package offers to the modules that define them. A name must not be that of a module of
        the package: once imported, the module would replace it.
    """

    def find(name: str) -> "Any":
        from importlib import import_module

        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find
