"""The README's examples, run as they stand; the first one's model is searched by hill-climbing."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import headway

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def blocks():
    found = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    return dict(found)


def test_the_examples_run_one_after_the_other(blocks, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in (["sh", "-ec", blocks["sh"]], [sys.executable, "-c", blocks["python"]]):
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "HeadProb=" in (tmp_path / "parsed.conllu").read_text(encoding="utf-8")
    assert done.stdout.count("\n") >= 3


def test_it_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 500


def test_the_docs_import_what_there_is():
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")]
    blocks = [block for page in pages for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)]
    lines = [line for block in blocks for line in block.splitlines() if re.match(r"(from|import) headway", line)]
    assert lines
    for line in dict.fromkeys(lines):
        exec(line, {})


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [newest, *_] = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert project["version"] == headway.__version__ == newest


def test_links_lead_somewhere():
    for name in ("README.md", "CONTRIBUTING.md", *(str(page) for page in (ROOT / "docs").rglob("*.md"))):
        page = ROOT / name
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"
