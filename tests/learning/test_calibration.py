import brute_force
import numpy as np
import pytest
import small_corpus

from headway.corpus import Sentence
from headway.decoders.eisner import Eisner
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoder
from headway.features.arc import ROW, make_arc_plan
from headway.learning.calibration import fit_temperature
from headway.learning.gold import GoldTrees, gold_trees
from headway.parts.candidate_batch import ALL_ARCS
from headway.scorers.linear_models import ArcModel
from headway.scorers.linear_scorer import LinearScorer, arc_scores
from headway.scorers.rows import plain_rows
from headway.search import Search
from headway.support.threads import Threads

LENGTH = 4


def random_model(generator: np.random.Generator, sentences: list[Sentence], spread: float) -> tuple[Encoder, ArcModel]:
    encoder = Encoder.fit(sentences)
    plan = make_arc_plan("h.upos m.upos\nh.form m.form", atoms=encoder.names, constant=(), tag_class={})
    weights = generator.normal(scale=spread, size=(1 << 10, ROW)).astype(np.float32)
    return encoder, ArcModel(plan, plain_rows(weights))


def fitted(model: ArcModel, gold: GoldTrees, projective: bool) -> float:
    search = Search(LinearScorer(model), Eisner() if projective else SpanningTree())
    return fit_temperature(search, gold, ALL_ARCS, ALL_ARCS, threads=Threads())


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_finds_the_temperature_of_sampled_trees(temperature: float, projective: bool) -> None:
    generator = np.random.default_rng(7)
    plain = [small_corpus.random_sentence(generator, LENGTH) for _ in range(300)]
    encoder, model = random_model(generator, plain, spread=temperature / 2)
    encoded = encoder.encode(plain)
    trees = brute_force.candidates_of(LENGTH, projective, True)
    drawn = []
    for index, sentence in enumerate(plain):
        table = arc_scores(encoded, index, model) / temperature
        scores = brute_force.tree_scores(table, projective=projective, single_root=True)
        chances = np.exp(scores - scores.max())
        tree = trees[generator.choice(len(trees), p=chances / chances.sum())]
        drawn.append(sentence.with_tree(tree.tolist(), ["dep"] * LENGTH))
    found = fitted(model, gold_trees(drawn, encoder, ["dep"]), projective)
    assert found == pytest.approx(temperature, rel=0.15)


def test_uninformative_sentences_keep_temperature_one() -> None:
    generator = np.random.default_rng(8)
    [word] = [small_corpus.random_sentence(generator, 1).with_tree([0], ["root"])]
    encoder, model = random_model(generator, [word], 1.0)
    assert fitted(model, gold_trees([word], encoder, ["root"]), True) == 1.0
