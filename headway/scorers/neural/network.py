"""The networks in PyTorch: an encoder of words, then biaffine arc and label scores (Dozat and Manning 2017).

The score of an arc is a bilinear form of the encoder's vectors for its two words, ``h(head)' U m(modifier)``; so is the
score of a label given its arc. This corresponds to the low-rank tensor of linear models (`headway.scorers.tensor`),
over learned features. PyTorch is needed for training and export; parsing uses neither PyTorch nor this file.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from headway.errors import UsageError
from headway.scorers.neural.readers import MOST_PIECES, PADDING, UNKNOWN
from headway.scorers.neural.trilinear import Trilinear

_FORGOTTEN = 0.33
"""Word dropout: the share of words replaced by the unknown word in training."""

_MASKED = 0.1
"""The share of word pieces masked in training."""

_SPELLING_GROUPS = 4
"""On CPUs, spellings of similar length are read together, in so many groups."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a network.

    Parameters
    ----------
    layers, hidden : int
        Layers of the BiLSTM and units per direction; ignored for BERT-shaped encoders, which have their own sizes.
    word, character : int
        Sizes of a word's embedding and of the vector computed from its characters.
    arc, label : int
        Sizes of a word's vector as head or modifier, for arc scores and for label scores.
    dropout : float
    second : int
        The rank of the sibling and grandparent scores; 0 for first-order scores only.
    """

    layers: int = 2
    hidden: int = 200
    word: int = 150
    character: int = 200
    arc: int = 400
    label: int = 100
    dropout: float = 0.33
    second: int = 0


class SharedDropout(nn.Module):
    """Dropout with one mask for all words of a sentence (Gal and Ghahramani 2016)."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, values: Tensor) -> Tensor:
        """Drop the same columns of (B, T, d) at every T."""
        if not self.training:
            return values
        kept = torch.rand(values.shape[0], 1, values.shape[2], device=values.device) >= self.rate
        return values * kept / (1.0 - self.rate)


def _packs(values: Tensor) -> bool:
    """Return whether LSTMs read packed sequences: on GPUs and in ONNX graphs; a CPU is faster with padded ones."""
    return values.device.type != "cpu" or bool(torch.onnx.is_in_onnx_export())


def _run(layer: nn.LSTM, values: Tensor, lengths: Tensor) -> Tensor:
    """(B, T, 2 * hidden) Run a BiLSTM over sequences (B, T, d) of different lengths; the output is zero at padding."""
    if _packs(values):
        packed = nn.utils.rnn.pack_padded_sequence(values, lengths.cpu(), batch_first=True, enforce_sorted=False)
        found: Tensor = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)[0]
        return found
    backwards = _backwards(lengths, values.shape[1])
    forward, reverse = _both_ways(layer, values, nn.functional.embedding(backwards, values.flatten(0, 1)))
    reverse = nn.functional.embedding(backwards, reverse.flatten(0, 1))
    inside = torch.arange(values.shape[1])[None, :] < lengths[:, None]
    return torch.cat([forward, reverse], dim=2) * inside[:, :, None]


