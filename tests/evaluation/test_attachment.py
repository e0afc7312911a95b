"""Attachment scores: by hand, and what must hold of any pair of corpora."""

from fractions import Fraction

import pytest
from evaluation_samples import make_sentence, sentence_pairs, small_corpus
from hypothesis import given
from hypothesis import strategies as st

from headway.errors import HeadwayError, UsageError
from headway.evaluation import METRICS, Evaluation, evaluate

BY_HAND = {
    "UAS": (8, 10),
    "LAS": (6, 10),
    "LAS-universal": (7, 10),
    "LA": (8, 10),
    "LA-universal": (9, 10),
    "UEM": (2, 3),
    "LEM": (1, 3),
    "LEM-universal": (1, 3),
    "UAS-nopunct": (6, 7),
    "LAS-nopunct": (5, 7),
    "LAS-universal-nopunct": (6, 7),
    "LA-nopunct": (6, 7),
    "LA-universal-nopunct": (7, 7),
    "UEM-nopunct": (2, 3),
    "LEM-nopunct": (2, 3),
    "LEM-universal-nopunct": (2, 3),
}


@pytest.fixture(scope="module")
def small() -> Evaluation:
    return evaluate(*small_corpus())


@pytest.mark.parametrize(("metric", "ratio"), BY_HAND.items())
def test_accuracies_by_hand(small: Evaluation, metric: str, ratio: tuple[int, int]) -> None:
    score = small.score(metric)
    assert (score.correct, score.gold, score.system) == (ratio[0], ratio[1], ratio[1])
    assert score.f1 == score.precision == score.recall == pytest.approx(float(100 * Fraction(*ratio)))


def test_paired_metrics_by_hand(small: Evaluation) -> None:
    clas, root, nonprojective = (small.score(name) for name in ("CLAS", "ROOT", "NONPROJ"))
    assert (clas.correct, clas.gold, clas.system) == (5, 6, 7)
    assert (clas.precision, clas.recall, clas.f1) == pytest.approx((500 / 7, 500 / 6, 1000 / 13))
    assert (root.correct, root.gold, root.system) == (3, 3, 3)
    assert (nonprojective.correct, nonprojective.gold, nonprojective.system) == (0, 0, 1)


def test_every_metric_is_checked_by_hand() -> None:
    assert set(METRICS) == {*BY_HAND, "CLAS", "ROOT", "NONPROJ"}


def test_sizes_and_shorthands(small: Evaluation) -> None:
    assert (small.sentences, small.words) == (3, 10)
    assert (small.uas, small.las, small.clas) == pytest.approx((80, 60, 1000 / 13))


def test_corpora_are_streamed() -> None:
    gold, system = small_corpus()
    assert evaluate(iter(gold), iter(system)).las == evaluate(gold, system).las


def test_missing_head_counts_as_wrong() -> None:
    gold = make_sentence("Birds sing", "NOUN VERB", [2, 0], "nsubj root")
    system = gold.with_tree([-1, 0], ["nsubj", "root"])
    evaluation = evaluate([gold], [system])
    assert (evaluation.uas, evaluation.las, evaluation.score("LA").f1) == (50, 50, 100)
    assert evaluation.by_arc_length()["missing"].system == 1
    assert evaluation.by_arc_projectivity["missing"].system == 1


def test_punctuation_of_other_tag_sets_is_found_by_its_form() -> None:
    forms = "He said « ¿ no ? » -- 3 % ... $"
    tags = "PRP VBD `` _ RB . '' : CD PUNCT SYM $"
    gold = make_sentence(forms, tags, [2, 0] + [2] * 10, " ".join(["dep"] * 12))
    assert evaluate([gold], [gold]).score("UAS-nopunct").gold == 6  # He said no 3 ... $
    universal = gold.with_tags(upos=["X"] * 12)
    assert evaluate([universal], [universal]).score("UAS-nopunct").gold == 12


