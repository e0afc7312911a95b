"""Small programs that run kernels in processes of their own and count what is compiled."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

COUNTING = """
import atexit, sys
def _count():
    from numba.core import event
    class Listener(event.Listener):
        def on_start(self, event):
            COMPILED.append(event.data["dispatcher"].py_func.__name__)
        def on_end(self, event):
            pass
    event.register("numba:compile", Listener())
COMPILED = []
_count()
atexit.register(lambda: print("compiled", *sorted(COMPILED), file=sys.stderr))
"""
"""Prints the names of all functions that Numba compiles, on standard error, at the end."""

KEY = """
from headway.parts.structures import span_key
print(span_key(1, 2, 3, 4))
"""
"""A kernel that calls a kernel of another file, `part_key` in ``kinds.py``."""


def copy_package(folder: Path) -> Path:
    """Put a copy of the package, without models, into `folder`, where no cache can be made beside the sources."""
    ignored = shutil.ignore_patterns("__pycache__", "*.headway", "compiled")
    package = Path(shutil.copytree(ROOT / "headway", folder / "headway", ignore=ignored))
    for place in {source.parent for source in package.rglob("*.py")}:
        (place / "__pycache__").write_text("a file, so that nobody can make a folder of this name: not even root")
    return package


def edit(source: Path, old: str, new: str) -> None:
    """Change a source file."""
    text = source.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{source.name} has {text.count(old)} times: {old}"
    source.write_text(text.replace(old, new), encoding="utf-8")


class Done:
    """The outcome of a program."""

    def __init__(self, process: "subprocess.CompletedProcess[str]") -> None:
        self.output, self.errors, self.code = process.stdout, process.stderr, process.returncode
        *others, last = self.errors.splitlines() or [""]
        self.compiled = last.split()[1:] if last.startswith("compiled") else None
        self.warnings = [line for line in others if "Warning" in line]


def environment(**variables: str) -> dict[str, str]:
    """The environment without settings of Headway's or Numba's, and with these."""
    ours = ("HEADWAY_", "NUMBA_", "PYTHON", "XDG_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | variables


def run(code: str, *, counting: bool = True, prefix: Sequence[str] = (), **variables: str) -> Done:
    """Run a program, perhaps by another command, and count what it compiles, which imports Numba."""
    settings = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | variables
    command = [*prefix, sys.executable, "-c", COUNTING + code if counting else code]
    return Done(
        subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment(**settings),
            cwd=settings["PYTHONPATH"].partition(":")[0],  # the first place that modules are looked for in
        )
    )  # fmt: skip
