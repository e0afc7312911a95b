"""The metrics of the shared task."""

import pytest
import small_corpus

from headway.corpus import Sentence, parse_sentences
from headway.errors import CorpusError
from headway.evaluation import evaluate
from headway.evaluation.raw_text import METRICS, evaluate_text


def rows(*lines: str) -> Sentence:
    """A sentence of ``id form lemma upos feats head relation``, spaces between."""
    table = []
    for line in lines:
        number, form, lemma, upos, feats, head, relation = line.split()
        table.append("\t".join((number, form, lemma, upos, "_", feats, head, relation, "_", "_")))
    [sentence] = parse_sentences("\n".join(table) + "\n\n")
    return sentence


GOLD = rows(
    "1 I I PRON Case=Nom 3 nsubj",
    "2-3 don't _ _ _ _ _",
    "2 do do AUX Mood=Ind|Style=Coll 4 aux",
    "3 n't not PART _ 4 advmod",
    "4 go go VERB _ 0 root",
    "5 . . PUNCT _ 4 punct",
)


def scores(system: list[Sentence], gold: list[Sentence] | None = None) -> dict[str, float]:
    return {name: score.f1 for name, score in evaluate_text(gold or [GOLD], system).items()}


def test_gold_against_itself() -> None:
    assert scores([GOLD]) == dict.fromkeys(METRICS, 100.0)


def test_words_inside_tokens_are_matched_by_their_forms() -> None:
    whole = rows(
        "1 I I PRON Case=Nom 3 nsubj",
        "2 don't do AUX Mood=Ind 3 aux",
        "3 go go VERB _ 0 root",
        "4 . . PUNCT _ 3 punct",
    )
    found = scores([whole])
    assert found["Tokens"] == found["Sentences"] == 100.0
    assert found["Words"] == pytest.approx(100 * 2 * 3 / (5 + 4))
    assert found["UAS"] == pytest.approx(100 * 2 * 2 / (5 + 4))  # I hangs on n't in gold
    other = rows(
        "1 I I PRON Case=Nom 3 nsubj",
        "2-3 don't _ _ _ _ _",
        "2 don do AUX Mood=Ind 4 aux",
        "3 n't not PART _ 4 advmod",
        "4 go go VERB _ 0 root",
        "5 . . PUNCT _ 4 punct",
    )
    assert scores([other])["Words"] == pytest.approx(80.0)


def test_sentences_and_tokens_by_their_characters() -> None:
    halves = [
        rows("1 I I PRON Case=Nom 0 root"),
        rows(
            "1-2 don't _ _ _ _ _", "1 do do AUX Mood=Ind 3 aux", "2 n't not PART _ 3 advmod", "3 go. go VERB _ 0 root"
        ),
    ]
    found = scores(halves)
    assert found["Sentences"] == 0.0
    assert found["Tokens"] == pytest.approx(100 * 2 * 2 / (4 + 3))
    assert found["Words"] == pytest.approx(100 * 2 * 3 / (5 + 4))


def test_features_that_are_not_universal_and_subtypes_do_not_count() -> None:
    other = rows(
        "1 I I PRON Case=Nom 3 nsubj:pass",
        "2-3 don't _ _ _ _ _",
        "2 do do AUX Mood=Ind 4 aux",
        "3 n't not PART _ 4 advmod",
        "4 go go VERB _ 0 root",
        "5 . . PUNCT _ 4 punct",
    )
    assert scores([other])["UFeats"] == 100.0
    assert scores([other])["LAS"] == 100.0


def test_on_the_same_words_it_is_the_usual_scores() -> None:
    gold = small_corpus.sample(20)
    system = [sentence.with_tree([0] * len(sentence), sentence.labels) for sentence in gold]
    usual, found = evaluate(gold, system), scores(system, gold)
    assert found["UAS"] == pytest.approx(usual.uas)
    assert found["LAS"] == pytest.approx(usual.score("LAS-universal").f1)
    assert found["CLAS"] == pytest.approx(usual.clas)


def test_another_text_is_refused() -> None:
    with pytest.raises(CorpusError, match="system: not the same text as gold: after 1 characters there is 'It', not"):
        scores([rows("1 It it PRON _ 0 root")], [rows("1 If if PRON _ 0 root")])
