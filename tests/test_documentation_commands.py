"""Commands in documentation and Dockerfile: ``headway`` takes their options and values, scripts have their options."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from headway.cli.app import app
from headway.models import known_models
from headway.presets import PRESETS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(program: str) -> list:
    """The lines of all blocks that begin with the name of a program."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```\w*\n(.*?)^```|((?:^    .*\n)+)", text, re.DOTALL | re.MULTILINE)
        for line in "\n".join(map("".join, blocks)).replace("\\\n", " ").splitlines():
            if line.strip().startswith(f"{program} "):
                words = shlex.split(line.replace("…", ""), comments=True)
                found.append(pytest.param(words[1:], id=f"{page.name}: {' '.join(words)}"))
    return found


def container_commands() -> list:
    """The commands that build and start the container."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    built = [line.split()[2:] for line in re.findall(r"^RUN headway .*", text, re.MULTILINE)]
    [started] = map(json.loads, re.findall(r"^CMD (.*)", text, re.MULTILINE))
    assert started[0] == "headway"
    return [pytest.param(words, id=f"Dockerfile: {' '.join(words)}") for words in (*built, started[1:])]


@pytest.mark.parametrize("words", [*commands("headway"), *container_commands()])
def test_headway_takes_the_options(words):
    command = typer.main.get_command(app)
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    if "--help" not in words:
        command.make_context(command.name, list(words))


def test_every_preset_is_explained():
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    [table] = re.findall(r"^\| `--preset` \|.*\n(?:\|.*\n)+", text, re.MULTILINE)
    assert {name for row in table.splitlines()[2:] for name in re.findall("`([^`]+)`", row.split("|")[1])} == set(
        PRESETS
    )


def test_built_in_models_are_named_where_one_is_chosen():
    for page in ("headway/cli/parse.py", "headway/cli/serve.py", "headway/spacy_component.py", "docs/commands.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert [name for name in known_models() if name not in text] == [], page


def test_headway_is_installed_from_a_checkout_or_a_wheel():
    sources = [*PAGES, *(ROOT / "headway").rglob("*.py")]
    assert [page.name for page in sources if "pip install headway" in page.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("words", commands("python"))
def test_scripts_have_the_options(words):
    if words[0] in ("-m", "-c"):
        return
    script = ROOT / words[0]
    source = script.read_text(encoding="utf-8")
    for word in words[1:]:
        assert not word.startswith("--") or f'"{word}"' in source, f"{words[0]} has no option {word}"
