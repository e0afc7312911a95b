"""Incremental models, from training to the model file and back."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from small_parser import DEV, TRAIN, bare, partial

from headway.corpus import tree_problems
from headway.errors import ModelError, UsageError
from headway.evaluation import evaluate
from headway.learning import TrainingOptions
from headway.learning.beam import OBJECTIVES
from headway.model_file import read_model_file, text_tensor, write_model_file
from headway.parser import Parser
from headway.presets import Incremental, Preset

RULE = Incremental(beam=4, slots=1 << 12, rows=1 << 11)
SMALL = Preset("small", "for tests", label_slots=1 << 12, label_rows=1 << 11, incremental=RULE)


@cache
def trained(objective: str = "violation", system: str = "") -> Parser:
    preset = replace(SMALL, incremental=replace(RULE, objective=objective, system=system))
    return Parser.train(TRAIN, dev=DEV, preset=preset, options=TrainingOptions(epochs=3))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_learns(objective: str) -> None:
    trees = list(trained(objective).parse(map(bare, TRAIN)))
    assert evaluate(TRAIN, trees).uas > 70.0


@pytest.mark.parametrize("system", ["arc-hybrid", "arc-eager", "swap"])
def test_every_system_learns(system: str) -> None:
    trees = list(trained(system=system).parse(map(bare, TRAIN)))
    assert evaluate(TRAIN, trees).uas > 70.0


def test_models_parse_the_same_when_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "small.headway"
    trained().save(path)
    before, after = list(trained().parse(DEV)), list(Parser.load(path).parse(DEV, threads=2))
    assert [(s.heads, s.labels) for s in before] == [(s.heads, s.labels) for s in after]


def test_a_forged_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.headway"
    trained().save(path)
    tensors, facts = read_model_file(path)
    forged = vars(trained().model.transitions.settings) | {"actions": [[9, 0]]}  # type: ignore[union-attr]
    write_model_file(path, {**tensors, "transitions": text_tensor(forged)}, facts)
    with pytest.raises(ModelError):
        Parser.load(path)


def test_given_heads_are_kept() -> None:
    sentence = max(DEV, key=len)
    given = {word: head for word, head in enumerate(sentence.heads, start=1) if word % 2}
    (parsed,) = trained().parse([partial(sentence, given)], keep_heads=True)
    assert all(parsed.heads[word - 1] == head for word, head in given.items())
    assert not any(tree_problems(parsed.heads))


def test_lists_are_sorted_and_different() -> None:
    trees = list(trained().parse([bare(max(DEV, key=len))], k_best=6))
    scores = [float(tree.metadata["score"]) for tree in trees]
    assert scores == sorted(scores, reverse=True)
    assert len({(tuple(tree.heads), tuple(tree.labels)) for tree in trees}) == len(trees) > 1


def test_confidences_are_probabilities() -> None:
    for tree in trained().parse(map(bare, DEV), confidence=True):
        assert all(0.0 <= float(value) <= 1.0 for value in tree.misc("HeadProb") if value is not None)
    arcs = trained().arc_probabilities(bare(DEV[0]))
    np.testing.assert_allclose(arcs[:, 1:].sum(axis=0), 1.0, atol=1e-6)


def test_what_a_beam_cannot_do_is_refused() -> None:
    with pytest.raises(UsageError, match="transitions"):
        list(trained().parse(DEV, decoder="eisner"))
    with pytest.raises(UsageError, match="one child of the root"):
        list(trained().parse(DEV, single_root=False))
