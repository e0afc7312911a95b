"""Files that appear whole or not at all, whatever happens to those who write them."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from headway.corpus import open_output, parse_sentences, write_sentences
from headway.corpus.resumable import ResumableOutput
from headway.errors import CorpusError
from headway.model_file import read_model_file, write_model_file
from headway.support.writing import remove_stale_drafts

TABLE = "1\tHark" + "\t_" * 8 + "\n\n"

WAITING = """
import sys
from headway.corpus import open_output

with open_output(sys.argv[1]) as file:
    file.write(b"half of ")
    file.flush()
    print("written", flush=True)
    sys.stdin.readline()
    file.write(b"it")
"""


def writer(path: Path) -> "subprocess.Popen[str]":
    """A process that is in the middle of writing `path`."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", WAITING, path], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    return process


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    killed, living = writer(tmp_path / "killed"), writer(tmp_path / "living")
    killed.kill()
    killed.communicate()
    assert len(list(tmp_path.glob(".headway-*.part"))) == 2
    with open_output(tmp_path / "next") as file:
        file.write(b"all")
    assert len(list(tmp_path.glob(".headway-*.part"))) == 1
    living.communicate("\n")
    assert (tmp_path / "living").read_bytes() == b"half of it"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["living", "next"]


def test_files_of_others_stay(tmp_path):
    names = [".headway-abcdefgh.part", ".headway-0123456789abcdef", "headway-0123456789abcdef.part"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / ".headway-0123456789abcdef.part").touch()
    remove_stale_drafts(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def save_table(path):
    write_sentences(path, parse_sentences(TABLE * 2000))


def save_model(path):
    write_model_file(path, {"weights": np.arange(1 << 13)}, {})


def save_pieces(path):
    with ResumableOutput(str(path), "mark") as output:
        for _ in range(3):
            output.write(TABLE.encode() * 2000)


WRITERS = [save_table, save_model, save_pieces]


@pytest.fixture
def full():
    """A disk that is full once a file has so many bytes."""
    resource = pytest.importorskip("resource", reason="needs limits")
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("save", WRITERS)
def test_no_space(save, full, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(CorpusError, match="file: "):
        save(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_no_space_for_the_end_of_a_compressed_file(full, tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(b"old")
    with pytest.raises(CorpusError, match=r"file\.gz: "), open_output(path) as file:
        file.write(np.random.default_rng(1).bytes(9_990))  # fits, but for the last bytes of the archive
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["replace", "chmod"])
@pytest.mark.parametrize("save", WRITERS)
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_failures_at_the_last_steps(save, step, reason, tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*args, **options):
        raise OSError(reason, os.strerror(reason))

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(CorpusError, match="file: "):
            save(path)
    assert path.read_bytes() == b"old"
    save(path)
    assert path.read_bytes() != b"old"


KILLED = """
import os, signal, sys

sys.path.insert(0, sys.argv[1])
import test_writing

replace = os.replace

def die(*names):
    if sys.argv[4] == "after":
        replace(*names)
    os.kill(os.getpid(), signal.SIGKILL)

os.replace = die
getattr(test_writing, sys.argv[2])(sys.argv[3])
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("save", [save_table, save_model])
def test_killed_at_the_last_moment(save, when, tmp_path):
    path, sound = tmp_path / "file", tmp_path / "sound"
    path.write_bytes(b"old")
    save(sound)
    code = [sys.executable, "-c", KILLED, Path(__file__).parent, save.__name__, path, when]
    assert subprocess.run(code).returncode == -signal.SIGKILL
    assert path.read_bytes() == (b"old" if when == "before" else sound.read_bytes())
    save(path)
    assert path.read_bytes() == sound.read_bytes()


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="needs permissions")
def test_no_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(CorpusError, match="no permission"):
        save_table(tmp_path / "file")
    tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_being_written_can_be_read(tmp_path):
    path = tmp_path / "model"
    write_model_file(path, {"weights": np.zeros(3)}, {"old": True})
    with open_output(path) as file:
        file.write(b"half")
        assert read_model_file(path)[1] == {"old": True}
