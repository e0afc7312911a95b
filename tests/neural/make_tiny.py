"""Make `tiny.headway`, which tests parse with: ``python tests/neural/make_tiny.py`` (needs ``headway[neural]``)."""

from dataclasses import replace
from pathlib import Path

from headway import Parser, TrainingOptions
from headway.corpus import read_sentences
from headway.presets import PRESETS, Neural

TINY = replace(PRESETS["neural"], neural=Neural(layers=1, hidden=8, word=8, character=8, arc=8, label=6))


def main() -> None:
    examples = Path(__file__).parents[2] / "examples"
    train = list(read_sentences(str(examples / "sample-train.conllu")))[:60]
    dev = list(read_sentences(str(examples / "sample-dev.conllu")))[:20]
    options = TrainingOptions(epochs=2)
    Parser.train(train, dev=dev, preset=TINY, options=options).save(Path(__file__).with_name("tiny.headway"))


if __name__ == "__main__":
    main()
