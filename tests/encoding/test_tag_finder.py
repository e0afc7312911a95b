"""Universal tags found in treebanks: made-up ones, and real ones with XPOS in the column of coarse tags."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from tag_samples import TAGS, sample

from headway.corpus import Sentence, read_sentences
from headway.encoding.tag_finder import derive_tag_map, find_tag_map
from headway.encoding.tag_map import ADPOSITION, COORDINATOR, NOUN, PUNCTUATION, VERB, word_class

UNIVERSAL = {tag: universal for universal, tag in TAGS.items()}
OF_SHAPES = ("VERB", "CCONJ", "ADP", "SCONJ", "NOUN")


def test_universal_tags_need_no_map() -> None:
    assert find_tag_map(sample(tags={tag: tag for tag in TAGS})) is None


def test_universal_dependencies_1_needs_no_map_and_a_stray_tag_makes_none() -> None:
    tags = {tag: "CONJ" if tag == "CCONJ" else tag for tag in TAGS}
    stray = Sentence.from_words(["a"], upos=["stray"], heads=[0], labels=["root"])
    assert find_tag_map([*sample(tags=tags), stray]) is None


def test_no_tags_need_no_map() -> None:
    assert find_tag_map([Sentence.from_words(["a", "b"], heads=[0, 1], labels=["root", "dep"])]) is None


def test_tags_from_relations() -> None:
    found = find_tag_map(sample())
    assert found is not None
    assert found.mapping == UNIVERSAL
    assert str(found) == "a map derived from the relations of the treebank (CCONJ: E; ADP: D)"


def test_tags_from_relations_where_prepositions_and_coordinators_are_heads() -> None:
    found = derive_tag_map(sample(prepositions_as_heads=True))
    assert {tag: UNIVERSAL[tag] for tag in "BCDEF"}.items() <= found.mapping.items()


@pytest.mark.parametrize("prepositions_as_heads", [False, True])
def test_tags_from_shapes_where_relations_are_unknown(prepositions_as_heads: bool) -> None:
    found = derive_tag_map(sample(prepositions_as_heads=prepositions_as_heads, labels=False))
    assert "relations are unknown" in found.source
    for tag, universal in found.mapping.items():
        if UNIVERSAL[tag] in OF_SHAPES or UNIVERSAL[tag] in ("PUNCT", "NUM"):
            assert universal == UNIVERSAL[tag]
        else:
            assert universal not in ("CCONJ", "ADP", "PUNCT")


def test_a_built_in_table_goes_before_the_trees() -> None:
    penn = ("DT", "NN", "VBD", "IN", "CC", ".", "JJ", "IN", "TO", "PRP", "CD", "MD")
    found = find_tag_map(sample(tags=dict(zip(TAGS, penn, strict=True))))
    assert found is not None
    assert str(found) == "the built-in map for Penn Treebank English (CCONJ: CC; ADP: IN)"
    assert found.mapping["MD"] == "AUX"


def test_tags_that_a_table_does_not_know_are_derived() -> None:
    penn = ("DT", "NN", "VBD", "IN", "CC", ".", "JJ", "IN", "TO", "PRP", "CD", "MD")
    new = {**dict(zip(TAGS, penn, strict=True)), "CCONJ": "NEW"}
    found = find_tag_map([*sample(tags=dict(zip(TAGS, penn, strict=True))), *sample(tags=new, sentences=20)])
    assert found is not None
    assert found.source == "the built-in map for Penn Treebank English"
    assert found.mapping["NEW"] == "CCONJ"


def test_most_tags_being_universal_the_others_are_derived() -> None:
    tags = {tag: "marker" if tag == "DET" else tag for tag in TAGS}
    found = find_tag_map(sample(tags=tags))
    assert found is not None
    assert found.mapping == {name: tag for tag, name in tags.items()}


def test_rare_tags_are_pooled_by_prefix() -> None:
    rare = sample(tags={**TAGS, "ADP": "Dx9", "NOUN": "Q"}, sentences=1)
    frequent = sample(tags={**TAGS, "ADP": "Dx1"})
    assert derive_tag_map([*frequent, *rare]).mapping["Dx9"] == "ADP"


def test_symbols_are_no_punctuation() -> None:
    price = Sentence.from_words(
        ["$", "5", "!"], upos=["a", "b", "c"], heads=[0, 1, 1], labels=["root", "nummod", "punct"]
    )
    assert derive_tag_map([price] * 20).mapping == {"a": "SYM", "b": "NUM", "c": "PUNCT"}


CLASSES = {"punctuation": PUNCTUATION, "coordinator": COORDINATOR, "adposition": ADPOSITION, "noun": NOUN, "verb": VERB}


@cache
def real(folder: Path) -> tuple[list[Sentence], list[Sentence]]:
    """The first sentences of a treebank, and the same with XPOS in both tag columns."""
    sentences = list(islice(read_sentences(str(folder / "train.conllu.xz")), 2000))
    return sentences, [sentence.with_tags(upos=sentence.xpos) for sentence in sentences]


def scores(gold: list[Sentence], found: list[Sentence], mapping: Mapping[str, str]) -> dict[str, tuple[float, float]]:
    """Precision and recall over words of each class, in per cent."""
    pairs = Counter(
        (word_class(universal, {}), word_class(tag, mapping))
        for one, other in zip(gold, found, strict=True)
        for universal, tag in zip(one.upos, other.upos, strict=True)
    )

    def share(side: int, number: int) -> float:
        whole = sum(count for pair, count in pairs.items() if pair[side] == number)
        return 100.0 * pairs[number, number] / max(1, whole)

    return {name: (share(1, number), share(0, number)) for name, number in CLASSES.items()}


FOUND = {
    "UD_English-EWT": ((98, 99), (99, 99), (78, 99), (96, 97), (99, 99)),
    "UD_English-GUM": ((99, 99), (99, 99), (82, 99), (96, 96), (99, 98)),
    "UD_Chinese-GSD": ((99, 99), (99, 99), (99, 99), (99, 99), (99, 99)),
    "UD_Swedish-Talbanken": ((99, 99), (99, 99), (99, 99), (99, 99), (99, 99)),
    "UD_Turkish-IMST": ((99, 99), (98, 99), (98, 90), (84, 97), (95, 98)),
    "UD_Latin-UDante": ((99, 99), (74, 90), (98, 95), (82, 97), (96, 94)),
}
"""The least precision and recall of each of `CLASSES`; English ``IN`` and Latin ``co`` stand for two universal tags."""

FROM_RELATIONS = {
    "UD_English-EWT": ((98, 99), (99, 99), (74, 99), (95, 97), (99, 99)),
    "UD_Chinese-GSD": ((98, 99), (99, 99), (38, 98), (84, 98), (99, 99)),  # case is a relation of particles, too
    "UD_Swedish-Talbanken": ((99, 99), (99, 99), (99, 99), (96, 98), (99, 99)),
}

FROM_SHAPES = {
    "UD_English-EWT": ((97, 99), (99, 99), (74, 93), (90, 74), (95, 80)),
    "UD_Swedish-Talbanken": ((99, 99), (98, 98), (95, 88), (90, 75), (92, 95)),
    "UD_Turkish-IMST": ((99, 99), (98, 98), (96, 80), (80, 74), (96, 85)),
}


def check(found: dict[str, tuple[float, float]], least: tuple[tuple[int, int], ...]) -> None:
    missed = {
        name: measured
        for (name, measured), bars in zip(found.items(), least, strict=True)
        if any(figure < bar for figure, bar in zip(measured, bars, strict=True))
    }
    assert not missed


@pytest.mark.parametrize("name", FOUND)
def test_tags_found_in_real_treebanks(treebanks: Path, name: str) -> None:
    gold, sentences = real(treebanks / name)
    found = find_tag_map(sentences)
    assert found is not None
    check(scores(gold, sentences, found.mapping), FOUND[name])


@pytest.mark.parametrize("name", FROM_RELATIONS)
def test_tags_from_relations_of_real_treebanks(treebanks: Path, name: str) -> None:
    gold, sentences = real(treebanks / name)
    check(scores(gold, sentences, derive_tag_map(sentences).mapping), FROM_RELATIONS[name])


@pytest.mark.parametrize("name", FROM_SHAPES)
def test_tags_from_shapes_of_real_treebanks(treebanks: Path, name: str) -> None:
    gold, sentences = real(treebanks / name)
    bare = [sentence.with_tree(sentence.heads, ["dep"] * len(sentence)) for sentence in sentences]
    check(scores(gold, sentences, derive_tag_map(bare).mapping), FROM_SHAPES[name])


@pytest.mark.parametrize("name", ["UD_Basque-BDT", "UD_Chinese-GSD", "UD_English-EWT", "UD_Swedish-Talbanken"])
def test_real_universal_tags_need_no_map(treebanks: Path, name: str) -> None:
    assert find_tag_map(real(treebanks / name)[0]) is None
