from pathlib import Path

import pytest

from headway.encoding.tag_map import (
    ADPOSITION,
    COORDINATOR,
    NOUN,
    OTHER,
    PUNCTUATION,
    UNIVERSAL_TAGS,
    VERB,
    classes_of_tags,
    read_tag_map,
    universal_tag,
    word_class,
)
from headway.errors import CorpusError


@pytest.mark.parametrize("tag", UNIVERSAL_TAGS)
def test_universal_tags_stay(tag: str) -> None:
    assert universal_tag(tag, {}) == tag


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("VBZ", VERB), ("AUX", VERB), ("vv", VERB), ("NNS", NOUN), ("PROPN", NOUN), ("IN", ADPOSITION),
        ("prep", ADPOSITION),
        ("CC", COORDINATOR), ("CONJ", COORDINATOR), ("kon", COORDINATOR), ("SCONJ", OTHER), ("NUM", OTHER),
        ("$,", PUNCTUATION), ("''", PUNCTUATION), (".", PUNCTUATION), ("-LRB-", PUNCTUATION), ("Punc", PUNCTUATION),
        ("$", OTHER), ("JJ", OTHER), ("_", OTHER),
    ],
)  # fmt: skip
def test_classes_by_name(tag: str, expected: int) -> None:
    assert word_class(tag, {}) == expected


def test_a_mapping_goes_before_names() -> None:
    assert word_class("NN", {"NN": "ADP"}) == ADPOSITION


def test_read_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "tags.map"
    path.write_text("S\tADP\n\n#\t.\r\nKo\tCONJ\n", encoding="utf-8")
    assert read_tag_map(path) == {"S": "ADP", "#": "PUNCT", "Ko": "CCONJ"}


@pytest.mark.parametrize(("text", "line"), [("S ADP\n", 1), ("S\tADP\nT\tFOO\n", 2), ("S\tADP\tX\n", 1)])
def test_a_broken_mapping_says_where(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "tags.map"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError) as failure:
        read_tag_map(path)
    assert failure.value.line == line


def test_a_mapping_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot read"):
        read_tag_map(tmp_path / "none")


def test_classes_of_numbered_tags() -> None:
    classes = classes_of_tags({"NOUN": 1, "ZZ": 2, "CCONJ": 30}, {"ZZ": "VERB"})
    assert classes.shape == (32,)
    assert classes[[0, 1, 2, 30]].tolist() == [OTHER, NOUN, VERB, OTHER]  # 30 is shared by rare tags
