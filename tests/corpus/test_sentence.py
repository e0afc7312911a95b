import pickle

import numpy as np
import pytest
from corpus_samples import ODD

from headway.corpus import CONLL2009, Sentence, format_sentence, parse_sentences, word
from headway.errors import CorpusError


@pytest.fixture
def odd() -> Sentence:
    [sentence] = parse_sentences(ODD)
    return sentence


def test_columns_are_those_of_the_words(odd):
    assert len(odd) == 8
    assert len(odd.rows) == 10
    assert odd.forms == ["Voy", "a", "el", "mar", "y", "tú", "no", "."]
    assert odd.lemmas[0] == "ir"
    assert odd.upos[3] == "NOUN"
    assert odd.xpos == ["_"] * 8
    assert odd.feats[0] == "Mood=Ind|Number=Sing"
    assert odd.heads == [0, 4, 4, 1, 6, 1, 6, 1]
    assert odd.labels == ["root", "case", "det", "obl", "cc", "conj", "orphan", "punct"]


def test_words_are_the_same_lists_as_rows(odd):
    assert [id(row) for row in odd.word_rows] == [id(row) for row in odd.rows if row[0].isdigit()]


def test_metadata(odd):
    odd.comments.append("# newdoc")
    odd.comments.append("# formula = a = b")
    assert odd.metadata["sent_id"] == "1"
    assert odd.metadata["text"] == "Voy al mar y tú no."
    assert odd.metadata["newdoc"] == ""
    assert odd.metadata["formula"] == "a = b"


def test_with_tree_changes_heads_and_labels_only(odd):
    before = format_sentence(odd)
    heads, labels = np.array([4, 0, 2, 2, 2, 2, 2, -1]), [f"r{i}" for i in range(8)]
    new = odd.with_tree(heads, labels)
    assert format_sentence(odd) == before
    assert new.heads == heads.tolist()
    assert new.labels == labels
    changed = [
        (column, old[column], field[column])
        for old, field in zip(odd.rows, new.rows, strict=True)
        for column in range(10)
        if old[column] != field[column]
    ]
    assert {column for column, _, _ in changed} == {6, 7}
    assert len(new.word_rows) == 8
    assert [id(row) for row in new.word_rows] == [id(row) for row in new.rows if row[0].isdigit()]


def test_with_its_own_tree_the_bytes_stay(odd):
    assert format_sentence(odd.with_tree(odd.heads, odd.labels)) == ODD


def test_with_tree_wants_one_head_for_each_word(odd):
    with pytest.raises(ValueError, match="9 values for the 8 words"):
        odd.with_tree([-1] * 9, ["x"] * 8)
    with pytest.raises(ValueError, match="7 values for the 8 words"):
        odd.with_tree([-1] * 8, ["x"] * 7)


def test_from_words():
    sentence = Sentence.from_words(["Go", "now"], upos=["VERB", "ADV"], heads=[0, 1], labels=["root", "advmod"])
    assert format_sentence(sentence) == (
        "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\tnow\t_\tADV\t_\t_\t1\tadvmod\t_\t_\n\n"
    )
    assert list(parse_sentences(format_sentence(sentence))) == [sentence]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"forms": "abc"}, "expected a list of words, got str"),
        ({"forms": 3}, "expected a list of words, got int"),
        ({"forms": {"a", "b"}}, "expected a list of words, got set"),
        ({"forms": ["a", 3]}, r"expected a word \(str\), got int"),
        ({"forms": ["a", "b"], "upos": "XY"}, "expected a list of words, got str"),
        ({"forms": ["a", "b"], "labels": ["root", None]}, r"expected a word \(str\), got NoneType"),
    ],
)
def test_wrong_types_of_columns_are_named(columns, message):
    with pytest.raises(TypeError, match=message):
        Sentence.from_words(**columns)


def test_columns_may_be_arrays():
    assert Sentence.from_words(np.array(["Go", "now"]), upos=("VERB", "ADV")).forms == ["Go", "now"]


def test_from_words_of_one_tag_layout_fills_twins():
    sentence = Sentence.from_words(["Go"], upos=["VB"], xpos=["ignored"], heads=[0], layout=CONLL2009)
    assert sentence.word_rows == [["1", "Go", "_", "_", "VB", "VB", "_", "_", "0", "0", "_", "_", "_", "_"]]
    assert sentence.xpos == ["_"]


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb"])
def test_from_words_refuses_what_a_field_cannot_hold(form):
    with pytest.raises(CorpusError, match=r"word 2 cannot have .* in column 2"):
        Sentence.from_words(["fine", form])


def test_from_words_refuses_what_is_no_comment():
    with pytest.raises(CorpusError, match="not a comment line"):
        Sentence.from_words(["a"], comments=["text = a"])


def test_equality_looks_at_the_rows(odd):
    assert odd == next(parse_sentences(ODD))
    assert odd != odd.with_tree([0] * 8, odd.labels)
    assert odd != "text"


def test_sentences_can_be_pickled(odd):
    copy = pickle.loads(pickle.dumps(odd))
    assert format_sentence(copy) == ODD
    assert repr(copy) == "<Sentence of 8 words: Voy a el mar y tú no .>"


@pytest.mark.parametrize("copied", [False, True])
def test_children_and_places_are_found_once_for_all_words(odd, copied, monkeypatch):
    looks = []
    for name in ("_children", "word_places"):
        find = getattr(word, name)
        monkeypatch.setattr(word, name, lambda sentence, find=find: looks.append(find) or find(sentence))
    if copied:
        assert len(odd.rows) == 10
        odd = odd.with_tree(odd.heads, odd.labels)
    assert [len(one.children) for one in odd] == [3, 0, 0, 2, 0, 2, 0, 0]
    assert [len(one.subtree) for one in odd] == [8, 1, 1, 3, 1, 3, 1, 1]
    assert [(one.start, one.end) for one in odd] == [(None, None)] * 8
    assert len(looks) == 2


def test_changed_rows_change_children_and_places(odd):
    copy = odd.with_misc("TokenRange", ["0:3"] + [None] * 7)
    assert ([child.index for child in copy[0].children], copy[0].end) == ([4, 6, 8], 3)
    copy.word_rows[7][6] = "4"
    copy.rows[0][9] = "TokenRange=0:4"
    assert ([child.index for child in copy[0].children], copy[0].end) == ([4, 6], 4)
    copy.word_rows[3][6] = "0"
    assert [child.index for child in copy[0].children] == [6]


def test_copies_share_no_rows(odd):
    copy = odd.with_tree(odd.heads, odd.labels)
    again = copy.with_tree(odd.heads, odd.labels)
    for row in copy.rows:
        row[1] = "?"
    assert format_sentence(again) == format_sentence(odd)
