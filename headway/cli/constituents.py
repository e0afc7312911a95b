"""``headway constituents``: train, parse and score phrase structure."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.command import command
from headway.cli.guard import INPUT, MODEL, OUTPUT
from headway.cli.options import JsonOption, OutputOption, QuietOption, SeedOption
from headway.cli.progress import reporting, say_if_compiling
from headway.errors import UsageError

if TYPE_CHECKING:
    from headway.constituency.parser import ConstituentParse


class Agree(StrEnum):
    """What the lexicalised parser is made to agree with, by the names on the command line."""

    alone = "alone"
    tags = "tags"
    dependencies = "dependencies"
    all = "all"


class Grammar(StrEnum):
    """What scores trees, by the names on the command line."""

    lexicalised = "lexicalised"
    markovised = "markovised"
    both = "both"


class Shape(StrEnum):
    """How trees are written."""

    brackets = "brackets"
    json = "json"
    tree = "tree"
    svg = "svg"
    conllu = "conllu"


class Input(StrEnum):
    """What is parsed."""

    text = "text"
    words = "words"
    trees = "trees"


def train(
    trees: Annotated[str, typer.Argument(metavar="TREES", help="Bracketed trees, [b]-[/] for stdin."), INPUT],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write."), OUTPUT],
    dev: Annotated[str | None, typer.Option(metavar="FILE", help="Dev set: used for early stopping."), INPUT] = None,
    head_rules: Annotated[
        str, typer.Option(metavar="NAME", help="The table of head rules: [b]english[/] or [b]german[/].")
    ] = "english",
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="The dependency parser: a preset that searches by a chart.")
    ] = "carreras",
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="Of the dependency parser, at most.")] = 5,
    seed: SeedOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Train a constituent parser, its tagger and its dependency parser on bracketed trees.

    [b]headway constituents train train.ptb --dev dev.ptb -o en.const.headway[/]
    """
    from headway.constituency.brackets import read_trees
    from headway.constituency.parser import ConstituentParser
    from headway.model_file import check_model_path

    check_model_path(output)
    with reporting(quiet=quiet) as progress:
        say_if_compiling(progress)
        parser = ConstituentParser.train(
            list(read_trees(trees)), dev=None if dev is None else list(read_trees(dev)), head_rules=head_rules,
            preset=preset, epochs=epochs, seed=seed, progress=progress,
        )  # fmt: skip
        parser.save(output)


def parse(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What to parse, [b]-[/] for stdin."), INPUT] = "-",
    model: Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="The constituent parser."), MODEL] = "",
    input: Annotated[
        Input,
        typer.Option("--input", help="Raw text; or a sentence a line, words between blanks; or brackets."),
    ] = Input.text,
    segmenter: Annotated[
        str, typer.Option(metavar="MODEL", help="The model that cuts raw text into sentences and words."), MODEL
    ] = "en",
    gold_tags: Annotated[bool, typer.Option("--gold-tags", help="With brackets as input, keep their tags.")] = False,
    agree: Annotated[Agree, typer.Option(help="What the parser is made to agree with.")] = Agree.all,
    iterations: Annotated[int, typer.Option(min=1, metavar="N", help="Of dual decomposition, at most.")] = 50,
    step: Annotated[
        str, typer.Option(metavar="NAME", help="Of dual decomposition: [b]mixed[/], [b]ad3[/], [b]halving[/], …")
    ] = "mixed",
    grammar: Annotated[Grammar, typer.Option(help="What scores trees: words, rules alone, or both.")] = (
        Grammar.lexicalised
    ),
    k_best: Annotated[int, typer.Option(min=1, max=100, metavar="K", help="Write the K best trees.")] = 1,
    shape: Annotated[Shape, typer.Option("--as", help="How to write trees.")] = Shape.brackets,
    output: OutputOption = "-",
    quiet: QuietOption = False,
) -> None:
    """Parse text into constituents that agree with tags and dependencies.

    [b]headway constituents parse text.txt --model en.const.headway --as tree[/]
    """
    from headway.constituency.parser import ConstituentParser
    from headway.corpus import open_output

    if not model:
        raise UsageError("--model is needed: train one with headway constituents train")
    if gold_tags and input is not Input.trees:
        raise UsageError("--gold-tags needs --input trees: other input has no tags")
    with reporting(quiet=quiet) as progress:
        parser = ConstituentParser.load(model)
        say_if_compiling(progress)
        sentences = list(_sentences(file, input, segmenter))
        tags = [own for _, own in sentences] if gold_tags else None
        parses = (
            parse
            for number, (forms, _) in enumerate(sentences)
            for parse in parser.k_best(
                forms, k_best, tags=None if tags is None else tags[number], mode=agree.value, iterations=iterations,
                step=step, grammar=grammar.value,
            )
        )  # fmt: skip
        with open_output(output) as stream:
            for piece in _written(parses, shape):
                stream.write(piece.encode())


