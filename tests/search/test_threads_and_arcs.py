import brute_force
import numpy as np
import pytest
import small_corpus

from headway.decoders.eisner import Eisner
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoder
from headway.features.arc import ROW, make_arc_plan
from headway.scorers.linear_models import ArcModel
from headway.scorers.linear_scorer import LinearScorer, arc_scores
from headway.scorers.rows import pack, plain_rows
from headway.search import Search
from headway.support.threads import Threads

LENGTHS = (1, 4, 2, 5, 3, 4)


@pytest.fixture(scope="module")
def generator() -> np.random.Generator:
    return np.random.default_rng(21)


@pytest.fixture(scope="module")
def case(generator: np.random.Generator) -> tuple[Encoder, ArcModel, list]:
    sentences = [small_corpus.random_sentence(generator, length) for length in LENGTHS]
    encoder = Encoder.fit(sentences)
    plan = make_arc_plan(
        "h.upos m.upos\nh.form m.form\nm.form", atoms=encoder.names, constant=(), tag_class=encoder.tag_classes()
    )
    weights = generator.normal(size=(1 << 8, ROW)).astype(np.float32)
    return encoder, ArcModel(plan, plain_rows(weights)), sentences


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_the_best_tree_of_every_sentence(case: tuple, projective: bool, single_root: bool, packed: bool) -> None:
    encoder, model, sentences = case
    if packed:
        model = ArcModel(model.plan, pack(model.rows.values, most=200))
    encoded = encoder.encode(sentences)
    with Threads(1) as threads:
        search = Search(LinearScorer(model), Eisner() if projective else SpanningTree(), single_root=single_root)
        parses = search.trees(encoded, threads=threads)
    for index, length in enumerate(LENGTHS):
        table = arc_scores(encoded, index, model)
        heads = parses[index].heads
        assert parses[index].exact
        assert heads[0] == -1
        found = table[heads[1:], np.arange(1, length + 1)].sum()
        assert parses[index].score == pytest.approx(found)
        best = brute_force.best_score(table, projective=projective, single_root=single_root)
        assert found == pytest.approx(best)
        assert heads[1:].tolist() in brute_force.candidates_of(length, projective, single_root).tolist()


@pytest.mark.parametrize("number", [2, 3, 8])
def test_any_number_of_threads(case: tuple, number: int) -> None:
    encoder, model, sentences = case
    encoded = encoder.encode(sentences)
    with Threads(1) as one, Threads(number) as several:
        search = Search(LinearScorer(model), SpanningTree())
        alone, shared = (search.trees(encoded, threads=threads) for threads in (one, several))
        assert [parse.heads.tolist() for parse in shared] == [parse.heads.tolist() for parse in alone]


@pytest.mark.parametrize("number", [1, 2, 5])
def test_work_is_dealt_out_once_and_in_full(number: int) -> None:
    done: list[int] = []
    with Threads(number) as threads:
        threads.deal(lambda first, stride: done.extend(range(first, 20, stride)))
    assert sorted(done) == list(range(20))


@pytest.mark.parametrize("number", [1, 3])
def test_errors_come_out_of_threads(number: int) -> None:
    def fail(first: int, stride: int) -> None:
        raise ValueError("broken")

    with Threads(number) as threads, pytest.raises(ValueError, match="broken"):
        threads.deal(fail)


def test_no_sentences(case: tuple) -> None:
    encoder, model, _ = case
    with Threads(2) as threads:
        assert Search(LinearScorer(model), Eisner()).trees(encoder.encode([]), threads=threads) == []
