"""The features of parts of order two and three."""

import numpy as np
import pytest
import small_corpus

from headway.encoding import Encoder
from headway.features.high_order import (
    ROLES,
    TEMPLATES,
    WHOLE,
    PartHashes,
    make_part_plan,
    part_capacity,
    part_hashes,
    part_slots,
)
from headway.parts.kinds import KINDS

LENGTH = 6
NONE = LENGTH + 1


def hashes_of(kind: str, beginning: str = "") -> PartHashes:
    generator = np.random.default_rng(1)
    sentence = small_corpus.random_sentence(generator, LENGTH)
    encoder = Encoder.fit([sentence])
    plan = make_part_plan({kind: beginning + TEMPLATES[kind]}, atoms=encoder.names, constant=())
    return part_hashes(encoder.encode([sentence]).atoms, plan)


def slots_of(hashes: PartHashes, kind: str, words: tuple[int, ...]) -> list[int]:
    slots = np.empty(part_capacity(hashes), dtype=np.uint32)
    four = (*words, 0)[:4]
    return slots[: part_slots(hashes, KINDS.index(kind), *four, np.uint32(2**20 - 1), slots)].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_whole_parts_leave_out_those_at_the_ends(kind: str) -> None:
    plain, whole = hashes_of(kind), hashes_of(kind, WHOLE)
    words = tuple(range(1, len(ROLES[kind]) + 1))
    assert slots_of(plain, kind, words) == slots_of(whole, kind, words) != []
    for place in range(1, len(words)):
        open_ended = (*words[:place], NONE, *words[place + 1 :])
        assert slots_of(plain, kind, open_ended) != []
        assert slots_of(whole, kind, open_ended) == []


def test_kinds_without_a_list_have_no_features() -> None:
    assert slots_of(hashes_of("sibling"), "grandparent", (1, 2, 3)) == []
