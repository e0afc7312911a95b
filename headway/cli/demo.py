"""``python -m headway.cli.demo [PAGE.html]``: parse a text, draw its trees in the terminal and on an HTML page."""

import sys
from pathlib import Path

from headway.cli.failures import one_line_failures
from headway.cli.progress import reporting
from headway.corpus import open_output
from headway.corpus.overwriting import check_outputs
from headway.errors import UsageError
from headway.plots.drawing import tree_lines

TEXT = Path(__file__).resolve().parent.parent.parent / "examples" / "text.txt"
PAGE = "demo.html"


@one_line_failures()
def main() -> None:
    """Parse the example text and draw its trees."""
    from rich.console import Console

    import headway
    from headway.kernel.store import can_keep
    from headway.warmup import CONFIDENCE, PARSING, warm_up

    if not TEXT.is_file():
        raise UsageError("the demo needs the folder of examples: run it in a checkout of Headway")
    page = sys.argv[1] if len(sys.argv) > 1 else PAGE
    check_outputs([page], [TEXT])
    console = Console(highlight=False)
    with reporting() as progress:
        if can_keep():
            warm_up([*PARSING, CONFIDENCE], progress)
        doc = headway.load("en")(TEXT.read_text(encoding="utf-8"), confidence=True)
    for sentence in doc.sentences:
        console.print(sentence.metadata["text"], style="italic")
        console.print(*tree_lines(sentence), sep="\n")
        console.print()
    with open_output(page) as file:
        file.write(doc.to_html().encode())
    console.print(f"The same trees as an HTML page: {page}")


if __name__ == "__main__":
    main()
