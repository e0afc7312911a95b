"""Hill climbing, dual decomposition and exact search beside each other."""

import numpy as np
import pytest
import small_climber
from small_parser import DEV, trained

from headway.analysis.certificates import (
    ALTERNATE,
    CLIMBING,
    DUAL,
    EXACT,
    EXACT_PROJECTIVE,
    Certificates,
    compare_searches,
)
from headway.corpus import Sentence
from headway.decoders.dual_decomposition import DualRule
from headway.errors import UsageError
from headway.search import SearchRule

RULE = DualRule(iterations=400, seconds=20.0)
SHORT = sorted(DEV, key=len)[:6]


@pytest.fixture(scope="module")
def found() -> Certificates:
    rule = SearchRule(restarts=20)
    return compare_searches(small_climber.trained(), iter(SHORT), rule=RULE, climbing=rule, programs=3)


def test_no_search_is_above_a_proved_optimum(found: Certificates) -> None:
    exact = found.searches[EXACT]
    assert exact.proved.all()
    for search in found.searches.values():
        assert (search.scores <= exact.scores + 1e-6).all()
    np.testing.assert_allclose(found.searches[DUAL].scores[found.certified], exact.scores[found.certified], atol=1e-6)
    assert not found.searches[CLIMBING].proved.any()


def test_rows(found: Certificates) -> None:
    rows = {row["search"]: row for row in found.rows()}
    assert list(rows) == [CLIMBING, DUAL, ALTERNATE, EXACT, EXACT_PROJECTIVE]
    assert rows[CLIMBING]["proved, %"] is None
    assert rows[EXACT]["proved, %"] == 100.0
    assert rows[EXACT]["best of the certified, %"] == 100.0
    assert rows[EXACT]["below dual, %"] == 0.0
    assert rows[DUAL]["above dual, %"] == rows[DUAL]["below dual, %"] == 0.0
    assert 0.0 < float(rows[EXACT]["UAS"] or 0) <= 100.0


def test_programs_find_the_same_trees(found: Certificates) -> None:
    rows = {row["search"]: row for row in found.program_rows()}
    assert len(rows) == 7
    for flow in ("single", "multi"):
        assert rows[f"integer program, {flow} flow"]["best, %"] == 100.0
        assert rows[f"integer program, {flow} flow"]["sentences"] == 3


def test_certificates_grow_with_iterations(found: Certificates) -> None:
    rows = found.iteration_rows()
    for column in ("certificates, %", "the final tree, %"):
        values = [float(row[column] or 0) for row in rows]
        assert values == sorted(values)
    dual_row = found.rows()[1]
    assert rows[-1]["certificates, %"] == dual_row["proved, %"]
    assert rows[-1]["the final tree, %"] == 100.0
    assert rows[-1]["UAS"] == dual_row["UAS"]
    steps, automata = found.charts()
    assert set(steps.lines) == {"certificates, %", "the final tree, %", "UAS"}
    assert automata.lines["automata"][1][0] >= 100.0  # all of them at first, and the chosen ones once more
    [figures] = found.summary()
    assert figures["sentences"] == len(SHORT)
    assert 0.0 < float(figures["automata run after the first ten, %"] or 0) < 100.0


def test_only_models_of_automata() -> None:
    with pytest.raises(UsageError, match="higher-order parts"):
        compare_searches(trained(), DEV)
    with pytest.raises(UsageError, match="no sentence"):
        compare_searches(small_climber.trained(), [Sentence.from_words([])][:0])
