"""Plugins: classes of other packages, found by entry points."""

from typing import TYPE_CHECKING, Any

from headway.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def find_plugins(group: str) -> dict[str, "EntryPoint"]:
    """Return the plugins of an entry-point group by their names; nothing is imported."""
    from importlib.metadata import entry_points  # imported here: it is slow to import, and few commands need it

    return {entry.name: entry for entry in entry_points(group=group)}


def load_plugin(plugin: "EntryPoint") -> Any:
    """Import a plugin; UsageError if its module, or something that this imports, is missing."""
    try:
        return plugin.load()
    except (ImportError, AttributeError) as error:
        what = f"the plugin {plugin.name!r} ({plugin.group}: {plugin.value}) cannot be imported: {error}"
        raise UsageError(f"{what}: reinstall the package that has it") from error
