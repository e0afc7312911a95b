"""Evaluation of a parser: attachment scores, error analysis, and significance tests."""

from headway.evaluation.attachment import Evaluation, evaluate
from headway.evaluation.breakdown import Row
from headway.evaluation.metrics import CONTENT_RELATIONS, METRICS, Counts, Metric, Score
from headway.evaluation.report import REPORT_PARTS, evaluation_data, evaluation_report, significance_report
from headway.evaluation.significance import Significance, paired_bootstrap

__all__ = [
    "CONTENT_RELATIONS",
    "METRICS",
    "REPORT_PARTS",
    "Counts",
    "Evaluation",
    "Metric",
    "Row",
    "Score",
    "Significance",
    "evaluate",
    "evaluation_data",
    "evaluation_report",
    "paired_bootstrap",
    "significance_report",
]
