"""Check the words of the code: docstrings that begin with What, How or Those, and variables called ``own``.

    python tools/check_words.py

A docstring's first line is an imperative or a noun phrase; a name says what the value is, not whose it is.
"""

import ast
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("headway", "tools", "benchmarks", "experiments", "fuzz", "docs", "tests")
_VAGUE = re.compile(r"(\([^)]*\) )?(What|How|Those)\b")
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def problems(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the reason of every problem in the source of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED):
            if text := ast.get_docstring(node):
                yield from _first_line(node.body[0].lineno, text)
            for before, after in pairwise(node.body):
                match before, after:
                    case ast.Assign() | ast.AnnAssign(), ast.Expr(ast.Constant(str(text))):
                        yield from _first_line(after.lineno, text)
        if (isinstance(node, ast.Name) and node.id == "own" and isinstance(node.ctx, ast.Store)) or (
            isinstance(node, ast.arg) and node.arg == "own"
        ):
            yield node.lineno, "a variable is called own: say what it is"


def _first_line(line: int, text: str) -> Iterator[tuple[int, str]]:
    if _VAGUE.match(text):
        yield line, f"docstring begins with a clause: {text.splitlines()[0]}"


def main() -> int:
    """Print all problems; return 1 if there are some."""
    found = False
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for line, reason in problems(path.read_text(encoding="utf-8")):
            print(f"{path.relative_to(ROOT).as_posix()}:{line}: {reason}")
            found = True
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
