from collections.abc import Sequence
from pathlib import Path

import pytest

from headway.corpus import Sentence, read_sentences
from headway.encoding import Encoder
from headway.learning.gold import gold_trees
from headway.parts.styles import Styles, find_styles

# "cats and dogs sleep" and "sit on mats", once for each style: g is the verb
UPOS = ("NOUN", "CCONJ", "NOUN", "VERB")
COORDINATIONS = {0: (2, 4, 2, 0), 1: (4, 1, 1, 0), 2: (4, 1, 2, 0), 3: (3, 3, 4, 0), 4: (4, 3, 1, 0), 5: (2, 3, 4, 0)}
PREPOSITIONS = {0: (0, 3, 1), 1: (0, 1, 2)}


def styles_of(sentences: Sequence[Sentence], tag_map: dict[str, str]) -> Styles:
    encoder = Encoder.fit(sentences)
    gold = gold_trees(sentences, encoder, [])
    return find_styles(
        gold.heads, gold.encoded.tags, gold.encoded.starts, tag_classes=encoder.tag_classes(), tag_map=tag_map
    )


def coordinated(style: int, upos: Sequence[str] = UPOS) -> Sentence:
    return Sentence.from_words(["cats", "and", "dogs", "sleep"], upos=upos, heads=COORDINATIONS[style])


def phrase(style: int) -> Sentence:
    return Sentence.from_words(["sit", "on", "mats"], upos=["VERB", "ADP", "NOUN"], heads=PREPOSITIONS[style])


@pytest.mark.parametrize("style", COORDINATIONS)
def test_the_style_of_coordination_that_most_trees_show(style: int) -> None:
    sentences = [coordinated(style)] * 3 + [coordinated(other) for other in COORDINATIONS]
    assert styles_of(sentences, {}).coordination == style


@pytest.mark.parametrize("style", PREPOSITIONS)
def test_the_style_of_prepositions(style: int) -> None:
    assert styles_of([phrase(style)] * 2 + [phrase(1 - style)], {}).preposition == style


def test_a_mapping_tells_which_words_to_count() -> None:
    sentences = [coordinated(1, ("S", "K", "S", "W"))]
    assert styles_of(sentences, {"K": "CCONJ"}).coordination == 1
    assert styles_of(sentences, {}) == Styles()


@pytest.mark.parametrize(
    ("name", "coordination"), [("UD_Turkish-IMST", 4), ("UD_English-EWT", 4), ("UD_Swedish-Talbanken", 1)]
)
def test_both_versions_of_universal_dependencies(treebanks: Path, name: str, coordination: int) -> None:
    """This Swedish treebank is of the first version, where the coordinator hangs on the first conjunct."""
    sentences = list(read_sentences(treebanks / name / "dev.conllu.xz"))
    assert styles_of(sentences, {}) == Styles(coordination, 0)
