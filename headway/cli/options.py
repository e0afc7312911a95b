"""Options shared by several commands."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from headway.cli.guard import OUTPUT

if TYPE_CHECKING:
    from headway.corpus import Layout


class Format(StrEnum):
    """The table formats, by their names on the command line."""

    auto = "auto"
    conllu = "conllu"
    conllx = "conllx"
    conll2009 = "conll2009"

    @property
    def layout(self) -> "Layout | None":
        """The format for `headway.corpus`; None to guess it from the content of the file."""
        from headway.corpus import CONLL2009, CONLLU, CONLLX

        return {"auto": None, "conllu": CONLLU, "conllx": CONLLX, "conll2009": CONLL2009}[self.value]


FormatOption = Annotated[
    Format, typer.Option("--format", help="Table format of the files; [b]auto[/] guesses it from their content.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OutputOption = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Output file; [b].gz[/] and [b].xz[/] compress."),
    OUTPUT,
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")]
RootsOption = Annotated[bool, typer.Option("--multiple-roots", help="Allow several roots per sentence.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same result.")]
ThreadsOption = Annotated[int, typer.Option("--threads", min=1, metavar="N", help="Number of threads.")]
