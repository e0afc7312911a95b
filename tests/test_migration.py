"""The migration page: every row of its table, run in Headway's form."""

import re
from pathlib import Path

import numpy as np
import pytest

import headway
from headway.evaluation import evaluate

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "migration.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\|[^`\n]*(?:`[^`]*`[^|\n]*|–[^|\n]*)\|.*\| `([^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)

DOGS = headway.Sentence.from_words(["Dogs", "bark"])


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    [setup] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(setup, names)
    return names


def test_the_table_has_rows() -> None:
    assert len(ROWS) == PAGE.count("\n|", 0, PAGE.index("Differences:")) - 2


@pytest.mark.parametrize(("code", "expected"), ROWS, ids=[code for code, _ in ROWS])
def test_a_row(names: dict[str, object], code: str, expected: str) -> None:
    assert repr(eval(code, dict(names))) == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda nlp: nlp(3), "expected a text (str), got int"),
        (lambda nlp: nlp(["Dogs"]), "got list: words that are tokenised already go into nlp(words=[...])"),
        (lambda nlp: nlp(b"Dogs"), "got bytes: decode it first"),
        (lambda nlp: nlp(), "expected a text (str) or words=[...]"),
        (lambda nlp: nlp("Dogs", words=["Dogs"]), "and not both"),
        (lambda nlp: nlp(words="Dogs"), "expected a list of words"),
        (lambda nlp: nlp(words=["Dogs", 3]), "expected a list of words, got str"),
        (lambda nlp: nlp(words=[["Dogs", 3]]), "expected a word (str), got int"),
        (lambda nlp: nlp.pipe("Dogs bark."), "expected an iterable of texts"),
        (lambda nlp: list(nlp.pipe([None])), "expected a text (str), got NoneType"),
        (lambda nlp: nlp.pipe(["Dogs"], batch_size="many"), "expected batch_size to be a number"),
        (lambda nlp: nlp.pipe(None), "expected an iterable of texts, got NoneType"),
        (lambda nlp: list(nlp.pipe([3], as_tuples=True)), "expected pairs (text, value) with as_tuples=True, got int"),
        (lambda nlp: list(nlp.pipe(["ab"], as_tuples=True)), "with as_tuples=True, got str"),
        (lambda nlp: list(nlp.pipe([("a",)], as_tuples=True)), "with as_tuples=True, got 1 values, not 2"),
        (lambda nlp: list(nlp.pipe([(3, 4)], as_tuples=True)), "expected a text (str), got int"),
        (lambda nlp: list(nlp.pipe_tokens(None)), "expected an iterable of texts, each a list of words, got NoneType"),
        (lambda nlp: list(nlp.parser.parse("Dogs bark.")), "expected an iterable of sentences (headway.Sentence; "),
        (lambda nlp: list(nlp.parser.parse(None)), "got NoneType"),
        (lambda nlp: list(nlp.parser.parse(["Dogs bark."])), "expected a sentence (headway.Sentence), got str: "),
        (lambda nlp: list(nlp.parser.parse([["Dogs"]])), "got list: headway.load reads plain text, Sent"),
        (lambda nlp: list(nlp.parser.parse(DOGS)), "got Word: a single sentence goes into a list, [sentence]"),
        (lambda nlp: list(nlp.parser.parse([DOGS], k_best="2")), "expected k_best to be a number (int), got str"),
        (lambda nlp: nlp.parser.parse_best(DOGS, 2.0), "expected k to be a number (int), got float"),
        (lambda nlp: nlp.parser.parse_one("Dogs bark."), "expected a sentence (headway.Sentence), got str"),
        (lambda nlp: nlp.parser.arc_probabilities("Dogs"), "expected a sentence (headway.Sentence), got str"),
        (lambda nlp: nlp.parser.sample("Dogs", 2), "expected a sentence (headway.Sentence), got str"),
        (lambda nlp: nlp.parser.sample(DOGS, "2"), "expected count to be a number (int), got str"),
        (lambda nlp: nlp.parser.train("train.conllu"), "headway.read_sentences reads files"),
        (lambda nlp: nlp.parser.train([1]), "expected a sentence (headway.Sentence), got int"),
        (lambda nlp: nlp.train("train.conllu"), "expected an iterable of sentences"),
        (lambda nlp: nlp.annotate(3), "expected a text (str), got int"),
        (lambda nlp: nlp.annotate(b"Dogs"), "got bytes: decode it first"),
        (lambda nlp: list(nlp.read(3)), "expected a text (str), got int"),
        (lambda nlp: list(nlp.tag("Dogs")), "expected an iterable of sentences (headway.Sentence; "),
        (lambda nlp: list(nlp.tag(DOGS)), "got Word: a single sentence goes into a list, [sentence]"),
        (lambda nlp: nlp.evaluate("Dogs"), "expected an iterable of sentences (headway.Sentence; "),
        (lambda nlp: nlp.evaluate(["Dogs"]), "expected a sentence (headway.Sentence), got str"),
        (lambda nlp: nlp("Dogs", confidence="yes"), "expected confidence to be True or False (bool), got str"),
        (lambda nlp: nlp("Dogs", presegmented=1), "expected presegmented to be True or False (bool), got int"),
        (lambda nlp: nlp(words=["Dogs"], confidence="yes"), "expected confidence to be True or False (bool)"),
        (lambda nlp: list(nlp.annotate("Dogs", confidence="yes")), "expected confidence to be True or False (bool)"),
        (lambda nlp: list(nlp.parser.parse([DOGS], keep_heads="no")), "expected keep_heads to be True or False"),
        (lambda nlp: list(nlp.parser.parse([DOGS], threads="3")), "expected threads to be a number (int), got str"),
        (lambda nlp: nlp.parser.parse_one(DOGS, forbidden={1: 2}), "forbidden to be pairs (head, modifier), got dict"),
        (lambda nlp: nlp.parser.parse_one(DOGS, forbidden=[1, 2]), "forbidden to be pairs (head, modifier), got 1 am"),
        (lambda nlp: nlp.parser.parse_one(DOGS, required=[(1, 2)]), "required to be a mapping of words to heads, got "),
        (lambda nlp: headway.TrainingOptions(epochs="3"), "expected epochs to be a number (int), got str"),
        (lambda nlp: nlp.parser.train([DOGS], preset=3), "preset to be the name of a preset, or a Preset, got int"),
        (lambda nlp: nlp.train([DOGS], preset=3), "preset to be the name of a preset, or a Preset, got int"),
        (lambda nlp: nlp.save(3), "expected the path of a model file (str or Path), got int"),
        (lambda nlp: nlp.parser.save(3), "expected the path of a model file (str or Path), got int"),
        (lambda nlp: headway.load(None), "expected the name or the path of a model (str or Path), got NoneType"),
        (lambda nlp: headway.load_constituents(3), "expected the path of a model (str or Path), got int"),
        (lambda nlp: headway.parse_sentences(3), "expected the content of a file (str), got int"),
        (lambda nlp: headway.write_sentences(3, []), "expected the path of a file (str or Path), got int"),
        (lambda nlp: headway.write_sentences("never-written", "Dogs"), "expected an iterable of sentences"),
        (lambda nlp: headway.write_sentences("never-written", DOGS), "got Word: a single sentence goes into a list"),
        (lambda nlp: evaluate(["Dogs"], [DOGS]), "expected a sentence (headway.Sentence), got str"),
        (lambda nlp: DOGS.with_tree(["2", "0"], ["nsubj", "root"]), "expected heads to be a list of numbers (int)"),
        (lambda nlp: headway.read_sentences(3), "expected the path of a file (str or Path), got int"),
        (lambda nlp: headway.read_sentences(b"dev.conllu"), "expected the path of a file (str or Path), got bytes"),
    ],
)
def test_wrong_types_are_named(names, call, message, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match=re.escape(message)):
        call(names["nlp"])
    assert not list(tmp_path.iterdir())


