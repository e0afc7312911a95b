"""Compiled kernels that run without Numba."""

from collections import namedtuple
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_samples import ROOT, run

from headway.kernel import kernel_mode
from headway.kernel.cache import _type_text
from headway.kernel.names import value_key, value_text
from headway.kernel.units import is_supported

pytestmark = pytest.mark.skipif(
    kernel_mode() == "python" or not is_supported(), reason="kernels are not compiled, or not in units"
)

Pair = namedtuple("Pair", ["left", "right"])

DTYPES = st.sampled_from(["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    array = np.zeros(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)), dtype=draw(DTYPES))
    array = draw(st.sampled_from([array, np.asfortranarray(array), array[::2], array.T]))
    array.flags.writeable = draw(st.booleans())
    return array


SCALARS = st.one_of(
    st.integers(-(1 << 40), 1 << 40), st.floats(allow_nan=False), st.booleans(), st.none(),
    DTYPES.map(lambda name: np.dtype(name).type(1)),
)  # fmt: skip
VALUES = st.recursive(
    arrays() | SCALARS,
    lambda values: st.builds(Pair, values, values) | st.lists(values, min_size=1, max_size=3).map(tuple),
    max_leaves=8,
)


@given(VALUES)
def test_types_are_described_as_numba_sees_them(value: Any) -> None:
    assert value_text(value) == _type_text(numba.typeof(value))


@given(VALUES, VALUES)
def test_keys_tell_apart_what_numba_tells_apart(first: Any, second: Any) -> None:
    if value_key(first) == value_key(second):
        assert numba.typeof(first) == numba.typeof(second)


@pytest.mark.parametrize("value", ["text", [1], np.zeros(2, ">f8"), np.zeros(2, "c16"), np.ma.zeros(2), object()])
def test_types_that_only_numba_can_tell_are_left_to_it(value: Any) -> None:
    with pytest.raises(TypeError):
        value_text((1, value))


def test_the_version_is_found_without_importing() -> None:
    code = "import sys\nfrom headway.kernel.names import numba_version\nprint(numba_version(), 'numba' in sys.modules)"
    assert run(code, counting=False).output.split() == [numba.__version__, "False"]


TREES = """
import sys
import numpy as np
from headway.decoders import find_decoder
from headway.parts import Candidates, Scores
candidates = Candidates.all(7)
scores = Scores(np.random.default_rng(1).normal(size=len(candidates.heads)))
for name in ("eisner", "spanning-tree"):
    print(find_decoder(name).decode(candidates, scores).heads.tolist())
"""


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A cache with what `TREES` needs."""
    variables = {"HEADWAY_CACHE": str(tmp_path_factory.mktemp("kernels"))}
    assert run(TREES, **variables).compiled
    return variables


def test_a_warm_cache_needs_no_numba_and_gives_the_same_trees(warm: dict[str, str]) -> None:
    alone = run(TREES + "print('numba' in sys.modules)", counting=False, **warm)
    beside = run("import headway.kernel.dispatch\n" + THROUGH_NUMBA + TREES, counting=False, **warm)
    *trees, imported = alone.output.splitlines()
    assert imported == "False"
    assert trees == beside.output.splitlines()


THROUGH_NUMBA = "import headway.kernel.ready as ready\nready.find_ready = lambda *args: None\n"


def test_numba_works_when_it_is_imported_afterwards(warm: dict[str, str]) -> None:
    later = """
import numba
@numba.njit
def theirs(values):
    return np.sort(values)[::-1].copy()
print(theirs(np.arange(3.0)).tolist())
from headway.parts.structures import span_key
print(span_key.dispatcher.py_func is not None)
"""
    done = run(TREES + "assert 'numba' not in sys.modules\n" + later, counting=False, **warm)
    assert done.output.splitlines()[-2:] == ["[2.0, 1.0, 0.0]", "True"]


@pytest.mark.parametrize(
    "trouble",
    [
        "ready._define = lambda symbol: False",
        "ready.numba_version = lambda: '0.1'",
        "ready._read = lambda folder, name: None",
    ],
)
def test_where_something_is_missing_numba_takes_over(warm: dict[str, str], trouble: str) -> None:
    code = f"import headway.kernel.ready as ready\n{trouble}\n" + TREES + "print('numba' in sys.modules)"
    done = run(code, counting=False, **warm)
    assert done.output == run(TREES, counting=False, **warm).output + "True\n"


def test_after_many_calls_numba_takes_over(warm: dict[str, str]) -> None:
    code = "import headway.kernel as kernel\nkernel._MANY_CALLS = 2\n" + TREES * 3 + "print('numba' in sys.modules)"
    lines = run(code, counting=False, **warm).output.splitlines()
    assert lines[-1] == "True"
    assert lines[:2] == lines[2:4] == lines[4:6]


KERNEL = """
import numpy as np
from headway.kernel import kernel

@kernel
def third(values):
    if values[0] < 0.0:
        raise ValueError("negative")
    return values[2]
"""

ERRORS = """
import sys
import numpy as np
from sample import third
for values in (np.arange(3.0), np.zeros(2), -np.ones(3)):
    try:
        print(third(values))
    except (IndexError, ValueError) as error:
        print(type(error).__name__, error)
"""


def test_errors_of_kernels_are_raised(tmp_path: Path) -> None:
    """Exceptions come out of compiled code pickled."""
    (tmp_path / "sample.py").write_text(KERNEL)
    variables = {"HEADWAY_CACHE": str(tmp_path / "kernels"), "HEADWAY_KERNELS": "checked"}
    variables["PYTHONPATH"] = f"{tmp_path}:{ROOT}"
    compiled = run(ERRORS, **variables)
    assert compiled.compiled == ["third"]
    first, _, last = compiled.output.splitlines()
    assert (first, last) == ("2.0", "ValueError negative")
    warm = run(ERRORS + "print('numba' in sys.modules)", counting=False, **variables)
    assert warm.output == compiled.output + "False\n"
