"""``python -m headway.cli.demo [PICTURE.svg]``: train on the sample, parse new sentences, draw their trees."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headway.cli.drawing import draw_tree
from headway.cli.failures import one_line_failures
from headway.cli.progress import reporting
from headway.corpus import Sentence, read_sentences
from headway.errors import UsageError
from headway.plots import tree_svg

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from headway import Parser

SAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


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


def _train(sentences: list[Sentence]) -> "Parser":
    from headway import Parser, TrainingOptions

    with reporting() as progress:
        return Parser.train(
            [sentence for number, sentence in enumerate(sentences) if number % 10],
            dev=sentences[::10],
            options=TrainingOptions(epochs=6, threads=2),
            progress=progress,
        )


@one_line_failures()
def main() -> None:
    """Train, score, parse, draw."""
    from rich.console import Console

    from headway.evaluation import evaluate

    if not SAMPLES.is_dir():
        raise UsageError("the demo needs the folder of examples: run it in a checkout of Headway")
    console = Console(highlight=False)
    sentences = list(read_sentences(SAMPLES / "sample-train.conllu"))
    console.print(f"Training on the {len(sentences)} sentences of examples/sample-train.conllu.")
    parser = _train(sentences)
    held_out = list(read_sentences(SAMPLES / "sample-dev.conllu"))
    scores = evaluate(held_out, parser.parse(held_out))
    console.print(
        f"On the {scores.sentences} sentences of examples/sample-dev.conllu, {scores.uas:.1f} % of words get the "
        f"right head, {scores.las:.1f} % the right head and relation.\n"
    )
    parsed = list(parser.parse(read_sentences(SAMPLES / "new-sentences.conllu"), confidence=True))
    for sentence in parsed:
        _show(console, sentence)
    for path in sys.argv[1:]:
        Path(path).write_text(tree_svg(parsed[0]), encoding="utf-8")


def _show(console: "Console", sentence: Sentence) -> None:
    console.print(sentence.metadata["text"], style="italic")
    console.print(*tree_lines(sentence), sep="\n")
    console.print()


if __name__ == "__main__":
    main()
