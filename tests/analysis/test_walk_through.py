"""The page that walks a sentence through the search shows what the search does now."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def test_the_page_is_what_the_script_writes(tmp_path):
    copy = tmp_path / "docs"
    copy.mkdir()
    for name in ("hill_climbing.py", "hill-climbing.md"):
        shutil.copy(DOCS / name, copy)
    environment = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
    environment.pop("HEADWAY_KERNELS", None)
    subprocess.run([sys.executable, copy / "hill_climbing.py"], check=True, env=environment)
    assert (copy / "hill-climbing.md").read_text("utf-8") == (DOCS / "hill-climbing.md").read_text("utf-8")
    pictures = sorted(path.name for path in (copy / "images").iterdir())
    assert len(pictures) >= 4
    for name in pictures:
        assert (copy / "images" / name).read_bytes() == (DOCS / "images" / name).read_bytes()
