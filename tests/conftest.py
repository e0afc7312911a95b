"""What all tests share: the treebanks' folder, and hypothesis made deterministic."""

import os
from pathlib import Path

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


@pytest.hookimpl(tryfirst=True)  # before the plugin that reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests stay in one process, and so do all files whose tests compile the hill climber."""
    climbing: dict[Path, bool] = {}
    for item in items:
        if item.path not in climbing:
            text = item.path.read_text(encoding="utf-8")
            climbing[item.path] = (
                "headway.search" in text
                or "hill_climbing" in text
                or "hill-climbing" in text
                or "small_climber" in text
            )
        item.add_marker(pytest.mark.xdist_group("climbing" if climbing[item.path] else str(item.path)))
