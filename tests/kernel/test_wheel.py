"""The wheel that ``make wheel`` builds: installed elsewhere, with an empty cache, it compiles nothing.

``HEADWAY_WHEEL`` names the wheel; without it these tests are skipped.
"""

import os
import pickle
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_samples import COUNTING, ROOT, Done, environment

COMMAND = "import sys\nfrom headway.cli.main import main\nmain()\n"
NO_AVX2 = "from headway.kernel import levels\nlevels.host_has = lambda features: False\n"
ANOTHER_NUMBA = "import numba\nnumba.__version__ = '0.68.99'\n"

AVX_512 = re.compile(r":\t62 |%k[0-7]\b")
"""An instruction with the prefix EVEX, on registers of any width, or with a mask register."""

TEXT = ROOT / "examples" / "text.txt"
TRAIN, DEV = ROOT / "examples" / "sample-train.conllu", ROOT / "examples" / "sample-dev.conllu"


class Installed:
    """A virtual environment with nothing but the wheel, and an empty cache."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python, self.folder, self.number = python, folder, 0

    @property
    def cache(self) -> Path:
        """The cache of the last command."""
        return self.folder / f"cache{self.number}"

    @property
    def kept(self) -> list[str]:
        """The entries of that cache, kept by the command itself or by processes that it started."""
        return sorted(path.name for path in self.cache.iterdir()) if self.cache.exists() else []

    def headway(self, *arguments: str, before: str = "") -> Done:
        self.number += 1
        settings = environment(HEADWAY_CACHE=str(self.cache))
        command = [str(self.python), "-c", COUNTING + before + COMMAND, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=settings, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return Done(done)

    def check_compiles_nothing(self, *arguments: str) -> None:
        """Neither the command itself nor the processes in which it would compile ahead."""
        assert self.headway(*arguments).compiled == []
        assert self.kept == []


@pytest.fixture(scope="module")
def wheel() -> Path:
    named = os.environ.get("HEADWAY_WHEEL")
    if not named:
        pytest.skip("HEADWAY_WHEEL names no wheel: run make wheel")
    return Path(named).resolve()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    return Installed(python, folder)


@pytest.fixture(scope="module")
def trees(installed: Installed) -> str:
    return installed.headway("parse", str(TEXT), "--quiet").output


@pytest.fixture(scope="module")
def table(installed: Installed, trees: str) -> Path:
    path = installed.folder / "trees.conllu"
    path.write_text(trees, encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [(), ("--confidence",), ("--to", "html"), ("--to", "json", "--confidence")])
def test_parsing_text_compiles_nothing(installed: Installed, options: tuple[str, ...]) -> None:
    installed.check_compiles_nothing("parse", str(TEXT), *options)


@pytest.mark.parametrize(
    "options", [("--k-best", "5", "--decoder", "model1"), ("--exact",), ("--keep-heads",), ("--confidence",)]
)
def test_parsing_tables_compiles_nothing(installed: Installed, table: Path, options: tuple[str, ...]) -> None:
    installed.check_compiles_nothing("parse", str(table), *options)


@pytest.mark.parametrize("preset", ["fast", "full"])
@pytest.mark.parametrize("dev", [True, False])
def test_training_and_parsing_with_the_model_compile_nothing(installed: Installed, preset: str, dev: bool) -> None:
    model = str(installed.folder / f"{preset}-{dev}.headway")
    options = ["--dev", str(DEV)] if dev else []
    installed.check_compiles_nothing("train", str(TRAIN), *options, "--preset", preset, "--epochs", "2", "-o", model)
    installed.check_compiles_nothing("parse", str(DEV), "--model", model, "--confidence")


@pytest.mark.parametrize("pretence", [NO_AVX2, ANOTHER_NUMBA])
def test_without_a_match_it_compiles_and_finds_the_same_trees(installed: Installed, trees: str, pretence: str) -> None:
    done = installed.headway("parse", str(TEXT), "--quiet", before=pretence)
    assert "search_kernel" in (done.compiled or []) or installed.kept
    assert done.output == trees


def test_kernels_use_no_instruction_beyond_their_level(wheel: Path, tmp_path: Path) -> None:
    if shutil.which("objdump") is None:
        pytest.skip("there is no objdump")
    count = 0
    for name, machine_code in _machine_codes(wheel):
        place = tmp_path / "kernel.o"
        place.write_bytes(machine_code)
        command = ["objdump", "-d", "-w", str(place)]  # wide: all bytes of an instruction are on its line
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert len(listing.splitlines()) > 10, name
        assert not AVX_512.search(listing), name
        count += 1
    assert count > 30


def _machine_codes(wheel: Path) -> Iterator[tuple[str, bytes]]:
    from headway.kernel.ready import ReadyUnit
    from headway.kernel.store import _DIGEST, _MAGIC

    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".kernel"):
                yield name, ReadyUnit(*pickle.loads(archive.read(name)[len(_MAGIC) + _DIGEST :])).machine_code


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size <= 60e6
    assert "-none-any" not in wheel.name
