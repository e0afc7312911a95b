import pytest
import small_parser

from headway.analysis import Ablation, Outcome, compare_models
from headway.analysis.ablation import named
from headway.corpus import write_sentences
from headway.errors import HeadwayError, UsageError


def outcome(uas, las):
    return Outcome(uas, las, 100, 0.5)


TWO = Ablation(
    {
        "turkish": {"first": outcome(70, 60), "full": outcome(72, 63)},
        "swedish": {"first": outcome(80, 75), "full": outcome(83, 78)},
    }
)


def test_rows_and_their_average():
    assert TWO.rows() == [
        {"treebank": "turkish", "first UAS": 70, "first LAS": 60, "full UAS": 72, "full LAS": 63},
        {"treebank": "swedish", "first UAS": 80, "first LAS": 75, "full UAS": 83, "full LAS": 78},
        {"treebank": "average", "first UAS": 75, "first LAS": 67.5, "full UAS": 77.5, "full LAS": 70.5},
    ]


def test_one_treebank_has_no_average():
    [row] = Ablation({"turkish": TWO.outcomes["turkish"]}).rows()
    assert row["treebank"] == "turkish"


def test_bars():
    chart = TWO.chart()
    assert list(chart.groups) == ["turkish", "swedish", "average"]
    assert chart.bars == {"first": [70, 80, 75], "full": [72, 83, 77.5]}
    assert 0 < chart.lowest < 70


def test_models_from_files(tmp_path):
    for name in ("one", "two"):
        small_parser.trained().save(tmp_path / f"{name}-small.headway")
        write_sentences(tmp_path / f"{name}.conllu", small_parser.DEV[: 5 if name == "one" else 15])
    used = []
    treebanks = {name: str(tmp_path / f"{name}.conllu") for name in ("one", "two")}
    compared = compare_models({"small": str(tmp_path / "{}-small.headway")}, treebanks, report=used.append)
    assert used == [str(tmp_path / f"{name}-small.headway") for name in ("one", "two")]
    assert compared.outcomes["one"]["small"].words == sum(map(len, small_parser.DEV[:5]))
    assert compared.outcomes["two"]["small"].uas > 50


def test_a_model_that_is_missing(tmp_path):
    write_sentences(tmp_path / "one.conllu", small_parser.DEV)
    with pytest.raises(HeadwayError, match=r"none\.headway"):
        compare_models({"a": str(tmp_path / "none.headway")}, {"one": str(tmp_path / "one.conllu")})


def test_several_treebanks_need_several_files():
    with pytest.raises(UsageError, match=r"full=a\.headway: .* needs \{\}"):
        compare_models({"full": "a.headway"}, {"one": "1.conllu", "two": "2.conllu"})


@pytest.mark.parametrize(("models", "treebanks"), [({}, {"one": "1"}), ({"a": "a"}, {})])
def test_nothing_to_compare(models, treebanks):
    with pytest.raises(UsageError, match="at least one"):
        compare_models(models, treebanks)


def test_names():
    assert named(["a=b=c", "d={}"], what="a model") == {"a": "b=c", "d": "{}"}


@pytest.mark.parametrize("value", ["a", "=a", "a=", ""])
def test_arguments_that_are_not_name_and_file_are_refused(value):
    with pytest.raises(UsageError, match="NAME=FILE"):
        named([value], what="a model")


def test_names_given_twice():
    with pytest.raises(UsageError, match="twice"):
        named(["a=b", "a=c"], what="a model")
