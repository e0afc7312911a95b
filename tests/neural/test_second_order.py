"""Siblings and grandparents by trilinear forms: tables, what is learned, and proofs."""

from dataclasses import replace
from pathlib import Path

import brute_force
import numpy as np
import pytest
from part_samples import slow_layout

from headway import Parser, TrainingOptions
from headway.corpus import Sentence, is_tree, read_sentences
from headway.encoding import Encoder
from headway.errors import UsageError
from headway.parts import Candidates, Kind, Scores, tree_score
from headway.parts.kinds import KINDS
from headway.parts.part_tables import lay_out_tables, list_table
from headway.presets import PRESETS, Neural
from headway.scorers.neural.second_order import trilinear_scores

SECOND = (Kind.SIBLING, Kind.GRANDPARENT)
TINY = replace(PRESETS["neural"], neural=Neural(layers=1, hidden=8, word=8, character=8, arc=8, label=6, second=4))
FORMS = ["Dogs", "bark", "at", "cats"]


def second_order_tables(candidates: Candidates, arcs: np.ndarray, factors: np.ndarray) -> Scores:
    """Tables from factors (n + 2, 6, R), part by part."""
    tables = {}
    for kind, three in zip(SECOND, (factors[:, :3], factors[:, 3:]), strict=True):
        parts = list(slow_layout(candidates, kind))
        products = np.array([float((three[a, 0] * three[b, 1] * three[c, 2]).sum()) for a, b, c in parts])
        circles = np.array([kind is Kind.GRANDPARENT and a == c for a, _, c in parts])
        tables[str(kind)] = np.where(circles, 0.0, products)
    return Scores(candidates.gather(arcs), **tables)


def test_tables_are_sums_of_products() -> None:
    generator = np.random.default_rng(1)
    candidates = Candidates.from_mask(brute_force.random_table(generator, 5, "normal") > -np.inf)
    factors = generator.normal(size=(7, 6, 3)).astype(np.float32)
    expected = second_order_tables(candidates, np.zeros((6, 6)), factors)
    layout = lay_out_tables(candidates.mask())
    for place, kind in enumerate(SECOND):
        three = np.ascontiguousarray(factors[:, 3 * place : 3 * place + 3])
        found = trilinear_scores(list_table(layout, KINDS.index(kind)), three)
        np.testing.assert_allclose(found, expected.table(kind), atol=1e-5)


def test_each_word_weighs_heads_as_trees_score() -> None:
    """Hanging a word on another head changes the score of the tree by the difference of gains."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: headway[neural]")
    from headway.scorers.neural.trilinear import second_order_gains, tree_context

    generator, n = np.random.default_rng(2), 5
    factors = generator.normal(size=(n + 2, 6, 3)).astype(np.float32)
    candidates = Candidates.all(n)
    scores = second_order_tables(candidates, np.zeros((n + 1, n + 1)), factors)
    trees = brute_force.trees(n).heads[::131]
    heads = np.hstack([np.full((len(trees), 1), -100), trees])
    context = tree_context(heads)
    batch = torch.from_numpy(np.repeat(factors[None], len(trees), axis=0))
    gains = second_order_gains(batch, heads, context).numpy()
    known = {tuple(tree) for tree in brute_force.trees(n).heads.tolist()}
    for row, tree in enumerate(trees.tolist()):
        before = tree_score(candidates, scores, np.array([-1, *tree], dtype=np.int32))
        for word in range(1, n + 1):
            for head in set(range(n + 1)) - {word}:
                moved = [*tree[: word - 1], head, *tree[word:]]
                assert bool(context.below[row, head, word]) == (tuple(moved) not in known)
                if tuple(moved) in known:
                    change = tree_score(candidates, scores, np.array([-1, *moved], dtype=np.int32)) - before
                    assert gains[row, head, word] - gains[row, tree[word - 1], word] == pytest.approx(change, abs=1e-3)


def test_exact_search_proves_the_best_tree() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: headway[neural]")
    from headway.decoders import find_decoder
    from headway.scorers.neural.export import export_network
    from headway.scorers.neural.network import Network, Shape, WordEncoder
    from headway.scorers.neural.readers import WordReader
    from headway.scorers.neural.scorer import NeuralScorer
    from headway.search import Search

    reader = WordReader.fit([FORMS, FORMS[:2]])
    shape = Shape(1, 8, 8, 8, 8, 6, second=3)
    encoder = WordEncoder(shape, words=len(reader.words) + 3, characters=len(reader.characters) + 3)
    torch.manual_seed(1)
    network = Network(encoder, shape, labels=2, tags=1)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    labels = network.labels.detach().numpy()
    scorer = NeuralScorer(export_network(network, reader), reader, labels, np.ones((2, 2), dtype=np.bool_), ["_"])
    sentences = [Sentence.from_words(FORMS), Sentence.from_words(FORMS[:2])]
    encoded, candidates = Encoder.fit(sentences).encode(sentences), Candidates.all(4)
    made = reader.batch([FORMS])
    with torch.no_grad():
        arcs, *_, factors = network.eval()(*(torch.from_numpy(made[name]) for name in encoder.inputs))
    expected = second_order_tables(candidates, arcs[0].numpy().astype(np.float64), factors[0].numpy())
    found = scorer.scores(encoded, 0, candidates)
    for kind in (Kind.ARC, *SECOND):
        np.testing.assert_allclose(found.table(kind), expected.table(kind), atol=1e-3)
    parse = Search(scorer, find_decoder("exact", projective=False)).decode(encoded, 0, candidates)
    trees = brute_force.trees(4)
    totals = [
        tree_score(candidates, expected, np.array([-1, *tree], dtype=np.int32))
        for tree in trees.heads[trees.single_root]
    ]
    assert parse.exact
    assert parse.score == pytest.approx(max(totals), abs=1e-3)


def test_a_model_is_trained_climbed_and_saved(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: headway[neural]")
    pytest.importorskip("onnx", reason="onnx is not installed: headway[neural]")
    examples = Path(__file__).parents[2] / "examples"
    train = list(read_sentences(str(examples / "sample-train.conllu")))[:12]
    parser = Parser.train(train, dev=train[:4], preset=TINY, options=TrainingOptions(epochs=2))
    assert parser.model.settings.decoder == "hill-climbing"
    assert parser.model.scorer.kinds == {Kind.ARC, *SECOND}
    parser.save(tmp_path / "second.headway")
    again = Parser.load(tmp_path / "second.headway")
    parsed = list(again.parse(train[:4], confidence=True))
    assert parsed == list(parser.parse(train[:4], confidence=True))
    assert all(is_tree(one.heads) for one in parsed)
    [proved] = again.parse([Sentence.from_words(FORMS)], decoder="exact")
    assert proved.metadata["optimal"] == "yes"
    both = replace(PRESETS["neural-sum"], neural=replace(TINY.neural, folds=2))
    with pytest.raises(UsageError, match="on top of arc scores"):
        Parser.train(train, preset=both)
