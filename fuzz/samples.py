"""Small models for fuzzing, trained on the generated sample treebank.

    python -m fuzz.samples FOLDER

They are made once for all processes.
"""

import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from unittest.mock import patch

from headway.annotator import Annotator, load_model
from headway.corpus import Sentence, read_sentences
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.presets import PRESETS, Preset
from headway.tagging import morphology, segmenter, tagger

TREEBANK = Path(__file__).resolve().parent.parent / "examples" / "sample-train.conllu"
TEXT, PARTS = "text.headway", "parts.headway"
_SLOTS = 1 << 12
_TEMPLATES = 4
"""The number of lines kept of each template list: these take most of the time of loading a model."""

_folder = Path()


def sentences(count: int) -> list[Sentence]:
    """Return the first sentences of the sample treebank."""
    return list(islice(read_sentences(TREEBANK), count))


def small(name: str) -> Preset:
    """Return a preset with small tables and few features."""
    preset = PRESETS[name]
    parts, pruning, tensor = preset.parts, preset.pruning, preset.tensor
    return replace(
        preset,
        arcs=replace(preset.arcs, templates=_few(preset.arcs.templates), slots=_SLOTS),
        labels=replace(preset.labels, templates=_few(preset.labels.templates), slots=_SLOTS),
        pruning=pruning and replace(pruning, templates=_few(pruning.templates)),
        tensor=tensor and replace(tensor, templates=_few(tensor.templates), rank=4),
        parts=parts
        and replace(parts, templates={kind: _few(lines) for kind, lines in parts.templates.items()}, slots=_SLOTS),
    )


def _few(templates: str) -> str:
    return "\n".join(templates.strip().splitlines()[:_TEMPLATES])


def make(folder: Path) -> None:
    """Make the models: one that reads text, and one with parts of every kind."""
    train, options = sentences(30), TrainingOptions(epochs=2)
    with ExitStack() as tables:
        for module in (segmenter, tagger, morphology):
            tables.enter_context(patch.object(module, "_SLOTS", _SLOTS))
        if not (folder / TEXT).exists():
            Annotator.train(train, dev=train[:8], preset=small("first-order"), options=options, crossed=2).save(
                folder / TEXT
            )
        if not (folder / PARTS).exists():
            Parser.train(train, dev=train[:8], preset=small("full"), options=options).save(folder / PARTS)


def use(folder: Path) -> None:
    """Use the models in this folder."""
    global _folder
    _folder = folder


def place(name: str) -> Path:
    """Return the path of a model, or of a temporary file."""
    return _folder / name


@cache
def annotator() -> Annotator:
    """Return the model that reads text."""
    return Annotator.load(place(TEXT))


@cache
def parts_parser() -> Parser:
    """Return the model with parts of every kind."""
    found = load_model(place(PARTS))
    assert isinstance(found, Parser)
    return found


if __name__ == "__main__":
    make(Path(sys.argv[1]))
