"""Layers import downward only; and the check finds violations."""

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from script_files import load_script

from headway.decoders import decoder_names

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "tools" / "check_imports.py"


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    return load_script(TOOL)


def made_up(folder: Path, files: dict[str, str]) -> Path:
    package = folder / "headway"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return package


def test_the_package_imports_downward():
    run = subprocess.run([sys.executable, TOOL], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_learning_names_no_decoder():
    names = set(decoder_names())
    assert "hill-climbing" in names
    for path in (ROOT / "headway" / "learning").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in names, f"{path.name}:{node.lineno}"


def test_test_files_have_names_of_their_own(checker, tmp_path):
    for name in ("search/test_a.py", "search/test_b.py", "decoders/test_a.py"):
        made_up(tmp_path, {name: ""})
    [found] = checker.clashes(tmp_path)
    assert "test_a.py:1: has the name of" in found


@pytest.mark.parametrize(
    "text",
    [
        "from headway.corpus import Sentence",
        "import headway.corpus.trees",
        "from headway import corpus, errors",
        "from headway.decoders.eisner import decode",
        "from .eisner import decode",
        "from . import eisner",
        "from ..corpus import Sentence",
        "import numpy, headway_extras",
        "from headway_extras import cli",
    ],
)
def test_downward_and_foreign_imports_are_fine(checker, tmp_path, text):
    assert list(checker.problems(made_up(tmp_path, {"decoders/greedy.py": text}))) == []


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("from headway.learning import train", "learning"),
        ("import headway.cli.main", "cli"),
        ("from headway import parser", "parser"),
        ("from headway import Parser", "__init__"),
        ("import headway", "__init__"),
        ("from ..learning.mira import update", "learning"),
        ("from .. import learning", "learning"),
        ("def later():\n    import headway.cli", "cli"),
        ("try:\n    from headway.learning import train\nexcept ImportError:\n    train = None", "learning"),
    ],
)
def test_upward_imports_are_found(checker, tmp_path, text, layer):
    [problem] = checker.problems(made_up(tmp_path, {"decoders/greedy.py": text}))
    assert problem.endswith(f"decoders imports {layer}, which stands above it")


def test_problems_come_with_file_and_line(checker, tmp_path):
    package = made_up(tmp_path, {"corpus/text.py": '"""Head."""\n\nimport os, headway.cli\n'})
    [problem] = checker.problems(package)
    assert problem.startswith(f"{package / 'corpus' / 'text.py'}:3: ")


def test_several_problems_of_several_files(checker, tmp_path):
    files = {
        "errors.py": "import headway.corpus\nimport headway.parts",
        "corpus/__init__.py": "from headway.corpus.text import read",
        "corpus/text.py": "from headway.parts import Arc",
        "parts/__init__.py": "from headway.corpus import read",
    }
    assert len(list(checker.problems(made_up(tmp_path, files)))) == 3


def test_the_face_may_import_the_parser_but_no_command(checker, tmp_path):
    assert list(checker.problems(made_up(tmp_path / "a", {"__init__.py": "from headway.parser import P"}))) == []
    [problem] = checker.problems(made_up(tmp_path / "b", {"__init__.py": "from .cli import main"}))
    assert "__init__ imports cli" in problem


def test_modules_without_a_place_are_found(checker, tmp_path):
    [problem] = checker.problems(made_up(tmp_path, {"attic/old.py": ""}))
    assert "attic is not among the layers" in problem


def test_imports_of_unknown_layers_are_found(checker, tmp_path):
    [problem] = checker.problems(made_up(tmp_path, {"cli/main.py": "import headway.attic"}))
    assert "imports headway.attic, which is not among the layers" in problem


def test_files_that_are_not_python_are_found(checker, tmp_path):
    [problem] = checker.problems(made_up(tmp_path, {"corpus/text.py": "\n\ndef ("}))
    assert ":3: not Python" in problem


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        ("decoders", "from headway.features.arc import arc_hashes"),
        ("decoders", "from headway.scorers.linear_scorer import LinearScorer"),
        ("learning", "from headway.decoders.hill_climbing import HillClimbing"),
        ("learning", "import headway.decoders.eisner"),
        ("learning", "from headway.decoders import Decoder, hill_climbing"),
        ("learning", "from ..decoders import hill_climbing as climbing"),
    ],
)
def test_decoders_know_no_scorer_and_learning_names_no_decoder(checker, tmp_path, layer, text):
    files = {f"{layer}/greedy.py": text, "decoders/hill_climbing.py": ""}
    [problem] = checker.problems(made_up(tmp_path, files))
    assert problem.endswith("which it must not know")
    face = {
        "learning/greedy.py": "from headway.decoders import Decoder, find_decoder, kernels",
        "decoders/kernels.py": "",
    }
    assert list(checker.problems(made_up(tmp_path / "fine", face))) == []
