"""``headway serve``: parse over HTTP."""

from typing import Annotated

import typer

from headway.cli.options import QuietOption
from headway.cli.progress import reporting
from headway.errors import UsageError


def serve(
    *,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="[NAME=]MODEL",
            help=(
                "A model file, [b]en[/] or [b]en-accurate[/], with a name if you like; may be repeated, the first is "
                "the default."
            ),
        ),
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on; [b]0.0.0.0[/]: all.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, metavar="N", help="[b]0[/]: any free one.")] = (
        8000
    ),
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, metavar="N", help="Worker processes.")] = 1,
    max_body: Annotated[int, typer.Option(min=1, metavar="MB", help="Maximum size of a request, in megabytes.")] = 4,
    max_words: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum words per request.")] = 200_000,
    max_sentence: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum words per sentence.")] = 1000,
    max_seconds: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit to receive a request, and to answer it.")
    ] = 60.0,
    queue: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum requests in progress or waiting.")] = 64,
    quiet: QuietOption = False,
) -> None:
    """Parse over HTTP: a page to explore trees, an API compatible with UDPipe's, and Headway's API.

    [b]headway serve[/]

    [b]headway serve --model english-ewt=en --model mine.headway --workers 4 --host 0.0.0.0[/]

    [b]curl -F data='Dogs bark.' -F tokenizer= -F tagger= -F parser= http://localhost:8000/process[/]
    """
    try:
        from headway.server.serve import serve as run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "headway":
            raise
        raise UsageError(f"the server needs {error.name}: pip install 'headway[server]'") from None
    from headway.server.limits import Limits

    limits = Limits(body=max_body << 20, words=max_words, sentence=max_sentence, seconds=max_seconds, queue=queue)
    with reporting(quiet=quiet) as progress:
        run(
            model or ["en"], host=host, port=port, workers=workers, limits=limits, progress=progress,
            started=lambda address: progress.note(f"listening on {address}"), quiet=quiet,
        )  # fmt: skip
