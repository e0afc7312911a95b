"""Our scores beside the official scorer's (`udtools`), on disturbed treebanks and on sentences of our own."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from evaluation_samples import disturb, make_sentence, random_tree, small_corpus

from headway.corpus import Sentence, format_sentence, read_sentences
from headway.evaluation import CONTENT_RELATIONS, evaluate

udeval = pytest.importorskip("udtools.udeval", reason="udtools, the official scorer, is not installed")

OFFICIAL = {"UAS": "UAS", "LAS": "LAS-universal", "CLAS": "CLAS"}
TREEBANKS = (
    "UD_Basque-BDT",
    "UD_Chinese-GSD",
    "UD_Dutch-LassySmall",
    "UD_English-EWT",
    "UD_English-GUM",
    "UD_Korean-GSD",
    "UD_Latin-UDante",
    "UD_Portuguese-Bosque",
    "UD_Russian-Taiga",
    "UD_Swedish-Talbanken",
    "UD_Turkish-IMST",
)


def check_against_official(gold: Sequence[Sentence], system: Sequence[Sentence]) -> None:
    ours = evaluate(gold, system)
    theirs = udeval.evaluate(*(_load(sentences) for sentences in (gold, system)))
    for official, name in OFFICIAL.items():
        score, expected = ours.score(name), theirs[official]
        assert (score.correct, score.gold, score.system) == (
            expected.correct,
            expected.gold_total,
            expected.system_total,
        )
        for ratio in ("precision", "recall", "f1"):
            assert f"{getattr(score, ratio):.2f}" == f"{100 * getattr(expected, ratio):.2f}"


def _load(sentences: Sequence[Sentence]) -> object:
    text = "".join(map(format_sentence, sentences))
    return udeval.load_conllu(io.StringIO(text), "a corpus", {})


def test_content_relations_are_the_official_ones() -> None:
    assert CONTENT_RELATIONS == udeval.CONTENT_DEPRELS


def test_small_corpus() -> None:
    check_against_official(*small_corpus())


def test_relations_on_the_border_of_clas() -> None:
    """Content to function and back, unknown relations, several subtypes, subtypes that differ."""
    tags = "NOUN VERB ADP NOUN PUNCT"
    gold = make_sentence("a b c d .", tags, [2, 0, 4, 2, 2], "nsubj:pass root case obl:arg:x punct")
    others = ["obl", "punct:x", "nsubjpass", "case:obl", "compound:prt:y", "nsubj", "clf", "_"]
    for label in others:
        for word in range(5):
            labels = gold.labels
            labels[word] = label
            check_against_official([gold], [gold.with_tree(gold.heads, labels)])
            check_against_official([gold.with_tree(gold.heads, labels)], [gold])


def test_corpus_without_content_words() -> None:
    gold = [make_sentence("of .", "ADP PUNCT", [0, 1], "case punct")]
    check_against_official(gold, [gold[0].with_tree([2, 0], ["case", "punct"])])


def test_random_trees() -> None:
    generator = np.random.default_rng(7)
    labels = ["nsubj", "nsubj:pass", "det", "punct", "root", "aux:pass", "obl:x"]
    gold, system = [], []
    for length in generator.integers(1, 12, 200).tolist():
        sentence = Sentence.from_words(
            [f"w{i}" for i in range(length)],
            heads=random_tree(length, generator),
            labels=generator.choice(labels, length).tolist(),
        )
        gold.append(sentence)
        system.append(disturb(sentence, labels, generator))
    check_against_official(gold, system)


@pytest.mark.parametrize("name", TREEBANKS)
def test_disturbed_treebank(treebanks: Path, name: str) -> None:
    path = treebanks / name / "dev.conllu.xz"
    if not path.is_file():
        pytest.skip(f"no {name} among the treebanks")
    gold = [tree for tree in read_sentences(path) if tree.heads.count(0) == 1]  # the official scorer takes no others
    labels = sorted({label for sentence in gold for label in sentence.labels})
    generator = np.random.default_rng(len(gold))
    system = [disturb(sentence, labels, generator) for sentence in gold]
    assert 50 < evaluate(gold, system).uas < 95
    check_against_official(gold, system)
