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
