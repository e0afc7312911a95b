"""An evaluation as text (Markdown tables) and as plain data for JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType

from headway.corpus.word import counted
from headway.errors import UsageError
from headway.evaluation.attachment import Evaluation
from headway.evaluation.breakdown import Row
from headway.evaluation.metrics import METRICS, Counts, Score
from headway.evaluation.significance import Significance
from headway.evaluation.tables import decimal, section, table

_ACCURACIES = {
    "UAS": "head (UAS)",
    "LAS": "head and relation (LAS)",
    "LAS-universal": "head and relation, no subtypes",
    "LA": "relation",
    "LA-universal": "relation, no subtypes",
    "UEM": "whole tree, heads",
    "LEM": "whole tree, heads and relations",
    "LEM-universal": "whole tree, no subtypes",
}
_RATIOS = ("precision", "recall", "f1", "unlabelled_precision", "unlabelled_recall", "unlabelled_f1")
_PAIRED = {"CLAS": "content words (CLAS)", "ROOT": "root", "NONPROJ": "non-projective sentences"}


def evaluation_report(evaluation: Evaluation, *, parts: Sequence[str] = ("summary",)) -> str:
    """Return tables of an evaluation, as Markdown that is also readable as plain text.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation to show.
    parts : sequence of str
        The tables to show, in order: names from `REPORT_PARTS`.

    Returns
    -------
    str
        Scores are percentages with two decimals; a dash stands for a ratio with a zero denominator.
    """
    for part in parts:
        if part not in _PARTS:
            raise UsageError(f"a report has no part {part!r}; its parts are {', '.join(_PARTS)}")
    return "\n".join(_PARTS[part](evaluation) for part in parts)


def evaluation_data(evaluation: Evaluation) -> dict[str, object]:
    """Return all scores and breakdowns as plain data, ready for `json.dumps`, without rounding."""
    return {
        "sentences": evaluation.sentences,
        "words": evaluation.words,
        "metrics": {name: _score_data(evaluation.score(name)) for name in METRICS},
        "by_relation": _rows_data(evaluation.by_relation),
        "by_universal_relation": _rows_data(evaluation.by_universal_relation),
        "by_arc_length": _rows_data(evaluation.by_arc_length()),
        "by_arc_projectivity": _rows_data(evaluation.by_arc_projectivity),
        "by_sentence_length": _groups_data(evaluation.by_sentence_length()),
        "by_sentence_projectivity": _groups_data(evaluation.by_sentence_projectivity()),
    }


def raw_text_report(scores: Mapping[str, Score]) -> str:
    """Return the official scores of `evaluate_text` as a table; "aligned" is the accuracy over words that match."""
    header = ("metric", "precision", "recall", "F1", "aligned")
    rows = []
    for name, score in scores.items():
        aligned = "" if score.aligned is None else decimal(score.aligned_accuracy, of=score.aligned)
        rows.append((name, decimal(score.precision), decimal(score.recall), decimal(score.f1), aligned))
    return section("Scores from raw text", table(header, rows))


def significance_report(significance: Significance) -> str:
    """Return the result of a significance test as a table."""
    low, high = significance.interval
    interval = f"{100 * significance.confidence:g} % interval"
    header = ("metric", "first", "second", "difference", interval, "p")
    scores = (decimal(significance.first), decimal(significance.second), f"{significance.difference:+.2f}")
    return table(header, [(significance.metric, *scores, f"{low:+.2f} to {high:+.2f}", f"{significance.p_value:.4f}")])


def _summary(evaluation: Evaluation) -> str:
    accuracies = [
        (title, *(_accuracy(evaluation.score(name + scope)) for scope in ("", "-nopunct")))
        for name, title in _ACCURACIES.items()
    ]
    paired = [(title, *_ratios(evaluation.score(name))) for name, title in _PAIRED.items()]
    size = f"{counted(evaluation.sentences, 'sentence')}, {counted(evaluation.words, 'word')}"
    body = [
        size,
        table(("right", "all words", "no punctuation"), accuracies),
        table(("found", "gold", "system", "precision", "recall", "F1"), paired),
    ]
    return section("Scores", "\n\n".join(body))


def _accuracy(score: Score) -> str:
    return decimal(score.recall, of=score.gold)


def _ratios(score: Score) -> tuple[str, ...]:
    precision, recall = decimal(score.precision, of=score.system), decimal(score.recall, of=score.gold)
    f1 = decimal(score.f1, of=score.gold + score.system)
    return str(score.gold), str(score.system), precision, recall, f1


def _relations(evaluation: Evaluation) -> str:
    return section("By relation", _row_table("relation", evaluation.by_relation))


def _universal_relations(evaluation: Evaluation) -> str:
    return section("By relation, no subtypes", _row_table("relation", evaluation.by_universal_relation))


def _arc_lengths(evaluation: Evaluation) -> str:
    return section("By arc length", _row_table("length", evaluation.by_arc_length()))


def _sentence_lengths(evaluation: Evaluation) -> str:
    return section("By sentence length", _group_table("length", evaluation.by_sentence_length()))


def _projectivity(evaluation: Evaluation) -> str:
    arcs = _row_table("arcs", evaluation.by_arc_projectivity)
    sentences = _group_table("gold trees", evaluation.by_sentence_projectivity())
    return section("By projectivity", f"{arcs}\n\n{sentences}")


def _row_table(name: str, rows: Mapping[str, Row]) -> str:
    header = (name, "gold", "system", "precision", "recall", "F1", "head precision", "head recall")
    return table(header, [(category, *_row_cells(row)) for category, row in rows.items()])


def _row_cells(row: Row) -> tuple[str, ...]:
    return (
        str(row.gold),
        str(row.system),
        decimal(row.precision, of=row.system),
        decimal(row.recall, of=row.gold),
        decimal(row.f1, of=row.gold + row.system),
        decimal(row.unlabelled_precision, of=row.system),
        decimal(row.unlabelled_recall, of=row.gold),
    )


def _group_table(name: str, groups: Mapping[str, Counts]) -> str:
    header = (name, "sentences", "words", "UAS", "LAS", "whole trees", "whole, relations too")
    return table(header, [(title, *_group_cells(group)) for title, group in groups.items()])


def _group_cells(group: Counts) -> tuple[str, ...]:
    scores = [group.score(metric) for metric in ("UAS", "LAS", "UEM", "LEM")]
    return str(len(group.rows)), str(scores[0].gold), *map(_accuracy, scores)


_PARTS: Mapping[str, Callable[[Evaluation], str]] = MappingProxyType(
    {
        "summary": _summary,
        "relations": _relations,
        "universal-relations": _universal_relations,
        "sentence-lengths": _sentence_lengths,
        "arc-lengths": _arc_lengths,
        "projectivity": _projectivity,
    }
)

REPORT_PARTS: tuple[str, ...] = tuple(_PARTS)
"""The names of the parts of a report, in their usual order."""


def _score_data(score: Score) -> dict[str, float]:
    return asdict(score) | {"precision": score.precision, "recall": score.recall, "f1": score.f1}


def _rows_data(rows: Mapping[str, Row]) -> dict[str, dict[str, float]]:
    return {name: asdict(row) | {ratio: getattr(row, ratio) for ratio in _RATIOS} for name, row in rows.items()}


def _groups_data(groups: Mapping[str, Counts]) -> dict[str, object]:
    return {
        name: {"sentences": len(group.rows), "metrics": {m: _score_data(group.score(m)) for m in METRICS}}
        for name, group in groups.items()
    }
