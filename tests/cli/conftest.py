"""The command as a user has it, a small treebank, and one model that all tests share."""

import functools
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from cli_samples import EXAMPLES
from typer.testing import CliRunner, Result

from headway.cli.app import app
from headway.corpus import read_sentences, write_sentences

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def run() -> Run:
    """Run a command in this process."""

    def invoke(*arguments: object, stdin: bytes = b"") -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, prog_name="headway")

    return invoke


@pytest.fixture
def start() -> Callable[..., "subprocess.Popen[bytes]"]:
    """Start a command in a process of its own."""

    def popen(*arguments: object) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "headway.cli.main", *map(str, arguments)]
        pipe = subprocess.PIPE
        # A shell has what runs in its background ignore interrupts; this must hear them.
        heard = functools.partial(signal.signal, signal.SIGINT, signal.default_int_handler)
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=heard)

    return popen


@pytest.fixture(scope="session")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few sentences with trees."""
    path = tmp_path_factory.mktemp("treebank") / "small.conllu"
    write_sentences(path, islice(read_sentences(EXAMPLES / "sample-train.conllu"), 80))
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, treebank: Path) -> Path:
    """A model trained on the small treebank."""
    path = tmp_path_factory.mktemp("model") / "small.headway"
    result = CliRunner().invoke(app, ["train", str(treebank), "-o", str(path), "--epochs", "2", "--quiet"])
    assert result.exit_code == 0, result.output
    return path
