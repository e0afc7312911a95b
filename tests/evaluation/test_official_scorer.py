"""Our scores beside the official scorer's (`udtools`), on disturbed treebanks and on sentences of our own."""

import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from evaluation_samples import disturb, make_sentence, random_tree, small_corpus

from headway.corpus import Sentence, format_sentence, read_sentences
from headway.corpus.text import Token, surface_tokens
from headway.corpus.text import make_sentence as make_text_sentence
from headway.evaluation import CONTENT_RELATIONS, evaluate
from headway.evaluation.raw_text import METRICS, evaluate_text

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


def check_text_against_official(gold: Sequence[Sentence], system: Sequence[Sentence]) -> None:
    ours = evaluate_text(gold, system)
    theirs = udeval.evaluate(*(_load(sentences) for sentences in (gold, system)))
    for name in METRICS:
        score, expected = ours[name], theirs[name]
        found = name, score.correct, score.gold, score.system, score.aligned
        assert found == (
            name, expected.correct, expected.gold_total, expected.system_total, expected.aligned_total,
        )  # fmt: skip
        for ratio in ("precision", "recall", "f1"):
            assert f"{getattr(score, ratio):.2f}" == f"{100 * getattr(expected, ratio):.2f}"
        if score.aligned:
            assert f"{score.aligned_accuracy:.2f}" == f"{100 * expected.aligned_accuracy:.2f}"


def cut_differently(gold: Sequence[Sentence], generator: np.random.Generator) -> list[Sentence]:
    """The same text with other tokens, words and sentences, tags and trees."""
    tokens = [token for sentence in gold for token in surface_tokens(sentence)]
    upos = [tag for sentence in gold for tag in sentence.upos]
    found, own, text = list[Sentence](), list[Token](), ""
    for number, (form, words, _) in enumerate(tokens, start=1):
        letters = "".join(form.split())
        choice, cut = generator.random(), len(letters) // 2
        if choice < 0.1 and cut:
            pieces = [(letters[:cut], (letters[:cut],)), (letters[cut:], (letters[cut:],))]
        elif choice < 0.2 and cut:
            pieces = [(letters, (letters[:cut], letters[cut:]))]
        elif choice < 0.25:
            pieces = [(letters, (letters,))]
        else:
            pieces = [(letters, tuple(words))]
        for piece, parts in pieces:
            own.append(Token(piece, len(text), len(text) + len(piece), parts))
            text += f"{piece} "
        if generator.random() < 0.08 or number == len(tokens):
            made = make_text_sentence(own, text, number=len(found) + 1, before=own[0].start, after=len(text))
            heads = random_tree(len(made), generator)
            tags = [upos[min(place, len(upos) - 1)] for place in range(len(made))]
            feats = [str(generator.choice(["_", "Case=Nom", "Case=Nom|Style=Coll"])) for _ in tags]
            tagged = made.with_tags(upos=tags, feats=feats, lemmas=[word.lower() for word in made.forms])
            labels = ["root" if head == 0 else str(generator.choice(["nsubj", "det", "obl:tmod"])) for head in heads]
            found.append(tagged.with_tree(heads, labels))
            own = []
    return found


@pytest.mark.parametrize("name", ["UD_English-EWT", "UD_Portuguese-Bosque", "UD_Turkish-IMST", "UD_Latin-UDante"])
def test_raw_text_of_treebanks(treebanks: Path, name: str) -> None:
    gold = list(islice(read_sentences(treebanks / name / "dev.conllu.xz"), 150))
    check_text_against_official(gold, cut_differently(gold, np.random.default_rng(3)))


def test_raw_text_of_the_small_corpus() -> None:
    gold, _ = small_corpus()
    for seed in range(5):
        check_text_against_official(gold, cut_differently(gold, np.random.default_rng(seed)))
