import pytest

from headway.encoding.tag_map import UNIVERSAL_TAGS
from headway.encoding.tag_sets import TAG_SETS, TagSet, find_tag_set


@pytest.mark.parametrize("tag_set", TAG_SETS, ids=lambda tag_set: tag_set.name)
def test_tables_lead_to_universal_tags_and_have_what_features_ask_for(tag_set: TagSet) -> None:
    universal = set(tag_set.universal.values())
    assert universal <= set(UNIVERSAL_TAGS)
    assert universal >= {"ADP", "CCONJ", "NOUN", "PRON", "PUNCT", "VERB"}


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("Penn Treebank English", "DT NN VBZ IN PRP$ NNS CC NNS ."),
        ("Penn Chinese Treebank", "PN VV AS NR DEG NN PU"),
        ("Chinese-GSD", "PRP VV AS NNP DEC NN ."),
        ("STTS (German)", "ART NN VVFIN APPR ART ADJA NN $, KON VAFIN $."),
        ("SUC (Swedish)", "PN|UTR|SIN|DEF|SUB VB|PRS|AKT PP NN|UTR|SIN|DEF|NOM KN PM|NOM MAD"),
        ("French Treebank", "DET NC V P+D NPP CC CLS V PONCT"),
        ("the universal tags of 2012", "DET NOUN VERB ADP NOUN CONJ NOUN PRT VERB ."),
    ],
)
def test_a_tag_set_is_known_by_its_tags(name: str, tags: str) -> None:
    found = find_tag_set(dict.fromkeys(tags.split(), 10))
    assert found is not None
    assert found.name == name


def test_a_few_unknown_words_do_not_matter() -> None:
    counts = {"NN": 60, "VBD": 30, "IN": 9}
    assert find_tag_set({**counts, "NEW": 1}) is not None
    assert find_tag_set({**counts, "NEW": 10}) is None
    assert find_tag_set({}) is None


def test_features_behind_a_tag_are_cut_off_where_the_tag_set_has_them() -> None:
    [swedish] = (tag_set for tag_set in TAG_SETS if tag_set.separator)
    assert [swedish.find(tag) for tag in ("NN|UTR", "NN", "QQ|NN")] == ["NOUN", "NOUN", None]
    [english] = (tag_set for tag_set in TAG_SETS if tag_set.name == "Penn Treebank English")
    assert english.find("NN|UTR") is None
