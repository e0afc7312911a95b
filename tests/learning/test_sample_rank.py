"""Learning from the samples of a chain."""

from dataclasses import replace
from pathlib import Path

import brute_force
import numpy as np
import pytest
import small_corpus
from learning_samples import Lesson
from part_samples import Case

from headway.decoders import find_decoder
from headway.errors import UsageError
from headway.features.global_features import NO_GLOBALS
from headway.features.high_order import NO_PARTS, PART_ROW
from headway.learning import TrainingOptions
from headway.learning.averaging import averaged_table
from headway.learning.recipe import _TRAIN_CHAIN, train_model
from headway.learning.sample_rank import _COOLING, _TEMPERATURE, CONSTRAINTS, _rank_kernel, with_cost
from headway.learning.tensor import learned_tensor
from headway.learning.trees import MIRA, Step, TreeTables, current_scorer
from headway.model import TrainedModel
from headway.parts import Candidates, Kind
from headway.parts.table_scores import possible_scores
from headway.presets import DecoderChoice, HighOrder, Preset
from headway.progress import Progress
from headway.scorers.tensor import NO_TENSOR, NO_TRIPLES
from headway.search.tree_lists import score_trees

SENTENCES = small_corpus.sample(34)
TRAIN, DEV = SENTENCES[:26], SENTENCES[26:]
PARTS = replace(
    small_corpus.with_tables(small_corpus.SMALL, arcs=1 << 10, labels=1 << 10),
    parts=HighOrder({"sibling": "h.upos m.upos s.upos"}, slots=1 << 10, rows=1 << 9),
    decoder=DecoderChoice(train="sampling"),
)  # fmt: skip


def train(preset: Preset, *, epochs: int = 4, threads: int = 1, checkpoint: Path | None = None) -> TrainedModel:
    options = TrainingOptions(epochs=epochs, seed=1, threads=threads)
    return train_model(TRAIN, DEV, preset=preset, options=options, progress=Progress(), checkpoint=checkpoint)


@pytest.mark.parametrize("inference", list(CONSTRAINTS))
def test_every_kind_of_constraint_teaches_heads(inference: str) -> None:
    learned = train(replace(PARTS, inference=inference)).facts["trees"]["dev"]
    assert max(learned) > 20.0 + 100.0 / max(len(sentence) for sentence in DEV)


def test_the_same_model_on_any_number_of_threads() -> None:
    one, two = (train(replace(PARTS, inference="samples"), epochs=1, threads=threads) for threads in (1, 2))
    for name, array in one.tensors().items():
        assert array.tobytes() == two.tensors()[name].tobytes(), name


def test_training_goes_on_from_a_checkpoint_to_the_same_model(tmp_path: Path) -> None:
    preset = replace(PARTS, inference="samples")
    whole = train(preset, epochs=2)
    train(preset, epochs=1, checkpoint=tmp_path)
    for name, array in train(preset, epochs=2, checkpoint=tmp_path).tensors().items():
        assert array.tobytes() == whole.tensors()[name].tobytes(), name


def test_a_decoder_without_chains_is_refused() -> None:
    with pytest.raises(UsageError, match="runs chains"):
        train(replace(PARTS, inference="samples", decoder=DecoderChoice(train="hill-climbing")))


def make_tables(lesson: Lesson) -> TreeTables:
    return TreeTables(
        lesson.plan, lesson.table, NO_PARTS, averaged_table(1, PART_ROW), NO_GLOBALS, learned_tensor(NO_TENSOR),
        learned_tensor(NO_TRIPLES),
    )  # fmt: skip


def test_chains_walk_by_the_score_and_the_wrong_heads() -> None:
    lesson, generator = Lesson(3, 6), np.random.default_rng(3)
    scores = current_scorer(make_tables(lesson)).tree_scorer(lesson.gold.encoded, 0, Candidates.all(6))
    trees = np.array([[-1, *small_corpus.random_heads(generator, 6)] for _ in range(20)], dtype=np.int32)
    plain, augmented = np.empty(20), np.empty(20)
    score_trees(scores, trees, plain)
    score_trees(with_cost(scores, lesson.gold.heads), trees, augmented)
    wrong = (trees[:, 1:] != lesson.gold.heads[1:]).sum(axis=1)
    assert wrong.min() < wrong.max()
    np.testing.assert_allclose(augmented, plain + wrong)


def test_the_best_of_the_last_samples_is_nearly_the_worst_violation() -> None:
    decoder, kinds = find_decoder("sampling", **_TRAIN_CHAIN), {Kind.SIBLING, Kind.GRANDPARENT}
    below = []
    for seed in range(40):
        case = Case(np.random.default_rng(seed), np.random.default_rng(seed).normal(size=(7, 7)), kinds)
        trees = brute_force.trees(6)
        gold = np.array([-1, *trees.where(projective=False, single_root=True)[seed]], dtype=np.int32)
        scores = with_cost(possible_scores(Candidates.all(6), case.scores), gold)
        augmented = case.tree_scores() + (trees.heads != gold[1:]).sum(axis=1)
        met = list[float]()
        for chain in range(decoder.chains):
            last = decoder.sample_chain(
                scores, chain, count=3, temperature=_TEMPERATURE, cooling=_COOLING, climb=True, seed=seed
            ).heads[-1]
            met.append(float(augmented[(trees.heads == last[1:]).all(axis=1)][0]))
        below.append(augmented[trees.single_root].max() - max(met))
    assert np.mean(below) < 0.3  # with one chain 0.6, without climbing 0.5
    assert np.mean(np.array(below) < 1e-6) > 0.7  # with one chain 0.58, without climbing 0.55


@pytest.mark.parametrize(("neighbours", "by_gold"), [(True, False), (False, True)])
def test_a_step_restores_the_margin_of_neighbours_or_of_the_last_sample(neighbours: bool, by_gold: bool) -> None:
    for seed in range(20):
        lesson, generator = Lesson(seed, 5), np.random.default_rng(seed)
        tables = make_tables(lesson)
        gold, encoded = lesson.gold.heads, lesson.gold.encoded
        trees = [np.array([-1, *small_corpus.random_heads(generator, 5)], dtype=np.int32) for _ in range(2)]
        wrong = [int((tree[1:] != gold[1:]).sum()) for tree in trees]
        samples, better, worse, margin = np.stack(trees), gold, trees[1], wrong[1]
        if neighbours:
            better, worse = trees if wrong[0] < wrong[1] else trees[::-1]
            margin = abs(wrong[0] - wrong[1])
        before = lesson.tree_score(better[1:]) - lesson.tree_score(worse[1:])
        last = _rank_kernel(
            encoded.atoms, encoded.tags, gold, samples, tables, neighbours, by_gold, 0, Step(MIRA, 1e6, 1.0, False, 1)
        )
        after = lesson.tree_score(better[1:]) - lesson.tree_score(worse[1:])
        assert last == wrong[len(samples) - 1]
        assert after == pytest.approx(before if margin == 0 else max(before, margin), abs=1e-3)
