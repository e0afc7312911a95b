"""``HEADWAY_KERNELS``, and the clock that does not count compilation."""

import time
from pathlib import Path

import numba
from kernel_samples import run

from headway.kernel import working_clock

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
from headway.kernel.arrays import copy_into

try:
    copy_into(np.zeros(3), np.zeros(5))
except IndexError:
    print("caught")
"""


def test_python_mode_leaves_functions_as_they_are(tmp_path: Path) -> None:
    done = run(FIND, HEADWAY_KERNELS="python", HEADWAY_CACHE=str(tmp_path))
    assert done.output == "function 3.0\n", done.errors


def test_a_parse_in_python_mode_is_the_compiled_one(tmp_path: Path) -> None:
    code = """
import numpy as np
from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.features.arc import ROW, make_arc_plan
from headway.decoders.eisner import Eisner
from headway.scorers.linear_models import ArcModel
from headway.scorers.linear_scorer import LinearScorer
from headway.search import Search
from headway.scorers.rows import plain_rows
sentence = Sentence.from_words(["old", "dogs", "bark", "old"], upos=["A", "N", "V", "A"])
encoder = Encoder.fit([sentence])
plan = make_arc_plan("h.upos m.upos\\nm.form", atoms=encoder.names, constant=(), tag_class={})
weights = np.random.default_rng(1).normal(size=(256, ROW)).astype(np.float32)
model = ArcModel(plan, plain_rows(weights))
with np.errstate(over="ignore"):
    print(Search(LinearScorer(model), Eisner()).trees(encoder.encode([sentence]))[0].heads)
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
    """Return the output of code without kernels, which must be its output with them."""
    plain = run(code, HEADWAY_KERNELS="python", HEADWAY_CACHE=str(tmp_path))
    lines: list[str] = []
    exec(code, {"print": lambda value: lines.append(f"{value}\n")})
    assert plain.output == "".join(lines), plain.errors
    return plain.output


def test_checked_mode_checks_bounds(tmp_path: Path) -> None:
    done = run(OUT_OF_BOUNDS, HEADWAY_KERNELS="checked", HEADWAY_CACHE=str(tmp_path))
    assert done.output == "caught\n", done.errors


def test_checked_and_unchecked_kernels_share_a_folder_and_nothing_else(tmp_path: Path) -> None:
    for mode in ("compiled", "checked"):
        assert run(FIND, HEADWAY_KERNELS=mode, HEADWAY_CACHE=str(tmp_path)).compiled
        assert run(FIND, HEADWAY_KERNELS=mode, HEADWAY_CACHE=str(tmp_path)).compiled == []


def test_an_unknown_kernel_mode_is_refused(tmp_path: Path) -> None:
    done = run("import headway.kernel", HEADWAY_KERNELS="fast", HEADWAY_CACHE=str(tmp_path))
    assert done.code == 0  # nothing is compiled yet
    done = run(FIND, HEADWAY_KERNELS="fast", HEADWAY_CACHE=str(tmp_path))
    assert done.code != 0
    assert "HEADWAY_KERNELS is 'fast'; it may be compiled, checked, python" in done.errors


def test_the_working_clock_stands_still_while_kernels_are_compiled() -> None:
    def doubled(number: int) -> int:
        return 2 * number

    run_kernel = numba.njit(doubled)
    from headway.kernel import dispatch  # noqa: F401  what listens to Numba

    clock, wall = working_clock(), time.monotonic()
    assert run_kernel(4) == 8
    passed, waited = working_clock() - clock, time.monotonic() - wall
    assert passed < waited / 2
    time.sleep(0.01)
    assert working_clock() - clock > passed
