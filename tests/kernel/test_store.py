"""The cache of compiled kernels: shared, checked, and never in the way.

Each of these went wrong when kernels were cached by Numba itself, beside the sources.
"""

import errno
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kernel_samples import COUNTING, KEY, Done, copy_package, edit, environment, run

from headway.errors import KernelWarning
from headway.kernel import store
from headway.kernel.levels import host_level

_SHARED = ("HEADWAY_CACHE", "HEADWAY_KERNELS", "NUMBA_OPT")
_NUMBAS = ("impl", "full", "full_impl", "array_sum_impl")
"""Functions of Numba's own that a kernel may need."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return copy_package(tmp_path)


def test_after_an_upgrade_of_a_read_only_package_no_stale_kernel_runs(package: Path, tmp_path: Path) -> None:
    settings = {"PYTHONPATH": str(package.parent), "HOME": str(tmp_path / "home")}
    before = run(KEY, **settings)
    assert before.code == 0, before.errors
    assert run(KEY, **settings).compiled == []
    edit(package / "parts" / "kinds.py", "    key = np.int64(kind)", "    key = np.int64(kind + 1)")
    after = run(KEY, **settings)
    assert after.output != before.output
    assert after.output == run(KEY, **settings, HEADWAY_KERNELS="python").output


ASKING = """
from headway.kernel import is_compiled
from headway.kernel.store import can_keep
print(can_keep(), is_compiled(span_key))
"""
NO_HOME = """
import os, pwd
os.environ.pop("HOME", None)
def unknown(user):
    raise KeyError(user)
pwd.getpwuid = unknown
"""
"""As in a container that runs as a user whom its list of users does not have."""


@pytest.mark.parametrize("home", ["unset", "empty", "blocked"])
def test_where_nothing_can_be_written_a_warning_says_so(package: Path, tmp_path: Path, home: str) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    settings = {"PYTHONPATH": str(package.parent), "LANG": "C"}
    if home != "unset":
        settings |= {"XDG_CACHE_HOME": str(blocked / "cache"), "HOME": str(blocked) if home == "blocked" else ""}
    done = run((NO_HOME if home == "unset" else "") + KEY + ASKING, **settings)
    check_nothing_is_kept(done, package / "__pycache__" if home == "unset" else blocked / "cache")


def check_nothing_is_kept(done: Done, folder: Path) -> None:
    """The kernel was compiled and has run; one warning names the folder."""
    assert done.code == 0, done.errors
    answer, asked = done.output.splitlines()
    assert answer.isdigit()
    assert asked == "False False"
    [warning] = done.warnings
    assert "compiled kernels cannot be kept" in warning
    assert str(folder) in warning
    assert "set HEADWAY_CACHE to a folder" in warning


UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
"""Runs a command as root without the privilege to open any folder."""


@pytest.mark.parametrize("variable", ["HOME", "HEADWAY_CACHE"])
def test_inside_a_folder_that_cannot_be_searched_nothing_is_kept(
    package: Path, tmp_path: Path, variable: str, request: pytest.FixtureRequest
) -> None:
    """In a container, HOME may be /root although another user runs it; `Path.exists` raises PermissionError there."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root opens every folder, and there is no setpriv")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    request.addfinalizer(lambda: closed.chmod(0o700))
    settings = {"PYTHONPATH": str(package.parent), "LANG": "C", variable: str(closed / "folder")}
    done = run(KEY + ASKING, prefix=UNPRIVILEGED if os.geteuid() == 0 else (), **settings)
    check_nothing_is_kept(done, closed / "folder")


