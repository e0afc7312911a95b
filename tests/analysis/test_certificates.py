"""Hill climbing, dual decomposition and exact search beside each other."""

import numpy as np
import pytest
import small_climber
from small_parser import DEV, trained

from headway.analysis.certificates import Certificates, compare_searches, summary
from headway.corpus import Sentence
from headway.decoders.dual_decomposition import DualRule
from headway.errors import UsageError
from headway.search import SearchRule

RULE = DualRule(iterations=400, seconds=20.0)


@pytest.fixture(scope="module")
def found() -> Certificates:
    return compare_searches(small_climber.trained(), iter(DEV), rule=RULE, climbing=SearchRule(restarts=20))


def test_no_search_is_above_a_proved_optimum(found: Certificates) -> None:
    assert found.proved.all()
    for search in (found.climbing, found.dual):
        assert (search.scores <= found.exact.scores + 1e-6).all()
    np.testing.assert_allclose(found.dual.scores[found.certified], found.exact.scores[found.certified], atol=1e-6)


def test_rows(found: Certificates) -> None:
    climbing, dual, exact = found.rows()
    assert [row["search"] for row in (climbing, dual, exact)] == ["hill climbing", "dual decomposition", "exact"]
    assert climbing["proved, %"] is None
    assert exact["proved, %"] == 100.0
    assert exact["best of the proved, %"] == 100.0
    assert dual["best of the certified, %"] == 100.0
    assert dual["above dual, %"] == dual["below dual, %"] == 0.0
    assert 0.0 < float(exact["UAS"] or 0) <= 100.0


def test_certificates_grow_with_iterations(found: Certificates) -> None:
    rows = found.iteration_rows()
    for column in ("certificates, %", "the final tree, %"):
        values = [float(row[column] or 0) for row in rows]
        assert values == sorted(values)
    assert rows[-1]["certificates, %"] == found.rows()[1]["proved, %"]
    assert rows[-1]["the final tree, %"] == 100.0
    [chart] = found.charts()
    assert set(chart.lines) == {"certificates, %", "the final tree, %"}
    [figures] = summary(found)
    assert figures["sentences"] == len(DEV)
    assert 0.0 < float(figures["automata run after the first ten, %"] or 0) < 100.0


def test_only_models_of_automata() -> None:
    with pytest.raises(UsageError, match="no parts of higher order"):
        compare_searches(trained(), DEV)
    with pytest.raises(UsageError, match="no sentence"):
        compare_searches(small_climber.trained(), [Sentence.from_words([])][:0])
