"""A parser with a pruner: the whole way, from training to a loaded model, with constraints and checkpoints."""

from dataclasses import replace

import numpy as np
import pytest
from small_corpus import SMALL, sample

from headway import Parser, presets
from headway.corpus import is_tree
from headway.decoders.eisner import Eisner
from headway.errors import ConstraintError
from headway.learning import TrainingOptions
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch
from headway.progress import Progress
from headway.search import Search
from headway.support.threads import Threads

SENTENCES = sample(75)
TRAIN, DEV = SENTENCES[:60], SENTENCES[60:]
OPTIONS = TrainingOptions(epochs=3)
PRUNED = replace(SMALL, name="small-pruned", pruning=presets.Pruning(ratio=0.05, most=3))


class Notes(Progress):
    def __init__(self):
        self.lines = []

    def note(self, message):
        self.lines.append(message)


def train(checkpoint=None, options=OPTIONS, progress=None):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "small-pruned", PRUNED)
        return Parser.train(
            TRAIN, dev=DEV, preset="small-pruned", options=options, progress=progress, checkpoint=checkpoint
        )


@pytest.fixture(scope="module")
def parser():
    return train()


def trees(parser, **options):
    return [(sentence.heads, sentence.labels) for sentence in parser.parse(DEV, **options)]


def test_only_arcs_that_the_pruner_leaves_are_chosen(parser):
    encoded = parser.model.encoder.encode(DEV)
    with Threads() as threads:
        table = parser.model.pruner.prune(encoded, threads=threads)
    chosen = trees(parser)
    for index, (heads, _) in enumerate(chosen):
        assert is_tree(heads, single_root=True)
        assert table.of(index)[heads, np.arange(1, len(heads) + 1)].all()
    free = Parser(replace(parser.model, pruner=None))
    assert trees(free) != chosen


def test_recall_and_size_are_reported_on_train_and_dev():
    notes = Notes()
    facts = train(progress=notes).description()
    for part in ("train", "dev"):
        assert 50 < facts[f"pruning_{part}"]["recall"] <= 100
        assert 1 <= facts[f"pruning_{part}"]["heads_per_word"] <= 3.5
        assert any(f"pruner on {part}" in line for line in notes.lines)


def test_the_pruner_is_saved_with_the_model(parser, tmp_path):
    parser.save(tmp_path / "m.headway")
    assert trees(Parser.load(tmp_path / "m.headway")) == trees(parser)


def test_one_sentence_at_a_time_gives_the_same_trees(parser):
    for sentence, (heads, labels) in zip(DEV, trees(parser), strict=True):
        parse = parser.parse_one(sentence)
        assert (parse.heads[1:].tolist(), list(parse.labels)) == (heads, labels)


def test_probabilities_are_over_the_arcs_that_are_left(parser):
    table = parser.arc_probabilities(DEV[0])
    np.testing.assert_allclose(table[:, 1:].sum(axis=0), 1.0, atol=1e-6)
    assert (np.count_nonzero(table[:, 1:], axis=0) <= 4).all()


def test_required_arcs_come_back_from_pruning(parser):
    sentence = max(DEV, key=len)
    for head in range(2, len(sentence) + 1):
        try:
            parse = parser.parse_one(sentence, required={1: head})
        except ConstraintError:
            continue
        assert parse.heads[1] == head


def test_the_same_model_on_any_number_of_threads_and_after_a_stop(parser, tmp_path):
    parser.save(tmp_path / "one.headway")
    train(options=replace(OPTIONS, threads=3)).save(tmp_path / "three.headway")
    train(checkpoint=tmp_path / "kept", options=replace(OPTIONS, epochs=1))
    train(checkpoint=tmp_path / "kept").save(tmp_path / "resumed.headway")
    expected = (tmp_path / "one.headway").read_bytes()
    assert (tmp_path / "three.headway").read_bytes() == expected
    assert (tmp_path / "resumed.headway").read_bytes() == expected


def test_all_arcs_are_tried_where_the_pruned_ones_hold_no_tree(parser):
    encoded = parser.model.encoder.encode(DEV[:3])
    search = Search(parser.model.scorer, Eisner(), ignore=parser.model.scorer.kinds)
    starts = np.concatenate([[0], np.cumsum((encoded.lengths() + 1) ** 2)])
    nothing = CandidateBatch(starts, np.zeros(starts[-1], dtype=np.bool_))
    for every, fallback in zip(search.trees(encoded, ALL_ARCS), search.trees(encoded, nothing), strict=True):
        assert every.heads.tolist() == fallback.heads.tolist()
