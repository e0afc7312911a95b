"""A parser learns from clauses the head of a word that only a conjunction far away decides."""

import numpy as np

from headway import Parser, Sentence, TrainingOptions


def said(generator: np.random.Generator) -> Sentence:
    """Two clauses and a last word, which is of the second after "that", and of the first after "when"."""
    opener = str(generator.choice(["that", "when"]))
    tags = ["VERB", *["NOUN"] * 3, "SCONJ", *["NOUN"] * 3, "VERB", *["NOUN"] * 3, "ADV"]
    lemmas = [f"{tag.lower()}{generator.integers(3)}" for tag in tags]
    lemmas[4] = opener
    heads = [0, 1, 1, 1, 9, 9, 9, 9, 1, 9, 9, 9, 9 if opener == "that" else 1]
    labels = ["root", *["dep"] * 12]
    return Sentence.from_words(lemmas, lemmas=lemmas, upos=tags).with_tree(heads, labels)


def share_of_last_heads(preset: str) -> float:
    generator = np.random.default_rng(7)
    train, new = ([said(generator) for _ in range(size)] for size in (150, 100))
    parser = Parser.train(train, preset=preset, options=TrainingOptions(epochs=4))
    return float(np.mean([one.heads[-1] == gold.heads[-1] for one, gold in zip(parser.parse(new), new, strict=True)]))


def test_fast_sees_what_opened_the_clause_of_a_verb() -> None:
    assert share_of_last_heads("fast") > 0.95


def test_arcs_that_do_not_see_clauses_have_to_guess() -> None:
    assert share_of_last_heads("first-order") < 0.75
