"""Training of networks: skipped where PyTorch is not installed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headway import Parser, TrainingOptions
from headway.corpus import Sentence, read_sentences
from headway.presets import PRESETS, Neural

torch = pytest.importorskip("torch", reason="PyTorch is not installed: headway[neural]")
pytest.importorskip("onnx", reason="onnx is not installed: headway[neural]")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: headway[onnx]")

TINY = replace(PRESETS["neural"], neural=Neural(layers=1, hidden=8, word=8, character=8, arc=8, label=6))
EXAMPLES = Path(__file__).parents[2] / "examples"


def treebank(name: str, count: int) -> list[Sentence]:
    return list(read_sentences(str(EXAMPLES / f"sample-{name}.conllu")))[:count]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        parser = Parser.train(treebank("train", 12), preset=TINY, options=TrainingOptions(epochs=1))
        parser.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_exported_scores_are_those_of_the_network() -> None:
    from headway.scorers.neural.export import export_network
    from headway.scorers.neural.network import Network, PieceEncoder, Shape, WordEncoder
    from headway.scorers.neural.readers import WordReader
    from headway.scorers.neural.scorer import NeuralScorer

    forms = [one.forms for one in treebank("train", 9)]
    shape, reader = Shape(2, 8, 8, 8, 8, 6), WordReader.fit(forms)
    about = {
        "hidden_size": 8, "vocab_size": 50, "max_position_embeddings": 64, "intermediate_size": 16,
        "num_attention_heads": 2, "num_hidden_layers": 2,
    }  # fmt: skip
    words = WordEncoder(shape, words=len(reader.words) + 3, characters=len(reader.characters) + 3)
    for encoder, maker in ((words, reader), (PieceEncoder(about), _Pieces())):
        network = Network(encoder, shape, labels=4, tags=[3, 1, 1])
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
        possible = np.ones((2, 4), dtype=np.bool_)
        scorer = NeuralScorer(
            export_network(network, maker),
            maker,
            network.labels.detach().numpy(),
            possible,
            {"upos": ["A", "B", "C"], "xpos": ["_"], "feats": ["_"]},
        )
        made = maker.batch(forms)
        with torch.no_grad():
            expected = network(*(torch.from_numpy(made[name]) for name in encoder.inputs))
        found = scorer._remembered([tuple(some) for some in forms])
        for row, (one, some) in enumerate(zip(found, forms, strict=True)):
            for array, table in zip(one, expected, strict=True):
                cut = table[row, : len(some) + 1].numpy()
                cut = cut[:, : len(some) + 1] if array.shape[0] == array.shape[1] == len(some) + 1 else cut
                np.testing.assert_allclose(array, cut, atol=1e-3)


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


def test_a_network_learns() -> None:
    train = treebank("train", 6)
    wider = replace(TINY, neural=Neural(layers=1, hidden=128, word=128, character=64, arc=128, label=64))
    parser = Parser.train(train, preset=wider, options=TrainingOptions(epochs=100))
    parsed = list(parser.parse(train))
    right = sum(
        a == b for one, gold in zip(parsed, train, strict=True) for a, b in zip(one.heads, gold.heads, strict=True)
    )
    assert right > 0.7 * sum(map(len, train))
