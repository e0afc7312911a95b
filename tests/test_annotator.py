"""Raw text in, trees out."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import pytest
import small_corpus

from headway import presets
from headway.annotator import Annotator, load_model
from headway.corpus import Sentence, format_sentence, parse_sentences, read_sentences, validate, write_sentences
from headway.corpus.text import rebuild_text, text_parts, treebank_text
from headway.errors import CorpusError, ModelError, TreeError, UsageError
from headway.joint.reading import cross_read
from headway.kernel import watch_compilation
from headway.learning import TrainingOptions
from headway.parser import Parser

SENTENCES = small_corpus.sample(75)
TRAIN, DEV = SENTENCES[:60], SENTENCES[60:]


@cache
def trained() -> Annotator:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "small", small_corpus.SMALL)
        return Annotator.train(TRAIN, dev=DEV, preset="small", options=TrainingOptions(epochs=3), crossed=3)


def test_it_learns_everything() -> None:
    found = {name: score.f1 for name, score in trained().evaluate(DEV).items()}
    assert found["Words"] > 99.0
    assert found["Sentences"] > 90.0
    assert found["UPOS"] > 90.0
    assert found["Lemmas"] > 90.0
    assert found["LAS"] > 60.0


def _parsed(annotator: Annotator, text: str) -> str:
    """Parse in another process."""
    return annotator(text, confidence=True).to_conllu()


def test_other_processes_get_the_same_model(tmp_path: Path) -> None:
    path, text = tmp_path / "sample.headway", treebank_text(DEV[:3]).text
    trained().save(path)
    loaded = Annotator.load(path)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = pool.submit(_parsed, loaded, text).result()
    assert found == loaded(text, confidence=True).to_conllu()
    copied = pickle.loads(pickle.dumps(loaded.parser))
    given = list(loaded.tag(DEV))
    assert list(copied.parse(given, confidence=True)) == list(loaded.parser.parse(given, confidence=True))


def test_a_pickled_model_needs_no_other_kernels() -> None:
    annotator, text = trained(), treebank_text(DEV[:3]).text
    for model in (annotator, pickle.loads(pickle.dumps(annotator))):
        arrays = model._tensors()
        assert not any(arrays[name].flags.writeable for name in arrays if name.endswith(("_values", "_directory")))
    told: list[str] = []
    expected = _parsed(annotator, text)
    watch_compilation(told.append)
    try:
        assert _parsed(pickle.loads(pickle.dumps(annotator)), text) == expected
    finally:
        watch_compilation(lambda name: None)
    assert told == []


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "sample.headway"
    annotator = trained()
    annotator.with_facts(made="for a test").save(path)
    assert isinstance(load_model(path), Annotator)
    loaded, text = Annotator.load(path), treebank_text(DEV).text
    assert loaded.parser.model.facts["made"] == "for a test"
    assert list(loaded.annotate(text)) == list(annotator.annotate(text))
    parser = Parser.load(path)
    assert list(parser.parse(DEV)) == list(annotator.parser.parse(DEV))


@pytest.mark.parametrize("wide", [False, True])
def test_a_saved_segmenter_looks_as_far(tmp_path: Path, wide: bool) -> None:
    annotator = replace(trained(), segmenter=replace(trained().segmenter, leaning=0.5, wide=wide))
    annotator.save(tmp_path / "sample.headway")
    loaded = Annotator.load(tmp_path / "sample.headway").segmenter
    assert (loaded.leaning, loaded.wide) == (0.5, wide)


def test_a_parser_alone_reads_no_text(tmp_path: Path) -> None:
    path = tmp_path / "parser.headway"
    trained().parser.save(path)
    assert isinstance(load_model(path), Parser)
    with pytest.raises(UsageError, match="not plain text"):
        Annotator.load(path)
    with pytest.raises(ModelError, match="cannot read"):
        Annotator.load(tmp_path / "none.headway")


WILD = {
    "nothing": "",
    "line breaks": "\n\n\n",
    "mixed": "Clara saw 😀 the שלום dog.\r\n\r\nhttps://example.com/?q=1|2\tend\x00\x07 10 000 # _",
    "no stop": "dog " * 900,
    "controls": "See https://e.com\x1b[0m done. See http://a\x00 next. A dog\u00a0 \u2028barks.",
    "a half": "Dogs \ud800 bark.",
    "bars and hashes": "# not a comment | _ = \\s",
}


@pytest.mark.parametrize("text", WILD.values(), ids=WILD)
def test_text_from_the_wild_becomes_sound_sentences(text: str, tmp_path: Path) -> None:
    found = list(trained().annotate(text))
    path = tmp_path / "wild.conllu"
    write_sentences(path, found)
    assert list(validate(path)) == []
    assert [sentence.forms for sentence in read_sentences(path)] == [sentence.forms for sentence in found]
    if found:
        assert rebuild_text(found) == text


def test_files_are_read_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(sentence.metadata["text"] for sentence in DEV)
    path = tmp_path / "some.txt"
    path.write_text(text)
    parts = text_parts
    monkeypatch.setattr("headway.annotator.text_parts", lambda chunks: parts(chunks, least=50))
    found = list(trained().read_file(str(path)))
    assert rebuild_text(found) == text
    ranges = [value for sentence in found for value in sentence.misc("TokenRange") if value]
    assert [text[slice(*map(int, value.split(":")))] for value in ranges] == [
        form for sentence in found for form in sentence.forms
    ]
    assert [sentence.metadata["sent_id"] for sentence in found] == [str(n) for n in range(1, len(found) + 1)]


def test_trees_are_checked_before_anything_is_learned() -> None:
    broken = SENTENCES[0].with_tree([-1] * len(SENTENCES[0]), ["_"] * len(SENTENCES[0]))
    with pytest.raises(CorpusError, match="not a valid tree"):
        Annotator.train([broken])
    with pytest.raises(TreeError, match="there is no sentence"):
        Annotator.train([])


def test_control_characters_in_a_treebank_do_no_harm() -> None:
    odd = [*DEV[:-1], *parse_sentences(format_sentence(DEV[-1]).replace(DEV[-1].forms[0], f"{DEV[-1].forms[0]}\x97"))]
    assert trained().evaluate(odd)["Tokens"].f1 == trained().evaluate(DEV)["Tokens"].f1


def test_tags_that_words_come_with_are_kept() -> None:
    [tagged] = trained().tag([DEV[0]])
    assert tagged == DEV[0]
    [fresh] = trained().tag([Sentence.from_words(DEV[0].forms)])
    assert fresh.upos != ["_"] * len(fresh)


def test_tags_for_the_parser_come_from_taggers_that_have_not_seen_the_sentence() -> None:
    found = [lattice.sentence for lattice in cross_read(TRAIN[:20], 4)]
    assert [sentence.forms for sentence in found] == [sentence.forms for sentence in TRAIN[:20]]
    assert [sentence.heads for sentence in found] == [sentence.heads for sentence in TRAIN[:20]]
    assert [sentence.upos for sentence in found] != [sentence.upos for sentence in TRAIN[:20]]
    [alone] = cross_read(TRAIN[:1], 4)
    assert alone.tagged((0,) * len(TRAIN[0])) == alone.sentence == TRAIN[0]
