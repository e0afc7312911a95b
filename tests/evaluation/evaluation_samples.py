"""Sentences to evaluate: a hand-made corpus, arbitrary pairs, and trees disturbed into other trees."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from slow_trees import dominates

from headway.corpus import Sentence

LABELS = ("nsubj", "nsubj:pass", "obj", "det", "punct", "root", "conj:and", "_")
TAGS = ("NOUN", "VERB", "PUNCT")


def make_sentence(forms: str, tags: str, heads: Sequence[int], labels: str, *, name: str = "") -> Sentence:
    comments = [f"# sent_id = {name}"] if name else []
    return Sentence.from_words(forms.split(), upos=tags.split(), heads=heads, labels=labels.split(), comments=comments)


def small_corpus() -> tuple[list[Sentence], list[Sentence]]:
    """Three gold sentences and a system's trees for them."""
    gold = [
        make_sentence("The old dog barked .", "DET ADJ NOUN VERB PUNCT", [3, 3, 4, 0, 4], "det amod nsubj root punct"),
        make_sentence("She sings .", "PRON VERB PUNCT", [2, 0, 2], "nsubj root punct"),
        make_sentence("Stop !", "VERB PUNCT", [0, 1], "root punct", name="third"),
    ]
    system = [
        gold[0].with_tree([3, 4, 4, 0, 3], ["det", "amod", "nsubj:pass", "root", "punct"]),
        gold[1],
        gold[2].with_tree([0, 1], ["root", "discourse"]),
    ]
    return gold, system


@st.composite
def sentence_pairs(draw: st.DrawFn) -> tuple[Sentence, Sentence]:
    """A gold sentence, and one of the same words whose heads may be anything, missing ones included."""
    length = draw(st.integers(1, 9))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    words = {"forms": [f"w{i}" for i in range(length)], "upos": list(generator.choice(TAGS, length))}
    gold_labels, system_labels = generator.choice(LABELS, (2, length)).tolist()
    gold = Sentence.from_words(**words, heads=random_tree(length, generator), labels=gold_labels)
    heads = np.where(generator.random(length) < 0.5, gold.heads, generator.integers(-1, length + 1, length))
    labels = [
        one if keep else other
        for one, other, keep in zip(gold_labels, system_labels, generator.random(length) < 0.6, strict=True)
    ]
    return gold, gold.with_tree(heads.tolist(), labels)


def random_tree(length: int, generator: np.random.Generator) -> list[int]:
    """A tree with one child of the root: each word, in random order, hangs on one that came before."""
    order = (generator.permutation(length) + 1).tolist()
    heads = [0] * length
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[int(generator.integers(place))]
    return heads


def disturb(sentence: Sentence, labels: Sequence[str], generator: np.random.Generator) -> Sentence:
    """The sentence with some heads and labels changed; a tree with one root child stays one."""
    heads, relations = sentence.heads, sentence.labels
    if generator.random() < 0.1:
        new_root = int(generator.integers(1, len(heads) + 1))
        old_root = heads.index(0) + 1
        heads[new_root - 1] = 0
        if old_root != new_root:
            heads[old_root - 1] = new_root
    for word in np.flatnonzero(generator.random(len(heads)) < 0.2) + 1:
        head = int(generator.integers(1, len(heads) + 1))
        if heads[word - 1] != 0 and not dominates(int(word), head, heads):
            heads[word - 1] = head
    for word in np.flatnonzero(generator.random(len(heads)) < 0.2):
        relations[word] = str(generator.choice(labels))
    return sentence.with_tree(heads, relations)
