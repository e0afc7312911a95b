import numpy as np
import pytest
import slow_features
import small_corpus

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.features import arc
from headway.features.arc import (
    ROW,
    ArcPlan,
    arc_capacity,
    arc_hashes,
    arc_slots,
    length_bin,
    make_arc_plan,
    tags_between,
    word_slots,
)
from headway.features.arc_templates import ARC_TEMPLATES
from headway.features.templates import ARC_ATOMS

SLOTS = 1 << 10
MASK = np.uint32(SLOTS - 1)
TEXT = """
h.form
h-1.upos h.upos
m.form m+1.upos
h.form m.form
h.upos h+1.upos m-1.upos m.upos
h-1.upos h.upos m.upos m+1.upos
h.upos m.upos between.tags
h.form between.tags
h.upos m.upos between.verbs
h.upos h+1.upos m.upos between.punctuation
m.form between.coordinators
"""
LINES = [slow_features.read_line(line) for line in TEXT.split("\n") if line]
PAIRS = [line for line in LINES if len({role for role, _, _ in line}) > 1]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    generator = np.random.default_rng(11)
    return Encoder.fit([small_corpus.random_sentence(generator, 12) for _ in range(10)])


def plan_of(text: str, encoder: Encoder) -> ArcPlan:
    return make_arc_plan(text, atoms=encoder.names, constant=encoder.constant_atoms(), tag_class=encoder.tag_classes())


class Arcs:
    """One sentence with its arcs listed by the kernels, and by the book."""

    def __init__(self, text: str, encoder: Encoder, sentence: Sentence) -> None:
        self.encoder, self.plan, self.upos = encoder, plan_of(text, encoder), ["", *sentence.upos]
        encoded = encoder.encode([sentence])
        self.atoms, self.tags = encoded.atoms, encoded.tags
        self.hashes = arc_hashes(self.atoms, self.tags, self.plan)

    def fast(self, head: int, modifier: int) -> list[int]:
        slots = np.empty(arc_capacity(self.plan), dtype=np.uint32)
        between = tags_between(min(head, modifier), max(head, modifier), self.tags)
        count = arc_slots(head, modifier, between, self.hashes, self.plan, MASK, slots)
        return slots[:count].tolist()

    def slow(self, head: int, modifier: int) -> list[int]:
        return slow_features.arc_slots(
            PAIRS, head, modifier, self.atoms, self.encoder.names,
            self.upos, self.tags.tolist(), self.plan.salts, SLOTS,
        )  # fmt: skip

    def words(self, word: int, role: str) -> list[int]:
        slots = np.empty(arc_capacity(self.plan), dtype=np.uint32)
        count = word_slots(word, self.hashes.head if role == "h" else self.hashes.modifier, MASK, slots)
        return slots[:count].tolist()


@pytest.mark.parametrize(("seed", "length"), [(1, 1), (2, 2), (3, 5), (4, 9), (5, 14)])
def test_slots_of_every_arc(seed: int, length: int, encoder: Encoder) -> None:
    arcs = Arcs(TEXT, encoder, small_corpus.random_sentence(np.random.default_rng(seed), length))
    for modifier in range(1, length + 1):
        for head in set(range(length + 1)) - {modifier}:
            assert sorted(arcs.fast(head, modifier)) == sorted(arcs.slow(head, modifier)), (head, modifier)


def test_slots_of_every_word(encoder: Encoder) -> None:
    arcs = Arcs(TEXT, encoder, small_corpus.random_sentence(np.random.default_rng(6), 4))
    for word in range(5):
        for role in "hm":
            lines = [line for line in LINES if {other for other, _, _ in line} == {role}]
            expected = [slow_features.word_hash(t, role, word, arcs.atoms, encoder.names) % SLOTS for t in lines]
            assert arcs.words(word, role) == expected


