"""Incremental models, from training to the model file and back."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import small_corpus
from small_parser import DEV, TRAIN, bare, partial
from small_parser import trained as graph_parser

from headway.analysis.hc_search import beam_curve, loss_rows
from headway.annotator import Annotator
from headway.bulk import Task, Worker
from headway.corpus import Sentence, tree_problems
from headway.corpus.text import treebank_text
from headway.errors import ModelError, UsageError
from headway.evaluation import evaluate
from headway.incremental.oracles import DYNAMIC
from headway.incremental.search import BeamSearch, longest_whole, mixture, replace_transitions, tree_scores
from headway.incremental.systems import SYSTEMS
from headway.learning import TrainingOptions
from headway.learning.beam import OBJECTIVES, UPDATES
from headway.learning.ranking import ranking_groups
from headway.model_file import read_model_file, text_tensor, write_model_file
from headway.parser import IncomingWord, Parser
from headway.presets import HighOrder, Incremental

RULE = Incremental(beam=4, slots=1 << 12, rows=1 << 11)
SMALL = replace(small_corpus.SMALL, incremental=RULE)


@cache
def trained(objective: str = "baseline", update: str = "violation", system: str = "") -> Parser:
    preset = replace(SMALL, incremental=replace(RULE, objective=objective, update=update, system=system))
    return Parser.train(TRAIN, dev=DEV, preset=preset, options=TrainingOptions(epochs=3))


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("objective", OBJECTIVES[:3])
def test_every_objective_learns(objective: str, update: str) -> None:
    trees = list(trained(objective, update).parse(map(bare, TRAIN)))
    assert evaluate(TRAIN, trees).uas > 70.0


@pytest.mark.parametrize("system", DYNAMIC)
def test_exploration_learns(system: str) -> None:
    rule = replace(RULE, beam=1, objective="explore", system=system)
    parser = Parser.train(TRAIN, dev=DEV, preset=replace(SMALL, incremental=rule), options=TrainingOptions(epochs=3))
    assert evaluate(TRAIN, list(parser.parse(map(bare, TRAIN)))).uas > 70.0


def test_exploration_needs_a_dynamic_oracle_and_one_state() -> None:
    for wrong in (replace(RULE, objective="explore"), replace(RULE, beam=1, objective="explore", system="swap")):
        with pytest.raises(UsageError, match="arc-hybrid or arc-eager"):
            Parser.train(TRAIN, dev=DEV, preset=replace(SMALL, incremental=wrong), options=TrainingOptions(epochs=1))


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


def test_forbidden_arcs_are_kept_out() -> None:
    sentence = bare(max(DEV, key=len))
    best = trained().parse_one(sentence)
    forbidden = {(int(head), word) for word, head in enumerate(best.heads) if word % 2}
    parse = trained().parse_one(sentence, forbidden=forbidden)
    assert not forbidden & {(int(head), word) for word, head in enumerate(parse.heads)}
    assert not any(tree_problems(parse.heads[1:].tolist()))
    assert parse.score < best.score


def test_leaves_have_no_children() -> None:
    search, sentence = trained().model.search(), max(DEV, key=len)
    encoded = trained().model.encoder.encode([sentence])
    leaves = [word for word in range(1, len(sentence) + 1) if word % 3 == 0]
    (parse,) = search.best(encoded, 0, leaves=leaves)
    assert not set(leaves) & set(parse.heads.tolist())
    assert not any(tree_problems(parse.heads[1:].tolist()))


def test_lists_are_sorted_and_different() -> None:
    trees = list(trained().parse([bare(max(DEV, key=len))], k_best=6))
    scores = [float(tree.metadata["score"]) for tree in trees]
    assert scores == sorted(scores, reverse=True)
    assert len({(tuple(tree.heads), tuple(tree.labels)) for tree in trees}) == len(trees) > 1
    judged = trained().parse([bare(max(DEV, key=len))], k_best=6, confidence=True)
    assert [(tree.heads, tree.labels) for tree in judged] == [(tree.heads, tree.labels) for tree in trees]


def test_confidences_are_probabilities_of_the_same_trees() -> None:
    plain = list(trained().parse(map(bare, DEV)))
    judged = list(trained().parse(map(bare, DEV), confidence=True))
    assert [(tree.heads, tree.labels) for tree in judged] == [(tree.heads, tree.labels) for tree in plain]
    for tree in judged:
        for name in ("HeadProb", "LabelProb"):
            assert all(0.0 <= float(value) <= 1.0 for value in tree.misc(name) if value is not None)
    arcs = trained().arc_probabilities(bare(DEV[0]))
    np.testing.assert_allclose(arcs[:, 1:].sum(axis=0), 1.0, atol=1e-6)


def test_text_may_be_parsed_from_left_to_right(tmp_path: Path) -> None:
    path, sample = tmp_path / "text.headway", small_corpus.sample(40)
    options = TrainingOptions(epochs=1)
    Annotator.train(sample[:30], dev=sample[30:], preset=SMALL, options=options, crossed=2).save(path)
    annotator = Annotator.load(path)
    assert isinstance(annotator.parser.model.search(), BeamSearch)
    parsed = list(annotator.annotate(treebank_text(sample[30:]).text, confidence=True))
    assert parsed
    assert not any(problem for sentence in parsed for problem in tree_problems(sentence.heads))
    assert all(sentence.confidence is not None for sentence in parsed)


def test_long_sentences_are_searched_in_pieces() -> None:
    sentence = bare(max(DEV, key=len))
    words = len(sentence)
    (whole,), (cut,) = trained().parse([sentence], longest=words), trained().parse([sentence], longest=words - 1)
    assert whole.heads == trained().parse_one(sentence).heads[1:].tolist()
    assert not any(tree_problems(cut.heads))
    (kept,) = trained().parse([partial(sentence, {1: words})], longest=words - 1, keep_heads=True)
    assert kept.heads[0] == words
    assert not any(tree_problems(kept.heads))
    (sure,) = trained().parse([sentence], longest=words - 1, confidence=True)
    assert any(sure.misc("HeadProb"))
    assert longest_whole(64) == 4096
    assert longest_whole(1024) == 400
    assert longest_whole(8, 70) == 70


def test_what_a_beam_cannot_do_is_refused() -> None:
    with pytest.raises(UsageError, match="its own search"):
        list(trained().parse(DEV, decoder="eisner"))
    with pytest.raises(UsageError, match="--restarts is for hill climbing"):
        Worker(Task("small", restarts=5), trained())
    with pytest.raises(UsageError, match="trees with one root"):
        list(trained().parse(DEV, single_root=False))


@cache
def ranked() -> Parser:
    rule = replace(RULE, objective="worst", ranking="fine", folds=2)
    preset = replace(
        SMALL, parts=HighOrder({"sibling": "h.upos m.upos s.upos"}, ("valency",), slots=1 << 12), incremental=rule
    )  # fmt: skip
    return Parser.train(TRAIN, dev=DEV, preset=preset, options=TrainingOptions(epochs=2))


def test_ranked_models_choose_by_the_mixture(tmp_path: Path) -> None:
    model = ranked().model
    assert model.transitions is not None
    encoded, share = model.encoder.encode(DEV), model.transitions.settings.share
    search = model.search()
    assert isinstance(search, BeamSearch)
    plain = replace(search, transitions=model.transitions.with_share(1.0))
    lists = plain.tree_lists(encoded, plain.lists(encoded, k=search.width))
    for sentence, (trees, parse) in enumerate(zip(lists, search.trees(encoded), strict=True)):
        scores = tree_scores(model.scorer, encoded, sentence, trees)
        best = int(np.argmax(mixture(trees.scores, scores, share)))
        assert parse.heads.tolist() == trees.heads[best].tolist()
    path = tmp_path / "ranked.headway"
    ranked().save(path)
    again = list(Parser.load(path).parse(DEV))
    assert [s.heads for s in again] == [s.heads for s in ranked().parse(DEV)]


def test_scores_are_rescaled_over_the_list() -> None:
    beam, ranker = np.array([3.0, 1.0, 2.0]), np.array([0.0, 0.0, 10.0])
    np.testing.assert_allclose(mixture(beam, ranker, 0.25), [0.25, 0.0, 0.875])
    np.testing.assert_allclose(mixture(beam[:1], ranker[:1], 0.25), [0.0])


def test_groups_are_by_wrong_heads() -> None:
    wrong = np.array([2, 0, 5, 2, 0])
    fine = [(better.tolist(), worse.tolist()) for better, worse in ranking_groups(wrong, fine=True)]
    assert fine == [([1, 4], [0, 2, 3]), ([0, 3], [2])]
    coarse = [(better.tolist(), worse.tolist()) for better, worse in ranking_groups(wrong, fine=False)]
    assert coarse == fine[:1]


@pytest.mark.parametrize("system", SYSTEMS)
def test_words_are_parsed_as_they_come(system: str) -> None:
    parser = trained(system=system)
    search, longest = parser.model.search(), max(DEV, key=len)
    assert isinstance(search, BeamSearch)
    columns = (longest.forms, longest.lemmas, longest.upos, longest.xpos, longest.feats)
    endless = [IncomingWord(*values) for values in zip(*columns, strict=True)] * 4
    taken: list[IncomingWord] = []

    def words() -> Iterator[IncomingWord]:
        for word in endless:
            taken.append(word)
            yield word

    anew = replace_transitions(search, search.transitions.of_prefixes())  # each prefix from its first word on
    for number, forest in enumerate(parser.parse_incrementally(words()), start=1):
        assert len(taken) == number == len(forest.heads) - 1  # no look-ahead
        forms, lemmas, upos, xpos, feats = map(list, zip(*taken, strict=True))
        prefix = Sentence.from_words(forms, lemmas=lemmas, upos=upos, xpos=xpos, feats=feats)
        found = anew.lists(parser.model.encoder.encode([prefix]), k=1)
        assert forest.heads[1:].tolist() == [head if head > 0 else -1 for head in found.heads[0, 1:].tolist()]
        assert forest.score == found.scores[0, 0]
        assert [label == "_" for label in forest.labels] == (forest.heads[1:] < 0).tolist()
    assert number == len(endless) > 64  # room was made


def test_graph_models_need_the_whole_sentence() -> None:
    with pytest.raises(UsageError, match="whole sentence"):
        next(graph_parser().parse_incrementally([IncomingWord("Dogs")]))


def test_losses_add_up() -> None:
    row, same = loss_rows({"one": trained().model, "same": trained().model}, DEV)
    assert (row["model"], row["choice"], row["relative time"]) == ("one", "beam", 1.0)
    assert {**same, "model": "one", "relative time": 1.0} == row
    assert row["UAS"] == pytest.approx(evaluate(DEV, list(trained().parse(map(bare, DEV)))).uas)
    assert row["generation loss"] <= row["loss"]  # type: ignore[operator]
    _, *rows = loss_rows({"one": trained().model, "ranked": ranked().model}, DEV)
    assert [(row["model"], row["choice"]) for row in rows] == [
        ("ranked", "beam"), ("ranked", "ranker"), ("ranked", "mixture"),
    ]  # fmt: skip
    assert rows[1]["relative time"] == rows[2]["relative time"]
    curve = beam_curve(trained().model, DEV, widths=(1, 4, 16))
    assert curve.errors[-1] <= curve.errors[0]
    assert len(curve.rows()) == 3
