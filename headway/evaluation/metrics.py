"""The counts of each sentence, and the metrics, which are ratios of their sums.

A sentence is one row of counts (`COLUMNS`); a corpus, or any group of its sentences, is the sum of such rows.
Every metric is the F1 of three columns (correct, gold, system). If gold and system are the same column, as
for attachment on given words, then precision, recall and F1 are equal: an accuracy. So a bootstrap needs only the
rows.

UAS, LAS and CLAS follow the CoNLL 2018 shared task (Zeman et al. 2018; CLAS is Nivre and Fang's, 2017): its
LAS is ``LAS-universal`` here, its CLAS is ``CLAS``; both ignore subtypes of relations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from headway.errors import UsageError

_CORE_ARGUMENTS = ("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp")
_OBLIQUES_AND_MODIFIERS = ("obl", "vocative", "expl", "dislocated", "advcl", "advmod", "discourse")
_NOUN_DEPENDENTS = ("nmod", "appos", "nummod", "acl", "amod")
_JOINED = ("conj", "list", "parataxis", "fixed", "flat", "compound")
_OTHERS = ("orphan", "goeswith", "reparandum", "root", "dep")

CONTENT_RELATIONS = frozenset(_CORE_ARGUMENTS + _OBLIQUES_AND_MODIFIERS + _NOUN_DEPENDENTS + _JOINED + _OTHERS)
"""The relations of UD version 2 that CLAS counts: all but those of function words and punctuation."""

WORD_COLUMNS = ("words", "heads", "labels", "labelled", "universal_labels", "universal_labelled")
TREE_COLUMNS = ("sentences", "complete_heads", "complete_labelled", "complete_universal")
SCOPES = ("", "-nopunct")
PAIRED_COLUMNS = ("content", "root", "nonprojective")
COLUMNS: tuple[str, ...] = tuple(column + scope for scope in SCOPES for column in WORD_COLUMNS + TREE_COLUMNS) + tuple(
    f"{column}_{side}" for column in PAIRED_COLUMNS for side in ("correct", "gold", "system")
)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, defined by the names of the three columns that it divides."""

    description: str
    correct: str
    gold: str
    system: str


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a metric: `correct` items among `gold` and `system` items; the ratios are percentages.

    A ratio with a zero denominator is 0, as in the official scorer.
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def aligned_accuracy(self) -> float:
        """The share of correct words among the gold words that match a system word, for scores from raw text."""
        return 100.0 * self.correct / self.aligned if self.aligned else 0.0

    @property
    def precision(self) -> float:
        """The share of correct items among those of the system."""
        return percentage(self.correct, self.system)

    @property
    def recall(self) -> float:
        """The share of correct items among those of the gold standard."""
        return percentage(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; for accuracies, the accuracy."""
        return percentage(2 * self.correct, self.gold + self.system)


def percentage(part: int, whole: int) -> float:
    """Return `part` as a percentage of `whole`; 0 if `whole` is 0."""
    return 100.0 * part / whole if whole else 0.0


def _accuracies() -> dict[str, Metric]:
    plan = {
        "UAS": ("heads", "words", "words with the right head"),
        "LAS": ("labelled", "words", "words with the right head and relation"),
        "LAS-universal": ("universal_labelled", "words", "the same, relations without subtypes"),
        "LA": ("labels", "words", "words with the right relation"),
        "LA-universal": ("universal_labels", "words", "the same, relations without subtypes"),
        "UEM": ("complete_heads", "sentences", "sentences with every head right"),
        "LEM": ("complete_labelled", "sentences", "sentences with every head and relation right"),
        "LEM-universal": ("complete_universal", "sentences", "the same, relations without subtypes"),
    }
    return {
        name + scope: Metric(description, correct + scope, total + scope, total + scope)
        for scope in SCOPES
        for name, (correct, total, description) in plan.items()
    }


def _paired() -> dict[str, Metric]:
    plan = {
        "CLAS": ("content", "content words with the right head and relation, F1"),
        "ROOT": ("root", "words rightly attached to the root, F1"),
        "NONPROJ": ("nonprojective", "sentences rightly made non-projective, F1"),
    }
    return {
        name: Metric(description, f"{column}_correct", f"{column}_gold", f"{column}_system")
        for name, (column, description) in plan.items()
    }


METRICS: Mapping[str, Metric] = MappingProxyType(_accuracies() | _paired())
"""All metrics by name. ``-universal`` strips subtypes; ``-nopunct`` leaves out punctuation of the gold file."""


def find_metric(name: str) -> Metric:
    """Return the metric called `name`; an unknown name is an error that lists the names."""
    if name not in METRICS:
        raise UsageError(f"there is no metric {name!r}; the metrics are {', '.join(METRICS)}")
    return METRICS[name]


@dataclass(frozen=True, eq=False)
class Counts:
    """One row of counts for each of several sentences.

    Parameters
    ----------
    rows : (sentences, len(COLUMNS)) int64
        Row i belongs to sentence i.
    """

    rows: NDArray[np.int64]

    def column(self, name: str) -> NDArray[np.int64]:
        """Return one column of the counts, ``(sentences,) int64``."""
        column: NDArray[np.int64] = self.rows[:, COLUMNS.index(name)]
        return column

    def select(self, chosen: NDArray[np.bool_]) -> "Counts":
        """Return the rows where `chosen`, ``(sentences,) bool``, is true."""
        return Counts(self.rows[chosen])

    def score(self, metric: str) -> Score:
        """Return the metric called `metric` over all these sentences."""
        definition = find_metric(metric)
        names = (definition.correct, definition.gold, definition.system)
        return Score(*(int(self.column(name).sum()) for name in names))
