"""The number of parts over some arcs, against the tables that are laid out for them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headway.parts.kinds import KINDS, Kind
from headway.parts.part_counts import count_parts
from headway.parts.part_tables import lay_out_tables


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_parts_are_counted_as_their_tables_are_laid_out(words: int, seed: int) -> None:
    mask = np.random.default_rng(seed).random((words + 1, words + 1)) < 0.6
    tables = lay_out_tables(mask)
    for number, kind in enumerate(KINDS):
        assert count_parts(mask, {kind}) == tables.sizes[number], kind
    assert count_parts(mask, {Kind.ARC, Kind.GLOBAL}) == len(tables.arcs.heads)
    assert count_parts(mask, set(Kind)) == len(tables.arcs.heads) + tables.sizes.sum()