def _sentences(file: str, input: Input, segmenter: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of each sentence, and their tags where there are some."""
    if input is Input.trees:
        from headway.constituency.brackets import read_trees
        from headway.constituency.tree import without_empty

        for tree in map(without_empty, read_trees(file)):
            yield tree.forms, tree.tags
    elif input is Input.words:
        from headway.corpus import open_input
        from headway.corpus.files import read_chunks
        from headway.errors import CorpusError

        with open_input(file) as stream:
            data = b"".join(read_chunks(stream, file))
        for line, content in enumerate(data.split(b"\n"), start=1):
            try:
                forms = content.decode().split()
            except UnicodeDecodeError:
                raise CorpusError("not UTF-8", path=file, line=line) from None
            if forms:
                yield forms, []
    else:
        from headway.annotator import Annotator

        for sentence in Annotator.load(segmenter).read_file(file):
            yield list(sentence.forms), []


def _written(parses: "Iterator[ConstituentParse]", shape: Shape) -> Iterator[str]:
    import json

    from headway.constituency.brackets import format_tree
    from headway.constituency.drawing import draw_tree, tree_text
    from headway.constituency.tree import escaped_words

    if shape is Shape.svg:
        drawn = list(parses)
        yield draw_tree([parse.tree for parse in drawn], [parse.heads for parse in drawn])
        return
    for parse in parses:
        if shape is Shape.brackets:
            yield f"{format_tree(escaped_words(parse.tree))}\n"
        elif shape is Shape.json:
            yield json.dumps(parse.data(), ensure_ascii=False) + "\n"
        elif shape is Shape.tree:
            state = "flat: the grammar has no tree" if parse.fallback else f"certified after {parse.iterations}"
            if not parse.certified and not parse.fallback:
                state = f"not certified: {parse.score:.2f}, at most {parse.bound:.2f}"
            yield f"{tree_text(parse.tree, parse.heads)}# {state}\n\n"
        else:
            yield _conllu(parse)


def _conllu(parse: "ConstituentParse") -> str:
    from headway.corpus import Sentence, format_sentence

    labels = ["root" if head == 0 else "dep" for head in parse.heads]
    sentence = Sentence.from_words(
        parse.tree.forms, upos=parse.tree.tags, xpos=parse.tree.tags, heads=parse.heads, labels=labels,
        comments=[f"# certified = {'yes' if parse.certified else 'no'}"],
    )  # fmt: skip
    return format_sentence(sentence)


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The right trees."), INPUT],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The same sentences as a parser sees them."), INPUT],
    head_rules: Annotated[str, typer.Option(metavar="NAME", help="For dependencies.")] = "english",
    delete: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="Leave out this label, instead of EVALB's; may be repeated."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Score trees against gold trees, as EVALB does.

    [b]headway constituents eval gold.ptb parsed.ptb[/]
    """
    from json import dumps

    from headway.constituency.bracket_scores import COLLINS, BracketRules, score_trees
    from headway.constituency.brackets import read_trees
    from headway.constituency.head_rules import HeadRules
    from headway.evaluation.tables import table

    if gold == system == "-":
        raise UsageError("only one of the files can be standard input (-)")
    rules = COLLINS if delete is None else BracketRules(deleted=frozenset(delete))
    found = score_trees(read_trees(gold), read_trees(system), rules=rules, head_rules=HeadRules.read(head_rules)).data()
    if json:
        typer.echo(dumps(found, indent=2))
        return
    cells = [
        [name.replace("_", " "), f"{value:.2f}" if isinstance(value, float) else f"{value:,}"]
        for name, value in found.items()
    ]
    typer.echo(table(["score", "value"], cells))


constituents_app = typer.Typer(no_args_is_help=True)
for _name, _task in (("train", train), ("parse", parse), ("eval", evaluate)):
    constituents_app.command(_name)(command(_task))