def test_numbers_of_numpy_are_numbers(names) -> None:
    assert len(list(names["nlp"].parser.parse([DOGS], k_best=np.int64(2)))) == 2
    assert len(list(names["nlp"].pipe(["Dogs bark."], batch_size=np.int32(1)))) == 1


def test_wrong_values_are_named(names) -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        names["nlp"](words=["Dogs", " "])
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        names["nlp"].pipe(["Dogs"], batch_size=0)

    for k in (0, -1):
        with pytest.raises(headway.UsageError, match=f"the number of best trees must be at least 1, not {k}"):
            names["nlp"].parser.parse_best(DOGS, k)
    with pytest.raises(headway.UsageError, match="threads must be at least 1, not 0"):
        list(names["nlp"].parser.parse([DOGS], threads=0))
    with pytest.raises(headway.ModelError, match="the name of a model is missing"):
        headway.load("")


def test_arcs_are_pairs_of_any_kind(names) -> None:
    parser = names["nlp"].parser
    [parse] = {repr(parser.parse_one(DOGS, forbidden=arcs).heads) for arcs in ([(0, 1)], {(0, 1)}, np.array([[0, 1]]))}
    assert parse == repr(parser.parse_one(DOGS, forbidden=iter([(0, 1)])).heads)
    assert parse != repr(parser.parse_one(DOGS).heads)


