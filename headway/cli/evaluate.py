"""``headway eval``: score a parser's trees against gold trees."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.guard import INPUT
from headway.cli.options import Format, FormatOption, JsonOption
from headway.errors import UsageError

if TYPE_CHECKING:
    from headway.corpus import Sentence
    from headway.evaluation import Evaluation


class Breakdown(StrEnum):
    """The breakdowns, by their names on the command line."""

    relation = "relation"
    universal_relation = "universal-relation"
    arc_length = "arc-length"
    sentence_length = "sentence-length"
    projectivity = "projectivity"

    @property
    def part(self) -> str:
        """The name of this breakdown's part of the report."""
        return self.value if self is Breakdown.projectivity else f"{self.value}s"


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The file with the gold trees."), INPUT],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The parser's trees of the same sentences."), INPUT],
    by: Annotated[
        list[Breakdown] | None, typer.Option("--by", help="Also break the scores down by this; may be repeated.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Test whether SYSTEM differs significantly from this other system."),
        INPUT,
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="The score to test with [b]--against[/]: UAS, LAS, CLAS …; default: LAS.")
    ] = None,
    raw_text: Annotated[
        bool,
        typer.Option(
            "--raw-text",
            help=(
                "Print the official scores of CoNLL 2018, with words aligned by characters; the "
                "default if the two files have different words."
            ),
        ),
    ] = False,
    format: FormatOption = Format.auto,
    json: JsonOption = False,
) -> None:
    """Score trees against gold trees.

    [b]headway eval gold.conllu parsed.conllu --by relation --by arc-length[/]

    [b]headway eval gold.conllu new.conllu --against old.conllu[/]

    [b]headway parse text.txt | headway eval gold.conllu -[/]
    """
    from headway.evaluation import evaluate as score
    from headway.evaluation import evaluation_report

    if [gold, system, against].count("-") > 1:
        raise UsageError("only one of the files can be standard input (-)")
    given = [name for name, value in (("--against", against), ("--by", by)) if value]
    if metric is not None and against is None:
        raise UsageError("--metric needs --against FILE")
    if raw_text and given:
        raise UsageError(f"--raw-text excludes {given[0]}, which compares trees of the same words")
    trees, found = _read(gold, format), _read(system, format)
    systems = {system: found} if against is None else {system: found, against: _read(against, format)}
    for name, sentences in systems.items() if given else ():
        if _cut_differently(trees, sentences):
            what = f"{name} splits the text of {gold} into other words or sentences"
            raise UsageError(f"{what}: leave out {given[0]}, which compares trees of the same words")
    if raw_text or (not given and _cut_differently(trees, found)):
        typer.echo(_raw_text(trees, found, names=(gold, system), json=json), nl=False)
        return
    evaluation = score(trees, found)
    other = None if against is None else score(trees, systems[against])
    metric = metric or "LAS"
    if json:
        typer.echo(_as_json(evaluation, other, metric))
        return
    report = [evaluation_report(evaluation, parts=["summary", *(item.part for item in by or ())])]
    if other is not None:
        report.append(_comparison(other, evaluation, metric, names=(f"{against}", system)))
    typer.echo("\n".join(report), nl=False)


def _read(path: str, format: Format) -> "list[Sentence]":
    from headway.corpus import read_sentences

    return list(read_sentences(path, layout=format.layout))


def _cut_differently(gold: "list[Sentence]", system: "list[Sentence]") -> bool:
    """Return whether two lists of sentences have the same text, but differ in tokens, words or sentences."""
    first, second = ([sentence.forms for sentence in sentences] for sentences in (gold, system))
    letters = ("".join("".join(forms) for forms in text).replace(" ", "") for text in (first, second))
    return first != second and (len(first) != len(second) or len(set(letters)) == 1)


def _raw_text(gold: "list[Sentence]", system: "list[Sentence]", *, names: tuple[str, str], json: bool) -> str:
    from dataclasses import asdict
    from json import dumps

    from headway.evaluation.raw_text import evaluate_text
    from headway.evaluation.report import raw_text_report

    scores = evaluate_text(gold, system, names=names)
    if not json:
        return raw_text_report(scores)
    data = {name: asdict(score) | {"f1": score.f1} for name, score in scores.items()}
    return dumps({"raw_text": data}, ensure_ascii=False, indent=2) + "\n"


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
