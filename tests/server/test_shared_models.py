"""Models that worker processes share: one copy in memory, whatever happens to the file."""

import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest
from running import children, serving

from headway.errors import ModelError
from headway.server.shared_models import SharedModel

needs_memory_files = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="no anonymous files in memory here")


def mapped(process_id: int) -> set[str]:
    """The inodes of the shared models that a process has mapped, read-only."""
    lines = Path(f"/proc/{process_id}/maps").read_text().splitlines()
    found = [re.match(r"\S+ (\S+) \S+ \S+ (\d+) +/memfd:headway-model", line) for line in lines]
    assert all(match[1] == "r--s" for match in found if match)
    return {match[2] for match in found if match}


@needs_memory_files
def test_workers_map_one_copy_that_outlives_the_file(small_model, tmp_path):
    pytest.importorskip("uvicorn")
    path = tmp_path / "copy.headway"
    shutil.copy(small_model, path)
    with serving("-m", path, "-m", f"again={path}", "-w", 2) as server:
        while server.metric("headway_workers_ready") < 2:
            time.sleep(0.05)
        before = server.post_json("/v1/parse", text="Dogs bark.").json
        first, second = children(server.process.pid)
        assert len(mapped(first)) == 1
        assert mapped(first) == mapped(second)
        assert mapped(server.process.pid) == set()
        path.write_bytes(b"another file")
        shared = mapped(second)
        os.kill(first, signal.SIGKILL)
        while server.metric("headway_worker_starts_total") < 3 or server.metric("headway_workers_ready") < 2:
            time.sleep(0.05)
        for _ in range(8):
            assert server.post_json("/v1/parse", text="Dogs bark.").json == before
        assert [mapped(child) for child in children(server.process.pid)] == [shared, shared]


@needs_memory_files
def test_arrays_are_views_of_the_shared_memory(small_model):
    model = SharedModel.read(str(small_model))
    weights = model.load().parser.model.linear.arcs.rows.values
    assert not weights.flags.owndata
    assert not weights.flags.writeable
    address = weights.__array_interface__["data"][0]
    shared = [line for line in Path("/proc/self/maps").read_text().splitlines() if "memfd:headway-model" in line]
    limits = [[int(limit, 16) for limit in line.split()[0].split("-")] for line in shared]
    assert any(start <= address < end for start, end in limits)


def test_without_files_in_memory_the_file_is_read(small_model, monkeypatch):
    monkeypatch.delattr(os, "memfd_create", raising=False)
    model = SharedModel.read(str(small_model))
    assert [len(sentence) for sentence in model.load()("Dogs bark.").sentences] == [3]


def test_memory_that_is_full(small_model, monkeypatch):
    def full(name):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "memfd_create", full, raising=False)
    assert SharedModel.read(str(small_model)).load().parser


@pytest.mark.parametrize("content", [b"", b"rubbish", None])
def test_files_that_are_no_model(tmp_path, content):
    path = tmp_path / "model.headway"
    if content is not None:
        path.write_bytes(content)
    open_files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(ModelError, match=r"model\.headway: "):
        SharedModel.read(str(path)).load()
    if open_files:
        assert len(os.listdir("/proc/self/fd")) == open_files
