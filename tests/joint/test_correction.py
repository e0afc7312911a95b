"""Corrected tags: the search against listing, the chain's scores against the search's, and the pipeline around them."""

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import small_corpus

from headway import presets
from headway.annotator import Annotator, load_model
from headway.corpus import Sentence
from headway.errors import UsageError
from headway.joint import correction
from headway.joint.correction import _apart, choose_readings
from headway.joint.reading import read_lattices
from headway.joint.sampling import joint_chain
from headway.joint.scorer import JointWeights, best_trees, joint_scores
from headway.joint.states import Choice, Lattice, change
from headway.joint.training import pays
from headway.learning import TrainingOptions
from headway.parts import Candidates
from headway.scorers.rows import pack

SENTENCES = small_corpus.sample(75)
TRAIN, DEV = SENTENCES[:60], SENTENCES[60:]


@cache
def trained() -> Annotator:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "small", small_corpus.SMALL)
        options = TrainingOptions(epochs=2)
        return Annotator.train(TRAIN, dev=DEV, preset="small", options=options, crossed=2, correct_tags=True)


def weights(seed: int = 0) -> JointWeights:
    """Random ones, so that readings do change."""
    assert trained().corrector is not None
    rows = pack(np.random.default_rng(seed).normal(size=(1 << 12, 1)).astype(np.float32), most=1 << 12)
    return JointWeights(0.5, 0.1, trained().corrector.weights.plan, rows)


def lattices() -> list[Lattice]:
    """Some sentences with three words that have a second reading: the first of the next word."""
    found = []
    for sentence in DEV[:6]:
        lattice = Lattice.of_tagged(sentence)
        readings = [list(some) for some in lattice.readings]
        for word in range(min(3, len(readings) - 1)):
            readings[word].append(readings[word + 1][0]._replace(weight=-0.5))
        found.append(Lattice(sentence, readings))
    return found


def score(lattice: Lattice, chosen: tuple[int, ...]) -> float:
    choices = [lattice.choose(chosen)]
    return float(joint_scores(weights(), choices, *best_trees(trained().parser.model, choices))[0])