def test_sentence_of_punctuation_is_no_sentence_without_it() -> None:
    gold = make_sentence("! !", "PUNCT PUNCT", [0, 1], "root punct")
    score = evaluate([gold], [gold]).score("UEM-nopunct")
    assert (score.correct, score.gold, score.f1) == (0, 0, 0.0)


def test_empty_input() -> None:
    evaluation = evaluate([], [])
    assert (evaluation.sentences, evaluation.words, evaluation.las) == (0, 0, 0.0)
    assert evaluation.by_sentence_length() == evaluation.by_arc_length() == {}


def test_different_words_are_named() -> None:
    gold, system = small_corpus()
    system[2] = make_sentence("Stop it", "VERB PRON", [0, 1], "root obj")
    with pytest.raises(HeadwayError, match=r"sentence 3 \(third\).*word 2 is '!' in gold and 'it' in system"):
        evaluate(gold, system)


def test_different_numbers_of_words_are_named() -> None:
    gold, system = small_corpus()
    system[1] = make_sentence("She sings", "PRON VERB", [2, 0], "nsubj root")
    with pytest.raises(HeadwayError, match=r"sentence 2: gold has 3 words and system 2.*word 3.*missing in system"):
        evaluate(gold, system)


@pytest.mark.parametrize("short", ["gold", "system"])
def test_different_numbers_of_sentences_are_named(short: str) -> None:
    gold, system = small_corpus()
    del (gold if short == "gold" else system)[2]
    with pytest.raises(HeadwayError, match=rf"{short} ends after 2 sentences.*sentence 3 \(third\): 'Stop !'"):
        evaluate(gold, system)


def test_gold_must_have_heads() -> None:
    gold, system = small_corpus()
    gold[0] = gold[0].with_tree([3, -1, 4, 0, 4], gold[0].labels)
    with pytest.raises(HeadwayError, match=r"sentence 1: gold word 2 \('old'\) has no head"):
        evaluate(gold, system)


def test_heads_must_be_in_the_sentence() -> None:
    gold, system = small_corpus()
    system[1] = system[1].with_tree([2, 0, 4], system[1].labels)
    with pytest.raises(HeadwayError, match=r"sentence 2: system word 3 \('.'\) has head 4"):
        evaluate(gold, system)


def test_unknown_metric_is_named(small: Evaluation) -> None:
    with pytest.raises(UsageError, match=r"no metric 'LAZ'.*LAS"):
        small.score("LAZ")


@given(st.lists(sentence_pairs(), min_size=1, max_size=5))
def test_gold_against_itself_is_perfect(pairs: list) -> None:
    gold = [pair[0] for pair in pairs]
    evaluation = evaluate(gold, gold)
    assert all(evaluation.score(name).f1 == 100 for name in METRICS if evaluation.score(name).gold)
    assert all(row.f1 == row.unlabelled_f1 == 100 for row in evaluation.by_relation.values())


@given(st.lists(sentence_pairs(), min_size=1, max_size=5))
def test_stricter_metrics_are_lower(pairs: list) -> None:
    evaluation = evaluate(*zip(*pairs, strict=True))
    for scope in ("", "-nopunct"):
        chains = [
            ("LAS", "LAS-universal", "UAS"),
            ("LAS", "LA", "LA-universal"),
            ("LEM", "LEM-universal", "UEM"),
        ]
        for chain in chains:
            scores = [evaluation.score(name + scope).f1 for name in chain]
            assert scores == sorted(scores)


@given(st.lists(sentence_pairs(), min_size=1, max_size=5))
def test_corpus_is_the_sum_of_its_sentences(pairs: list) -> None:
    whole = evaluate(*zip(*pairs, strict=True))
    parts = [evaluate([gold], [system]) for gold, system in pairs]
    for name in METRICS:
        scores = [part.score(name) for part in parts]
        assert whole.score(name).correct == sum(score.correct for score in scores)
        assert whole.score(name).system == sum(score.system for score in scores)
