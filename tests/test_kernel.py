import os
import subprocess
import sys
import time
from hashlib import sha1
from pathlib import Path

import numba
import pytest

from headway.kernel import forget_stale_kernels, working_clock

FIND = """
import numpy as np
from headway.scorers.sparse import sparse_add, sparse_vector
vector = sparse_vector(4)
sparse_add(vector, 7, 1.5)
sparse_add(vector, 7, 1.5)
print(type(sparse_add).__name__, vector.values.sum())
"""
OUT_OF_BOUNDS = """
import numpy as np
from headway.kernel import kernel

@kernel
def read(values, place):
    return values[place]

try:
    read(np.zeros(3), 5)
except IndexError:
    print("caught")
"""


def run(code: str, tmp_path: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    clean = {name: value for name, value in os.environ.items() if name not in ("HEADWAY_KERNELS", "NUMBA_CACHE_DIR")}
    script = tmp_path / "script.py"
    script.write_text(code)
    root = str(Path(__file__).resolve().parent.parent)
    return subprocess.run(
        [sys.executable, "-W", "error", str(script)], capture_output=True, text=True, check=False,
        env={**clean, "PYTHONPATH": root, **environment},
    )  # fmt: skip


def test_python_mode_leaves_functions_as_they_are(tmp_path: Path) -> None:
    done = run(FIND, tmp_path, HEADWAY_KERNELS="python", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == "function 3.0\n", done.stderr


def test_a_parse_in_python_mode_is_the_compiled_one(tmp_path: Path) -> None:
    code = """
import numpy as np
from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.features.arc import ROW, make_arc_plan
from headway.pipeline import ArcModel, Threads, find_heads
from headway.scorers.rows import plain_rows
sentence = Sentence.from_words(["old", "dogs", "bark", "old"], upos=["A", "N", "V", "A"])
encoder = Encoder.fit([sentence])
plan = make_arc_plan("h.upos m.upos\\nm.form", atoms=encoder.names, constant=(), tag_class={})
weights = np.random.default_rng(1).normal(size=(256, ROW)).astype(np.float32)
model = ArcModel(plan, plain_rows(weights))
with np.errstate(over="ignore"):
    print(find_heads(encoder.encode([sentence]), model, projective=True, threads=Threads()))
"""
    assert in_python_mode(code, tmp_path).startswith("[-1")


def test_a_text_in_python_mode_is_the_compiled_one(tmp_path: Path) -> None:
    code = """
import headway
import numpy as np
with np.errstate(over="ignore"):
    print(headway.load("en")("Dogs bark.", confidence=False).to_conllu())
"""
    assert "\tbark\t" in in_python_mode(code, tmp_path)


def in_python_mode(code: str, tmp_path: Path) -> str:
    """What code prints without kernels, which must be what it prints with them."""
    plain = run(code, tmp_path, HEADWAY_KERNELS="python", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    lines: list[str] = []
    exec(code, {"print": lambda value: lines.append(f"{value}\n")})
    assert plain.stdout == "".join(lines), plain.stderr
    return plain.stdout


def test_checked_mode_checks_bounds(tmp_path: Path) -> None:
    done = run(OUT_OF_BOUNDS, tmp_path, HEADWAY_KERNELS="checked", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == "caught\n", done.stderr


def test_a_mode_that_there_is_not(tmp_path: Path) -> None:
    done = run("import headway.kernel", tmp_path, HEADWAY_KERNELS="fast", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0  # nothing is compiled yet
    done = run(FIND, tmp_path, HEADWAY_KERNELS="fast", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode != 0
    assert "HEADWAY_KERNELS is 'fast'; it may be compiled, checked, python" in done.stderr


class Folder:
    """A package with a source in a room, and kernels compiled from it."""

    def __init__(self, path: Path) -> None:
        self.package, self.cache = path / "package", path / "cache"
        self.source = self.package / "room" / "algorithm.py"
        room = self.cache / f"room_{sha1(str(self.source.parent).encode()).hexdigest()}"
        self.compiled = [room / name for name in ("algorithm.search-1.py311.nbi", "algorithm.search-1.py311.1.nbc")]
        self.other = self.cache / "somebody_elses" / "room.search-1.py311.nbi"
        for file in (self.source, *self.compiled, self.other):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("x")

    def kernels(self) -> int:
        return sum(file.exists() for file in self.compiled)


def test_kernels_are_kept_while_no_source_changes(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    forget_stale_kernels(folder.package, folder.cache)
    assert folder.kernels() == 0  # who knows what they were made from
    again = Folder(tmp_path)
    os.utime(again.source, ns=(1, 1))
    forget_stale_kernels(again.package, again.cache)
    for file in again.compiled:
        file.write_text("x")
    forget_stale_kernels(again.package, again.cache)
    assert again.kernels() == 2


@pytest.mark.parametrize("change", ["touch", "new", "remove"])
def test_any_change_of_a_source_forgets_all(tmp_path: Path, change: str) -> None:
    folder = Folder(tmp_path)
    (folder.package / "other.py").write_text("x")
    forget_stale_kernels(folder.package, folder.cache)
    for file in folder.compiled:
        file.write_text("x")
    if change == "touch":
        os.utime(folder.source, ns=(1, 1))
    elif change == "new":
        (folder.package / "room" / "second.py").write_text("x")
    else:
        (folder.package / "other.py").unlink()
    forget_stale_kernels(folder.package, folder.cache)
    assert folder.kernels() == 0
    assert folder.other.exists()


def test_kernels_lie_beside_the_sources_unless_told_otherwise(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    beside = folder.package / "room" / "__pycache__" / "algorithm.search-1.py311.nbi"
    beside.parent.mkdir()
    beside.write_text("x")
    forget_stale_kernels(folder.package, folder.package)
    assert not beside.exists()
    assert folder.kernels() == 2


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    blocked = tmp_path / "a file"
    blocked.write_text("x")
    forget_stale_kernels(folder.package, blocked)
    assert blocked.read_text() == "x"


def test_kernels_are_looked_for_where_numba_puts_them(tmp_path: Path) -> None:
    asked = 'from headway.kernel import must_compile\nprint(must_compile("sparse_add"), must_compile("sparse_dot"))\n'
    done = run(FIND + asked, tmp_path, HEADWAY_KERNELS="compiled", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.endswith("False True\n"), done.stderr


def test_the_working_clock_stands_still_while_kernels_are_compiled():
    def doubled(number: int) -> int:
        return 2 * number

    compiled = numba.njit(doubled)
    clock, wall = working_clock(), time.monotonic()
    assert compiled(4) == 8
    passed, waited = working_clock() - clock, time.monotonic() - wall
    assert passed < waited / 2
    time.sleep(0.01)
    assert working_clock() - clock > passed