def test_counts_between_stop_at_three(encoder: Encoder) -> None:
    def slot(verbs: int) -> list[int]:
        upos = ["NOUN", *["VERB", "AUX", "VERB", "AUX", "VERB"][:verbs], *["DET"] * (5 - verbs), "NOUN"]
        sentence = Sentence.from_words(["Dogs"] * 7, upos=upos)
        return Arcs("h.form m.form between.verbs", encoder, sentence).fast(1, 7)

    assert slot(3) == slot(4) == slot(5)
    assert len({*slot(0), *slot(1), *slot(2), *slot(3)}) == 4


def test_the_ends_of_the_arc_do_not_count_as_between(encoder: Encoder) -> None:
    def slots(*upos: str) -> list[int]:
        sentence = Sentence.from_words(["Dogs"] * 3, upos=upos)
        return Arcs("h.form m.form between.verbs\nh.form m.form between.tags", encoder, sentence).fast(3, 1)

    assert slots("VERB", "DET", "VERB") == slots("NOUN", "DET", "AUX")
    assert slots("NOUN", "VERB", "NOUN") != slots("NOUN", "DET", "NOUN")


def test_a_new_template_moves_no_other(encoder: Encoder) -> None:
    sentence = small_corpus.random_sentence(np.random.default_rng(8), 6)
    before, after = Arcs(TEXT, encoder, sentence), Arcs("h.lemma m.lemma\n" + TEXT + "m.lemma\n", encoder, sentence)
    for head, modifier in [(0, 1), (2, 1), (6, 2), (3, 4)]:
        missing = list(after.fast(head, modifier))
        for slot in before.fast(head, modifier):
            missing.remove(slot)
        assert len(missing) == 1
        assert before.words(head, "h") == after.words(head, "h")
        assert before.words(modifier, "m") == after.words(modifier, "m")[:-1]


def test_a_class_of_words_that_the_treebank_lacks_is_never_between() -> None:
    sentences = [Sentence.from_words(["a", "b", "c"], upos=["DET", "NOUN", "DET"])]
    arcs = Arcs("h.upos m.upos between.verbs", Encoder.fit(sentences), sentences[0])
    assert (arcs.plan.classes == -1).all()
    assert len(arcs.fast(3, 1)) == 1


def test_slots_fit_the_capacity() -> None:
    tags = [f"T{number}" for number in range(40)]
    many = Sentence.from_words([f"w{number % 20}" for number in range(40)], upos=tags)
    arcs = Arcs(ARC_TEMPLATES, Encoder.fit([many]), many)
    assert arcs.tags.max() < 32
    found = arcs.fast(40, 1)
    assert len(found) <= arc_capacity(arcs.plan)
    assert max(found) < SLOTS


def test_places_in_a_row_are_apart_for_every_direction_and_length() -> None:
    for head, modifier in [(0, 1), (0, 40), (50, 1)] + [(20, 20 + d) for d in range(-15, 16) if d]:
        bare, direction, place = slow_features.weight_places(head, modifier)
        assert length_bin(head, modifier) == place
        assert len({bare, direction, place}) == 3
        assert place < ROW
    assert len({length_bin(20, 20 + d) for d in range(-15, 16) if d}) == 12


def test_a_tag_map_says_which_tags_are_counted_between() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], upos=["vb", "md", "cc"])
    known = Encoder.fit([sentence])
    plan = make_arc_plan(
        "h.upos m.upos between.verbs", atoms=known.names, constant=(), tag_class=known.tag_classes(),
        tag_map={"vb": "VERB", "md": "AUX", "cc": "CCONJ"},
    )  # fmt: skip
    kinds = plan.classes[known.encode([sentence]).tags[1:]].tolist()
    assert kinds == [ARC_ATOMS.index(name) for name in ("verbs", "verbs", "coordinators")]
    assert (plan_of("h.upos m.upos between.verbs", known).classes == -1).all()


def test_the_salts_are_those_of_the_generator_that_models_were_trained_with() -> None:
    generator = np.random.default_rng(20140623)
    assert (generator.integers(1, 1 << 32, size=arc._SALTS.shape, dtype=np.uint64) == arc._SALTS).all()
