"""The documentation site builds without warnings, and the blocks of the tutorial run one after the other."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_the_site_builds_without_warnings(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the packages of the site: pip install 'headway[docs]'")
    pytest.importorskip("mkdocstrings", reason="needs the packages of the site: pip install 'headway[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path / "site")]
    settings = {**ENVIRONMENT, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in ("index", "tutorial", "server", "reference", "results/pipe"):
        assert (tmp_path / "site" / f"{page}.html").is_file()
    reference = (tmp_path / "site" / "reference.html").read_text(encoding="utf-8")
    assert "arc_probabilities" in reference
    assert "<blockquote>" not in reference, "an example without its heading is taken for a quotation"


@pytest.mark.parametrize("page", ["index.md", "tutorial.md"])
def test_the_blocks_run_one_after_the_other(page, tmp_path):
    blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for language, code in blocks:
        command = {"sh": ["sh", "-ec", code], "python": [sys.executable, "-c", code]}[language]
        done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{code}\n{done.stderr}"
