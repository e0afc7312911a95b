"""A parser with parts of higher order, trained on the first sentences of the sample treebank, once for each process."""

from dataclasses import replace
from functools import cache

import pytest
import small_corpus
import small_parser

from headway import presets
from headway.features.high_order import TEMPLATES
from headway.learning import TrainingOptions
from headway.parser import Parser


@cache
def trained() -> Parser:
    preset = replace(
        small_corpus.SMALL,
        name="small climber",
        parts=presets.HighOrder(
            {kind: TEMPLATES[kind] for kind in ("sibling", "grandparent")}, slots=1 << 14, rows=1 << 13
        ),
        pruning=presets.Pruning(),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, preset.name, preset)
        return Parser.train(
            small_parser.TRAIN, dev=small_parser.DEV, preset=preset.name, options=TrainingOptions(epochs=3)
        )
