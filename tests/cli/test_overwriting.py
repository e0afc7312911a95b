"""No command writes over what it reads, whatever the names and formats."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_samples import TWO

from headway.cli.analyze import analyze_app
from headway.cli.app import app, treebank_app
from headway.cli.guard import file_roles
from headway.corpus.overwriting import check_outputs
from headway.errors import UsageError

NAMES = {"MODEL", "FILE", "TRAIN", "GOLD", "SYSTEM"}

COMMANDS = {
    "convert": ("treebank", "convert", "IN", "--to", "conllx", "-o", "OUT"),
    "convert to itself": ("treebank", "convert", "IN", "-o", "OUT"),
    "split": ("treebank", "split", "IN", "--part", "OUT=0.5", "--part", "other=0.5"),
    "train": ("train", "IN", "-o", "OUT"),
    "dev": ("train", "other.conllu", "--dev", "IN", "-o", "OUT"),
    "vectors": ("train", "other.conllu", "--vectors", "IN", "-o", "OUT"),
    "tag map": ("train", "other.conllu", "--tag-map", "IN", "-o", "OUT"),
    "parse": ("parse", "IN", "-o", "OUT"),
    "html": ("parse", "IN", "--to", "html", "-o", "OUT"),
    "svg": ("parse", "IN", "--to", "svg", "-o", "OUT"),
    "pattern": ("parse", "*.conllu", "-o", "OUT"),
    "jobs": ("parse", "IN", "--jobs", "2", "-o", "OUT"),
    "model": ("parse", "other.conllu", "-m", "IN", "-o", "OUT"),
    "optima": ("analyze", "optima", "en", "IN", "--plot", "OUT"),
    "optima of a model": ("analyze", "optima", "IN", "other.conllu", "--plot", "OUT"),
    "models": ("analyze", "models", "a=IN", "--on", "b=other.conllu", "--plot", "OUT"),
    "models by pattern": ("analyze", "models", "a={}.conllu", "--on", "b=other.conllu", "--plot", "OUT"),
    "treebank of models": ("analyze", "models", "a=en", "--on", "b=IN", "--plot", "OUT"),
}


def same(path: Path) -> Path:
    return path


def relative(path: Path) -> str:
    return f"../{path.parent.name}/{path.name}"


def symbolic(path: Path) -> str:
    os.symlink(path, "link.svg")
    return "link.svg"


def hard(path: Path) -> str:
    os.link(path, "hard.svg")
    return "hard.svg"


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("other.conllu").write_text(TWO)
    path = tmp_path / "in.conllu"
    path.write_text(TWO)
    return path


@pytest.mark.parametrize("other", [same, relative, symbolic, hard])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_its_input(run, source, command, other):
    name = str(other(source))
    before = sorted(os.listdir("."))
    result = run(*(argument.replace("IN", str(source)).replace("OUT", name) for argument in COMMANDS[command]))
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr == f"headway: error: {name}: is also an input and would be overwritten; choose another output\n"
    )
    assert source.read_text() == TWO
    assert sorted(os.listdir(".")) == before


def commands():
    for group in (app, treebank_app, analyze_app):
        yield from (command.callback for command in group.registered_commands)


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: command.__name__)
def test_every_argument_that_names_a_file_has_a_role(command):
    roles = file_roles(command)
    for name, hint in command.__annotations__.items():
        for mark in getattr(hint, "__metadata__", ()):
            if set((getattr(mark, "metavar", None) or "").rstrip(".").split("=")) & NAMES:
                assert name in roles


def test_unfinished_files_are_outputs_too(run, model, source, tmp_path):
    unfinished = tmp_path / "out.conllu.part"
    shutil.copy(source, unfinished)
    result = run("parse", unfinished, "-m", model, "-o", "out.conllu")
    assert result.exit_code == 2
    assert unfinished.read_text() == TWO


def test_two_outputs_are_two_files(run, source):
    result = run("treebank", "split", source, "--part", "a.conllu=0.5", "--part", "./a.conllu=0.5")
    assert (result.exit_code, os.path.exists("a.conllu")) == (2, False)
    assert result.stderr == "headway: error: a.conllu and ./a.conllu are the same file; choose another output\n"


@pytest.mark.parametrize("option", [["-o", "in.conllu"], []])
def test_standard_streams_may_be_the_same_file(source, option):
    command = [sys.executable, "-m", "headway.cli.main", "treebank", "convert", *option]
    with open(source, "rb") as given, open(source, "ab") as taken:
        done = subprocess.run(command, stdin=given, stdout=taken, stderr=subprocess.PIPE, timeout=300)
    assert done.returncode == 2
    assert b"would be overwritten" in done.stderr
    assert source.read_text() == TWO


def test_devices_may_be_on_both_sides():
    check_outputs([os.devnull], [os.devnull])
    check_outputs(["nowhere"], ["nowhere"])


def test_folders_are_no_files(tmp_path):
    check_outputs([tmp_path], [tmp_path])
    (tmp_path / "a").touch()
    with pytest.raises(UsageError, match="overwritten"):
        check_outputs([tmp_path / "a"], [str(tmp_path / "a")])
