import brute_force
import numpy as np
import pytest
import small_parser

from headway.analysis import Landscape, arc_tables, count_local_optima, rows_table, survey_local_optima
from headway.analysis.landscape import percentile
from headway.errors import UsageError


def landscape(optima, lengths=None, most=10_001):
    return Landscape(np.array(lengths or [10] * len(optima)), np.array(optima), most)


@pytest.mark.parametrize(("percent", "expected"), [(50, 1), (60, 1), (61, 8), (80, 8), (81, 90), (100, 90), (1, 1)])
def test_percentiles_of_the_sorted_list(percent, expected):
    assert percentile(np.array([90, 1, 1, 8, 1]), percent) == expected


def test_a_share_that_is_a_whole_number_of_sentences_needs_no_more():
    for sentences in (10, 100, 1000):
        for percent in range(1, 101):
            if sentences * percent % 100 == 0:
                assert percentile(np.arange(1, sentences + 1), percent) == sentences * percent // 100


@pytest.mark.parametrize("percent", [0, -1, 100.1, float("nan")])
def test_invalid_percentiles_are_refused(percent):
    with pytest.raises(UsageError):
        percentile(np.array([1]), percent)


def test_rows_by_length():
    short, long, everything = landscape([1, 2, 1, 50], [15, 15, 16, 40]).rows()
    assert short == {
        "words": "1-15", "sentences": 2, "mean length": 15.0, "one optimum, %": 50.0,
        "at 50 %": 1, "at 70 %": 2, "at 90 %": 2,
    }  # fmt: skip
    assert (long["words"], long["sentences"], long["at 90 %"]) == (">15", 2, 50)
    assert (everything["words"], everything["sentences"], everything["at 50 %"]) == ("all", 4, 1)


def test_numbers_at_the_limit_of_counting():
    [*_, row] = landscape([1, 10_000, 10_001]).rows()
    assert (row["at 50 %"], row["at 90 %"]) == (10_000, ">10,000")
    assert "10,000 | >10,000 |" in rows_table([row])


def test_no_sentences():
    nothing = survey_local_optima([])
    assert [row["at 50 %"] for row in nothing.rows()] == [None] * 3
    assert nothing.chart().lines == {}


def test_survey_of_tables():
    generator = np.random.default_rng(5)
    tables = [brute_force.random_table(generator, n, "cycles") for n in (1, 7, 20)]
    survey = survey_local_optima(iter(tables), most=50)
    assert survey.lengths.tolist() == [1, 7, 20]
    assert survey.optima.tolist() == [count_local_optima(table, most=50) for table in tables]


def test_chart_of_a_landscape():
    lines = landscape([1, 2, 1, 50], [15, 15, 16, 40]).chart().lines
    assert list(lines) == ["1-15 words", ">15 words", "all sentences"]
    percents, counts = lines["all sentences"]
    assert (percents[[0, 49, 50, 99]].tolist(), counts[[0, 49, 50, 99]].tolist()) == ([1, 50, 51, 100], [1, 1, 2, 50])


def test_tables_of_a_model_are_what_it_parses_with():
    parser, sentences = small_parser.trained(), small_parser.DEV
    tables = list(arc_tables(parser, iter(sentences)))
    assert [len(table) - 1 for table in tables] == list(map(len, sentences))
    for sentence, table in zip(sentences, tables, strict=True):
        parse = parser.parse_one(sentence)
        assert parse.score == pytest.approx(table[parse.heads[1:], np.arange(1, len(sentence) + 1)].sum())
