"""``headway warmup``: compile now instead of on first use."""

from typing import Annotated

import typer

from headway.cli.options import QuietOption
from headway.cli.progress import reporting


def warmup(
    everything: Annotated[
        bool, typer.Option("--all", help="Also compile for training, [b]--k-best[/] and [b]--exact[/]; takes minutes.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, metavar="N", help="Number of processes; default: one per processor."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Compile all kernels for parsing text now, instead of on first use: for container images.

    Compiled kernels are kept in [b]$HEADWAY_CACHE[/], or in the user's cache folder.

    [b]headway warmup[/]

    [b]RUN pip install . && headway warmup[/]
    """
    from headway.warmup import CONFIDENCE, PARSING, TASKS, warm_up

    with reporting(quiet=quiet) as progress:
        run = warm_up(list(TASKS) if everything else [*PARSING, CONFIDENCE], progress, jobs=jobs)
        progress.note("kernels are compiled" if run else "nothing to do: kernels are compiled")
