"""Every input of the fuzzing corpus is checked again, and the fuzzer finds what it should.

The models that inputs are tried on are searched by hill-climbing, too.
"""

import mmap
import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from fuzz import mutation, samples  # noqa: E402
from fuzz.corpus_files import CORPUS  # noqa: E402
from fuzz.findings import FindingError, signature  # noqa: E402
from fuzz.kinds import KINDS  # noqa: E402
from fuzz.worker import SPACE, Trial, present_input  # noqa: E402

FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.fixture(scope="module", autouse=True)
def models(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    samples.make(folder)
    samples.use(folder)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers of forged models overflow
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_nothing_of_the_corpus_does_harm(path: Path) -> None:
    assert KINDS[path.parent.name]().check(path.read_bytes())


def test_the_corpus_has_every_kind() -> None:
    assert {path.parent.name for path in FILES} == set(KINDS)
    assert all(path.stat().st_size < 4096 for path in FILES)


@pytest.mark.parametrize("name", ["readers", "text", "constraints"])
def test_made_up_inputs_do_no_harm(name: str) -> None:
    kind, random = KINDS[name](), Random(1)
    for _ in range(20):
        first, second = kind.fresh(random), kind.fresh(random)
        kind.check(first)
        kind.check(kind.changed(random, first, second))


class Planted:
    """A kind of input with defects: bytes that are refused, that must not come together, that do new things."""

    lines = ("errors.py",)

    def fresh(self, random: Random) -> bytes:
        return bytes(random.choices(b"abcd", k=12))

    def changed(self, random: Random, data: bytes, other: bytes) -> bytes:
        return mutation.changed(random, data, other, (b"a", b"d"))

    def smaller(self, data: bytes) -> list[bytes]:
        return mutation.smaller(data)

    def check(self, data: bytes) -> str:
        if b"a" in data and b"d" in data:
            raise FindingError("a and d")
        if b"cc" in data:
            raise ZeroDivisionError
        return f"{len(data)}"


@pytest.fixture
def trial() -> Trial:
    return Trial(Planted(), mmap.mmap(-1, SPACE), 60.0)


def test_defects_are_found_once_and_made_small(trial: Trial) -> None:
    report = trial.run(Random(1), 60.0, 400)
    found = {name: sorted(data) for name, (data, _) in report.findings.items()}
    assert len(found) == 2
    assert sorted(found.values()) == [sorted(b"ad"), sorted(b"cc")]
    assert all("Planted" in told or "check" in told for _, told in report.findings.values())
    assert report.inputs == 400


def test_what_is_new_is_changed_further(trial: Trial) -> None:
    trial.warm([b"bbb", b"bbbb"])
    report = trial.run(Random(2), 60.0, 200)
    assert {3, 4}.isdisjoint(map(len, report.behaviours.values()))
    assert len(report.behaviours) > 2
    assert trial.pool[2:] == list(report.behaviours.values())


def test_defects_that_the_corpus_shows_are_told(trial: Trial) -> None:
    trial.warm([b"ad"])
    assert [data for data, _ in trial.run(Random(2), 60.0, 1).findings.values()] == [b"ad"]


def test_the_present_input_can_be_read_by_others(trial: Trial) -> None:
    trial.check(b"bb")
    assert present_input(trial.present[:]) == b"bb"


def test_defects_are_told_apart_by_their_place() -> None:
    names = set()
    for data in (b"ad", b"cc", b"xad"):
        try:
            Planted().check(data)
        except Exception as error:
            names.add(signature(error))
    assert len(names) == 2
