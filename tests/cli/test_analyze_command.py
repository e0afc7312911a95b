"""``headway analyze``."""

import json
import sys

import numpy as np
import pytest

from headway.analysis import Outcome
from headway.analysis.sampling import Run
from headway.decoders.hill_climbing import Trace
from headway.decoders.spanning_tree import SpanningTree
from headway.parts import Parse

COMMANDS = ["optima", "search", "convergence", "speed", "starts"]


@pytest.fixture
def climbs(monkeypatch):
    """A search in the climber's place that finds the best tree of every other sentence; its options are kept."""
    options = []

    class StandIn:
        def __init__(self, **others):
            self.others = others

        def decode(self, candidates, scores, *, single_root=True, cost=None, ignore=()):
            options.append({"single_root": single_root, **self.others})
            best = SpanningTree().decode(candidates, scores, single_root=single_root)
            return Parse(best.heads, best.score - len(options) % 2, statistics={"found": 1 + len(options)})

    monkeypatch.setattr(sys.modules["headway.decoders.hill_climbing"], "HillClimbing", StandIn)
    return options


@pytest.fixture
def traces(monkeypatch):
    """Climbs in the model's place, each better than the one before, and searches whose accuracy is their restarts."""
    asked = []

    def trace(parser, sentences, *, rule, climbs):
        asked.append((rule.start, rule.seed, climbs))
        for sentence in sentences:
            trees = np.array([[-1, *sentence.heads]] * climbs, dtype=np.int32)
            yield Trace(np.arange(1.0, climbs + 1), trees, trees)

    def measure(parser, sentences, *, search=None):
        asked.append(search and (search.start, search.restarts, search.seed))
        return Outcome(float(search.restarts if search else 50), 10.0, len(sentences), 1.0)

    for place, function in (
        ("climbs.climb_traces", trace),
        ("starts.climb_traces", trace),
        ("outcomes.measure", measure),
        ("starts.measure", measure),
        ("ablation.measure", measure),
    ):
        monkeypatch.setattr(f"headway.analysis.{place}", function)
    monkeypatch.setattr("headway.analysis.climb_traces", trace)
    monkeypatch.setattr("headway.analysis.outcomes.check_climbs", lambda parser: None)
    return asked


