"""``headway constituents``: train, parse and score phrase structure."""

import time
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.command import Command, Group, command
from headway.cli.constituent_files import Format, Input, To, head_table, read_sentences, read_trees, written
from headway.cli.guard import INPUT, MODEL, OUTPUT
from headway.cli.options import JsonOption, OutputOption, QuietOption, SeedOption
from headway.cli.progress import reporting, say_if_compiling, training_summary
from headway.cli.showing import watched
from headway.errors import UsageError

if TYPE_CHECKING:
    from headway.constituency.parses import ConstituentParse


class Agree(StrEnum):
    """The models that the lexicalised parser must agree with (`--agree`)."""

    alone = "alone"
    tags = "tags"
    dependencies = "dependencies"
    all = "all"


class Grammar(StrEnum):
    """The grammar that scores trees (`--grammar`)."""

    lexicalised = "lexicalised"
    markovised = "markovised"
    both = "both"


HeadRulesOption = Annotated[
    str,
    typer.Option(metavar="NAME", help="The head rules: [b]english[/], [b]german[/], or a file with a table of them."),
]


def train(
    trees: Annotated[str, typer.Argument(metavar="TREES", help="Bracketed trees, [b]-[/] for stdin."), INPUT],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write."), OUTPUT],
    dev: Annotated[str | None, typer.Option(metavar="FILE", help="Dev set: used for early stopping."), INPUT] = None,
    head_rules: HeadRulesOption = "english",
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="The preset of the dependency parser; it must use a chart decoder.")
    ] = "carreras",
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum epochs of the dependency parser.")] = 5,
    seed: SeedOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Train a constituent parser, its tagger and its dependency parser on bracketed trees.

    [b]headway constituents train train.ptb --dev dev.ptb -o en.const.headway[/]
    """
    from headway.constituency.parser import ConstituentParser
    from headway.model_file import check_model_place

    started = time.monotonic()
    check_model_place(output)
    rules = head_table(head_rules)
    with reporting(quiet=quiet) as progress:
        say_if_compiling(progress)
        parser = ConstituentParser.train(
            read_trees(trees), dev=None if dev is None else read_trees(dev), head_rules=rules, preset=preset,
            epochs=epochs, seed=seed, progress=progress,
        )  # fmt: skip
        parser.save(output)
        progress.note(training_summary(output, time.monotonic() - started))


def parse(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to parse, [b]-[/] for stdin."), INPUT] = "-",
    model: Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="The constituent parser."), MODEL] = "",
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            help=(
                "Input format: raw text; words separated by spaces, one sentence per line; bracketed trees; or a "
                "table; [b]auto[/] guesses all but [b]words[/] from the content."
            ),
        ),
    ] = Format.auto,
    segmenter: Annotated[
        str, typer.Option(metavar="MODEL", help="The model that splits raw text into sentences and words."), MODEL
    ] = "en",
    gold_tags: Annotated[
        bool, typer.Option("--gold-tags", help="Use the tags of the input, which must be trees or a table.")
    ] = False,
    agree: Annotated[Agree, typer.Option(help="The models that the parser must agree with.")] = Agree.all,
    iterations: Annotated[
        int, typer.Option(min=1, metavar="N", help="Maximum number of iterations of dual decomposition.")
    ] = 50,
    step: Annotated[
        str,
        typer.Option(metavar="NAME", help="Step size of dual decomposition: [b]mixed[/], [b]ad3[/], [b]halving[/], …"),
    ] = "mixed",
    grammar: Annotated[
        Grammar, typer.Option(help="The grammar: with words (lexicalised), without (markovised), or both.")
    ] = (Grammar.lexicalised),
    k_best: Annotated[
        int, typer.Option(min=1, max=100, metavar="K", help="Write the K best trees of each sentence.")
    ] = 1,
    to: Annotated[
        To, typer.Option(help="Output format: brackets, JSON, trees for the terminal, a picture or dependencies.")
    ] = To.brackets,
    output: OutputOption = "-",
    quiet: QuietOption = False,
) -> None:
    """Parse text into constituents that agree with tags and dependencies.

    [b]headway constituents parse text.txt --model en.const.headway --to tree[/]
    """
    from headway.constituency.parser import LONGEST, ConstituentParser
    from headway.corpus import open_output
    from headway.corpus.word import counted

    if not model:
        raise UsageError("--model is needed: train one with headway constituents train")
    if gold_tags and format.of(file) in (Format.text, Format.words):
        raise UsageError("--gold-tags needs trees or a table: other input has no tags")
    with reporting(quiet=quiet) as progress:
        parser = ConstituentParser.load(model)
        say_if_compiling(progress)
        sentences = list(read_sentences(file, format, segmenter, gold_tags=gold_tags))
        short = flat = 0

        def parses() -> "Iterator[tuple[Input, ConstituentParse]]":
            nonlocal short, flat
            for given in watched(sentences, progress, "parsing"):
                found = parser.k_best(
                    given.forms, k_best, tags=given.tags if gold_tags else None, mode=agree.value,
                    iterations=iterations, step=step, grammar=grammar.value,
                )  # fmt: skip
                short += len(found) < k_best
                flat += found[0].fallback
                yield from ((given, parse) for parse in found)

        with open_output(output) as stream:
            for piece in written(parses(), to, gold_tags=gold_tags):
                stream.write(piece.encode())
        if flat:
            reason = f"the grammar has no tree, or they have more than {LONGEST} words"
            progress.note(f"flat trees were written for {counted(flat, 'sentence')}: {reason}")
        if short:
            progress.note(f"fewer than {k_best} trees were found for {counted(short, 'sentence')}")


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Gold trees."), INPUT],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The parser's trees of the same sentences."), INPUT],
    head_rules: HeadRulesOption = "english",
    parameters: Annotated[
        str | None, typer.Option(metavar="FILE", help="A parameter file of EVALB, in place of COLLINS.prm."), INPUT
    ] = None,
    delete: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="Ignore this label instead of the labels EVALB ignores; may be repeated."),
    ] = None,
    equal: Annotated[
        list[str] | None,
        typer.Option(metavar="A=B", help="Treat these labels as equal, instead of ADVP=PRT; may be repeated."),
    ] = None,
    longest: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only sentences of at most N words, punctuation apart (EVALB: 40)."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Score trees against gold trees, as EVALB does.

    [b]headway constituents eval gold.ptb parsed.ptb[/]
    """
    from json import dumps

    from headway.constituency.bracket_rules import BracketRules
    from headway.constituency.bracket_scores import score_trees
    from headway.constituency.head_rules import HeadRules
    from headway.evaluation.tables import table

    if gold == system == "-":
        raise UsageError("only one of the files can be standard input (-)")
    rules = BracketRules() if parameters is None else BracketRules.read(parameters)
    if delete is not None:
        rules = replace(rules, deleted=frozenset(delete))
    if equal is not None:
        if wrong := [pair for pair in equal if "" in pair.split("=") or "=" not in pair]:
            raise UsageError(f"--equal {wrong[0]}: expected labels with = between them, such as ADVP=PRT")
        rules = replace(rules, equal=frozenset(frozenset(pair.split("=")) for pair in equal))
    trees, parsed = read_trees(gold), read_trees(system)
    table_of_heads = HeadRules.read(head_table(head_rules))
    scores = score_trees(trees, parsed, rules=rules, head_rules=table_of_heads, names=(gold, system))
    found = (scores if longest is None else scores.up_to(longest)).data()
    if json:
        typer.echo(dumps(found, indent=2))
        return
    cells = [
        [name.replace("_", " "), f"{value:.2f}" if isinstance(value, float) else f"{value:,}"]
        for name, value in found.items()
    ]
    typer.echo(table(["score", "value"], cells))


constituents_app = typer.Typer(cls=Group, no_args_is_help=True)
for _name, _task in (("train", train), ("parse", parse), ("eval", evaluate)):
    constituents_app.command(_name, cls=Command)(command(_task))
