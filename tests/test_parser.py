from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from queue import Queue

import brute_force
import numpy as np
import pytest
import small_corpus
import small_parser
from hypothesis import given, settings
from hypothesis import strategies as st
from small_parser import DEV, SENTENCES, TRAIN, bare, search

from headway.corpus import Sentence, check_tree, format_sentence, is_projective, parse_sentences
from headway.encoding import Encoder
from headway.errors import UsageError
from headway.parser import Parser
from headway.scorers.linear_scorer import arc_scores
from headway.search.calibrator import UNCALIBRATED


@pytest.fixture(scope="module")
def parser() -> Parser:
    return small_parser.trained()


@pytest.fixture(scope="module", params=[True, False], ids=["projective", "non-projective"])
def either(parser: Parser, request: pytest.FixtureRequest) -> Parser:
    return small_parser.search(parser, projective=request.param)


def agreement(gold: list[Sentence], found: list[Sentence], column: str) -> float:
    pairs = [
        one == other
        for a, b in zip(gold, found, strict=True)
        for one, other in zip(getattr(a, column), getattr(b, column), strict=True)
    ]
    return 100 * sum(pairs) / len(pairs)


def test_learns_its_training_data(parser: Parser) -> None:
    found = list(parser.parse(map(bare, TRAIN)))
    assert agreement(TRAIN, found, "heads") > 90
    assert agreement(TRAIN, found, "labels") > 90
    assert agreement(DEV, list(parser.parse(map(bare, DEV))), "heads") > 70


def test_heads_that_sentences_come_with_are_not_looked_at(parser: Parser) -> None:
    assert list(parser.parse(TRAIN[:20])) == list(parser.parse(map(bare, TRAIN[:20])))


def test_saved_and_loaded_it_parses_the_same(either: Parser, tmp_path: Path) -> None:
    either.save(tmp_path / "model")
    loaded = Parser.load(tmp_path / "model")
    assert list(loaded.parse(DEV, confidence=True)) == list(either.parse(DEV, confidence=True))
    assert loaded.description() == either.description()


def test_parses_lazily_and_in_order(parser: Parser) -> None:
    asked = count()

    def endless() -> Iterator[Sentence]:
        for number in asked:
            yield Sentence.from_words([f"w{number}", "sleeps"], upos=["NOUN", "VERB"])

    stream = parser.parse(endless())
    assert next(asked) == 0  # nothing was taken before the first answer was asked for
    assert [sentence.forms[0] for sentence in islice(stream, 700)] == [f"w{number}" for number in range(1, 701)]
    assert next(asked) < 2000
    assert list(parser.parse([])) == []


@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads(either: Parser, threads: int) -> None:
    assert list(either.parse(SENTENCES, threads=threads)) == list(either.parse(SENTENCES))


def test_a_stream_may_be_left_before_its_end(parser: Parser) -> None:
    stream = parser.parse(SENTENCES, threads=2)
    next(stream)
    stream.close()


