"""``headway analyze``: analyses of search, models and confidence."""

from typing import Annotated

import typer

from headway.cli.analyze_agreement import agreement
from headway.cli.analyze_climbs import convergence, speed, starts
from headway.cli.analyze_decoders import decoders
from headway.cli.analyze_greedy import greedy
from headway.cli.analyze_hc_search import hc_search
from headway.cli.analyze_sampling import sampling
from headway.cli.command import Command, Group, command
from headway.cli.guard import NAMED_INPUT
from headway.cli.options import Format, FormatOption, JsonOption, QuietOption, RootsOption, SeedOption
from headway.cli.progress import reporting, say_if_compiling
from headway.cli.showing import (
    ModelArgument,
    PlotOption,
    PrunedOption,
    Start,
    StartOption,
    TreebankArgument,
    check_plot,
    show,
    watched,
)


def optima(
    model: ModelArgument,
    file: TreebankArgument = "-",
    most: Annotated[int, typer.Option(min=2, metavar="N", help="Stop counting at N.")] = 10_001,
    pruned: PrunedOption = False,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Count the local optima of first-order scores: trees in which hill climbing gets stuck.

    [b]headway analyze optima english.headway dev.conllu --plot optima.svg[/]
    """
    from headway import Parser
    from headway.analysis import arc_tables, survey_local_optima
    from headway.corpus import read_sentences

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        say_if_compiling(progress)
        sentences = watched(read_sentences(file, layout=format.layout), progress, "counting")
        landscape = survey_local_optima(arc_tables(parser, sentences, pruned=pruned), most=most)
    show(landscape.rows(), [landscape.chart()], plot=plot, json=json)


def search(
    model: ModelArgument,
    file: TreebankArgument = "-",
    restarts: Annotated[
        int, typer.Option(min=1, metavar="N", help="Stop after N climbs in a row without a better tree.")
    ] = 300,
    start: StartOption = Start.uniform,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="After each climb, also try moves of several words at once.")
    ] = False,
    seed: SeedOption = 1,
    multiple_roots: RootsOption = False,
    pruned: PrunedOption = False,
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure how often hill climbing over first-order scores finds the best tree.

    [b]headway analyze search english.headway dev.conllu --restarts 300[/]
    """
    from headway import Parser
    from headway.analysis import arc_tables, compare_with_exact
    from headway.corpus import read_sentences
    from headway.decoders.hill_climbing import HillClimbing

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        parser = Parser.load(model)
        say_if_compiling(progress)
        sentences = watched(read_sentences(file, layout=format.layout), progress, "searching")
        found = compare_with_exact(
            arc_tables(parser, sentences, pruned=pruned),
            HillClimbing(start=start.value, restarts=restarts, seed=seed, thorough=thorough),
            single_root=not multiple_roots,
        )
    show(found.rows(), [found.chart()], plot=plot, json=json)


def models(
    patterns: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=MODEL...",
            help="A kind of model and its file; in the file's name, [b]{}[/] stands for the name of a treebank.",
        ),
        NAMED_INPUT,
    ],
    on: Annotated[
        list[str],
        typer.Option("--on", metavar="NAME=FILE", help="A treebank and its gold trees; may be repeated."),
        NAMED_INPUT,
    ],
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare kinds of models over treebanks: an ablation.

    [b]headway analyze models first={}-first.headway full={}-full.headway --on english=dev.conllu[/]
    """
    from headway.analysis.ablation import compare_models, named

    check_plot(plot)
    kinds, treebanks = named(patterns, what="a model"), named(on, what="a treebank")
    with reporting(quiet=quiet) as progress:
        compared = compare_models(kinds, treebanks, layout=format.layout, report=progress.note)
    show(compared.rows(), [compared.chart()], plot=plot, json=json)


def confidence(
    model: ModelArgument,
    file: TreebankArgument = "-",
    plot: PlotOption = None,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure how well confidences are calibrated, for arcs and for whole trees.

    A model that reads text predicts the tags itself.

    [b]headway analyze confidence en dev.conllu --plot confidence.svg[/]
    """
    from headway.analysis.reliability import measure_reliability
    from headway.annotator import Annotator, load_model
    from headway.corpus import read_sentences

    check_plot(plot)
    with reporting(quiet=quiet) as progress:
        found = load_model(model)
        parser = found.parser if isinstance(found, Annotator) else found
        say_if_compiling(progress)
        gold = list(read_sentences(file, layout=format.layout))
        given = found.tag(gold, keep=False) if isinstance(found, Annotator) else gold
        measured = measure_reliability(gold, watched(parser.parse(given, confidence=True), progress, "parsing"))
    show(measured.rows(), measured.charts(), plot=plot, json=json)


analyze_app = typer.Typer(cls=Group, no_args_is_help=True)
for _analysis in (
    optima,
    search,
    convergence,
    speed,
    starts,
    models,
    decoders,
    sampling,
    confidence,
    greedy,
    hc_search,
    agreement,
):
    analyze_app.command(cls=Command)(command(_analysis))
