"""Find built-in models by name."""

from pathlib import Path

from headway.errors import ModelError
from headway.support.arguments import check_path

_FOLDER = Path(__file__).resolve().parent
_ENDING = ".headway"


def known_models() -> list[str]:
    """Return the names of the built-in models."""
    return sorted(path.name.removesuffix(_ENDING) for path in _FOLDER.glob(f"*{_ENDING}"))


def find_model(name: str | Path) -> Path:
    """Return the file of a model, given the name of a built-in one or a path.

    Raises
    ------
    ModelError
        If there is no such file and no such built-in model.
    """
    check_path(name, "the name or the path of a model")
    if not str(name):
        raise ModelError(f"the name of a model is missing (built in: {', '.join(known_models()) or 'none'})")
    path = Path(name)
    if str(name) in known_models() and not path.is_file():
        return _FOLDER / f"{name}{_ENDING}"
    if not path.exists() and path.parent == Path() and not path.suffix:
        known = ", ".join(known_models()) or "none"
        raise ModelError(f"{name}: no such file, and no built-in model has that name (built in: {known})")
    return path