@settings(max_examples=40)
@given(st.lists(small_corpus.sentences(longest=9), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_trees_are_trees(parser: Parser, some: list[Sentence], projective: bool, single_root: bool) -> None:
    model = search(parser, projective=projective)
    found = list(model.parse(some, single_root=single_root))
    assert [sentence.forms for sentence in found] == [sentence.forms for sentence in some]
    for sentence in found:
        check_tree(sentence.heads, single_root=single_root)
        assert not projective or is_projective(sentence.heads)
        assert "_" not in sentence.labels


def test_labels_of_the_root_belong_to_the_root(parser: Parser) -> None:
    generator = np.random.default_rng(1)
    some = [small_corpus.random_sentence(generator, 12) for _ in range(20)]
    for sentence in parser.parse(some):
        for head, label in zip(sentence.heads, sentence.labels, strict=True):
            assert (label == "root") == (head == 0)


def test_one_word(either: Parser) -> None:
    [sentence] = either.parse([Sentence.from_words(["Hello"])], confidence=True)
    assert (sentence.heads, sentence.labels) == ([0], ["root"])
    assert sentence.word_rows[0][9] == "HeadProb=1.000|LabelProb=1.000"


def test_a_thousand_words(parser: Parser) -> None:
    generator = np.random.default_rng(2)
    [sentence] = parser.parse([small_corpus.random_sentence(generator, 1000)])
    check_tree(sentence.heads)


def test_second_heads_and_tree_probabilities_are_written(parser: Parser) -> None:
    for sentence in DEV[:5]:
        [found] = parser.parse([sentence], confidence=True)
        table = parser.arc_probabilities(sentence)
        for word, (head, second, chance) in enumerate(
            zip(found.heads, found.misc("SecondHead"), found.misc("SecondProb"), strict=True), start=1
        ):
            column = {other: table[other, word] for other in range(len(table)) if other not in (head, word)}
            assert second is not None
            assert int(second) != head
            assert float(chance or -1) == pytest.approx(max(column.values()), abs=6e-4)
        arcs = table[found.heads, np.arange(1, len(table))]
        assert 0.0 < float(found.metadata["tree_prob"]) <= arcs.min() + 6e-4
        trees = list(parser.parse([sentence], confidence=True, k_best=8))
        assert sum(float(tree.metadata["tree_prob"]) for tree in trees) <= 1.0 + 8 * 6e-4
        [again] = parser.parse([found], confidence=True)
        assert again.comments == found.comments


def test_annotation_of_an_earlier_tree_is_dropped(parser: Parser) -> None:
    judged = next(iter(parser.parse(DEV[:1], confidence=True, k_best=3)))
    assert {"tree", "score", "tree_prob"} <= judged.metadata.keys()
    judged = judged.with_comments("# optimal = yes").with_misc("HeadProb", ["rubbish"] * len(judged))
    judged.comments.append("#\tgap\t= 0.5")
    [again] = parser.parse([judged])
    [fresh] = parser.parse(DEV[:1])
    assert (again.comments, again.rows) == (fresh.comments, fresh.rows)
    remarks = ["# score = of the song", "# optimal"]  # not ours
    [kept] = parser.parse([DEV[0].with_comments(*remarks)])
    assert kept.comments == [*DEV[0].comments, *remarks]


def test_everything_else_in_the_file_stays(parser: Parser) -> None:
    text = (
        "# sent_id = 1\n# a remark\n"
        "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "1\tde\tde\tADP\tIN\t_\t_\t_\t_\tGloss=of\n"
        "2\tle\tle\tDET\tDT\tDefinite=Def\t_\t_\t2:x\t_\n"
        "2.1\tghost\tghost\tNOUN\tNN\t_\t_\t_\t0:root\t_\n"
        "3\tchat\tchat\tNOUN\tNN\tNumber=Sing\t_\t_\t_\tHeadProb=0.5|A=b\n\n"
    )
    [before] = parse_sentences(text)
    [after] = parser.parse([before], confidence=True)
    assert after.comments == [*before.comments, f"# tree_prob = {after.metadata['tree_prob']}"]
    for old, new in zip(before.rows, after.rows, strict=True):
        assert new[:6] == old[:6]
        assert new[8] == old[8]
    lines = format_sentence(after).splitlines()
    assert lines[3] == "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No"
    assert lines[6] == "2.1\tghost\tghost\tNOUN\tNN\t_\t_\t_\t0:root\t_"
    assert after.word_rows[0][9].startswith("Gloss=of|HeadProb=")
    assert after.word_rows[1][9].startswith("HeadProb=")
    assert after.word_rows[2][9].startswith("A=b|HeadProb=")
    assert after.word_rows[2][9].count("HeadProb") == 1


def confidences(sentence: Sentence) -> list[float]:
    return [float(chance) for chance in sentence.misc("HeadProb") if chance is not None]


def test_confidence_is_a_probability(either: Parser) -> None:
    found = list(either.parse(DEV, confidence=True))
    chances = [chance for sentence in found for chance in confidences(sentence)]
    assert all(0 <= chance <= 1 for chance in chances)
    assert len(set(chances)) > 10
    assert [sentence.heads for sentence in found] == [sentence.heads for sentence in either.parse(DEV)]


def uncalibrated(parser: Parser) -> Parser:
    """The parser with probabilities as the temperature leaves them."""
    settings = replace(parser.model.settings, arc_calibration=UNCALIBRATED.arcs.tolist())
    return Parser(replace(parser.model, settings=settings))


@pytest.mark.parametrize("single_root", [True, False])
def test_confidence_is_the_marginal_over_all_trees(either: Parser, single_root: bool) -> None:
    either, generator = uncalibrated(either), np.random.default_rng(3)
    for length in (2, 3, 5):
        sentence = small_corpus.random_sentence(generator, length)
        encoded = either.model.encoder.encode([sentence])
        table = arc_scores(encoded, 0, either.model.linear.arcs) / either.model.settings.temperature
        _, marginals = brute_force.log_partition_and_marginals(
            table, projective=either.model.settings.projective, single_root=single_root
        )
        np.testing.assert_allclose(either.arc_probabilities(sentence, single_root=single_root), marginals, atol=2e-6)
        [parsed] = either.parse([sentence], confidence=True, single_root=single_root)
        expected = marginals[parsed.heads, np.arange(1, length + 1)]
        assert confidences(parsed) == pytest.approx(expected.tolist(), abs=0.00051)


def test_no_such_preset() -> None:
    with pytest.raises(UsageError, match=r"no preset 'best'; choose from fast, standard, full"):
        Parser.train(TRAIN, preset="best")


def test_the_description_is_ready_for_json(parser: Parser) -> None:
    about = parser.description()
    assert about["sentences"] == len(TRAIN)
    assert about["projective"] == parser.model.settings.projective
    assert about["labels_known"] == len(parser.model.labels)
    assert 0 < about["arc_rows"] <= 1 << 14


def test_threads_can_share_a_parser(parser: Parser) -> None:
    generator = np.random.default_rng(5)
    batches = [
        [
            Sentence.from_words(
                [f"w{generator.integers(10**6)}" for _ in range(4)], upos=["NOUN", "VERB", "DET", "ADJ"]
            )
            for _ in range(100)
        ]
        for _ in range(8)
    ]
    expected = [[sentence.heads for sentence in parser.parse(batch)] for batch in batches]
    fresh = Parser(replace(parser.model, encoder=Encoder.from_json(parser.model.encoder.to_json())))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda batch: [sentence.heads for sentence in fresh.parse(batch)], batches))
    assert found == expected


def test_live_input_is_answered_sentence_by_sentence(parser: Parser) -> None:
    source: Queue[Sentence | None] = Queue()
    answers = parser.parse(iter(source.get, None), live=True)
    for sentence in small_parser.DEV[:3]:
        source.put(sentence)
        assert next(answers).forms == sentence.forms
    source.put(None)
    assert next(answers, None) is None
