"""``python -m headway.cli.demo [PAGE.html]``: read a text, find its trees, draw them, and write them as a page."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headway.cli.drawing import draw_tree
from headway.cli.failures import one_line_failures
from headway.cli.progress import reporting, say_if_compiling
from headway.corpus import Sentence
from headway.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

TEXT = Path(__file__).resolve().parent.parent.parent / "examples" / "text.txt"
PAGE = "demo.html"


def tree_lines(sentence: Sentence) -> "list[Text]":
    """The words of a parsed sentence under each other: the drawing, the word, its relation, how sure that is."""
    from rich.text import Text

    width = max(map(len, sentence.forms), default=0)
    label_width = max(map(len, sentence.labels), default=0)
    columns = zip(draw_tree(sentence.heads), sentence.forms, sentence.labels, sentence.misc("HeadProb"), strict=True)
    return [
        Text.assemble(
            (drawing, "dim"),
            (f" {form.ljust(width)}", "bold"),
            (f"  {label.ljust(label_width)}", "cyan"),
            (f"  {float(chance):4.0%}" if chance else "", "green" if float(chance or 0) > 0.9 else "yellow"),
        )
        for drawing, form, label, chance in columns
    ]


@one_line_failures()
def main() -> None:
    """Read, parse, draw."""
    from rich.console import Console

    import headway

    if not TEXT.is_file():
        raise UsageError("the demo needs the folder of examples: run it in a checkout of Headway")
    page = sys.argv[1] if len(sys.argv) > 1 else PAGE
    console = Console(highlight=False)
    with reporting() as progress:
        say_if_compiling(progress, "search_kernel")
        doc = headway.load("en")(TEXT.read_text(encoding="utf-8"))
    for sentence in doc.sentences:
        console.print(sentence.metadata["text"], style="italic")
        console.print(*tree_lines(sentence), sep="\n")
        console.print()
    Path(page).write_text(doc.to_html(), encoding="utf-8")
    console.print(f"The same as pictures: {page}")


if __name__ == "__main__":
    main()
