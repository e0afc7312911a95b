"""The sample treebank is what its script writes, and a sound treebank."""

import sys
from itertools import islice

import pytest
from cli_samples import EXAMPLES
from script_files import load_script

from headway.corpus import format_sentence, is_projective, read_sentences, validate

NAMES = ["sample-train", "sample-dev"]


@pytest.fixture
def make_sample(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    yield load_script(EXAMPLES / "make_sample.py")
    for name in [name for name in sys.modules if name.startswith("sample_grammar")]:
        del sys.modules[name]


def test_the_script_writes_these_files(make_sample):
    drawn = make_sample.sentences(make_sample.SEED)
    for name, count in zip(NAMES, (make_sample.TRAIN, make_sample.DEV), strict=True):
        text = "".join(map(format_sentence, islice(drawn, count)))
        assert (EXAMPLES / f"{name}.conllu").read_text() == text


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_is_sound(name):
    path = EXAMPLES / f"{name}.conllu"
    assert list(validate(path)) == []
    for sentence in read_sentences(path):
        assert [label for label, head in zip(sentence.labels, sentence.heads, strict=True) if head == 0] == ["root"]
        assert "_" not in sentence.upos + sentence.xpos + sentence.lemmas + sentence.labels
        pieces = zip(sentence.forms, (row[9] for row in sentence.word_rows), strict=True)
        text = "".join(form if misc == "SpaceAfter=No" else f"{form} " for form, misc in pieces)
        assert text.strip() == sentence.metadata["text"]


def test_the_sample_is_varied_and_no_sentence_comes_twice():
    sentences = [sentence for name in NAMES for sentence in read_sentences(EXAMPLES / f"{name}.conllu")]
    assert len({sentence.metadata["text"] for sentence in sentences}) == len(sentences) == 360
    assert len({label for sentence in sentences for label in sentence.labels}) >= 25
    assert 0 < sum(not is_projective(sentence.heads) for sentence in sentences) < 30
