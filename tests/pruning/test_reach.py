"""Arcs by their length: what is left, beside a plain count."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from small_corpus import sample

from headway import Parser, Sentence, TrainingOptions
from headway.encoding import Encoder
from headway.learning.gold import gold_trees
from headway.model import TrainedModel
from headway.pruning import Reach
from headway.support.threads import Threads

LEAST, SLACK = 10, 1.5


def long_sentences(number: int, length: int, seed: int) -> list[Sentence]:
    """Random words and trees."""
    generator = np.random.default_rng(seed)
    return [
        Sentence.from_words(
            [f"w{generator.integers(50)}" for _ in range(length)],
            upos=[str(tag) for tag in generator.choice(["NOUN", "VERB", "DET", "ADP"], size=length)],
            heads=[0] + [int(generator.integers(max(1, word - 12), word)) for word in range(2, length + 1)],
            labels=["root"] + ["dep"] * (length - 1),
        )
        for _ in range(number)
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_arcs_are_no_longer_than_their_like(threads: int) -> None:
    train, other = long_sentences(6, 30, seed=1), long_sentences(4, 40, seed=2)
    longest: dict[tuple[str, str, bool], int] = defaultdict(int)
    for sentence in train:
        for word, head in enumerate(sentence.heads, start=1):
            if head:
                kind = sentence.upos[head - 1], sentence.upos[word - 1], head < word
                longest[kind] = max(longest[kind], abs(head - word))
    encoder = Encoder.fit(train)
    gold = gold_trees(train, encoder, ["root", "dep"])
    reach, pruned = Reach.fit(gold.encoded, gold.heads), 0
    with Threads(threads) as pool:
        tables = reach.prune(encoder.encode(other), threads=pool)
    for index, sentence in enumerate(other):
        table, size = tables.of(index), len(sentence) + 1
        for head in range(size):
            for word in range(size):
                expected = word > 0 and head != word
                if expected and head:
                    kind = sentence.upos[head - 1], sentence.upos[word - 1], head < word
                    expected = abs(head - word) <= max(LEAST, int(SLACK * longest[kind]))
                assert table[head, word] == expected
                pruned += not expected
    assert pruned > 1000


def test_no_gold_arc_of_the_treebank_is_lost_and_new_tags_are_free() -> None:
    train = long_sentences(6, 60, seed=3)
    encoder = Encoder.fit(train)
    gold = gold_trees(train, encoder, ["root", "dep"])
    reach = Reach.fit(gold.encoded, gold.heads)
    with Threads() as pool:
        tables = reach.prune(gold.encoded, threads=pool)
        strange = Sentence.from_words(["w1"] * 80, upos=["NOUN"] * 79 + ["SYM"])
        last = reach.prune(encoder.encode([strange]), threads=pool).of(0)
    for index, sentence in enumerate(train):
        assert tables.of(index)[sentence.heads, np.arange(1, len(sentence) + 1)].all()
    assert last[:80, 80].all()
    assert last[80, 1:80].all()


def test_the_parser_finds_no_longer_arcs() -> None:
    parser = Parser.train(sample(30), preset="fast", options=TrainingOptions(epochs=1))
    long, far = long_sentences(3, 200, seed=5), []
    assert isinstance(parser.model.pruner, Reach)
    with Threads() as pool:
        tables = parser.model.pruner.prune(parser.model.encoder.encode(long), threads=pool)
    for one in (parser, Parser(replace(parser.model, pruner=None))):
        found = [sentence.heads for sentence in one.parse(long)]
        far.append(
            sum(not tables.of(i)[head, word] for i, heads in enumerate(found) for word, head in enumerate(heads, 1))
        )
    assert far[0] == 0
    assert far[1] > 0


def test_far_heads_are_kept_where_they_are_given(tmp_path) -> None:
    parser = Parser.train(sample(30), preset="fast", options=TrainingOptions(epochs=1))
    assert isinstance(parser.model.pruner, Reach)
    parser.save(tmp_path / "model.headway")
    again = TrainedModel.load(tmp_path / "model.headway")
    assert isinstance(again.pruner, Reach)
    assert np.array_equal(again.pruner.longest, parser.model.pruner.longest)
    [long] = long_sentences(1, 200, seed=4)
    far = Sentence.from_words(long.forms, upos=long.upos, heads=[-1] * 199 + [1])
    encoded = parser.model.encoder.encode([far])
    with Threads() as pool:
        assert not parser.model.pruner.prune(encoded, threads=pool).of(0)[1, 200]
    [found] = parser.parse([far], keep_heads=True)
    assert found.heads[-1] == 1
    assert parser.parse_one(long, required={200: 1}).heads[200] == 1
