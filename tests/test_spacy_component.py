"""Headway in a spaCy pipeline."""

import pickle
import shutil
from pathlib import Path

import pytest
import small_corpus

from headway import TrainingOptions
from headway.annotator import Annotator
from headway.errors import ModelError, UsageError
from headway.parser import Parser

spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install 'headway[spacy]'")

TEXT = "The pilot saw Clara.  Why did it wait?\n\nThe old robot repaired the pump."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spacy") / "sample.headway"
    train = small_corpus.sample(60)
    Annotator.train(train, preset="first-order", options=TrainingOptions(epochs=2), crossed=2).save(path)
    return path


def pipeline(model: Path, **config: object) -> "spacy.Language":
    nlp = spacy.blank("en")
    nlp.add_pipe("headway", config={"model": str(model), **config})
    return nlp


def test_a_text_gets_everything(model: Path) -> None:
    doc = pipeline(model, confidence=True)(TEXT)
    assert doc.text == TEXT
    assert [sentence.text.strip() for sentence in doc.sents] == [
        "The pilot saw Clara.", "Why did it wait?", "The old robot repaired the pump.",
    ]  # fmt: skip
    for annotation in ("HEAD", "DEP", "POS", "TAG", "LEMMA", "MORPH", "SENT_START"):
        assert doc.has_annotation(annotation)
    for sentence in doc.sents:
        words = [token for token in sentence if not token.is_space]
        assert [token.dep_ for token in words].count("ROOT") == 1
        assert all(token.head in sentence for token in sentence)
        assert all(0.0 <= token._.head_prob <= 1.0 for token in words)
        assert all(token.pos_ for token in words)


def test_it_says_what_headway_says(model: Path) -> None:
    doc = pipeline(model)(TEXT)
    alone = Annotator.load(model)(TEXT, confidence=False)
    for sentence, parsed in zip(doc.sents, alone.sentences, strict=True):
        words = parsed.words
        first = next(token.i for token in sentence if not token.is_space)
        tokens = [token for token in sentence if not token.is_space]
        assert [token.text for token in tokens] == [word.text for word in words]
        assert [token.lemma_ for token in tokens] == [word.lemma for word in words]
        assert [token.pos_ for token in tokens] == [word.upos for word in words]
        heads = [0 if token.head == token else tokens.index(token.head) + 1 for token in tokens]
        assert heads == [word.head_index for word in words]
        assert first == tokens[0].i


def test_sentences_that_are_there_are_kept(model: Path) -> None:
    nlp = pipeline(model)
    nlp.add_pipe("sentencizer", before="headway")
    assert [len(doc) for doc in nlp.pipe(["One two. Three", "", " \n"])] == [4, 0, 1]
    assert len(list(nlp("Dogs bark. It waits. They went.").sents)) == 3


def test_tags_can_be_kept(model: Path) -> None:
    nlp = pipeline(model, keep_tags=True)
    doc = spacy.tokens.Doc(nlp.vocab, words=["the", "pilot"], pos=["X", "INTJ"], tags=["A", "B"], lemmas=["c", "d"])
    parsed = nlp.get_pipe("headway")(doc)
    assert [token.pos_ for token in parsed] == ["X", "INTJ"]
    assert [token.lemma_ for token in parsed] == ["c", "d"]


def test_a_parser_alone_needs_sentences(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "parser.headway"
    Parser.load(model).save(path)
    nlp = pipeline(path)
    with pytest.raises(UsageError, match="sets sentence boundaries"):
        nlp("Dogs bark.")
    nlp.add_pipe("sentencizer", before="headway")
    parsed = nlp("Dogs bark.")
    assert parsed[0].dep_
    assert {token.tag_ for token in parsed} == {token.lemma_ for token in parsed} == {""}


def test_a_pipeline_is_kept_with_its_model(model: Path, tmp_path: Path) -> None:
    model = Path(shutil.copy(model, tmp_path / "own.headway"))
    nlp = pipeline(model)
    nlp.to_disk(tmp_path / "kept")
    before = [token.head.i for token in nlp(TEXT)]
    model.unlink()
    again = spacy.load(tmp_path / "kept")
    assert before == [token.head.i for token in again(TEXT)]
    assert [token.head.i for token in again(TEXT)] == [token.head.i for token in nlp(TEXT)]


def test_nothing_is_loaded_before_it_is_needed(tmp_path: Path) -> None:
    nlp = pipeline(tmp_path / "not yet there.headway")
    assert not any("loaded" in vars(component) for _, component in nlp.pipeline)
    assert not hasattr(nlp.get_pipe("headway"), "model")  # which spaCy asks every component for, in any order
    with pytest.raises(ModelError, match="not yet there"):
        nlp(TEXT)


def test_odd_tokens_are_words_all_the_same(model: Path) -> None:
    nlp = pipeline(model)
    nlp.add_pipe("sentencizer", before="headway")
    doc = spacy.tokens.Doc(nlp.vocab, words=["a\u2028b", "\x07", "🙂", "c d"])
    assert all(token.dep_ for token in nlp(doc))


def test_other_processes_get_the_same_component(model: Path) -> None:
    component = pipeline(model, confidence=True).get_pipe("headway")
    for _ in range(2):  # before and after the model is loaded
        copied = pickle.loads(pickle.dumps(component))
        docs = [one(spacy.blank("en")(TEXT)) for one in (component, copied)]
        assert [token.head.i for token in docs[0]] == [token.head.i for token in docs[1]]
