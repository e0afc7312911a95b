"""Help, the version, wrong arguments; and that none of it waits for a compiler."""

import subprocess
import sys

import pytest

import headway

COMMANDS = [
    (),
    ("train",),
    ("parse",),
    ("eval",),
    ("inspect",),
    ("treebank",),
    ("treebank", "stats"),
    ("treebank", "validate"),
    ("treebank", "split"),
    ("treebank", "convert"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_every_command_has_help_with_an_example(run, command, option):
    result = run(*command, option)
    assert result.exit_code == 0
    assert result.stdout.count(" ".join(["headway", *command])) >= (1 if command == ("treebank",) else 2)
    assert result.stderr == ""


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, ("serve",), ("analyze", "search"), ("constituents",), ("constituents", "parse")],
    ids=" ".join,
)
def test_flags_have_no_type(run, command):
    assert "bool" not in run(*command, "--help").stdout.lower()


def test_no_arguments_show_the_help(run):
    assert "treebank" in run().output


def test_version(run):
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"headway {headway.__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["parse", "--model"],
        ["parse", "x.conllu", "--model", "m", "--threads", "0"],
        ["parse", "x.conllu", "--model", "m", "--on-error", "explode"],
        ["train", "x.conllu"],
        ["train", "x.conllu", "-o", "m", "--epochs", "none"],
        ["eval", "x.conllu"],
        ["eval", "x.conllu", "y.conllu", "--by", "colour"],
        ["treebank", "stats", "x.conllu", "--format", "docx"],
        ["treebank", "stats"],
        ["inspect"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_exit_with_2_and_leave_stdout_clean(run, arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error" in result.stderr


@pytest.mark.parametrize("arguments", ["'--help'", "'treebank', 'stats', '-'", "'treebank', 'validate', '-'"])
def test_light_commands_import_no_compiler(arguments):
    code = (
        f"import sys; from headway.cli.app import app; app([{arguments}], standalone_mode=False);"
        "print([name for name in ('numba', 'scipy') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, check=True)
    assert result.stdout.endswith("[]\n")