def test_a_closed_folder_is_not_writable_and_has_no_entries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same for every user, by an error in place of a closed folder."""
    stat, scan = os.stat, os.scandir

    def refuse(path: object) -> None:
        if isinstance(path, str | Path) and tmp_path / "closed" in Path(path).parents:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "stat", lambda path, **options: refuse(path) or stat(path, **options))
    monkeypatch.setattr(os, "scandir", lambda path: refuse(path) or scan(path))
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path / "closed")
    (tmp_path / "closed").mkdir()
    folder = tmp_path / "closed" / "user" / "headway"
    monkeypatch.setattr(store, "cache_folders", lambda: (folder,))
    assert not store.can_keep()
    assert not store.has_entry(folder, "name")
    monkeypatch.setattr(store, "cache_folders", lambda: (folder, tmp_path / "open" / "headway"))
    assert store.can_keep()


@pytest.mark.parametrize("damage", [lambda content: content[:-100], lambda content: b"", lambda content: content[::-1]])
def test_a_damaged_entry_is_compiled_again(tmp_path: Path, damage) -> None:
    settings = {"HEADWAY_CACHE": str(tmp_path)}
    whole = run(KEY, **settings)
    for entry in tmp_path.glob("*.kernel"):
        entry.write_bytes(damage(entry.read_bytes()))
    again = run(KEY, **settings)
    assert again.output == whole.output, again.errors
    assert "span_key" in (again.compiled or [])
    assert run(KEY, **settings).compiled == []


def test_processes_that_begin_together_do_not_disturb_each_other(tmp_path: Path) -> None:
    settings = environment(HEADWAY_CACHE=str(tmp_path / "cache"), PYTHONPATH=str(store._PACKAGE.parent))
    command = [sys.executable, "-c", COUNTING + KEY]
    together = [
        subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = [process.communicate()[0] for process in together]
    assert [process.returncode for process in together] == [0, 0, 0]
    assert len(set(answers)) == 1
    assert run(KEY, HEADWAY_CACHE=str(tmp_path / "cache")).compiled == []
    assert not list(tmp_path.glob("cache/.headway-*"))


SUM = """
from headway.marginals.log_space import log_sum
import numpy as np
print(log_sum(np.arange(6.0)[::{step}]))
"""
SLOW_INDEX = """
import time
from numba.core import caching
save = caching.IndexDataCacheFile._save_index
def save_slowly(self, overloads):
    time.sleep(6)
    save(self, overloads)
caching.IndexDataCacheFile._save_index = save_slowly
"""


def test_a_kernel_compiled_for_two_types_at_once_is_kept_for_both(package: Path, tmp_path: Path) -> None:
    """Numba's index of a function's forms is read, changed and written: the slower process undid the other's work."""
    settings = environment(PYTHONPATH=str(package.parent), HOME=str(tmp_path / "home"))
    codes = [COUNTING + SLOW_INDEX + SUM.format(step=1), COUNTING + SUM.format(step=2)]
    together = [
        subprocess.Popen([sys.executable, "-c", code], env=settings, cwd=package.parent, stdout=subprocess.PIPE)
        for code in codes
    ]
    for process in together:
        process.communicate()
        assert process.returncode == 0
    for step in (1, 2):
        again = run(SUM.format(step=step), PYTHONPATH=str(package.parent), HOME=str(tmp_path / "home"))
        assert again.compiled == [], f"step {step}"


def test_a_full_disk_is_told_with_its_folder(tmp_path: Path) -> None:
    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    settings = environment(HEADWAY_CACHE=str(tmp_path), PYTHONPATH=str(store._PACKAGE.parent))
    command = [sys.executable, "-c", COUNTING + KEY]
    done = Done(
        subprocess.run(command, env=settings, capture_output=True, text=True, check=False, preexec_fn=no_room)
    )  # fmt: skip
    assert done.code == 0, done.errors
    [warning] = done.warnings
    assert f"{tmp_path}: file too large" in warning
    assert not list(tmp_path.iterdir())


def test_no_space_left_is_told_once_and_other_folders_are_not_filled(monkeypatch, tmp_path: Path) -> None:
    tried = []

    def write(folder: Path, name: str, payload: bytes) -> Path:
        tried.append(folder)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store, "write_entry", write)
    monkeypatch.setattr(store, "cache_folders", lambda: (tmp_path / "one", tmp_path / "two"))
    store._warn_once.cache_clear()
    with pytest.warns(KernelWarning, match=f"{tmp_path / 'one'}: no space left on device"):
        store.keep_entry("name", b"payload")
    store.keep_entry("other", b"payload")  # a second warning would be an error
    assert tried == [tmp_path / "one"] * 2
    store._warn_once.cache_clear()


