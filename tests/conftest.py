"""What all tests share: the treebanks' folder, and hypothesis made deterministic."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

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
    return any(name in text for name in ("headway.search", "hill_climbing", "hill-climbing", "small_climber"))
