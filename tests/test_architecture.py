"""The functions that the architecture page names, one for each step of ``headway parse``, exist and are called.

The model is ``en``, which searches by hill-climbing.
"""

import inspect
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from typer.testing import CliRunner

from headway.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
[TABLE] = re.findall(r"^\| step \|.*\n(?:\|.*\n)+", PAGE, re.MULTILINE)
NAMES = re.findall(r"`(\w+(?:\.\w+)+)`", TABLE)
PROTOCOLS = {"Scorer.scores", "Decoder.decode"}
"""Implemented by other classes, and not called where there is a fast path."""
STEPS = re.findall(r"^\| \d+ \| `(\w+(?:\.\w+)+)` \|", TABLE, re.MULTILINE)


def test_every_step_names_a_function() -> None:
    numbers = re.findall(r"^\| (\d+) \|", TABLE, re.MULTILINE)
    assert len(STEPS) == len(numbers) > 10


@pytest.mark.parametrize("name", NAMES)
def test_a_function_exists(name: str) -> None:
    assert _functions(name)


def test_parsing_a_text_calls_them_in_this_order(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Dogs bark. Cats sleep.", encoding="utf-8")
    called: dict[CodeType, int] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            called.setdefault(frame.f_code, len(called))

    sys.setprofile(note)
    try:
        result = CliRunner().invoke(app, ["parse", str(text), "--confidence", "-o", str(tmp_path / "trees.conllu")])
    finally:
        sys.setprofile(None)
    assert result.exit_code == 0, result.output
    reached = {name: [called[code] for code in map(_code, _functions(name)) if code in called] for name in NAMES}
    assert {name for name, times in reached.items() if not times} == PROTOCOLS
    at_once = [name for name in STEPS if not any(map(inspect.isgeneratorfunction, _functions(name)))]
    assert at_once == sorted(at_once, key=lambda name: min(reached[name]))
    assert len(STEPS) - len(at_once) == 3  # generators, which run when their values are needed


def _code(function: Any) -> CodeType:
    plain = function.__init__ if inspect.isclass(function) else inspect.unwrap(function)
    code: CodeType = plain.__code__
    return code


def _functions(name: str) -> list[Callable[..., Any]]:
    """The functions and classes of the package with this name."""
    first, *others = name.split(".")
    homes = _classes(first) if first[0].isupper() else [_module(first, others)]
    return [
        found for home in homes if callable(found := reduce(lambda home, part: getattr(home, part, None), others, home))
    ]


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
