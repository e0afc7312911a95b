"""Settings that all tests share: the treebanks' folder, and hypothesis made deterministic."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that wait for work take the time of other tests

settings.register_profile("headway", derandomize=True, deadline=None, print_blob=False)
settings.load_profile("headway")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of real treebanks; tests that ask for it skip where there is none."""
    folder = Path(os.environ.get("HEADWAY_TREEBANKS", ROOT / "../shared/treebanks")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no treebanks at {folder}: set HEADWAY_TREEBANKS to their folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def small_tables() -> Iterator[None]:
    """Presets with small tables of weights: tests learn from few sentences, and large tables take most of the time."""
    from headway.presets import PRESETS

    with pytest.MonkeyPatch.context() as patch:
        for name, preset in PRESETS.items():
            arcs, labels = replace(preset.arcs, slots=1 << 16), replace(preset.labels, slots=1 << 14)
            parts = preset.parts and replace(preset.parts, slots=1 << 16)
            patch.setitem(PRESETS, name, replace(preset, arcs=arcs, labels=labels, parts=parts))
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file's tests stay in one process, and so do all files whose tests compile the hill climber."""
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "climbing" if _climbs(config.rootpath / file) else file

    return Files(config, log)


@cache
def _climbs(file: Path) -> bool:
    text = file.read_text(encoding="utf-8")
    return any(
        name in text for name in ("SearchRule", "hill_climbing", "hill-climbing", "small_climber", "high_order_samples")
    )