def _both_ways(layer: nn.LSTM, values: Tensor, reverse: Tensor) -> tuple[Tensor, Tensor]:
    """(B, T, hidden) Run the two directions of a BiLSTM over padded sequences and over the same read backwards.

    Padding follows the sequences in both, so it does not change their outputs.
    """
    start, found = values.new_zeros(1, len(values), layer.hidden_size), []
    for read, side in ((values, ""), (reverse, "_reverse")):
        weights = [getattr(layer, f"{name}_l0{side}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        found.append(torch.lstm(read, (start, start), weights, True, 1, 0.0, torch.is_grad_enabled(), False, True)[0])
    return found[0], found[1]


def _backwards(lengths: Tensor, size: int) -> Tensor:
    """(B, size) Return which of the B * size rows to read at each place, to read sequences backwards."""
    places = torch.arange(size)[None, :]
    rows = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    return rows + size * torch.arange(len(lengths))[:, None]


class Spelling(nn.Module):
    """The vector of a word's spelling: the final states of a BiLSTM over its characters."""

    def __init__(self, size: int, *, characters: int) -> None:
        super().__init__()
        self.characters = nn.Embedding(characters, 50, padding_idx=PADDING)
        self.layer = nn.LSTM(50, size // 2, batch_first=True, bidirectional=True)

    def forward(self, spellings: Tensor, lengths: Tensor) -> Tensor:
        """(U, size) Return a vector for each of the spellings (U, C), given their lengths (U,)."""
        if not _packs(self.characters.weight):
            order = torch.argsort(lengths, stable=True)
            groups = [group for group in order.tensor_split(_SPELLING_GROUPS) if len(group)]
            found = torch.cat([self._ends(spellings[group], lengths[group]) for group in groups])
            return found.index_select(0, torch.argsort(order))
        values = _run(self.layer, self.characters(spellings), lengths)
        half = values.shape[2] // 2
        ends = (lengths.to(values.device) - 1)[:, None, None].expand(-1, 1, half)
        return torch.cat([values[:, :, :half].gather(1, ends)[:, 0], values[:, 0, half:]], dim=1)

    def _ends(self, spellings: Tensor, lengths: Tensor) -> Tensor:
        """(U, size) Return the final states of both directions, without reading padding that all spellings share."""
        spellings = spellings[:, : int(lengths.max())]
        size = spellings.shape[1]
        backwards = spellings.flatten()[_backwards(lengths, size)]
        states = _both_ways(self.layer, self.characters(spellings), self.characters(backwards))
        ends = size * torch.arange(len(lengths)) + lengths - 1
        return torch.cat([one.flatten(0, 1).index_select(0, ends) for one in states], dim=1)


class WordEncoder(nn.Module):
    """A BiLSTM over word embeddings and spelling vectors, and over static vectors of word pieces.

    Parameters
    ----------
    words, characters : int
        The numbers of known words and characters.
    vectors : (pieces, size) float32, optional
        Static vectors of word pieces, which stay as they are; a word is the mean of its pieces.
    """

    on_cpu = ("spelling_lengths", "lengths")
    rate = 2e-3

    def __init__(self, shape: Shape, *, words: int, characters: int, vectors: Tensor | None = None) -> None:
        super().__init__()
        self.size = 2 * shape.hidden
        self.pieces = None if vectors is None else StaticPieces(vectors, shape.word)
        self.words = nn.Embedding(words, shape.word, padding_idx=PADDING)
        nn.init.normal_(self.words.weight, std=0.1)
        self.spelling = Spelling(shape.character, characters=characters)
        self.dropout = SharedDropout(shape.dropout)
        size, layers = shape.word + shape.character + (0 if self.pieces is None else shape.word), []
        for _ in range(shape.layers):
            layers.append(nn.LSTM(size, shape.hidden, batch_first=True, bidirectional=True))
            size = self.size
        self.layers = nn.ModuleList(layers)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the arrays of a `WordReader` that `forward` reads, in this order."""
        pieces = () if self.pieces is None else ("form_pieces",)
        return ("words", "spellings", "spelling_lengths", "which", *pieces, "lengths")

    def forward(
        self, words: Tensor, spellings: Tensor, spelling_lengths: Tensor, which: Tensor, *rest: Tensor
    ) -> Tensor:
        """(B, T, size) Return a vector for each word in its context; `rest` are pieces, if read, and lengths."""
        *pieces, lengths = rest
        if self.training:  # word dropout, so that the network learns to rely on characters
            hidden = (torch.rand(words.shape, device=words.device) < _FORGOTTEN) & (words > UNKNOWN)
            words = words.masked_fill(hidden, UNKNOWN)
        spelled = nn.functional.embedding(which, self.spelling(spellings, spelling_lengths))
        parts = [self.words(words), spelled]
        if self.pieces is not None:
            parts.append(nn.functional.embedding(which, self.pieces(pieces[0])))
        values = torch.cat(parts, dim=2)
        for layer in self.layers:
            values = _run(layer, self.dropout(values), lengths)
        return self.dropout(values)


class _Block(nn.Module):
    """One layer of BERT: attention and a feed-forward network, each followed by a residual connection and a norm."""

    def __init__(self, size: int, inner: int, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.mixed = (nn.Linear(size, size) for _ in range(4))
        self.attention_norm, self.norm = nn.LayerNorm(size, eps=epsilon), nn.LayerNorm(size, eps=epsilon)
        self.wide, self.narrow = nn.Linear(size, inner), nn.Linear(inner, size)
        self.dropout = nn.Dropout(0.1)

    def forward(self, values: Tensor, blocked: Tensor) -> Tensor:
        """(B, P, size) Apply the layer; `blocked` (B, 1, 1, P) is added to the attention scores."""
        batch, length, size = values.shape
        query, key, value = (
            part(values).reshape(batch, length, self.heads, -1).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        weights = query @ key.transpose(2, 3) * (size // self.heads) ** -0.5 + blocked
        mixed = (self.dropout(weights.softmax(dim=3)) @ value).transpose(1, 2).reshape(batch, length, size)
        values = self.attention_norm(values + self.dropout(self.mixed(mixed)))
        inner = self.narrow(nn.functional.gelu(self.wide(values)))
        return self.norm(values + self.dropout(inner))


class RoundedEmbedding(nn.Module):
    """Frozen embeddings, quantised to int8 with a scale for each row."""

    def __init__(self, rows: int, size: int) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(rows, size, dtype=torch.int8))
        self.register_buffer("scales", torch.ones(rows, 1))

    def forward(self, numbers: Tensor) -> Tensor:
        """(..., size) Look up and dequantise rows."""
        rows = nn.functional.embedding(numbers, self.rows)
        return rows.to(self.scales.dtype) * nn.functional.embedding(numbers, self.scales)


def rounded(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Quantise rows of floats to int8; return them with the scale of each row."""
    scales = weights.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127.0
    return torch.round(weights / scales).to(torch.int8), scales


class StaticPieces(nn.Module):
    """A vector for each form: a projection of the mean of its pieces' static vectors."""

    def __init__(self, vectors: Tensor, size: int) -> None:
        super().__init__()
        self.vectors = RoundedEmbedding(len(vectors) + 1, vectors.shape[1])  # the first row, of zeros, is padding
        rows, scales = rounded(vectors)
        self.vectors.rows[1:], self.vectors.scales[1:] = rows, scales
        self.project = nn.Linear(vectors.shape[1], size)

    def forward(self, pieces: Tensor) -> Tensor:
        """(U, size) Return the vectors of forms, given (U, P) the numbers of their pieces."""
        known = (pieces != PADDING).sum(dim=1, keepdim=True).clamp(min=1)
        projected: Tensor = self.project(self.vectors(pieces).sum(dim=1) / known)
        return projected


class PieceEncoder(nn.Module):
    """A BERT-shaped encoder; a word's vector is a learned mix of all layers at its first piece.

    The embeddings of word pieces are frozen: training them did not improve parsing.

    Parameters
    ----------
    about : dict
        The content of the encoder's ``config.json``.
    mask : int
        The piece that replaces masked pieces in training; -1 to mask none.
    """

    inputs = ("pieces", "piece_lengths", "firsts", "lengths")
    on_cpu = ("lengths",)
    rate = 2e-4

    def __init__(self, about: dict[str, Any], *, mask: int = -1) -> None:
        super().__init__()
        self.mask = mask
        self.about, self.size = about, int(about["hidden_size"])
        epsilon = float(about.get("layer_norm_eps", 1e-12))
        self.pieces = RoundedEmbedding(about["vocab_size"], self.size)
        self.positions = nn.Embedding(min(MOST_PIECES, about["max_position_embeddings"]), self.size)
        self.norm = nn.LayerNorm(self.size, eps=epsilon)
        inner, heads = int(about["intermediate_size"]), int(about["num_attention_heads"])
        self.blocks = nn.ModuleList(
            [_Block(self.size, inner, heads, epsilon) for _ in range(about["num_hidden_layers"])]
        )
        self.mix = nn.Parameter(torch.zeros(len(self.blocks) + 1))
        self.dropout = nn.Dropout(0.1)
        self.word_dropout = SharedDropout(0.33)

    def forward(self, pieces: Tensor, piece_lengths: Tensor, firsts: Tensor, lengths: Tensor) -> Tensor:
        """(B, T, size) Return a vector for each word in its context."""
        places = torch.arange(pieces.shape[1], device=pieces.device)
        if self.training and self.mask >= 0:
            hidden = (torch.rand(pieces.shape, device=pieces.device) < _MASKED) & (places > 0)
            pieces = pieces.masked_fill(hidden, self.mask)
        blocked = (places[None, :] >= piece_lengths[:, None]).to(self.norm.weight.dtype)[:, None, None, :] * -1e4
        values = self.dropout(self.norm(self.pieces(pieces) + self.positions(places)))
        shares = self.mix.softmax(dim=0)
        mixed = values * shares[0]
        for number, block in enumerate(self.blocks, start=1):
            values = block(values, blocked)
            mixed = mixed + values * shares[number]
        return self.word_dropout(mixed.gather(1, firsts[:, :, None].expand(-1, -1, self.size)))


class Network(nn.Module):
    """An encoder with scorers of arcs, labels and tags on top.

    Parameters
    ----------
    labels : int
        The number of labels.
    tags : int
        The number of UPOS tags.
    """

    def __init__(self, encoder: WordEncoder | PieceEncoder, shape: Shape, *, labels: int, tags: int) -> None:
        super().__init__()
        self.encoder, self.shape = encoder, shape
        self.arc_head, self.arc_modifier = (_perceptron(encoder.size, shape.arc, shape) for _ in range(2))
        self.label_head, self.label_modifier = (_perceptron(encoder.size, shape.label, shape) for _ in range(2))
        self.arcs = nn.Parameter(torch.zeros(shape.arc, shape.arc))
        self.heads = nn.Parameter(torch.zeros(shape.arc))
        self.labels = nn.Parameter(torch.zeros(labels, shape.label + 1, shape.label + 1))
        self.tags = nn.Linear(encoder.size, tags)
        self.second = Trilinear(encoder.size, shape.second) if shape.second else None

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        """Return the scores and representations of a batch; T includes the root.

        Returns
        -------
        arcs : (B, T, T) [head, modifier]
        label_heads, label_modifiers : (B, T, label)
        tags : (B, T, tags)
        factors : (B, T + 1, 6, rank)
            Only if the network scores siblings and grandparents; see `Trilinear`.
        """
        values = self.encoder(*inputs)
        heads, modifiers = self.arc_head(values), self.arc_modifier(values)
        arcs = heads @ self.arcs @ modifiers.transpose(1, 2) + heads @ self.heads[:, None]
        found = arcs, self.label_head(values), self.label_modifier(values), self.tags(values)
        return found if self.second is None else (*found, self.second(values))

    def label_scores(self, heads: Tensor, modifiers: Tensor) -> Tensor:
        """(words, labels) Return the label scores, given the vectors (words, label) of both ends of each arc."""
        ones = heads.new_ones(len(heads), 1)
        left, right = torch.cat([heads, ones], dim=1), torch.cat([modifiers, ones], dim=1)
        return torch.einsum("wd,lde,we->wl", left, self.labels.to(heads.dtype), right)


def _perceptron(size: int, width: int, shape: Shape) -> nn.Module:
    return nn.Sequential(nn.Linear(size, width), nn.LeakyReLU(0.1), SharedDropout(shape.dropout))


def pretrained_encoder(folder: Path, *, mask: int = -1, layers: int = 0) -> PieceEncoder:
    """Load a BERT-shaped encoder from ``config.json`` and ``model.safetensors``; UsageError for other architectures.

    Parameters
    ----------
    mask : int
        See `PieceEncoder`.
    layers : int
        The number of layers to use, from the lowest; 0 for all.
    """
    from safetensors.torch import load_file

    about = json.loads((folder / "config.json").read_text())
    if about.get("model_type") != "bert" or about.get("hidden_act") != "gelu":
        raise UsageError(f"{folder}: not a BERT-shaped encoder with GELU")
    if about["max_position_embeddings"] < MOST_PIECES:
        raise UsageError(f"{folder}: reads {about['max_position_embeddings']} word pieces, fewer than {MOST_PIECES}")
    if layers > about["num_hidden_layers"]:
        raise UsageError(f"{folder}: has {about['num_hidden_layers']} layers, not {layers}")
    about["num_hidden_layers"] = layers or about["num_hidden_layers"]
    loaded = load_file(folder / "model.safetensors")
    weights = {name.removeprefix("bert."): value.float() for name, value in loaded.items()}
    encoder = PieceEncoder(about, mask=mask)
    try:
        encoder.load_state_dict(_renamed(weights, encoder), strict=True)
    except (KeyError, RuntimeError) as error:
        raise UsageError(f"{folder}: the weights do not match config.json ({str(error).splitlines()[0]})") from error
    return encoder


_PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "norm": "output.LayerNorm",
}


def _renamed(weights: dict[str, Tensor], encoder: PieceEncoder) -> dict[str, Tensor]:
    """Rename BERT's weights for `PieceEncoder`; all pieces belong to the first segment, so its embedding is added."""
    rows = len(encoder.positions.weight)
    positions = weights["embeddings.position_embeddings.weight"][:rows]
    pieces, scales = rounded(weights["embeddings.word_embeddings.weight"])
    found = {
        "pieces.rows": pieces,
        "pieces.scales": scales,
        "positions.weight": positions + weights["embeddings.token_type_embeddings.weight"][0],
        "mix": encoder.mix.data,
    }
    for side in ("weight", "bias"):
        found[f"norm.{side}"] = weights[f"embeddings.LayerNorm.{side}"]
        for number in range(len(encoder.blocks)):
            for name, other in _PARTS.items():
                found[f"blocks.{number}.{name}.{side}"] = weights[f"encoder.layer.{number}.{other}.{side}"]
    return found