def test_kernels_that_a_build_made_for_a_level_run_where_it_is_installed(package: Path, tmp_path: Path) -> None:
    level = host_level()
    if level is None:
        pytest.skip("no kernels are shipped for this machine")
    (package / "compiled" / level).mkdir(parents=True)
    settings = {"PYTHONPATH": str(package.parent), "HEADWAY_CACHE": str(tmp_path / "cache")}
    built = run(KEY, **settings, HEADWAY_BUILD_LEVEL=level, NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="")
    assert built.compiled, built.errors
    done = run(KEY, **settings)
    assert (done.compiled, done.output) == ([], built.output)
    assert not (tmp_path / "cache").exists()
    assert run(KEY, **settings, NUMBA_CPU_NAME="generic").compiled  # somebody wants other code


def test_two_checkouts_share_what_they_have_in_common(package: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    assert run(KEY, HEADWAY_CACHE=cache).compiled
    assert run(KEY, HEADWAY_CACHE=cache, PYTHONPATH=str(package.parent)).compiled == []


def test_an_edit_compiles_what_depends_on_it_and_no_more(package: Path, tmp_path: Path) -> None:
    code = KEY + "from headway.parts.structures import branch_key\nbranch_key(1, 2)\n"
    settings = {"PYTHONPATH": str(package.parent), "HEADWAY_CACHE": str(tmp_path / "cache")}
    first = run(code, **settings)
    assert {"span_key", "part_key", "branch_key"} <= set(first.compiled or [])
    source = package / "parts" / "structures.py"
    edit(source, "def span_key(", "# a comment\n\n\ndef span_key(")
    assert run(code, **settings).compiled == []
    text = source.read_text()
    start = text.index("    return", text.index("def span_key("))
    source.write_text(text[:start] + "    left += 0\n" + text[start:])
    assert run(code, **settings).compiled == ["span_key"]


CLIMB = """
import numpy as np
from headway.decoders.hill_climbing import HillClimbing
from headway.parts import Candidates, Scores
print(HillClimbing(restarts=3).decode(Candidates.all(3), Scores(np.arange(9.0))).heads)
"""


def test_an_edit_of_the_climber_compiles_what_climbs_and_no_more(package: Path) -> None:
    """In the folder that all tests share, where the climber is compiled for other tests, too."""
    shared = {name: os.environ[name] for name in _SHARED if name in os.environ}
    settings = {"PYTHONPATH": str(package.parent), **shared}
    before = run(CLIMB, **settings)
    assert before.code == 0, before.errors
    source = package / "decoders" / "climbing.py"
    edit(source, "def _best(", "# a comment\n\n\ndef _best(")
    assert run(CLIMB, **settings).compiled == []
    line = "    best, most = 0, options.gains[0] + LEAST"
    nothing = (
        f" + min(0.0, {time.time_ns()}.0)"  # another edit each time: an earlier run of the tests has filled the folder
    )
    edit(source, line, line + nothing)
    after = run(CLIMB, **settings)
    assert after.output == before.output
    assert {"_best", "climb", "search_trees"} <= set(after.compiled or [])
    ours = {name for name in after.compiled or [] if name not in _NUMBAS}
    assert ours <= {"_best", "move_word", "climb", "polish", "search_trees", "forward"}


def test_old_entries_and_drafts_go_and_used_ones_stay(tmp_path: Path) -> None:
    for name in ("old.kernel", "used.kernel", ".headway-x.part"):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (1, 1))
    store.write_entry(tmp_path, "used", b"payload")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["used.kernel"]
    assert store.read_entry(tmp_path, "used") == b"payload"
    assert store.read_entry(tmp_path, "old") is None
