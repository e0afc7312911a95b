"""Small sentences for tests: drawn at random, made by hand, or the first ones of the sample treebank."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from headway.corpus import Sentence, read_sentences
from headway.presets import PRESETS, Preset

SAMPLE = Path(__file__).resolve().parent.parent / "examples" / "sample-train.conllu"


def with_tables(preset: Preset, *, arcs: int, labels: int) -> Preset:
    """A preset with smaller tables of arcs and labels, of which a model keeps half the rows."""
    return replace(
        preset,
        arcs=replace(preset.arcs, slots=arcs, rows=arcs // 2),
        labels=replace(preset.labels, slots=labels, rows=labels // 2),
    )


SMALL = with_tables(replace(PRESETS["first-order"], name="small", about="for tests"), arcs=1 << 14, labels=1 << 12)

FORMS = ("Dogs", "dogs", "bark", "Oslo", "F-16", "2024", "well-read", "ÅRLIG", "na\u00efve", "!", "a", "ß", "-", "_")
UPOS = ("NOUN", "VERB", "AUX", "PUNCT", "CCONJ", "DET", "_")
XPOS = ("NN", "NNG+JKS", "VB|PRT|AKT", "|", "_")
FEATS = ("_", "Case=Nom|Number=Sing", "Case=Acc|Number=Plur", "Number=Sing", "Tense=Past", "pl|past")


def sample(count: int) -> list[Sentence]:
    """The first sentences of the sample treebank."""
    return list(islice(read_sentences(SAMPLE), count))


def random_sentence(generator: np.random.Generator, length: int) -> Sentence:
    """A sentence whose columns are drawn one by one from short lists; it has no tree."""

    def draw(choices: tuple[str, ...]) -> list[str]:
        return [choices[index] for index in generator.integers(len(choices), size=length)]

    return Sentence.from_words(draw(FORMS), lemmas=draw(FORMS), upos=draw(UPOS), xpos=draw(XPOS), feats=draw(FEATS))


@st.composite
def sentences(draw: st.DrawFn, longest: int = 6) -> Sentence:
    """As `random_sentence`, with forms of any letters among them."""
    length = draw(st.integers(1, longest))
    letters = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), min_size=1, max_size=8)

    def column(values: st.SearchStrategy[str]) -> list[str]:
        return draw(st.lists(values, min_size=length, max_size=length))

    return Sentence.from_words(
        column(st.sampled_from(FORMS) | letters),
        lemmas=column(st.sampled_from(FORMS)),
        upos=column(st.sampled_from(UPOS)),
        xpos=column(st.sampled_from(XPOS)),
        feats=column(st.sampled_from(FEATS)),
    )


def random_heads(generator: np.random.Generator, length: int) -> list[int]:
    """A tree with one root, by hanging words in random order on words already there."""
    order = generator.permutation(length) + 1
    heads = [0] * length
    for place in range(1, length):
        heads[order[place] - 1] = int(order[generator.integers(place)])
    return heads
