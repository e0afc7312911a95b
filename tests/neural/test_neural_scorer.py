"""Neural scores under every decoder, with a tiny network in `tiny.headway` (made by `make_tiny.py`): no PyTorch."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headway import Annotator, Parser, load
from headway.corpus import Sentence, tree_problems
from headway.decoders import decoder_names
from headway.errors import ModelError, UsageError
from headway.model_file import read_model_file, write_model_file
from headway.parts import Candidates
from headway.scorers.neural.readers import MOST_PIECES, PieceReader, WordReader
from headway.scorers.neural.scorer import NeuralScorer
from headway.scorers.sum import Sum

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: headway[onnx]")

MODEL = Path(__file__).with_name("tiny.headway")
WORDS = ["The", "cat", "saw", "two", "old", "dogs"]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load(MODEL)


def sentences(*lengths: int) -> list[Sentence]:
    return [Sentence.from_words((WORDS * length)[:length]) for length in lengths]


def arc_table(parser: Parser, sentence: Sentence) -> np.ndarray:
    encoded = parser.model.encoder.encode([sentence])
    return parser.model.scorer.outputs(encoded)[0].arcs.astype(np.float64)  # type: ignore[attr-defined]


@pytest.mark.parametrize("decoder", decoder_names())
def test_every_decoder_reads_neural_scores(parser: Parser, decoder: str) -> None:
    (sentence,) = sentences(5)
    table = arc_table(parser, sentence)
    parse = parser.parse_one(sentence, decoder=decoder)
    heads = parse.heads[1:].tolist()
    assert not list(tree_problems(heads))
    assert parse.score == pytest.approx(sum(table[head, word] for word, head in enumerate(heads, start=1)))
    best = max(score for score, _ in all_trees(table, len(sentence)))
    assert parse.score <= best + 1e-6
    assert set(parse.labels or ()) <= set(parser.model.labels)


def test_spanning_tree_is_the_best_of_all_trees(parser: Parser) -> None:
    for sentence in sentences(1, 2, 3, 4, 5):
        parse = parser.parse_one(sentence, decoder="spanning-tree")
        score, heads = max(all_trees(arc_table(parser, sentence), len(sentence)))
        assert parse.exact
        assert parse.score == pytest.approx(score)
        assert parse.heads[1:].tolist() == list(heads)


def all_trees(table: np.ndarray, length: int) -> list[tuple[float, tuple[int, ...]]]:
    grids = np.indices((length + 1,) * length).reshape(length, -1).T.tolist()
    trees = [tuple(heads) for heads in grids if not any(tree_problems(heads))]
    return [(float(sum(table[head, word] for word, head in enumerate(one, start=1))), one) for one in trees]


def test_constraints_lists_and_confidence(parser: Parser) -> None:
    (sentence,) = sentences(5)
    assert parser.parse_one(sentence, required={2: 5}, decoder="eisner").heads[2] == 5
    ranked = list(parser.parse([sentence], k_best=4, decoder="eisner"))
    assert len({tuple(one.heads) for one in ranked}) == 4
    judged = next(iter(parser.parse([sentence], confidence=True)))
    assert all(0.0 <= float(chance or "nan") <= 1.0 for chance in judged.misc("HeadProb"))


def test_a_batch_scores_as_its_sentences_alone(parser: Parser) -> None:
    several = sentences(3, 40, 1, 7)
    encoded = parser.model.encoder.encode(several)
    together = parser.model.scorer.outputs(encoded)  # type: ignore[attr-defined]
    for found, sentence in zip(together, several, strict=True):
        np.testing.assert_allclose(found.arcs, arc_table(parser, sentence), atol=1e-5)


def test_long_sentences_are_parsed_in_pieces(parser: Parser) -> None:
    parsed = next(iter(parser.parse(sentences(60), longest=30)))
    assert not list(tree_problems(parsed.heads))
    assert "parsed_in_pieces" in parsed.metadata


def test_pipelines_tag_with_the_network_also_where_it_is_in_a_sum(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def all_adverbs(_: NeuralScorer, forms: list[list[str]]) -> tuple[list[str], np.ndarray]:
        return ["ADV", "NOUN"], np.tile([0.0, -1000.0], (sum(map(len, forms)), 1))

    monkeypatch.setattr(NeuralScorer, "tag_scores", all_adverbs)
    added = Parser(replace(parser.model, scorer=Sum(parser.model.scorer, weights=[0.5])))
    for some in (parser, added):
        (tagged,) = replace(load("en"), parser=some, corrector=None).tag(sentences(4))
        assert list(tagged.upos) == ["ADV"] * 4


def test_a_model_survives_saving(parser: Parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "again.headway")
    assert (tmp_path / "again.headway").read_bytes() == MODEL.read_bytes()


@pytest.mark.parametrize("name", ["neural_graph", "neural_labels", "neural_reader", "neural_tags"])
def test_damaged_models_are_refused(name: str, tmp_path: Path) -> None:
    tensors, facts = read_model_file(MODEL)
    whole = dict(tensors)
    write_model_file(tmp_path / "less.headway", {key: whole[key] for key in whole if key != name}, facts)
    with pytest.raises(ModelError, match=name):
        Parser.load(tmp_path / "less.headway")
    write_model_file(tmp_path / "other.headway", whole | {name: whole[name][1:]}, facts)
    with pytest.raises(ModelError):
        Parser.load(tmp_path / "other.headway")


def test_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match=r"pip install 'headway\[onnx\]'"):
        Parser.load(MODEL)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError, match=r"pip install 'headway\[neural\]'"):
        Parser.train([replace_tree(one) for one in sentences(3, 3)], preset="neural")
    with pytest.raises(UsageError, match=r"pip install 'headway\[neural\]'"):
        Annotator.train([replace_tree(one) for one in sentences(3, 3)], preset="neural-sum")


def replace_tree(sentence: Sentence) -> Sentence:
    return sentence.with_tree([0, *range(1, len(sentence))], ["root", *["dep"] * (len(sentence) - 1)])


def test_candidates_that_are_left_out_are_not_scored(parser: Parser) -> None:
    (sentence,) = sentences(4)
    encoded = parser.model.encoder.encode([sentence])
    candidates = Candidates.all(4).restrict({2: 1}, None, leaves=(), single_root=True)
    scores = parser.model.scorer.scores(encoded, 0, candidates)
    table = arc_table(parser, sentence)
    np.testing.assert_array_equal(scores.arc, table[candidates.heads, candidates.modifiers])


def test_sentences_without_forms_are_refused(parser: Parser) -> None:
    encoded = replace(parser.model.encoder.encode(sentences(3)), forms=None)
    with pytest.raises(UsageError, match="forms"):
        parser.model.scorer.scores(encoded, 0, Candidates.all(3))


def test_words_and_characters_as_numbers() -> None:
    reader = WordReader.fit([["A", "b"], ["a", "C" * 40]])
    inputs = reader.batch([["a", "x"], ["C" * 40]])
    assert reader.words == ["a"]
    assert inputs["words"].tolist() == [[2, 3, 1], [2, 1, 0]]
    assert inputs["spellings"].shape == (4, 32)
    assert inputs["spelling_lengths"].tolist() == [1, 1, 1, 32]
    assert inputs["which"].tolist() == [[0, 1, 2], [0, 3, 0]]
    assert inputs["lengths"].tolist() == [3, 2]


def test_letters_are_read_apart_from_their_accents_and_syllables_as_letters() -> None:
    reader = WordReader.fit([["\u00e9", "\ud55c"]])
    assert reader.characters == ["e", "\u0301", "\u1112", "\u1161", "\u11ab"]


def test_batches_of_pieces_are_no_larger_than_their_sizes_say() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed: headway[onnx]")
    known = {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "a": 3, "##a": 4}
    model = tokenizers.Tokenizer(tokenizers.models.WordPiece(known, unk_token="[UNK]", max_input_chars_per_word=1000))
    reader = PieceReader(model.to_str())
    sentences = [["a"], ["a" * 90, "a"], ["aa"] * 7, ["a" * 600, "a"]]
    sizes = reader.sizes(sentences)
    assert sizes == [3, 93, 16, MOST_PIECES]
    for sentence, size in zip(sentences, sizes, strict=True):
        inputs = reader.batch([sentence])
        assert inputs["pieces"].shape == (1, size)
        assert inputs["firsts"].shape[1] <= size