def neighbours(lattice: Lattice, chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
    """List the choices that differ in one word."""
    pairs = [(word, number) for word, readings in enumerate(lattice.readings) for number in range(len(readings))]
    return [change(chosen, word, number) for word, number in pairs if number != chosen[word]]


@pytest.mark.parametrize("hopeless", [np.inf, 1e6, 1.0])
def test_no_single_change_is_an_improvement(hopeless: float) -> None:
    found = choose_readings(trained().parser.model, weights(), lattices(), hopeless=hopeless)
    assert sum(any(chosen) for chosen in found) > 1
    for lattice, chosen in zip(lattices(), found, strict=True):
        best = score(lattice, chosen)
        assert best >= score(lattice, (0,) * len(chosen)) - 1e-5
        if hopeless > 1.0:
            assert best >= max(score(lattice, other) for other in neighbours(lattice, chosen)) - 1e-5


def test_sentences_do_not_depend_on_those_beside_them() -> None:
    model = trained().parser.model
    alone = [choose_readings(model, weights(), [lattice])[0] for lattice in lattices()]
    assert choose_readings(model, weights(), lattices()) == alone


def test_the_scores_that_a_chain_is_given_are_joint_scores() -> None:
    """By arcs: the parser of this test has no other parts."""
    model = trained().parser.model
    for lattice in lattices()[:3]:
        chain = joint_chain(model, weights(), lattice)
        assert list(chain.counts) == [len(of_word) for of_word in lattice.readings]
        for readings in [(0,) * len(lattice.forms), *neighbours(lattice, (0,) * len(lattice.forms))]:
            choices = [lattice.choose(readings)]
            encoded, [parse] = best_trees(model, choices)
            trees, constant = chain.conditional(readings)
            arcs = Candidates(trees.layout.offsets, trees.layout.heads).dense(trees.arc, np.nan)
            total = constant + sum(arcs[parse.heads[word], word] for word in range(1, len(parse.heads)))
            wanted = joint_scores(weights(), choices, encoded, [parse])[0]
            assert total * weights().tree == pytest.approx(wanted, rel=1e-5, abs=1e-4)


def test_a_chain_needs_trees_that_count() -> None:
    with pytest.raises(UsageError, match="no positive weight to trees"):
        joint_chain(trained().parser.model, replace(weights(), tree=0.0), lattices()[0])


def test_the_pipeline_learns_it_and_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "sample.headway"
    trained().save(path)
    loaded = load_model(path)
    assert isinstance(loaded, Annotator)
    assert loaded.corrector is not None
    assert trained().corrector is not None
    assert loaded.corrector.pays == trained().corrector.pays
    unread = [Sentence.from_words(sentence.forms) for sentence in DEV]
    found = list(loaded.tag(unread, correct_tags=True))
    assert found == list(trained().tag(unread, correct_tags=True))
    assert [len(sentence) for sentence in found] == [len(sentence) for sentence in DEV]
    assert list(loaded.tag(unread, correct_tags=False)) == trained().words.tag(unread)
    default = list(loaded.tag(unread))
    assert default == list(loaded.tag(unread, correct_tags=loaded.corrector.pays))
    right = [
        np.mean([one == other for one, other in zip(a.upos, b.upos, strict=True)])
        for a, b in zip(found, DEV, strict=True)
    ]
    assert np.mean(right) > 0.9


def test_tags_that_are_given_are_kept() -> None:
    unread = Sentence.from_words(DEV[0].forms)
    mixed = [DEV[0], unread, DEV[1].with_tags(upos=["X"] * len(DEV[1]))]
    found = list(trained().tag(mixed, correct_tags=True))
    assert found[0] == DEV[0]
    assert set(found[2].upos) == {"X"}
    assert found[1] == next(trained().tag([unread], correct_tags=True))


def test_readings_are_those_of_the_word_model() -> None:
    found = read_lattices(trained().words, DEV[:3])
    for lattice, sentence in zip(found, trained().words.tag(DEV[:3]), strict=True):
        assert lattice.sentence == sentence
        assert lattice.tagged((0,) * len(sentence)) == sentence
        assert all(len(readings) >= 1 for readings in lattice.readings)
        assert len(lattice.others()) == len(neighbours(lattice, (0,) * len(sentence)))


def test_a_model_that_cannot_correct_tags_says_so() -> None:
    plain = Annotator(trained().segmenter, trained().splitter, trained().words, trained().parser)
    with pytest.raises(UsageError, match="--correct-tags"):
        next(plain.tag(DEV[:1], correct_tags=True))
    assert list(itertools.islice(plain.tag(DEV[:1]), 1)) == list(plain.tag(DEV[:1], correct_tags=False))


def test_a_network_that_reads_no_tags_cannot_correct_them() -> None:
    with pytest.raises(UsageError, match="reads no tags"):
        Annotator.train(TRAIN, preset="neural", correct_tags=True)


def test_changes_far_apart_are_kept_in_the_same_round() -> None:
    changes, gains = [(1, 1), (3, 1), (5, 1), (9, 2), (9, 1), (14, 1)], np.array([0.3, 0.9, 0.5, 0.2, 0.4, -0.1])
    assert _apart(changes, gains) == [(3, 1), (9, 1)]
    assert _apart(changes, -np.abs(gains)) == []
    assert _apart(changes, np.full(6, np.nan)) == []


def ambiguous(words: int) -> Lattice:
    """A sentence of so many words, of which every tenth has a second reading: the first of the next word."""
    lattice = Lattice.of_tagged(Sentence.from_words(DEV[0].forms * words).with_tags(upos=[*DEV[0].upos] * words))
    readings = [list(some) for some in lattice.readings[:words]]
    for word in range(0, words - 1, 10):
        readings[word].append(readings[word + 1][0]._replace(weight=-0.5))
    return Lattice(Sentence.from_words(lattice.forms[:words]), readings)


def parsed_choices(monkeypatch: pytest.MonkeyPatch) -> list[list[Choice]]:
    """Record what is parsed from now on: a list for each batch."""
    batches: list[list[Choice]] = []

    def recorded(model: object, choices: list[Choice], **options: object) -> object:
        batches.append(list(choices))
        return best_trees(model, choices, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(correction, "best_trees", recorded)
    return batches


def test_many_changes_take_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    batches, model, lattice = parsed_choices(monkeypatch), trained().parser.model, ambiguous(80)
    [together] = choose_readings(model, weights(), [lattice], hopeless=np.inf)
    rounds = len(batches)
    batches.clear()
    monkeypatch.setattr(correction, "_APART", 1000)
    [alone] = choose_readings(model, weights(), [lattice], hopeless=np.inf)
    assert sum(alone) > 2
    assert rounds < len(batches)
    assert score(lattice, together) == pytest.approx(score(lattice, alone), abs=0.5)


def test_more_readings_are_hopeless_in_long_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    batches, model, lattice = parsed_choices(monkeypatch), trained().parser.model, ambiguous(80)
    tried = []
    for limit in (40, 1 << 20):
        monkeypatch.setattr(correction, "_LONG", limit)
        batches.clear()
        for hopeless in (1.0, 4.0, 8.0, 16.0, 32.0):
            choose_readings(model, weights(), [lattice], hopeless=hopeless)
        tried.append(sum(map(len, batches)))
    assert tried[0] < tried[1]


def test_it_pays_if_it_is_better_than_the_pipeline_without_it() -> None:
    corrector, lattices = trained().corrector, read_lattices(trained().words, DEV)
    assert corrector is not None
    wrong = [sentence.with_tags(upos=["X"] * len(sentence)) for sentence in DEV]
    assert pays(corrector, trained().parser, DEV, wrong, lattices)
    assert not pays(corrector, trained().parser, DEV, DEV, lattices)
