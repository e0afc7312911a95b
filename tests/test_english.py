"""The English model that comes with Headway: the sentences that the docs show, and plain ones like them."""

from functools import cache

import pytest

import headway
from headway import Annotator


@cache
def english() -> Annotator:
    return headway.load("en")


@pytest.mark.parametrize(
    ("text", "upos", "heads", "labels"),
    [
        ("Dogs bark.", ["NOUN", "VERB", "PUNCT"], [2, 0, 2], ["nsubj", "root", "punct"]),
        ("The dog barks.", ["DET", "NOUN", "VERB", "PUNCT"], [2, 3, 0, 3], ["det", "nsubj", "root", "punct"]),
    ],
)
def test_the_examples_of_the_docs(text: str, upos: list[str], heads: list[int], labels: list[str]) -> None:
    [sentence] = english().annotate(text)
    assert (sentence.upos, sentence.heads, sentence.labels) == (upos, heads, labels)


def test_its_calibration_was_fitted() -> None:
    settings, plain = english().parser.model.settings, headway.model.Settings("", "", projective=True)
    assert english().parser.model.facts["calibrated"]
    assert settings.temperature != plain.temperature
    assert settings.label_temperature != plain.label_temperature
    assert settings.arc_calibration != plain.arc_calibration
    assert settings.tree_calibration != plain.tree_calibration


def test_the_accurate_model_parses_in_the_same_way() -> None:
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: headway[onnx]")
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: headway[onnx]")
    accurate = headway.load("en-accurate")
    doc = accurate("The dog that we saw didn't bark.", confidence=True)
    [sentence] = doc.sentences
    assert [word.upos for word in sentence] == ["DET", "NOUN", "PRON", "PRON", "VERB", "AUX", "PART", "VERB", "PUNCT"]
    assert [word.head_index for word in sentence] == [2, 8, 5, 5, 2, 8, 8, 0, 8]
    assert sentence[1].label == "nsubj"
    assert all(word.confidence > 0.5 for word in sentence)
