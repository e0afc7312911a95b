"""Commands in documentation and Dockerfile: ``headway`` takes their options and values, scripts have their options.

Lines that need nothing but a text, built-in models and the files of ``examples/`` are run.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
import typer

from headway.cli.app import app
from headway.models import known_models
from headway.presets import PRESETS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN_ELSEWHERE = ("README.md", "index.md", "tutorial.md")
CHEAP = [["headway", name] for name in ("parse", "eval", "inspect", "treebank")]


def lines(page: Path) -> Iterator[str]:
    """The lines of all blocks of a page, except those in Python."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```|((?:^    [^\n]*\n)+)", text, re.DOTALL | re.MULTILINE)
    shell = [fenced or indented for language, fenced, indented in blocks if language != "python"]
    for line in "\n".join(shell).replace("\\\n", " ").splitlines():
        yield line.strip().replace("…", "")


def pipeline(line: str, program: str) -> list[list[str]]:
    """The words of each command of a line, if one of them is the program; redirections are left out."""
    if not re.search(rf"(^|[|;&(]|\bRUN|=\S+) *{program} ", line):
        return []
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    found = [list(some) for ends, some in groupby(words, lambda word: word in {"|", "||", "&&", ";", "&"}) if not ends]
    return [_plain(command) for command in found]


def _plain(command: list[str]) -> list[str]:
    """A command without redirections, without variables that are set for it, and without the ``RUN`` of Docker."""
    words = [
        word for before, word in zip(["", *command], command, strict=False)
        if not {before, word} & {">", "<", ">>"}
    ]  # fmt: skip
    while words and (words[0] == "RUN" or re.match(r"\w+=", words[0])):
        words = words[1:]
    return words


def commands(program: str) -> list:
    """The commands of a program in all blocks, also behind ``|`` and ``&&``."""
    return [
        pytest.param(words[1:], id=f"{page.name}: {' '.join(words)}")
        for page in PAGES
        for line in lines(page)
        for words in pipeline(line, program)
        if words[:1] == [program]
    ]


def mentions() -> list:
    """The commands in the middle of a text, which may lack arguments."""
    found = []
    for page in PAGES:
        for code in re.findall(r"`([^`\n]*\bheadway [a-z][^`\n]*)`", page.read_text(encoding="utf-8")):
            for words in pipeline(code.replace("\\|", "|").replace("…", ""), "headway"):
                if words[:1] == ["headway"]:
                    found.append(pytest.param(words[1:], id=f"{page.name}: {' '.join(words)}"))
    return found


def cheap_lines() -> list:
    """The lines that parse an echoed text by a built-in model, or read only files of ``examples/``."""
    found = []
    for page in PAGES:
        for line in () if page.name in RUN_ELSEWHERE else lines(page):
            steps = pipeline(line, "headway")
            echoes = [words for words in steps if words[:1] == ["echo"]]
            rest = [words for words in steps if words[:2] in CHEAP]
            if not rest or len(echoes) + len(rest) < len(steps) or (not echoes and "examples/" not in line):
                continue
            if all((ROOT / word).exists() for words in rest for word in words if "." in word):
                found.append(pytest.param(line, id=f"{page.name}: {line}"))
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


@pytest.mark.parametrize("words", mentions())
def test_mentioned_commands_have_the_options(words):
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words:
        command, words = command.commands[words[0]], words[1:]
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    assert [word for word in words if re.match("--?[a-z]", word) and word not in known] == []


@pytest.mark.parametrize("line", cheap_lines())
def test_cheap_lines_run(line, tmp_path):
    if "en-accurate" in line:
        pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: headway[onnx]")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    settings = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-ec", line], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_commands_are_found_wherever_a_line_has_them():
    found = {case.id for case in (*commands("headway"), *cheap_lines())}
    assert {
        "kernels.md: headway warmup",
        "neural.md: headway parse --model en-accurate",
        'neural.md: echo "Dogs bark." | headway parse --model en-accurate',
    } <= found
    assert any(name.startswith("commands.md: headway parse -m english.headway --on-error skip") for name in found)
    [step, second, third] = pipeline("A=b headway parse x.txt | headway eval g - > out && headway inspect", "headway")
    assert (step, second, third) == (
        ["headway", "parse", "x.txt"], ["headway", "eval", "g", "-"], ["headway", "inspect"],
    )  # fmt: skip
    assert pipeline("prose about headway and more", "headway") == []


@pytest.mark.parametrize("words", commands("python"))
def test_scripts_have_the_options(words):
    if words[0] in ("-m", "-c"):
        return
    script = ROOT / words[0]
    source = script.read_text(encoding="utf-8")
    for word in words[1:]:
        assert not word.startswith("--") or f'"{word}"' in source, f"{words[0]} has no option {word}"
