"""Parsing on a local Ray cluster of two nodes: the bytes of one process, though workers and the driver are killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import small_parser
from typer.testing import CliRunner

from headway.cli.app import app
from headway.corpus import format_sentence

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'headway[ray]'")
FILES = 200


def two_nodes(attempts: int = 3):
    """Start a cluster; Ray gives up after 15 seconds, in which a busy machine may not have started it."""
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1, include_dashboard=False)
    except Exception:
        cluster.shutdown()
        if attempts == 1:
            raise
        return two_nodes(attempts - 1)
    return cluster


@pytest.fixture(scope="module")
def address():
    cluster = two_nodes()
    yield cluster.address
    cluster.shutdown()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> tuple[Path, Path, Path]:
    """A model, a folder of files, and what one process makes of them."""
    folder = tmp_path_factory.mktemp("corpus")
    model = folder / "small.headway"
    small_parser.trained().save(model)
    (folder / "files").mkdir()
    trees = [small_parser.bare(sentence) for sentence in small_parser.DEV]
    for number in range(FILES):
        text = "".join(format_sentence(trees[(number + place) % len(trees)]) for place in range(4))
        (folder / "files" / f"{number:03}.conllu").write_text(text, encoding="utf-8")
    expected = folder / "expected"
    result = CliRunner().invoke(app, command(folder, expected)[1:])
    assert result.exit_code == 0, result.output
    return folder, expected, model


def command(folder: Path, output: Path, *more: str) -> list[str]:
    return [
        "parse",
        "parse",
        f"{folder}/files/*.conllu",
        "-m",
        f"{folder}/small.headway",
        "-q",
        "-o",
        f"{output}/",
        *more,
    ]


def start(folder: Path, output: Path, *more: str) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "headway.cli.main", *command(folder, output, *more)[1:]]
    return subprocess.Popen(words, stderr=subprocess.PIPE, text=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


Versions = dict[str, set[tuple[int, int]]]
"""The files that were seen under each name, by their inode and the time of their last change."""


def look(folder: Path, seen: Versions) -> Versions:
    for path in folder.glob("*.conllu"):
        state = path.stat()
        seen.setdefault(path.name, set()).add((state.st_ino, state.st_mtime_ns))
    return seen


def wait_for(folder: Path, count: int, seen: Versions) -> None:
    for _ in range(3600):
        if len(look(folder, seen)) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{folder} does not fill: {len(list(folder.glob('*.conllu')))} files")


def actors() -> list[int]:
    """The processes of Headway's workers on this cluster."""
    found = []
    for process in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if file.read().startswith(b"ray::_Actor"):
                    found.append(int(process))
        except OSError:
            continue
    return found


def test_a_killed_worker_and_a_killed_driver_change_nothing(corpus, address, tmp_path):
    folder, expected, _ = corpus
    output = tmp_path / "parsed"
    driver = start(folder, output, "--ray", address)
    seen: Versions = {}
    wait_for(output, 20, seen)
    os.kill(actors()[0], signal.SIGKILL)
    wait_for(output, 60, seen)
    driver.kill()
    driver.communicate()
    assert 60 <= len(look(output, seen)) < FILES
    driver = start(folder, output, "--ray", address, "--resume")
    _, errors = driver.communicate(timeout=300)
    assert driver.returncode == 0, errors
    assert contents(output) == contents(expected)
    twice = {name: versions for name, versions in look(output, seen).items() if len(versions) > 1}
    assert not twice, "files were written twice"


def test_remote_files_are_read_and_written_by_the_driver(corpus, address, tmp_path, monkeypatch):
    pytest.importorskip("fsspec", reason="needs fsspec: pip install 'headway[remote]'")
    folder, expected, model = corpus
    monkeypatch.chdir(tmp_path)
    words = ["parse", f"file://{folder}/files/*.conllu", "-m", str(model), "-q", "-o", f"file://{tmp_path}/parsed/"]
    done = subprocess.run([sys.executable, "-m", "headway.cli.main", *words, "--ray", address], timeout=300)
    assert done.returncode == 0
    assert contents(tmp_path / "parsed") == contents(expected)
    assert [path.name for path in tmp_path.iterdir()] == ["parsed"]


def test_what_is_wrong_is_said_in_one_line(corpus, address, tmp_path):
    folder, *_ = corpus
    broken = tmp_path / "files"
    broken.mkdir()
    (broken / "x.conllu").write_text("1\tword\n\n", encoding="utf-8")
    (tmp_path / "small.headway").write_bytes((folder / "small.headway").read_bytes())
    done = start(tmp_path, tmp_path / "out", "--ray", address)
    _, errors = done.communicate(timeout=300)
    assert done.returncode == 3
    assert errors.count("\n") == 1
    assert "x.conllu:1: 2 fields" in errors
