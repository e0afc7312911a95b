"""Compute attachment scores of a parser against gold trees, and break its errors down.

Both corpora are read in parallel, in time linear in the number of words (except for projectivity). Memory holds one row
of counts per sentence, and the counts of the breakdowns. The conventions are those of the scorer of the CoNLL 2018
shared task (Zeman et al. 2018) on gold words; `metrics` defines what is counted.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from headway.corpus import Sentence
from headway.evaluation.breakdown import (
    ARC_LENGTH_BINS,
    SENTENCE_LENGTH_BINS,
    Row,
    Tally,
    bin_names,
    merge_lengths,
)
from headway.evaluation.comparison import Comparison, compare
from headway.evaluation.metrics import COLUMNS, CONTENT_RELATIONS, Counts, Score


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores of a system on a corpus.

    Parameters
    ----------
    counts : Counts
        One row of counts for each sentence: the data of all metrics and significance tests.
    by_relation, by_universal_relation : dict of Row
        Counts by relation, with and without subtypes; in the latter, "labelled" ignores subtypes too.
    by_exact_arc_length : dict of Row
        Counts by distance between head and modifier; 0 is an arc from the root, -1 a head that is missing in the
        system's tree.
    by_arc_projectivity : dict of Row
        Counts for "projective", "non-projective", and "missing" (heads that the system left out).
    """

    counts: Counts
    by_relation: dict[str, Row]
    by_universal_relation: dict[str, Row]
    by_exact_arc_length: dict[int, Row]
    by_arc_projectivity: dict[str, Row]

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.counts.rows)

    @property
    def words(self) -> int:
        """The number of words, punctuation included."""
        return int(self.counts.column("words").sum())

    @property
    def uas(self) -> float:
        """The share of words with the correct head, in per cent, including punctuation."""
        return self.score("UAS").f1

    @property
    def las(self) -> float:
        """The share of words with the correct head and full relation, in per cent, including punctuation."""
        return self.score("LAS").f1

    @property
    def clas(self) -> float:
        """The F1 of content words with the correct head and universal relation, in per cent."""
        return self.score("CLAS").f1

    def score(self, metric: str) -> Score:
        """Return any metric of `METRICS` by its name, over the whole corpus."""
        return self.counts.score(metric)

    def by_arc_length(self, bounds: Sequence[int] = ARC_LENGTH_BINS) -> dict[str, Row]:
        """Return the arcs by length, in bins that end at `bounds` (ascending); empty bins are left out."""
        return merge_lengths(self.by_exact_arc_length, bounds)

    def by_sentence_length(self, bounds: Sequence[int] = SENTENCE_LENGTH_BINS) -> dict[str, Counts]:
        """Return the sentences by length, in bins that end at `bounds` (ascending); empty bins are left out."""
        bins = np.searchsorted(bounds, self.counts.column("words"))
        groups = {name: self.counts.select(bins == index) for index, name in enumerate(bin_names(bounds))}
        return {name: group for name, group in groups.items() if len(group.rows)}

    def by_sentence_projectivity(self) -> dict[str, Counts]:
        """Return the sentences by whether the gold tree is projective."""
        nonprojective = self.counts.column("nonprojective_gold") > 0
        return {
            "projective": self.counts.select(~nonprojective),
            "non-projective": self.counts.select(nonprojective),
        }


def evaluate(gold: Iterable[Sentence], system: Iterable[Sentence]) -> Evaluation:
    """Score a system's trees against the gold trees of the same sentences.

    Parameters
    ----------
    gold, system : iterable of Sentence
        The same words in the same order. Each iterable is consumed once. The heads of `system` need not form
        trees; a missing head counts as wrong.

    Returns
    -------
    Evaluation

    Raises
    ------
    HeadwayError
        If the words differ or a gold head is missing, with the number of the sentence.
    """
    rows = array("q")
    relations, universal_relations = Tally[str](), Tally[str]()
    lengths, projectivity = Tally[int](), Tally[str]()
    for pair in compare(gold, system):
        rows.extend(_count(pair))
        one, other = pair.gold, pair.system
        relations.add(one.labels, other.labels, pair.heads, pair.labelled)
        universal_relations.add(one.universal, other.universal, pair.heads, pair.universal_labelled)
        lengths.add(one.lengths, other.lengths, pair.heads, pair.labelled)
        projectivity.add(one.projectivity, other.projectivity, pair.heads, pair.labelled)
    return Evaluation(
        counts=Counts(np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS))),
        by_relation=relations.rows(),
        by_universal_relation=universal_relations.rows(),
        by_exact_arc_length=dict(sorted(lengths.rows().items())),
        by_arc_projectivity=projectivity.rows(),
    )


def _count(pair: Comparison) -> list[int]:
    """Return the counts of one sentence, in the order of `COLUMNS`."""
    everything = [True] * len(pair.heads)
    without_punctuation = [not mark for mark in pair.gold.punctuation]
    gold_content, system_content = (
        [label in CONTENT_RELATIONS for label in side.universal] for side in (pair.gold, pair.system)
    )
    gold_root, system_root = ([head == 0 for head in side.heads] for side in (pair.gold, pair.system))
    gold_crosses, system_crosses = (any(side.nonprojective) for side in (pair.gold, pair.system))
    return [
        *_count_scope(pair, everything),
        *_count_scope(pair, without_punctuation),
        *(sum(compress(pair.universal_labelled, gold_content)), sum(gold_content), sum(system_content)),
        *(sum(compress(pair.heads, gold_root)), sum(gold_root), sum(system_root)),
        *(gold_crosses and system_crosses, gold_crosses, system_crosses),
    ]


def _count_scope(pair: Comparison, scope: list[bool]) -> list[int]:
    """Count words and trees over the words in `scope`; a sentence without such words is not counted."""
    words = sum(scope)
    heads, labels, labelled, universal_labels, universal_labelled = (
        sum(compress(right, scope))
        for right in (pair.heads, pair.labels, pair.labelled, pair.universal_labels, pair.universal_labelled)
    )
    complete = (words > 0, *(0 < words == right for right in (heads, labelled, universal_labelled)))
    return [words, heads, labels, labelled, universal_labels, universal_labelled, *complete]
