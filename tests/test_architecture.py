"""The functions that the architecture page names, one for each step of ``headway parse``, exist."""

import re
from contextlib import suppress
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
[TABLE] = re.findall(r"^\| step \|.*\n(?:\|.*\n)+", PAGE, re.MULTILINE)
NAMES = re.findall(r"`(\w+(?:\.\w+)+)`", TABLE)


def test_every_step_names_a_function() -> None:
    rows = re.findall(r"^\| \d+ \| ([^|]*) \|", TABLE, re.MULTILINE)
    assert len(rows) == 12
    assert all(re.findall(r"`(\w+(?:\.\w+)+)`", row) for row in rows)


@pytest.mark.parametrize("name", NAMES)
def test_a_function_exists(name: str) -> None:
    first, *others = name.split(".")
    homes = _classes(first) if first[0].isupper() else [_module(first, others)]
    assert any(callable(reduce(lambda home, part: getattr(home, part, None), others, home)) for home in homes)


def _classes(name: str) -> list[object]:
    """The classes of this name in the package."""
    homes: list[object] = []
    for path in sorted((ROOT / "headway").rglob("*.py")):
        if re.search(rf"^class {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
            with suppress(ModuleNotFoundError):  # a class of the same name, in a module that needs another package
                homes.append(getattr(import_module(module), name))
    return homes


def _module(name: str, others: list[str]) -> object:
    """A module of the package; if it is a folder, with the module in it that the next part names."""
    if others and (ROOT / "headway" / name / f"{others[0]}.py").is_file():
        import_module(f"headway.{name}.{others[0]}")
    return import_module(f"headway.{name}")
