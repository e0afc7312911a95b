import brute_force
import numpy as np
import pytest
import small_corpus
import small_parser
from hypothesis import given, settings
from hypothesis import strategies as st
from small_parser import DEV, TRAIN, bare, partial, search

from headway.corpus import Sentence, check_tree
from headway.errors import ConstraintError
from headway.parser import Parser
from headway.scorers.linear_scorer import arc_scores


@pytest.fixture(scope="module")
def parser() -> Parser:
    return small_parser.trained()


@pytest.fixture(scope="module", params=[True, False], ids=["projective", "non-projective"])
def either(parser: Parser, request: pytest.FixtureRequest) -> Parser:
    return small_parser.search(parser, projective=request.param)


def test_kept_heads_and_labels_are_kept_and_the_others_found(either: Parser) -> None:
    generator = np.random.default_rng(4)
    for gold in TRAIN[:15]:
        word = int(generator.integers(1, len(gold) + 1))
        given_heads = {word: gold.heads[word - 1]}
        [found] = either.parse([partial(gold, given_heads, {word: "strange"})], keep_heads=True)
        assert found.heads[word - 1] == gold.heads[word - 1]
        assert found.labels[word - 1] == "strange"
        check_tree(found.heads)
        assert found.labels.count("strange") == 1
        assert "_" not in found.labels


def test_a_kept_head_without_a_label_gets_one(either: Parser) -> None:
    [found] = either.parse([partial(TRAIN[0], {1: TRAIN[0].heads[0]})], keep_heads=True)
    assert found.heads[0] == TRAIN[0].heads[0]
    assert "_" not in found.labels


def test_a_label_without_a_head_is_not_kept(either: Parser) -> None:
    [found] = either.parse([partial(TRAIN[0], {1: TRAIN[0].heads[0]}, {2: "strange"})], keep_heads=True)
    assert "strange" not in found.labels


def test_a_wrong_head_is_kept_too(either: Parser) -> None:
    [free] = either.parse([TRAIN[0]])
    for wrong in set(range(1, len(free) + 1)) - {3, free.heads[2]}:
        [found] = either.parse([partial(TRAIN[0], {3: wrong})], keep_heads=True)
        assert found.heads[2] == wrong
        check_tree(found.heads)


def test_all_heads_kept(either: Parser) -> None:
    assert list(either.parse(TRAIN[:10], keep_heads=True)) == TRAIN[:10]


def test_no_heads_kept_is_plain_parsing(either: Parser) -> None:
    some = list(map(bare, DEV))
    assert list(either.parse(some, keep_heads=True)) == list(either.parse(some))


def test_kept_heads_may_cross(either: Parser) -> None:
    sentence = Sentence.from_words(["a", "b", "c", "d", "e"])
    [found] = either.parse([partial(sentence, {1: 3, 4: 2})], keep_heads=True)
    assert (found.heads[0], found.heads[3]) == (3, 2)
    check_tree(found.heads)


@pytest.mark.parametrize(
    ("heads", "reason"),
    [
        ({1: 2, 2: 1}, "cycle"),
        ({1: 0, 3: 0}, "both required to be the single root"),
        ({2: 2}, "own head"),
    ],
)
def test_heads_that_no_tree_has(either: Parser, heads: dict[int, int], reason: str) -> None:
    good, bad = Sentence.from_words(["a", "b", "c"]), partial(Sentence.from_words(["a", "b", "c"]), heads)
    bad.path, bad.line = "file.conllu", 17
    with pytest.raises(ConstraintError, match=rf"file\.conllu:17: .*{reason}"):
        list(either.parse([good, bad], keep_heads=True))
    told: list[Exception] = []
    assert len(list(either.parse([good, bad, good], keep_heads=True, report=told.append))) == 2
    assert len(told) == 1


def test_two_roots_may_be_kept_where_several_are_allowed(either: Parser) -> None:
    sentence = partial(Sentence.from_words(["a", "b", "c"]), {1: 0, 3: 0})
    [found] = either.parse([sentence], keep_heads=True, single_root=False)
    assert (found.heads[0], found.heads[2]) == (0, 0)


@settings(max_examples=30)
@given(st.integers(0, 1 << 30), st.booleans())
def test_the_best_tree_under_constraints(parser: Parser, seed: int, projective: bool) -> None:
    generator = np.random.default_rng(seed)
    model = search(parser, projective=projective)
    length = int(generator.integers(1, 6))
    sentence = small_corpus.random_sentence(generator, length)
    tree = small_corpus.random_heads(generator, length)
    required = {word: tree[word - 1] for word in range(1, length + 1) if generator.random() < 0.3}
    arcs = [(head, word) for word in range(1, length + 1) for head in range(length + 1) if head != word]
    forbidden = [(h, m) for h, m in arcs if generator.random() < 0.2 and tree[m - 1] != h]
    parse = model.parse_one(sentence, required=required, forbidden=forbidden)
    table = arc_scores(model.model.encoder.encode([sentence]), 0, model.model.linear.arcs)
    for head, modifier in forbidden:
        table[head, modifier] = -np.inf
    for modifier, head in required.items():
        table[np.arange(length + 1) != head, modifier] = -np.inf
    best = brute_force.best_score(table, projective=projective, single_root=True)
    if best == -np.inf:  # only crossing trees meet the constraints, and `tree` does
        best = brute_force.best_score(table, projective=False, single_root=True)
    assert parse.score == pytest.approx(best)
    assert table[parse.heads[1:], np.arange(1, length + 1)].sum() == pytest.approx(parse.score)
    assert parse.labels is not None
    assert len(parse.labels) == length
    assert parse.exact


def test_parse_one_is_parse_for_one(either: Parser) -> None:
    for sentence in DEV[:5]:
        parse = either.parse_one(sentence)
        [found] = either.parse([sentence])
        assert (parse.heads[1:].tolist(), list(parse.labels or ())) == (found.heads, found.labels)
