"""Check that the package writes files through ``headway/support/writing.py`` and in no other way.

The check finds calls that can make, change or rename a file, by their names: ``open`` with a mode that writes,
``Path.write_text``, ``os.replace``, ``numpy.save``, everything of ``tempfile`` and so on. `ALLOWED` lists the few
functions that may, and why.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "headway"
LAYER = "support/writing.py"

ALLOWED = {
    ("corpus/files.py", "_output_file"): "devices and pipes are written to directly",
    ("corpus/files.py", "_compressed"): "around a file that is open already",
    ("corpus/resumable.py", "open"): "resumes an unfinished file, which has its own name",
    ("corpus/resumable.py", "_rename"): "renames it when it is complete",
    ("corpus/remote.py", "upload"): "puts complete local files into remote file systems",
    ("cli/streams.py", "open_closed_streams"): "standard streams that were closed",
    ("cli/failures.py", "_give_up_standard_output"): "redirects standard output to nowhere",
    ("server/shared_models.py", "_copy_into_memory"): "an anonymous file in memory",
    ("warmup.py", "run"): "models for compiling kernels, in a temporary folder",
    ("warmup.py", "_constituents"): "the same",
}
"""Functions, by file and name, that write in another way, and the reason."""

METHODS = {
    "write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "rename", "tofile", "savetxt", "savez",
    "savez_compressed", "memmap", "fdopen", "copyfile", "copy2", "copytree", "copyfileobj", "make_archive",
    "extractall", "sendfile", "put_file", "pipe_file", "cp_file", "mv",
}  # fmt: skip
"""Names of functions and methods that write, whatever object they belong to."""

QUALIFIED = {
    "os": {"replace", "rename", "renames", "link", "symlink", "truncate", "mknod", "mkfifo", "open"},
    "shutil": {"copy", "move"},
    "np": {"save"},
    "numpy": {"save"},
    "tempfile": None,
}
"""Names that only write as members of a module; None for all members."""

OPENERS = {"open", "GzipFile", "LZMAFile", "BZ2File", "ZipFile", "FileIO"}
_WRITING = set("wax+")


def problems(package: Path) -> Iterator[str]:
    """Yield one line, ``file:line: what is wrong``, for each call that writes in another way.

    Parameters
    ----------
    package : Path
        The folder of the package.
    """
    used = set()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name == LAYER:
            continue
        for line, function, call in _writes(ast.parse(path.read_bytes()), ""):
            used.add((name, function))
            if (name, function) not in ALLOWED:
                yield f"{path}:{line}: {call} writes a file in a way of its own: use {PACKAGE}/{LAYER}"
    if package.name == PACKAGE and (package / LAYER).exists():
        yield from (f"{Path(__file__).name}: nothing is written in {place}" for place in sorted(set(ALLOWED) - used))


def _writes(node: ast.AST, function: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, function and name of each call that writes."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = node.name
    if isinstance(node, ast.Call) and (name := _writing_call(node)):
        yield node.lineno, function, name
    for child in ast.iter_child_nodes(node):
        yield from _writes(child, function)


def _writing_call(call: ast.Call) -> str | None:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    module = owner.id if isinstance(owner, ast.Name) else ""
    if module in QUALIFIED and ((known := QUALIFIED[module]) is None or name in known):
        return f"{module}.{name}"
    if name in METHODS or (name in OPENERS and _may_write(call)):
        return name
    return None


def _may_write(call: ast.Call) -> bool:
    """Return whether the mode of an opener writes; a mode that is not a plain string may."""
    modes = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    texts = [one for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    is_path = isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Name)
    modes += call.args[0:1] if is_path else call.args[1:2]
    if modes and not all(isinstance(mode, ast.Constant) for mode in modes):
        return True
    return any(set(str(text.value)) <= set("rwaxbtU+") and set(str(text.value)) & _WRITING for text in [*texts, *modes])


def main() -> int:
    """Print the problems of the package next to this folder; the exit code is 1 if there are any."""
    found = list(problems(Path(__file__).resolve().parent.parent / PACKAGE))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
