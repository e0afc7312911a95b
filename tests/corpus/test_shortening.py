"""Short sentences from long ones: they are trees, and parts of the trees that they come from."""

import numpy as np
import small_corpus
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import Sentence, is_tree
from headway.corpus.shortening import CLAUSES, MODIFIERS, OBJECTS, Shortening, shortened

LABELS = ("root", "nsubj", "det", "punct", "case", "mark", "cc", "nmod:poss", *sorted(MODIFIERS | OBJECTS))
ALL = Shortening(modifiers=1.0, objects=0.0, draws=1)


@st.composite
def trees(draw: st.DrawFn) -> Sentence:
    """A sentence whose words are all different, with any tree and any relations."""
    length = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, length + 1)))
    heads = [0] * length
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    labels = [draw(st.sampled_from(LABELS[1:])) if head else "root" for head in heads]
    upos = ["PUNCT" if label == "punct" else draw(st.sampled_from(("NOUN", "VERB"))) for label in labels]
    return Sentence.from_words([f"w{word}" for word in range(length)], upos=upos, heads=heads, labels=labels)


@given(trees(), st.integers(0, 100), st.sampled_from((Shortening(), ALL, Shortening(0.3, 0.3, 4, 20))))
def test_shortened_sentences_are_trees_with_their_tags_heads_and_relations(
    sentence: Sentence, seed: int, rule: Shortening
) -> None:
    place = {form: word for word, form in enumerate(sentence.forms)}
    for short in shortened([sentence], seed=seed, rule=rule):
        kept = [place[form] for form in short.forms]
        assert is_tree(short.heads)
        assert 1 < len(short) <= min(rule.longest, len(sentence) - 1)
        assert kept == sorted(kept)
        assert short.upos == [sentence.upos[word] for word in kept]
        top = kept[short.heads.index(0)]
        for word, head, label in zip(kept, short.heads, short.labels, strict=True):
            if word == top:
                assert label == "root"
                assert sentence.labels[top] in {"root", *CLAUSES}
            else:
                assert label == sentence.labels[word]
                is_stop = word == len(sentence) - 1 and sentence.upos[word] == "PUNCT"
                assert kept[head - 1] == (top if is_stop and sentence.heads[word] - 1 not in kept
                                          else sentence.heads[word] - 1)  # fmt: skip


def test_a_clause_and_the_clause_inside_it() -> None:
    forms = ["The", "old", "dogs", "of", "my", "neighbour", "bark", "loudly", "when", "it", "rains", "."]
    sentence = Sentence.from_words(
        forms,
        upos=["DET", "ADJ", "NOUN", "ADP", "PRON", "NOUN", "VERB", "ADV", "ADV", "PRON", "VERB", "PUNCT"],
        heads=[3, 3, 7, 6, 6, 3, 0, 7, 11, 11, 7, 7],
        labels=[
            "det",
            "amod",
            "nsubj",
            "case",
            "nmod:poss",
            "nmod",
            "root",
            "advmod",
            "mark",
            "nsubj",
            "advcl",
            "punct",
        ],
    )
    long, short = shortened([sentence], rule=ALL)
    assert (long.forms, long.heads) == (["The", "dogs", "bark", "."], [2, 3, 0, 3])
    assert (short.forms, short.heads) == (["It", "rains", "."], [2, 0, 2])
    assert short.labels == ["nsubj", "root", "punct"]
    assert sentence.forms == forms


def test_the_same_seed_gives_the_same_sentences() -> None:
    sentences = small_corpus.sample(40)
    first, again, other = (list(shortened(sentences, seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert len(first) > 10


def test_sentences_without_trees_give_none() -> None:
    generator = np.random.default_rng(1)
    assert list(shortened([small_corpus.random_sentence(generator, 8), Sentence.from_words([])])) == []
