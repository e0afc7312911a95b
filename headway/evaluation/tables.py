"""Tables as padded Markdown, which is also readable as plain text."""

from collections.abc import Sequence

from headway.support.printable import printable

NOTHING = "-"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a padded Markdown table; the first column is aligned left, all others right.

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
    """Return a text with a heading above it."""
    return f"## {title}\n\n{body}\n"


def decimal(value: float, *, of: int = 1) -> str:
    """Return a percentage with two decimals, or a dash if it is a share `of` zero items."""
    return f"{value:.2f}" if of else NOTHING