def test_sentences_to_evaluate_may_come_one_by_one(names) -> None:
    gold = list(names["nlp"]("Dogs bark. Cats don't sleep.").sentences)
    assert names["nlp"].evaluate(iter(gold)) == names["nlp"].evaluate(gold)
    assert names["nlp"].evaluate(gold)["LAS"].f1 == 100.0


def test_batches_change_nothing(names) -> None:
    nlp, texts = names["nlp"], ["Dogs bark.", "", "Cats don't sleep. Go!", "No"]
    alone = [nlp(text, confidence=True).to_conllu() for text in texts]
    for size in (1, 3, 1000):
        assert [doc.to_conllu() for doc in nlp.pipe(texts, batch_size=size, confidence=True)] == alone


def test_processes_change_nothing(names) -> None:
    nlp, texts = names["nlp"], ["Dogs bark.", "Cats don't sleep.", "No"]
    found = list(nlp.pipe(texts, batch_size=2, n_process=2))
    assert [doc.to_conllu() for doc in found] == [nlp(text).to_conllu() for text in texts]
    assert found[0][0].head is not None
    assert found[0][0].head.text == "bark"


def test_nothing_is_read_before_it_is_needed(names) -> None:
    def texts():
        yield "Dogs bark."
        raise RuntimeError("too far")

    assert next(names["nlp"].pipe(texts(), batch_size=1)).text == "Dogs bark."


def test_dir_lists_the_public_names() -> None:
    assert {"load", "Parser", "Doc", "Word", "Sentence", "read_sentences", "HeadwayError"} <= set(dir(headway))
    assert all(hasattr(headway, name) for name in dir(headway))
    assert {"load", "Doc"} <= set(dir(headway))
    assert "lazy_names" not in dir(headway)


def test_repr_fits_a_line(names) -> None:
    doc = names["nlp"]("Dogs\n" + "bark " * 100)
    nlp = names["nlp"]
    for thing in (doc, doc.sentences[0], doc[1], nlp, nlp.parser, nlp.parser.model):
        assert len(repr(thing)) < 120
        assert "\n" not in repr(thing)
    assert repr(nlp).startswith("<Annotator with 17 tags, ")
    assert repr(nlp.parser).startswith("<Parser with 51 labels: English")
    assert repr(nlp.parser.model) == "<TrainedModel: linear scorer, hill-climbing decoder, 51 labels>"


def test_str_is_the_text(names) -> None:
    doc = names["nlp"]("Dogs bark.  Cats don't sleep.")
    assert str(doc) == "Dogs bark.  Cats don't sleep."
    assert [str(sentence) for sentence in doc.sentences] == ["Dogs bark.", "Cats don't sleep."]
    assert str(doc[4]) == "do"
