"""The ``headway`` command line application and its subcommands.

Commands import what they need only when they run, so that ``--help`` is quick.
"""

import sys
from typing import Annotated

import typer

from headway.cli import treebank
from headway.cli.analyze import analyze_app
from headway.cli.command import Command, Group, command
from headway.cli.constituents import constituents_app
from headway.cli.ensemble import ensemble
from headway.cli.evaluate import evaluate
from headway.cli.failures import one_line_failures, stop_when_asked, warn_in_one_line
from headway.cli.inspect import inspect
from headway.cli.parse import parse
from headway.cli.serve import serve
from headway.cli.train import train
from headway.cli.tune import tune
from headway.cli.warmup import warmup

app = typer.Typer(
    name="headway",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)
treebank_app = typer.Typer(cls=Group, no_args_is_help=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        from headway import __version__

        typer.echo(f"headway {__version__}")
        raise typer.Exit


@app.callback()
def headway(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train dependency parsers, parse text with them, and evaluate the trees.

    [b]headway train train.conllu --dev dev.conllu -o english.headway[/]

    [b]headway parse text.conllu --model english.headway -o parsed.conllu[/]

    [b]headway eval gold.conllu parsed.conllu[/]
    """


for _name, _command in (
    ("train", train), ("parse", parse), ("eval", evaluate), ("inspect", inspect), ("warmup", warmup),
    ("ensemble", ensemble), ("tune", tune), ("serve", serve),
):  # fmt: skip
    app.command(_name, cls=Command)(command(_command))
for _task in (treebank.stats, treebank.validate, treebank.split, treebank.convert):
    treebank_app.command(cls=Command)(command(_task))
app.add_typer(treebank_app, name="treebank", help="Count, validate, split and convert treebanks.")
app.add_typer(constituents_app, name="constituents", help="Train, parse and score phrase structure.")
app.add_typer(analyze_app, name="analyze", help="Analyse search, learning, confidence and agreement.")


def run() -> None:
    """Run the command that the arguments name."""
    stop_when_asked()
    warn_in_one_line()
    with one_line_failures():  # of options, --help and --version; commands handle their own
        sys.exit(app(standalone_mode=False, prog_name="headway") or 0)
