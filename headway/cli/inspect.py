"""``headway inspect``: show the contents of a model file."""

from typing import Annotated, Any

import typer

from headway.cli.guard import MODEL
from headway.cli.options import JsonOption
from headway.support.printable import printable


def inspect(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file."), MODEL], json: JsonOption = False
) -> None:
    """Show what a model file holds: training data, settings and dev scores.

    [b]headway inspect english.headway[/]
    """
    from json import dumps

    from headway.model_file import read_model_file
    from headway.models import find_model
    from headway.parser import describe_model

    if "constituents" in read_model_file(find_model(model))[0]:
        from headway.constituency.parser import ConstituentParser

        description = ConstituentParser.load(model).description()
    else:
        description = describe_model(model)
    typer.echo(dumps(description, ensure_ascii=False, indent=2) if json else "\n".join(_lines(description)))


def _lines(description: dict[str, Any], indent: str = "") -> list[str]:
    """Return ``name: value`` for each entry; nested entries are indented below their name."""
    lines = []
    for name, value in description.items():
        title = f"{indent}{name.replace('_', ' ')}:"
        if isinstance(value, dict):
            lines += [title, *_lines(value, indent + "  ")]
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            lines += _lines(_columns(name, value), indent)
        else:
            lines.append(f"{title} {printable(_value(value))}")
    return lines


def _columns(name: str, epochs: list[dict[str, float]]) -> dict[str, list[float]]:
    """Return a list of dictionaries as lists: the losses of training, and each score (on the dev set) of all epochs."""
    return {
        "training loss" if score == "loss" else f"{name} {score.upper()}": [epoch.get(score, 0.0) for epoch in epochs]
        for score in epochs[0]
    }


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_value, value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
