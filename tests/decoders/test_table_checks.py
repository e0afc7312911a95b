import numpy as np
import pytest

from headway.decoders.hill_climbing import HillClimbing
from headway.errors import UsageError
from headway.parts import Candidates, Scores
from headway.parts.arc_index import index_arcs


def test_tables_of_parts_must_fit_the_candidates() -> None:
    candidates = Candidates.all(3)
    siblings, grandparents = (np.zeros(size) for size in index_arcs(candidates.mask()).sizes)
    arcs = np.zeros(len(candidates))
    assert HillClimbing(restarts=1).decode(candidates, Scores(arcs, siblings, grandparents)).exact
    for wrong in (siblings[:-1], np.full_like(siblings, np.nan), np.full_like(siblings, -np.inf)):
        with pytest.raises(UsageError, match="sibling scores must be"):
            HillClimbing().decode(candidates, Scores(arcs, wrong))
    with pytest.raises(UsageError, match="grandparent scores must be"):
        HillClimbing().decode(candidates, Scores(arcs, None, grandparents[:-1]))
    arcs[0] = -np.inf
    assert HillClimbing(restarts=1).decode(candidates, Scores(arcs, siblings)).heads[1] != candidates.heads[0]
