"""Check that imports inside the package go down the list of layers, never up.

A layer is a folder or a file directly under ``headway/``. It may import itself and every layer before it in
`LAYERS`. Names imported from the package itself (``from headway import Parser``) have the place of `FACE`. A
module that is not in the list is an error, so that nobody forgets to add it.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "headway"
FACE = "__init__"

LAYERS = (
    "errors",
    "support",
    "progress",
    "kernel",
    "corpus",
    "encoding",
    "model_file",
    "models",
    "parts",
    "features",
    "scorers",
    "marginals",
    "charts",
    "decoders",
    "pruning",
    "search",
    "incremental",
    "model",
    "presets",
    "learning",
    "tagging",
    "evaluation",
    "plots",
    "parser",
    "tuning",
    "ensemble",
    "joint",
    "constituency",
    "document",
    "annotator",
    "bulk",
    "warmup",
    "spacy_component",
    "analysis",
    FACE,
    "server",
    "cli",
    "__main__",
)
"""The layers, from the lowest to the highest."""

FORBIDDEN = {
    "decoders": ("features", "scorers"),
    "learning": ("decoders.",),
}
"""Imports that are forbidden although they go down: decoders must not import features or a particular scorer, and
learning may import the registry of decoders and their interface, but no particular decoder.
"""

_FACES = ("decoders.decoder", "decoders.kernels")

RANKS = {layer: rank for rank, layer in enumerate(LAYERS)}


def problems(package: Path) -> Iterator[str]:
    """Yield one line, ``file:line: what is wrong``, for each import that goes up and each unknown layer.

    Parameters
    ----------
    package : Path
        The folder of the package.
    """
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).with_suffix("").parts
        if module[0] not in RANKS:
            yield f"{path}:1: {module[0]} is not among the layers: add it in {Path(__file__).name}"
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError as error:
            yield f"{path}:{error.lineno}: not Python: {error.msg}"
            continue
        for line, target in _imported(tree, module, package):
            if reason := _reason(module[0], target):
                yield f"{path}:{line}: {reason}"


def _reason(importer: str, target: tuple[str, ...]) -> str | None:
    imported, dotted = target[0], ".".join(target)
    if imported not in RANKS:
        return f"imports {PACKAGE}.{imported}, which is not among the layers"
    if RANKS[imported] > RANKS[importer]:
        return f"{importer} imports {imported}, which stands above it"
    if dotted not in _FACES and any(dotted.startswith(banned) for banned in FORBIDDEN.get(importer, ())):
        return f"{importer} imports {dotted}, which it must not know"
    return None


def _imported(tree: ast.Module, module: tuple[str, ...], package: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line and the targets of each import, anywhere in the file, in the order of lines."""
    for node in sorted(_imports(tree), key=lambda node: node.lineno):
        for target in dict.fromkeys(map(tuple, _targets(node, module, package))):
            if target[0] == PACKAGE:
                yield node.lineno, target[1:] or (FACE,)


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _targets(node: ast.Import | ast.ImportFrom, module: tuple[str, ...], package: Path) -> Iterator[list[str]]:
    """Yield the dotted names that `node` imports, as far as the layer depends on them."""
    if isinstance(node, ast.Import):
        yield from (alias.name.split(".") for alias in node.names)
        return
    source = node.module.split(".") if node.module else []
    if node.level:
        source = [PACKAGE, *module][: -node.level] + source
    for alias in node.names:
        if source == [PACKAGE]:  # from headway import corpus, Parser: a layer, and a name of `FACE`
            yield [PACKAGE, alias.name if alias.name in RANKS else FACE]
        else:
            yield [*source, alias.name] if _is_module(package.joinpath(*source[1:], alias.name)) else source


def _is_module(path: Path) -> bool:
    return path.is_dir() or path.with_name(f"{path.name}.py").is_file()


def clashes(tests: Path) -> Iterator[str]:
    """Yield a line for each test file that shares its name with another: pytest imports test files by name alone."""
    seen: dict[str, Path] = {}
    for path in sorted(tests.rglob("test_*.py")):
        if path.name in seen:
            yield f"{path}:1: has the name of {seen[path.name]}, and pytest can import only one of them: rename it"
        seen.setdefault(path.name, path)


def main() -> int:
    """Print the problems of the package and the tests next to this folder; the exit code is 1 if there are any."""
    root = Path(__file__).resolve().parent.parent
    found = [*problems(root / PACKAGE), *clashes(root / "tests")]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
