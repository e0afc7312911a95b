"""``headway eval``: score a parser's trees against gold trees."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.guard import INPUT
from headway.cli.options import Format, FormatOption, JsonOption
from headway.errors import UsageError

if TYPE_CHECKING:
    from headway.evaluation import Evaluation


class Breakdown(StrEnum):
    """The breakdowns by the names they have on the command line."""

    relation = "relation"
    universal_relation = "universal-relation"
    arc_length = "arc-length"
    sentence_length = "sentence-length"
    projectivity = "projectivity"

    @property
    def part(self) -> str:
        """The part of the report that shows it."""
        return self.value if self is Breakdown.projectivity else f"{self.value}s"


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The file with the right trees."), INPUT],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The same sentences as a parser sees them."), INPUT],
    by: Annotated[
        list[Breakdown] | None, typer.Option("--by", help="Also show the scores by this; may be repeated.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="FILE", help="Test whether SYSTEM differs from this other system."), INPUT
    ] = None,
    metric: Annotated[str, typer.Option(help="What to test with [b]--against[/]: UAS, LAS, CLAS …")] = "LAS",
    format: FormatOption = Format.conllu,
    json: JsonOption = False,
) -> None:
    """Score trees against gold trees.

    [b]headway eval gold.conllu parsed.conllu --by relation --by arc-length[/]

    [b]headway eval gold.conllu new.conllu --against old.conllu[/]
    """
    from headway.evaluation import evaluation_report

    if [gold, system, against].count("-") > 1:
        raise UsageError("only one of the files can be standard input (-)")
    evaluation = _evaluation(gold, system, format)
    other = None if against is None else _evaluation(gold, against, format)
    if json:
        typer.echo(_as_json(evaluation, other, metric))
        return
    report = [evaluation_report(evaluation, parts=["summary", *(item.part for item in by or ())])]
    if other is not None:
        report.append(_comparison(other, evaluation, metric, names=(f"{against}", system)))
    typer.echo("\n".join(report), nl=False)


def _evaluation(gold: str, system: str, format: Format) -> "Evaluation":
    from headway.corpus import read_sentences
    from headway.evaluation import evaluate

    return evaluate(*(read_sentences(path, layout=format.layout) for path in (gold, system)))


def _comparison(first: "Evaluation", second: "Evaluation", metric: str, *, names: tuple[str, str]) -> str:
    from headway.evaluation import paired_bootstrap, significance_report

    test = significance_report(paired_bootstrap(first, second, metric=metric))
    return f"## Comparison\n\nfirst is {names[0]}, second is {names[1]}\n\n{test}\n"


def _as_json(evaluation: "Evaluation", other: "Evaluation | None", metric: str) -> str:
    import json
    from dataclasses import asdict

    from headway.evaluation import evaluation_data, paired_bootstrap

    data = evaluation_data(evaluation)
    if other is not None:
        data["comparison"] = asdict(paired_bootstrap(other, evaluation, metric=metric))
    return json.dumps(data, ensure_ascii=False, indent=2)
