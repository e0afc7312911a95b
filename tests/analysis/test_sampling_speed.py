"""Score against speed, of sampling and of hill climbing."""

from dataclasses import replace

import numpy as np
import pytest
import small_climber
from small_parser import DEV

from headway.analysis import equal_time
from headway.analysis.equal_time import Comparison, chains_for, compare_at_equal_time, run_for
from headway.analysis.sampling import Run, Speeds, compare_speeds, length_samples, samplers
from headway.decoders.sampling import Sampling
from headway.errors import UsageError


def run(scores, right, seconds):
    return Run(np.array(scores, dtype=float), right, seconds)


@pytest.fixture
def speeds():
    lengths = {"1-10": np.array([4, 6]), ">10": np.array([30])}
    runs = {
        ("hill climbing", 4): {"1-10": run([1, 2], 8, 0.25), ">10": run([7], 20, 0.75)},
        ("Gibbs", 1): {"1-10": run([1, 1], 6, 0.125), ">10": run([4], 18, 0.375)},
        ("Gibbs", 9): {"1-10": run([1, 2], 8, 1.0), ">10": run([8], 24, 3.0)},
    }
    return Speeds(lengths, runs)


def test_rows_of_speeds(speeds):
    assert speeds.rows() == [
        {
            "search": search, "words/s": words, "below the best": below, "UAS": uas,
            "best found, % (1-10)": short, "best found, % (>10)": long,
        }
        for search, words, below, uas, short, long in (
            ("hill climbing, 4 restarts", 40, 0.3333, 70.0, 100.0, 0.0),
            ("Gibbs, 1 chain", 80, 1.6667, 60.0, 50.0, 0.0),
            ("Gibbs, 9 chains", 10, 0.0, 80.0, 100.0, 100.0),
        )
    ]  # fmt: skip


def test_charts_of_speeds(speeds):
    scores, found = speeds.charts()
    assert list(scores.lines) == list(found.lines) == ["hill climbing", "Gibbs"]
    x, y = scores.lines["Gibbs"]
    assert (x.tolist(), y.tolist()) == ([80, 10], pytest.approx([-5 / 3, 0]))
    assert found.lines["Gibbs"][1].tolist() == pytest.approx([100 / 3, 100])


def test_many_chains_find_the_best_trees():
    """Of short sentences, those that branch and bound proves."""
    parser = small_climber.trained()
    short = [sentence for sentence in DEV if len(sentence) <= 7]
    [group] = length_samples(parser, short, most=3, bins=(7,))[:1]
    found = compare_speeds([group], samplers(parser), chains=(1, 30), restarts=(1, 30))
    exact = parser.model.search("exact", ignore=())
    best = [exact.decode(group.encoded, number, arcs) for number, arcs in enumerate(group.arcs)]
    assert all(parse.exact for parse in best)
    assert found.best[group.name] == pytest.approx([parse.score for parse in best])
    for search in (("hill climbing", 30), ("Gibbs", 30), ("random walk", 30)):
        assert found.found(search)[group.name].all()
        right = sum(int((parse.heads[1:] == gold).sum()) for parse, gold in zip(best, group.gold, strict=True))
        assert found.runs[search][group.name].right == right


def test_groups_by_length():
    parser = small_climber.trained()
    groups = length_samples(parser, DEV, most=2, bins=(5, 9))
    lengths = [len(sentence) for sentence in DEV]
    expected = {
        "1-5": [length for length in lengths if length <= 5][:2],
        "6-9": [length for length in lengths if 5 < length <= 9][:2],
        ">9": [length for length in lengths if length > 9][:2],
    }
    assert {group.name: group.lengths.tolist() for group in groups} == {
        name: rows for name, rows in expected.items() if rows
    }
    with pytest.raises(UsageError, match="no sentence"):
        length_samples(parser, [], most=2)


def test_a_comparison_at_equal_time():
    climbed = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    scores = np.array([[1.0, 2.5, 2.0, 4.0], [1.0, 2.0, 2.0, 4.0]])
    row = Comparison("1-10", "Gibbs, 2 chains", 1.234, scores, climbed).row()
    assert row == {
        "words": "1-10", "sentences": 4, "search": "Gibbs, 2 chains", "time": 1.23, "score less, %": 25.0,
        "more, %": 12.5, "mean difference": -0.1875, "its error": round(float(np.std([0, 0.25, -1, 0], ddof=1)) / 2, 4),
    }  # fmt: skip


class Clocked:
    """A group whose searches take a second and half a second more for each chain or restart."""

    name, lengths, arcs = "1-10", np.array([3, 3]), [None, None]

    def __init__(self):
        self.climbing = small_climber.trained().model.search().decoder

    def run(self, decoder, *, repeats=1, least=0.0):
        effort = decoder.chains if isinstance(decoder, Sampling) else decoder.restarts
        return run([effort, decoder.seed], 0, 1.0 + 0.5 * effort)


@pytest.mark.parametrize(("seconds", "chains"), [(0.1, 1), (1.5, 1), (3.0, 4), (3.4, 4), (11.0, 20)])
def test_as_many_chains_as_take_the_time(seconds, chains):
    assert chains_for(Clocked(), Sampling(), seconds) == chains


def test_a_mixture_of_two_numbers_of_chains_takes_the_time_that_is_wanted():
    group = Clocked()
    mixture = run_for(group, Sampling(), 3.125, seeds=4000)
    assert (mixture.chains, mixture.seconds) == (pytest.approx(4.25), pytest.approx(3.125))
    counts = mixture.scores[:, 0]
    assert set(counts.tolist()) == {4.0, 5.0}
    assert counts.mean() == pytest.approx(4.25, abs=0.03)
    too_long = run_for(group, Sampling(), 0.1, seeds=1)
    assert (too_long.chains, too_long.seconds) == (1, 1.5)


@pytest.mark.parametrize("estimate", [1, 4, 5, 9])
def test_the_time_is_met_even_if_the_estimate_was_wrong(monkeypatch, estimate):
    monkeypatch.setattr(equal_time, "chains_for", lambda group, decoder, seconds: estimate)
    mixture = run_for(Clocked(), Sampling(), 3.125, seeds=1)
    assert (mixture.chains, mixture.seconds) == (pytest.approx(4.25), pytest.approx(3.125))


def test_all_searches_get_the_same_time():
    group = Clocked()
    compared = compare_at_equal_time([group], {"Gibbs": Sampling(proposal="gibbs")}, restarts=5, seeds=2)
    assert [(some.search, some.time) for some in compared] == [
        ("hill climbing, 5 restarts, other seeds", 1.0),
        ("Gibbs, 5 chains", 1.0),
    ]
    assert compared[0].scores.tolist() == [[5, 2], [5, 3]]
    assert compared[0].climbed.tolist() == compared[1].scores.tolist() == [[5, 0], [5, 1]]
    assert replace(compared[0], scores=compared[0].climbed).row()["mean difference"] == 0.0
