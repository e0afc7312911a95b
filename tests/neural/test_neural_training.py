"""Training of networks: skipped where PyTorch is not installed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_corpus import with_tables

from headway import Annotator, Parser, TrainingOptions
from headway.corpus import Sentence, is_tree, read_sentences
from headway.errors import ModelError, UsageError
from headway.learning.checkpoint import remove_checkpoints
from headway.model_file import read_model_file, write_model_file
from headway.parts import Candidates, Kind, Scores, tree_score
from headway.presets import PRESETS, HighOrder, Neural, Preset
from headway.progress import Progress
from headway.scorers.neural.readers import MOST_PIECES, WordReader

torch = pytest.importorskip("torch", reason="PyTorch is not installed: headway[neural]")
pytest.importorskip("onnx", reason="onnx is not installed: headway[neural]")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: headway[onnx]")

TINY = replace(PRESETS["neural"], neural=Neural(layers=1, hidden=8, word=8, character=8, arc=8, label=6))
TINY_SUM = replace(
    with_tables(PRESETS["neural-sum"], arcs=1 << 12, labels=1 << 10),
    neural=replace(TINY.neural, folds=2),
    parts=HighOrder({"sibling": "h.upos m.upos s.upos"}, slots=1 << 12),
    tensor=None,
)
EXAMPLES = Path(__file__).parents[2] / "examples"


def treebank(name: str, count: int) -> list[Sentence]:
    return list(read_sentences(str(EXAMPLES / f"sample-{name}.conllu")))[:count]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        parser = Parser.train(treebank("train", 12), preset=TINY, options=TrainingOptions(epochs=1))
        parser.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


class Stops(Progress):
    """Ends a training, as if it were killed, at the so-manieth note."""

    def __init__(self, notes: int) -> None:
        self.left = notes

    def note(self, message: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("preset", [TINY, TINY_SUM], ids=lambda one: one.name)
def test_killed_and_resumed_gives_the_same_bytes(preset: Preset, tmp_path: Path) -> None:
    train, dev, options = treebank("train", 12), treebank("dev", 4), TrainingOptions(epochs=3, patience=3)
    whole = Parser.train(train, dev=dev, preset=preset, options=options)
    whole.save(tmp_path / "whole")
    resumed, killed = None, 0
    for notes in (1, 2, 5, 9, 99):
        try:
            resumed = Parser.train(
                train, dev=dev, preset=preset, options=options, checkpoint=tmp_path / "kept", progress=Stops(notes)
            )
            break
        except KeyboardInterrupt:
            killed += 1
    assert resumed is not None
    assert killed > 0
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    with pytest.raises(UsageError, match="other data or settings"):
        Parser.train(train[:9], dev=dev, preset=preset, options=options, checkpoint=tmp_path / "kept")
    remove_checkpoints(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


@pytest.fixture(scope="module")
def summed() -> Parser:
    return Parser.train(
        treebank("train", 30), dev=treebank("dev", 6), preset=TINY_SUM, options=TrainingOptions(epochs=2)
    )


def test_decoders_search_a_sum(summed: Parser) -> None:
    sentence = Sentence.from_words(["Dogs", "bark", "at", "old", "cats"], upos=["NOUN", "VERB", "ADP", "ADJ", "NOUN"])
    linear, network = summed.model.scorer.scorers
    encoded, weight = summed.model.encoder.encode([sentence]), summed.model.scorer.weights[1]
    candidates = Candidates.all(5)
    parts, arcs = (one.scores(encoded, 0, candidates) for one in (linear, network))
    assert parts.kinds == {Kind.ARC, Kind.SIBLING}
    both = replace(parts, arc=parts.arc + weight * arcs.arc)
    for name in ("spanning-tree", "eisner", "sibling", "hill-climbing", "exact"):
        parse = summed.parse_one(sentence, decoder=name)
        found = both.without(parse.ignored)
        if Kind.GLOBAL not in parse.ignored and Kind.GLOBAL in linear.kinds:
            assert is_tree(parse.heads[1:].tolist())
        else:
            assert parse.score == pytest.approx(tree_score(candidates, found, parse.heads), abs=1e-4)
    assert summed.parse_one(sentence, decoder="exact").exact


def test_a_sum_survives_saving(summed: Parser, tmp_path: Path) -> None:
    summed.save(tmp_path / "sum")
    again, sentences = Parser.load(tmp_path / "sum"), treebank("dev", 6)
    assert list(again.parse(sentences, confidence=True)) == list(summed.parse(sentences, confidence=True))
    again.save(tmp_path / "again")
    assert (tmp_path / "sum").read_bytes() == (tmp_path / "again").read_bytes()
    with pytest.raises(UsageError, match="linear model"):
        again.model.linear  # noqa: B018


def test_damaged_sums_are_refused(summed: Parser, tmp_path: Path) -> None:
    summed.save(tmp_path / "sum")
    tensors, facts = read_model_file(tmp_path / "sum")
    for name in ("sum", "sum1.neural_graph", "sum0.arc_values"):
        fewer = {key: tensors[key] for key in tensors if key != name}
        write_model_file(tmp_path / "less", fewer, facts)
        with pytest.raises(ModelError):
            Parser.load(tmp_path / "less")


def test_exported_scores_are_those_of_the_network() -> None:
    from headway.scorers.neural.export import export_network
    from headway.scorers.neural.network import Network, PieceEncoder, Shape, WordEncoder
    from headway.scorers.neural.scorer import NeuralScorer

    forms = [one.forms for one in treebank("train", 9)]
    shape, reader = Shape(2, 8, 8, 8, 8, 6), WordReader.fit(forms)
    about = {
        "hidden_size": 8, "vocab_size": 50, "max_position_embeddings": 64, "intermediate_size": 16,
        "num_attention_heads": 2, "num_hidden_layers": 2,
    }  # fmt: skip
    known = {"words": len(reader.words) + 3, "characters": len(reader.characters) + 3}
    with_pieces = WordReader(reader.words, reader.characters, ["▁", "e", "th", "s"])
    static = WordEncoder(shape, **known, vectors=torch.randn(4, 3))
    words = WordEncoder(shape, **known)
    for encoder, maker in ((words, reader), (static, with_pieces), (PieceEncoder(about), _Pieces())):
        network = Network(encoder, shape, labels=4, tags=3)
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
        possible = np.ones((2, 4), dtype=np.bool_)
        scorer = NeuralScorer(
            export_network(network, maker),
            maker,
            network.labels.detach().numpy(),
            possible,
            ["A", "B", "C"],
        )
        made = maker.batch(forms)
        with torch.no_grad():
            expected = network(*(torch.from_numpy(made[name]) for name in encoder.inputs))
        found = scorer._remembered([tuple(some) for some in forms])
        for row, (one, some) in enumerate(zip(found, forms, strict=True)):
            for array, table in zip(one[:4], expected, strict=True):
                cut = table[row, : len(some) + 1].numpy()
                cut = cut[:, : len(some) + 1] if array.shape[0] == array.shape[1] == len(some) + 1 else cut
                np.testing.assert_allclose(array, cut, atol=1e-3)


def test_the_loss_of_trees_is_that_of_the_matrix_tree_theorem() -> None:
    from headway.learning.tree_likelihood import tree_loss
    from headway.marginals import matrix_tree

    rng = np.random.default_rng(7)
    sizes, heads = [3, 6, 4], [[0, 1, 1], [2, 0, 2, 3, 4, 4], [0, 0, 2, 3]]  # the last tree has two roots
    arcs = torch.full((3, 7, 7), -1e9)
    gold = torch.full((3, 7), -100)
    expected, gradients = 0.0, []
    for row, (size, some) in enumerate(zip(sizes, heads, strict=True)):
        table = rng.normal(scale=4.0, size=(size + 1, size + 1))
        np.fill_diagonal(table, -1e9)
        arcs[row, : size + 1, : size + 1] = torch.from_numpy(table)
        gold[row, 1 : size + 1] = torch.tensor(some)
        candidates = Candidates.all(size)
        scores = Scores(candidates.gather(np.float32(table).astype(np.float64)))
        found = matrix_tree(candidates, scores, single_root=some.count(0) == 1)
        expected += found.log_partition - tree_score(candidates, scores, np.array([-1, *some]))
        probable = np.zeros_like(table)
        probable[candidates.heads, candidates.modifiers] = found.arc
        probable[some, np.arange(1, size + 1)] -= 1.0
        gradients.append(probable)
    arcs.requires_grad_()
    loss = tree_loss(arcs, gold)
    assert loss.item() == pytest.approx(expected / sum(sizes), rel=1e-5)
    loss.backward()
    for row, (size, gradient) in enumerate(zip(sizes, gradients, strict=True)):
        np.testing.assert_allclose(arcs.grad[row, : size + 1, 1 : size + 1], gradient[:, 1:] / sum(sizes), atol=1e-6)
        assert not arcs.grad[row, size + 1 :].any()


def test_networks_learn_the_likelihood_of_trees() -> None:
    preset = replace(TINY, neural=replace(TINY.neural, loss="trees"))
    Parser.train(treebank("train", 12), dev=treebank("dev", 4), preset=preset, options=TrainingOptions(epochs=2))
    with pytest.raises(UsageError, match="no loss 'tree': choose from heads, trees"):
        Parser.train(
            treebank("train", 12), preset=replace(TINY, neural=replace(TINY.neural, loss="tree")),
            options=TrainingOptions(epochs=1),
        )  # fmt: skip


def test_networks_read_static_vectors_of_pieces(tmp_path: Path) -> None:
    sentences = treebank("train", 12)
    pieces = ["▁", *sorted({letter for one in sentences for form in one.forms for letter in form})]
    (tmp_path / "pieces.txt").write_text("\n".join(pieces), encoding="utf-8")
    np.save(tmp_path / "vectors.npy", np.random.default_rng(1).normal(size=(len(pieces), 5)).astype(np.float16))
    preset = replace(TINY, neural=replace(TINY.neural, vectors=str(tmp_path)))
    parser = Parser.train(sentences, preset=preset, options=TrainingOptions(epochs=2))
    parser.save(tmp_path / "model")
    again, some = Parser.load(tmp_path / "model"), treebank("dev", 4)
    assert again.model.scorer.reader.pieces == pieces
    assert list(again.parse(some)) == list(parser.parse(some))
    (tmp_path / "vectors.npy").unlink()
    with pytest.raises(UsageError, match=r"vectors\.npy, pieces\.txt"):
        Parser.train(sentences, preset=preset, options=TrainingOptions(epochs=1))


def test_padded_sequences_are_read_like_packed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    from headway.scorers.neural import network

    reader = WordReader.fit([one.forms for one in treebank("train", 9)])
    torch.manual_seed(1)
    shape = network.Shape(2, 8, 8, 8, 8, 6, dropout=0.0)
    known = len(reader.words) + 3, len(reader.characters) + 3
    encoder = network.WordEncoder(shape, words=known[0], characters=known[1])
    monkeypatch.setattr(network, "_FORGOTTEN", 0.0)
    made = reader.batch([["a", "sample", "of", "a", "sentence"], ["words"], ["one", "more", "x" * 40]])
    inputs = [torch.from_numpy(made[name]) for name in encoder.inputs]
    found = []
    for packs in (False, True):
        monkeypatch.setattr(network, "_packs", lambda values, packs=packs: packs)
        encoder.zero_grad()
        values = encoder(*inputs)
        (values * torch.arange(values.shape[1])[None, :, None]).square().sum().backward()
        found.append([values.detach(), *(parameter.grad for parameter in encoder.parameters())])
    for padded, packed in zip(*found, strict=True):
        np.testing.assert_allclose(padded, packed, rtol=1e-4, atol=1e-5)


@pytest.fixture
def tiny_bert(tmp_path: Path) -> Path:
    """A folder with a BERT of two layers, with random weights and a tokenizer of letters."""
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed: headway[onnx]")
    safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is not installed: headway[neural]")
    size, inner, letters = 8, 16, "abcdefghijklmnopqrstuvwxyz"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{one}" for one in letters)]
    model = tokenizers.models.WordPiece(dict(zip(pieces, range(len(pieces)), strict=True)), unk_token="[UNK]")
    (tmp_path / "tokenizer.json").write_text(tokenizers.Tokenizer(model).to_str())
    (tmp_path / "config.json").write_text(
        f'{{"model_type": "bert", "hidden_act": "gelu", "hidden_size": {size}, "vocab_size": {len(pieces)},'
        f' "max_position_embeddings": {MOST_PIECES}, "intermediate_size": {inner}, "num_attention_heads": 2,'
        ' "num_hidden_layers": 2}'
    )
    shapes = {"embeddings.LayerNorm": (size,)}
    shapes |= {f"embeddings.{name}_embeddings": (rows, size) for name, rows in
               (("word", len(pieces)), ("position", MOST_PIECES), ("token_type", 2))}  # fmt: skip
    for layer in range(2):
        begin = f"encoder.layer.{layer}."
        shapes |= {f"{begin}attention.self.{name}": (size, size) for name in ("query", "key", "value")}
        shapes |= {f"{begin}attention.output.dense": (size, size), f"{begin}intermediate.dense": (inner, size),
                   f"{begin}output.dense": (size, inner), f"{begin}output.LayerNorm": (size,),
                   f"{begin}attention.output.LayerNorm": (size,)}  # fmt: skip
    torch.manual_seed(1)
    weights = {f"bert.{name}.weight": torch.randn(*shape) for name, shape in shapes.items()}
    weights |= {f"bert.{name}.bias": torch.randn(shape[0]) for name, shape in shapes.items() if "_" not in name}
    safetensors.save_file(weights, tmp_path / "model.safetensors")
    return tmp_path


def test_a_pretrained_encoder_is_used_up_to_a_layer(tiny_bert: Path) -> None:
    from headway.scorers.neural.network import pretrained_encoder

    inputs = [torch.tensor(one) for one in ([[2, 5, 6, 3]], [4], [[0, 1, 2]], [3])]
    whole, lower = (pretrained_encoder(tiny_bert, layers=layers).eval() for layers in (0, 1))
    assert [len(one.blocks) for one in (whole, lower)] == [2, 1]
    with torch.no_grad():
        whole.mix.copy_(torch.tensor([0.0, 0.0, -1e9]))  # without the upper layer
        np.testing.assert_allclose(whole(*inputs), lower(*inputs), atol=1e-5)
    with pytest.raises(UsageError, match="has 2 layers, not 3"):
        pretrained_encoder(tiny_bert, layers=3)


def test_a_pretrained_encoder_is_fine_tuned(tiny_bert: Path, tmp_path: Path) -> None:
    rule = Neural().with_encoder(str(tiny_bert), layers=1)
    preset = replace(TINY, neural=replace(rule, arc=8, label=6))
    parser = Parser.train(treebank("train", 12), preset=preset, options=TrainingOptions(epochs=1))
    parser.save(tmp_path / "pieces.headway")
    sentences = treebank("dev", 4)
    assert list(Parser.load(tmp_path / "pieces.headway").parse(sentences)) == list(parser.parse(sentences))
    config = (tiny_bert / "config.json").read_text()
    for old, new, message in (("bert", "roberta", "not a BERT-shaped encoder"), (str(MOST_PIECES), "64", "64 word")):
        (tiny_bert / "config.json").write_text(config.replace(old, new))
        with pytest.raises(UsageError, match=message):
            Parser.train(treebank("train", 12), preset=preset, options=TrainingOptions(epochs=1))


class _Pieces:
    """Two pieces for each word, as no tokenizer would have it."""

    kind = "pieces"

    def batch(self, sentences: list[list[str]]) -> dict[str, np.ndarray]:
        length = max(map(len, sentences))
        pieces = np.zeros((len(sentences), 2 * length + 2), dtype=np.int64)
        for row, forms in enumerate(sentences):
            pieces[row, : 2 * len(forms)] = [len(form) + 9 * side for form in forms for side in range(2)]
        sizes = np.array([len(one) for one in sentences])
        firsts = np.minimum(2 * np.arange(length + 1)[None, :], 2 * sizes[:, None])
        return {"pieces": pieces, "piece_lengths": 2 * sizes + 2, "firsts": firsts, "lengths": sizes + 1}

    def sizes(self, sentences: list[list[str]]) -> list[int]:
        return [2 * len(forms) + 2 for forms in sentences]


def test_networks_learn_gold_tags_in_a_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    train, seen = treebank("train", 12), []

    def keep(sentences: list[Sentence], **options: object) -> Parser:
        seen.append(sentences)
        return Parser.load(Path(__file__).with_name("tiny.headway"))

    monkeypatch.setattr(Parser, "train", keep)
    for name in ("neural", "neural-sum"):
        Annotator.train(train, preset=PRESETS[name], crossed=2)
    gold, tagged = ([one.upos for one in sentences] for sentences in seen)
    assert gold == [one.upos for one in train]
    assert tagged != gold  # a linear model reads tags, so it is trained on those of taggers


def test_small_treebanks_have_small_batches() -> None:
    from headway.learning.neural_recipe import batch_size

    sentence = Sentence.from_words(["word"] * 100)
    sizes = [batch_size([sentence] * count) for count in (1, 300, 375, 1500, 1501, 9000)]
    assert sizes == [200, 200, 250, 1000, 1000, 1000]


def test_a_network_learns() -> None:
    train = treebank("train", 6)
    wider = replace(TINY, neural=Neural(layers=1, hidden=128, word=128, character=64, arc=128, label=64))
    parser = Parser.train(train, preset=wider, options=TrainingOptions(epochs=100))
    parsed = list(parser.parse(train))
    right = sum(
        a == b for one, gold in zip(parsed, train, strict=True) for a, b in zip(one.heads, gold.heads, strict=True)
    )
    assert right > 0.7 * sum(map(len, train))
