"""Reports: what they show, and that they are Markdown and JSON."""

import doctest
import json

import pytest
from evaluation_samples import sentence_pairs, small_corpus
from hypothesis import given

import headway.evaluation.breakdown
import headway.evaluation.tables
from headway.errors import UsageError
from headway.evaluation import (
    METRICS,
    REPORT_PARTS,
    evaluate,
    evaluation_data,
    evaluation_report,
    paired_bootstrap,
    significance_report,
)
from headway.evaluation.tables import table


def cells(report: str, first: str) -> list[str]:
    """The cells of the report's line that begins with `first`."""
    [line] = [line for line in report.splitlines() if line.startswith(f"| {first} ")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_summary() -> None:
    report = evaluation_report(evaluate(*small_corpus()))
    assert "3 sentences, 10 words" in report
    assert cells(report, "head (UAS)") == ["head (UAS)", "80.00", "85.71"]
    assert cells(report, "content words") == ["content words (CLAS)", "6", "7", "71.43", "83.33", "76.92"]
    assert cells(report, "non-projective")[1:] == ["0", "1", "0.00", "-", "0.00"]


def test_breakdowns() -> None:
    evaluation = evaluate(*small_corpus())
    assert cells(evaluation_report(evaluation, parts=["relations"]), "punct")[1:] == [
        *("3", "2"),
        *("50.00", "33.33", "40.00"),
        *("50.00", "66.67"),
    ]
    assert cells(evaluation_report(evaluation, parts=["arc-lengths"]), "2")[1:3] == ["1", "3"]
    assert cells(evaluation_report(evaluation, parts=["sentence-lengths"]), "1-5")[1:4] == [
        "3",
        "10",
        "80.00",
    ]


def test_parts_come_in_the_order_asked_for() -> None:
    evaluation = evaluate(*small_corpus())
    report = evaluation_report(evaluation, parts=REPORT_PARTS)
    titles = [line for line in report.splitlines() if line.startswith("## ")]
    assert len(titles) == len(set(titles)) == len(REPORT_PARTS)
    backwards = evaluation_report(evaluation, parts=REPORT_PARTS[::-1])
    assert [line for line in backwards.splitlines() if line.startswith("## ")] == titles[::-1]


def test_unknown_part_is_named() -> None:
    with pytest.raises(UsageError, match=r"no part 'colours'.*summary"):
        evaluation_report(evaluate(*small_corpus()), parts=["colours"])


def test_nothing_is_reported_as_dashes() -> None:
    report = evaluation_report(evaluate([], []), parts=REPORT_PARTS)
    assert cells(report, "head (UAS)")[1:] == ["-", "-"]


@given(sentence_pairs())
def test_lines_of_a_table_are_equally_long(pair: tuple) -> None:
    report = evaluation_report(evaluate([pair[0]], [pair[1]]), parts=REPORT_PARTS)
    for block in report.split("\n\n"):
        if block.startswith("|"):
            assert len({len(line) for line in block.strip().splitlines()}) == 1


def test_bars_in_labels_do_not_break_tables() -> None:
    assert table(("a", "b"), [("x|y", "1")]).splitlines()[-1] == r"| x\|y |  1 |"


def test_data_survives_json() -> None:
    data = evaluation_data(evaluate(*small_corpus()))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert set(data["metrics"]) == set(METRICS)
    assert data["metrics"]["CLAS"]["f1"] == pytest.approx(1000 / 13)
    assert data["by_relation"]["punct"]["unlabelled_recall"] == pytest.approx(200 / 3)
    assert data["by_sentence_projectivity"]["projective"]["sentences"] == 3


def test_significance() -> None:
    gold, system = small_corpus()
    found = paired_bootstrap(evaluate(gold, system), evaluate(gold, gold), samples=50)
    report = significance_report(found)
    assert cells(report, "LAS")[1:4] == ["60.00", "100.00", "+40.00"]
    assert "95 % interval" in report


@pytest.mark.parametrize("module", ["breakdown", "tables"])
def test_examples(module: str) -> None:
    result = doctest.testmod(getattr(headway.evaluation, module))
    assert result.attempted > 0
    assert result.failed == 0
