"""Tests of the study of a trained model's climbs: traces, accuracy against speed, starts."""

import numpy as np
import pytest
import small_climber
import small_parser

from headway.analysis import Beginning, Beginnings, Outcome, TradeOff, climb_traces, compare_starts, trade_off
from headway.analysis.outcomes import measure
from headway.analysis.starts import start_accuracy
from headway.corpus import Sentence
from headway.corpus.trees import is_tree
from headway.decoders.hill_climbing import Trace
from headway.errors import UsageError
from headway.search import SearchRule

DEV = small_parser.DEV


@pytest.mark.parametrize("start", ["uniform", "first-order", "map"])
def test_every_climb_of_every_sentence(start):
    traces = list(climb_traces(small_climber.trained(), iter(DEV), rule=SearchRule(start=start), climbs=12))
    assert [trace.heads.shape for trace in traces] == [(12, len(sentence) + 1) for sentence in DEV]
    for trace in traces:
        assert np.all(np.isfinite(trace.scores))
        assert all(is_tree(heads[1:].tolist()) for trees in (trace.heads, trace.starts) for heads in trees)
        same = np.all(trace.heads == trace.heads[0], axis=1)
        assert trace.scores[same] == pytest.approx(trace.scores[0])


def test_the_search_makes_the_same_climbs():
    parser, rule = small_climber.trained(), SearchRule(restarts=4, seed=5)
    traces = climb_traces(parser, DEV, rule=rule, climbs=60)
    for trace, parsed in zip(traces, parser.parse(DEV, search=rule), strict=True):
        found = 0
        for climb in range(1, 60):
            if climb - found > 4:
                break
            if trace.scores[climb] > trace.scores[found] + 1e-9:
                found = climb
        assert parsed.heads == trace.heads[found, 1:].tolist()


def test_models_that_do_not_climb():
    with pytest.raises(UsageError, match="needs a hill-climbing model"):
        list(climb_traces(small_parser.trained(), DEV, rule=SearchRule(), climbs=3))
    with pytest.raises(UsageError, match="needs a hill-climbing model"):
        trade_off(small_parser.trained(), DEV)


def test_no_climbs_show_nothing():
    with pytest.raises(UsageError, match="climbs must be at least 1"):
        list(climb_traces(small_climber.trained(), DEV, rule=SearchRule(), climbs=0))


def test_accuracy_is_that_of_the_trees():
    parser = small_climber.trained()
    outcome = measure(parser, DEV)
    parsed = list(parser.parse(DEV))
    right = sum(
        a == b for gold, found in zip(DEV, parsed, strict=True) for a, b in zip(gold.heads, found.heads, strict=True)
    )
    assert outcome.words == sum(map(len, DEV))
    assert outcome.uas == pytest.approx(100 * right / outcome.words)
    assert outcome.las <= outcome.uas
    assert outcome.seconds > 0


def test_each_number_of_restarts_is_searched_with(monkeypatch):
    asked = []

    def stand_in(parser, sentences, *, search):
        asked.append(search)
        return Outcome(80 + search.restarts, 70 + search.restarts, 100, 0.5 * (1 + search.restarts))

    monkeypatch.setattr("headway.analysis.outcomes.measure", stand_in)
    result = trade_off(small_climber.trained(), DEV, restarts=[0, 4], rule=SearchRule(start="uniform", seed=9))
    assert asked == [SearchRule("uniform", 0, 9), SearchRule("uniform", 4, 9)]
    assert result.rows() == [
        {"restarts": 0, "UAS": 80, "LAS": 70, "words/s": 200},
        {"restarts": 4, "UAS": 84, "LAS": 74, "words/s": 40},
    ]
    [(speeds, heads)], [(_, labels)] = (list(chart.lines.values()) for chart in result.charts())
    assert (speeds.tolist(), heads.tolist(), labels.tolist()) == ([200, 40], [80, 84], [70, 74])


def test_the_accuracy_of_starts():
    sentences = [Sentence.from_words(["a", "b"], heads=[2, 0], labels=["x", "root"])] * 2
    right, half = [[-1, 2, 0]], [[-1, 2, 0], [-1, 0, 1]]
    traces = [
        Trace(np.zeros(len(starts)), np.zeros((len(starts), 3), np.int32), np.array(starts, np.int32))
        for starts in (right, half)
    ]
    assert start_accuracy(traces, sentences) == pytest.approx(100 * 4 / 6)


def test_sentences_without_a_tree_have_no_start():
    sentence = Sentence.from_words(["a"], heads=[0], labels=["root"])
    nothing = Trace(np.full(2, -np.inf), np.full((2, 2), -1, np.int32), np.full((2, 2), -1, np.int32))
    assert start_accuracy([nothing], [sentence]) == 0


def test_starts_side_by_side():
    compared = compare_starts(small_climber.trained(), DEV, rule=SearchRule(restarts=5))
    assert [one.name for one in compared.entries] == ["map, one climb", "map", "uniform", "first-order"]
    by_name = {one.name: one for one in compared.entries}
    assert by_name["map"].start_uas == by_name["map, one climb"].start_uas > by_name["uniform"].start_uas
    assert by_name["uniform"].outcome.uas > by_name["uniform"].start_uas


def test_rows_and_bars_of_starts():
    beginnings = Beginnings((Beginning("map", 78.0, Outcome(85.0, 80.0, 10, 0.1)),))
    assert beginnings.rows() == [{"start": "map", "UAS of starts": 78.0, "UAS": 85.0, "LAS": 80.0, "words/s": 100}]
    assert beginnings.chart().bars == {"starts": [78.0], "trees found": [85.0]}


def test_speed_is_words_by_seconds():
    assert Outcome(90, 80, 500, 0.25).speed == 2000
    assert TradeOff((), ()).rows() == []
