"""A parser trained on the first sentences of the sample treebank, once for each process that asks."""

from dataclasses import replace
from functools import cache

import pytest
import small_corpus

from headway import presets
from headway.corpus import Sentence
from headway.learning import TrainingOptions
from headway.parser import Parser

SENTENCES = small_corpus.sample(75)
TRAIN, DEV = SENTENCES[:60], SENTENCES[60:]


@cache
def trained() -> Parser:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "small", small_corpus.SMALL)
        return Parser.train(TRAIN, dev=DEV, preset="small", options=TrainingOptions(epochs=5))


def search(parser: Parser, *, projective: bool, temperature: float = 2.0) -> Parser:
    """The same model with another search and temperature."""
    decoder = "eisner" if projective else "spanning-tree"
    changed = replace(parser.model.settings, projective=projective, decoder=decoder, temperature=temperature)
    return Parser(replace(parser.model, settings=changed))


def bare(sentence: Sentence) -> Sentence:
    """A sentence without its tree."""
    return sentence.with_tree([-1] * len(sentence), ["_"] * len(sentence))


def partial(sentence: Sentence, heads: dict[int, int], labels: dict[int, str] | None = None) -> Sentence:
    """A sentence with the heads (and labels) of some words only, counted from 1."""
    numbers = range(1, len(sentence) + 1)
    return sentence.with_tree([heads.get(n, -1) for n in numbers], [(labels or {}).get(n, "_") for n in numbers])
