"""Tables as text: Markdown that is padded, so that it also reads well as it is."""

from collections.abc import Sequence

from headway.printable import printable

NOTHING = "-"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A padded Markdown table; the first column flush left, the numbers after it flush right.

    Examples
    --------
    >>> print(table(("metric", "score"), [("UAS", "91.20")]))
    | metric | score |
    | :----- | ----: |
    | UAS    | 91.20 |
    """
    cells = [[printable(cell).replace("|", "\\|") for cell in row] for row in (header, *rows)]
    widths = [max(2, *map(len, column)) for column in zip(*cells, strict=True)]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in (lines[0], rule, *lines[1:]))


def section(title: str, body: str) -> str:
    """A body of text under a title."""
    return f"## {title}\n\n{body}\n"


def decimal(value: float, *, of: int = 1) -> str:
    """A percentage with two decimals, or a dash where it is one `of` nothing."""
    return f"{value:.2f}" if of else NOTHING