@pytest.mark.parametrize("command", [*COMMANDS, "models", "decoders", "sampling", "confidence"])
def test_help_has_an_example(run, command):
    result = run("analyze", command, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count(f"headway analyze {command}") >= 2


def test_optima_as_a_table(run, model, treebank):
    result = run("analyze", "optima", model, treebank, "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    header, _, short, long, everything = result.stdout.splitlines()
    assert header.split("|")[1].strip() == "words"
    assert [line.split("|")[1].strip() for line in (short, long, everything)] == ["1-15", ">15", "all"]
    assert everything.split("|")[2].strip() == "80"


def test_optima_as_json_and_from_stdin(run, model, treebank):
    result = run("analyze", "optima", model, "--json", "--quiet", stdin=treebank.read_bytes())
    rows = json.loads(result.stdout)
    assert rows[2]["sentences"] == rows[0]["sentences"] + rows[1]["sentences"] == 80
    assert rows[2]["at 90 %"] >= rows[2]["at 50 %"] >= 1


def test_counting_stops_at_the_limit(run, model, treebank):
    rows = json.loads(run("analyze", "optima", model, treebank, "--most", "2", "--json", "--quiet").stdout)
    assert {rows[2][f"at {percent} %"] for percent in (50, 70, 90)} <= {1, ">1"}


def test_search_passes_its_options_on(run, climbs, model, treebank):
    options = ["--restarts", 7, "--start", "first-order", "--seed", 3, "--multiple-roots"]
    result = run("analyze", "search", model, treebank, *options, "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)[2] == {"words": "all", "sentences": 80, "optimum found, %": 50.0}
    asked = {"single_root": False, "start": "first-order", "restarts": 7, "seed": 3, "thorough": False}
    assert climbs == [asked] * 80


def test_convergence(run, traces, model, treebank):
    options = ["--climbs", 4, "--start", "uniform", "--seed", 7]
    result = run("analyze", "convergence", model, treebank, *options, "--json", "--quiet")
    assert (result.exit_code, result.stderr, traces) == (0, "", [("uniform", 7, 4)])
    rows = json.loads(result.stdout)
    assert [(row["climbs"], row["score, % (all)"], row["best found, % (all)"]) for row in rows] == [
        (1, 25.0, 0.0),
        (2, 50.0, 0.0),
        (4, 100.0, 100.0),
    ]


def test_speed(run, traces, model, treebank):
    options = ["--restarts", 0, "--restarts", 9, "--start", "first-order", "--seed", 7]
    result = run("analyze", "speed", model, treebank, *options, "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert traces == [("first-order", 0, 7), ("first-order", 9, 7)]
    assert json.loads(result.stdout) == [
        {"restarts": restarts, "UAS": restarts, "LAS": 10, "words/s": 80} for restarts in (0, 9)
    ]


def test_starts(run, traces, model, treebank):
    result = run("analyze", "starts", model, treebank, "--restarts", 9, "--seed", 7, "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [(row["start"], row["UAS of starts"], row["UAS"]) for row in json.loads(result.stdout)] == [
        ("map, one climb", 100, 0),
        ("map", 100, 9),
        ("uniform", 100, 9),
        ("first-order", 100, 9),
    ]


def test_confidence(run, model, treebank):
    result = run("analyze", "confidence", model, treebank, "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = {(row["of"], row["confidence"]): row for row in json.loads(result.stdout)}
    assert rows["trees", "all"]["number"] == 80
    assert 0 < rows["arcs", "all"]["off by"] < 100


def test_models_side_by_side(run, traces, model, treebank):
    pattern = str(model).replace("small.headway", "{}.headway")
    result = run("analyze", "models", f"first={pattern}", f"full={model}", "--on", f"small={treebank}", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    header, _, row = result.stdout.splitlines()
    assert [cell.strip() for cell in header.split("|")[1:-1]] == [
        "treebank", "first UAS", "first LAS", "full UAS", "full LAS",
    ]  # fmt: skip
    assert [cell.strip() for cell in row.split("|")[1:-1]] == ["small", "50.00", "10.00", "50.00", "10.00"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["full"], "full: a model is given as NAME=FILE"),
        (["a=1", "a=2"], "a: the name of a model is given twice"),
    ],
)
def test_models_that_are_not_named(run, treebank, arguments, message):
    result = run("analyze", "models", *arguments, "--on", f"small={treebank}", "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"headway: error: {message}\n")


def test_sampling(run, monkeypatch, model, treebank, tmp_path):
    pytest.importorskip("matplotlib")
    asked = []

    def search(group, decoder, *, repeats=1, least=0.0):
        asked.append((decoder.name, getattr(decoder, "chains", None) or decoder.restarts))
        return Run(np.zeros(len(group.arcs)), 0, 1.0)

    monkeypatch.setattr("headway.analysis.sampling.Group.run", search)
    options = ["--sentences", 2, "--chains", 3, "--restarts", 5]
    result = run("analyze", "sampling", model, treebank, *options, "--plot", tmp_path / "a.svg", "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    groups = len(json.loads(result.stdout)[0]) - 4
    assert asked == [("hill-climbing", 5)] * groups + [("sampling", 3)] * 2 * groups
    assert [row["search"] for row in json.loads(result.stdout)] == [
        "hill climbing, 5 restarts",
        "Gibbs, 3 chains",
        "random walk, 3 chains",
    ]
    both = run("analyze", "sampling", model, treebank, *options, "--equal-time", "--quiet").stdout.split("\n\n")
    assert [table.splitlines()[0].split("|")[1].strip() for table in both] == ["search", "words"]


@pytest.mark.parametrize("command", ["convergence", "speed", "starts"])
def test_models_that_do_not_climb(run, model, treebank, command):
    result = run("analyze", command, model, treebank, "--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("this analysis needs a hill-climbing model\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_plots(run, climbs, traces, model, treebank, tmp_path, command):
    pytest.importorskip("matplotlib")
    for name in ("a.png", "a.svg"):
        result = run("analyze", command, model, treebank, "--plot", tmp_path / name, "--quiet")
        assert (result.exit_code, result.stdout[:2]) == (0, "| ")
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.parametrize("command", COMMANDS)
def test_plots_that_cannot_be_are_refused_before_the_work(run, command):
    result = run("analyze", command, "none.headway", "none.conllu", "--plot", "a.pdf")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "headway: error: a.pdf: the name of a chart must end in .png or .svg\n"


def test_without_matplotlib(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("analyze", "optima", "none.headway", "none.conllu", "--plot", "a.svg")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "headway: error: drawing needs matplotlib: pip install 'headway[plots]'\n"


def test_files_that_are_no_models_are_refused(run, treebank):
    result = run("analyze", "optima", treebank, treebank, "--quiet")
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr.count("\n") == 1
