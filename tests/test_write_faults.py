"""Whatever happens while Headway writes, the old file or the new one is there, whole; and nothing writes otherwise."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import write_fault_runs
from script_files import load_script

from headway.corpus import parse_sentences, write_sentences
from headway.corpus.resumable import ResumableOutput
from headway.errors import CorpusError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TOOL = ROOT / "tools" / "check_writes.py"


@pytest.mark.skipif(not hasattr(os, "fork") or not Path("/proc/self/fd").is_dir(), reason="needs fork and /proc")
@pytest.mark.parametrize("scenario", write_fault_runs.SCENARIOS)
def test_faults_at_every_operation(scenario: str, tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, HERE / "write_fault_runs.py", scenario, tmp_path]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert found["runs"] >= 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
    except OSError:
        pytest.skip("needs mount")
    if mount.returncode != 0:
        pytest.skip("needs the right to mount a disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


LINE = "1\tHark" + "\t_" * 8 + "\n\n"
SENTENCES = LINE * 4000
PIECE = b"piece" * 4000


def write_pieces(output: ResumableOutput) -> None:
    """Write what is missing of ten pieces."""
    with output:
        for _ in range(10 - output.pieces):
            output.write(PIECE)


def test_a_full_disk(small_disk: Path) -> None:
    path = small_disk / "out.conllu"
    path.write_bytes(b"old")
    with pytest.raises(CorpusError, match=r"out\.conllu: no space left on the disk"):
        write_sentences(path, parse_sentences(SENTENCES))
    assert path.read_bytes() == b"old"
    assert list(small_disk.iterdir()) == [path]
    write_sentences(path, parse_sentences(LINE))
    assert path.read_bytes() == LINE.encode()


def test_a_disk_becomes_full_after_a_few_pieces(small_disk: Path) -> None:
    path = small_disk / "out"
    with pytest.raises(CorpusError, match="out: no space left on the disk"):
        write_pieces(ResumableOutput(str(path), "x"))
    assert sorted(file.name for file in small_disk.iterdir()) == ["out.part", "out.part.json"]
    subprocess.run(["mount", "-o", "remount,size=1m", small_disk], check=True)
    again = ResumableOutput(str(path), "x", resume=True)
    assert 0 < again.pieces < 10
    write_pieces(again)
    assert path.read_bytes() == PIECE * 10
    assert list(small_disk.iterdir()) == [path]


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    return load_script(TOOL)


def test_nothing_writes_in_another_way() -> None:
    run = subprocess.run([sys.executable, TOOL], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize(
    "text",
    [
        "open(name, 'wb')",
        "open(name, mode='a')",
        "open(name, mode)",
        "open(name, 'r+')",
        "path.open('x')",
        "gzip.open(name, 'wb')",
        "path.write_text('')",
        "Path('a').write_bytes(b'')",
        "os.replace(a, b)",
        "os.open(name, flags)",
        "array.tofile(name)",
        "np.save(name, array)",
        "tempfile.mkstemp()",
        "shutil.move(a, b)",
        "Path(a).rename(b)",
    ],
)
def test_calls_that_write_are_found(checker: ModuleType, tmp_path: Path, text: str) -> None:
    (tmp_path / "module.py").write_text(f"def f():\n    {text}\n")
    [problem] = checker.problems(tmp_path)
    assert problem.startswith(f"{tmp_path / 'module.py'}:2: ")


@pytest.mark.parametrize(
    "text",
    ["open(name)", "open(name, 'rb')", "path.open()", "gzip.open(name, 'rb')", "a.replace('w', 'x')", "self.open()"],
)
def test_calls_that_do_not_write_are_not(checker: ModuleType, tmp_path: Path, text: str) -> None:
    (tmp_path / "module.py").write_text(f"def f():\n    {text}\n")
    assert list(checker.problems(tmp_path)) == []
