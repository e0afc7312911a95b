"""Train networks, with one loop for all encoders.

Each word chooses its head and label, as in Dozat and Manning (2017): the loss is the cross-entropy of both, and of
tags. Instead of the cross-entropy of heads, the negative log likelihood of trees can be used. For scores of siblings
and grandparents, a second cross-entropy of heads that includes them is added.
The learning rate rises for a tenth of all steps (warm-up) and then falls linearly to zero. Batches have a bounded
number of words, in sentences of similar length. The weights of the epoch with the best LAS on the dev set are kept.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from headway.errors import UsageError
from headway.learning.neural_checkpoint import NetworkCheckpoint
from headway.learning.tree_likelihood import tree_loss
from headway.scorers.neural.network import Network, PieceEncoder
from headway.scorers.neural.readers import Reader
from headway.scorers.neural.trilinear import second_order_gains, tree_context

_IGNORED = -100
"""The target that PyTorch's cross-entropy ignores: roots, padding, unknown labels and tags."""

_TAG_WEIGHT = 0.5
"""The weight of the tagging loss."""

LOSSES = ("heads", "trees")
"""The cross-entropy of each word's head, or the negative log likelihood of the gold tree."""

_NEW_RATE = 1e-3
"""The learning rate of parameters that are not pretrained."""


@dataclass(frozen=True)
class Example:
    """A training sentence; unknown labels and tags are -100."""

    forms: Sequence[str]
    heads: Sequence[int]
    labels: Sequence[int]
    upos: Sequence[int]


@dataclass(frozen=True)
class NetworkTraining:
    """The options of training: epochs, batch size, seed and device.

    Parameters
    ----------
    words : int
        The maximum number of words (or word pieces) in a batch, including padding. A longer sentence is a batch by
        itself.
    patience : int
        Early stopping: the number of epochs without improvement on the dev set.
    loss : str
        One of `LOSSES`.
    """

    epochs: int = 30
    patience: int = 30
    words: int = 1000
    seed: int = 1
    device: str = ""
    loss: str = "heads"


@dataclass
class Trained:
    """The result of training: the best epoch's weights and the dev scores of every epoch."""

    weights: dict[str, Tensor]
    history: list[dict[str, float]] = field(default_factory=list)

    @property
    def best_epoch(self) -> int:
        """The epoch whose weights are kept, counted from 1; without a dev set, the last one."""
        scores = [epoch.get("las", float(number)) for number, epoch in enumerate(self.history)]
        return scores.index(max(scores)) + 1 if scores else 0


def train_network(
    network: Network,
    reader: Reader,
    train: Sequence[Example],
    dev: Sequence[Example] | None,
    options: NetworkTraining,
    *,
    report: Callable[[int, dict[str, float]], None] = lambda epoch, scores: None,
    advance: Callable[[int], None] = lambda words: None,
    checkpoint: NetworkCheckpoint | None = None,
) -> Trained:
    """Train a network in place and return its best weights.

    Parameters
    ----------
    report : callable
        Called with the number and the dev scores of each epoch.
    advance : callable
        Called after each batch with its number of sentences.
    checkpoint : NetworkCheckpoint, optional
        Where to read the state to continue from, and to write it after each epoch.
    """
    if options.loss not in LOSSES:
        raise UsageError(f"no loss {options.loss!r}: choose from {', '.join(LOSSES)}")
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    network.to(device)
    half = _uses_bfloat16(network, device)
    optimizer = torch.optim.AdamW(_parameters(network), betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    rates = [float(group["lr"]) for group in optimizer.param_groups]
    sizes = reader.sizes([example.forms for example in train])
    batches = len(list(_batches(train, sizes, options.words, None)))
    total, done = batches * options.epochs, Trained(_copied(network))
    if checkpoint is not None and (restored := checkpoint.restore(network, optimizer)) is not None:
        done = Trained(restored[1], restored[0])
        advance(len(train) * len(done.history))
    for epoch in range(len(done.history), options.epochs):
        if dev is not None and epoch - done.best_epoch >= options.patience:
            break
        network.train()
        torch.manual_seed(int(np.random.SeedSequence([options.seed, epoch]).generate_state(1)[0]))
        order, loss_sum = np.random.default_rng([options.seed, epoch]), torch.zeros((), device=device)
        for step, batch in enumerate(_batches(train, sizes, options.words, order), start=epoch * batches):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min((step + 1) / (0.1 * total + 1), 1.0 - step / total)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=half):
                loss = _loss(network, reader, batch, device, options.loss)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            loss_sum += loss.detach()
            advance(len(batch))
        scores = {"loss": round(float(loss_sum) / batches, 4)}
        if dev is not None:
            scores |= evaluate_network(network, reader, dev, device=device)
        done.history.append(scores)
        if done.best_epoch == len(done.history):
            done.weights = _copied(network)
        if checkpoint is not None:
            checkpoint.write(network, optimizer, done.history, done.weights)
        report(epoch + 1, scores)
    network.load_state_dict(done.weights)
    return done


def _uses_bfloat16(network: Network, device: str) -> bool:
    """Return whether bfloat16 is faster: on GPUs for BERT-shaped encoders, and on CPUs with instructions for it."""
    if device == "cuda":
        return isinstance(network.encoder, PieceEncoder)
    known: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()  # missing in older versions
    return bool(known.get("avx512_bf16") or known.get("amx_bf16"))


def _parameters(network: Network) -> list[dict[str, object]]:
    """Return the parameters with their learning rates, which are lower for pretrained ones."""
    if not isinstance(network.encoder, PieceEncoder):
        return [{"params": list(network.parameters()), "lr": network.encoder.rate}]
    pretrained = list(network.encoder.parameters())
    pretrained_ids = set(map(id, pretrained))
    new = [parameter for parameter in network.parameters() if id(parameter) not in pretrained_ids]
    return [{"params": pretrained, "lr": network.encoder.rate}, {"params": new, "lr": _NEW_RATE}]


def _batches(
    examples: Sequence[Example], sizes: Sequence[int], most: int, order: np.random.Generator | None
) -> Iterator[list[Example]]:
    """Yield batches of sentences of similar size, in random order; only single sentences can exceed `most`."""
    noise = np.zeros(len(examples)) if order is None else order.random(len(examples))
    batches: list[list[Example]] = [[]]
    for index in np.lexsort((noise, np.array(sizes))).tolist():
        if batches[-1] and (len(batches[-1]) + 1) * sizes[index] > most:
            batches.append([])
        batches[-1].append(examples[index])
    for place in range(len(batches)) if order is None else order.permutation(len(batches)).tolist():
        yield batches[place]


def _tensors(reader: Reader, batch: Sequence[Example], network: Network, device: str) -> list[Tensor]:
    """Return the inputs of the network, on the devices where it reads them."""
    arrays, on_cpu = reader.batch([example.forms for example in batch]), network.encoder.on_cpu
    return [torch.from_numpy(arrays[name]).to("cpu" if name in on_cpu else device) for name in network.encoder.inputs]


def _gold(batch: Sequence[Example], name: str, length: int, device: str) -> Tensor:
    """(B, T) Return a column of the sentences as targets; roots and padding are ignored by the loss."""
    rows = np.full((len(batch), length), _IGNORED, dtype=np.int64)
    for row, example in enumerate(batch):
        rows[row, 1 : len(example.forms) + 1] = getattr(example, name)
    return torch.from_numpy(rows).to(device)


def _masked_arcs(arcs: Tensor, lengths: Tensor) -> Tensor:
    """Mask arcs from padding, and arcs from a word to itself."""
    places, lengths = torch.arange(arcs.shape[1], device=arcs.device), lengths.to(arcs.device)
    forbidden = (places[None, :, None] >= lengths[:, None, None]) | (places[:, None] == places[None, :])[None]
    return arcs.float().masked_fill(forbidden, -1e9)


def _loss(network: Network, reader: Reader, batch: Sequence[Example], device: str, objective: str = "heads") -> Tensor:
    """Return the sum of the losses of heads or trees, labels and tags, and of heads with second-order scores."""
    inputs = _tensors(reader, batch, network, device)
    arcs, label_heads, label_modifiers, tags, *factors = network(*inputs)
    length = arcs.shape[1]
    heads = _gold(batch, "heads", length, device)
    masked = _masked_arcs(arcs, inputs[-1])
    if objective == "trees":
        loss = tree_loss(masked, heads)
    else:
        loss = functional.cross_entropy(masked, heads, ignore_index=_IGNORED)
    if factors:
        gold = heads.cpu().numpy()
        context = tree_context(gold)
        cyclic = torch.from_numpy(context.below).to(device)
        choices = (masked + second_order_gains(factors[0], gold, context)).masked_fill(cyclic, -1e9)
        loss = loss + functional.cross_entropy(choices, heads, ignore_index=_IGNORED)
    rows, words = torch.nonzero(heads != _IGNORED, as_tuple=True)
    labels = network.label_scores(label_heads[rows, heads[rows, words]], label_modifiers[rows, words])
    gold_labels = _gold(batch, "labels", length, device)[rows, words]
    loss = loss + functional.cross_entropy(labels.float(), gold_labels, ignore_index=_IGNORED)
    gold_tags = _gold(batch, "upos", length, device)[rows, words]
    if bool((gold_tags != _IGNORED).any()):
        tag_loss = functional.cross_entropy(tags[rows, words].float(), gold_tags, ignore_index=_IGNORED)
        loss = loss + _TAG_WEIGHT * tag_loss
    return loss


@torch.no_grad()
def evaluate_network(
    network: Network, reader: Reader, examples: Sequence[Example], *, device: str, words: int = 8000
) -> dict[str, float]:
    """Return UAS, LAS and UPOS accuracy in per cent; the best head of each word is taken, without decoding trees."""
    network.eval()
    correct, total = np.zeros(3), 0
    for batch in _batches(examples, reader.sizes([example.forms for example in examples]), words, None):
        inputs = _tensors(reader, batch, network, device)
        arcs, label_heads, label_modifiers, tags, *_ = network(*inputs)
        heads = _gold(batch, "heads", arcs.shape[1], device)
        rows, places = torch.nonzero(heads != _IGNORED, as_tuple=True)
        predicted = _masked_arcs(arcs, inputs[-1]).argmax(dim=1)[rows, places]
        scores = network.label_scores(label_heads[rows, predicted], label_modifiers[rows, places])
        attached = predicted == heads[rows, places]
        labelled = attached & (scores.argmax(dim=1) == _gold(batch, "labels", arcs.shape[1], device)[rows, places])
        tagged = tags[rows, places].argmax(dim=1) == _gold(batch, "upos", arcs.shape[1], device)[rows, places]
        correct += np.array([float(hits.sum()) for hits in (attached, labelled, tagged)])
        total += len(rows)
    uas, las, upos = (100.0 * correct / max(1, total)).round(2).tolist()
    return {"uas": uas, "las": las, "upos": upos}


def _copied(network: Network) -> dict[str, Tensor]:
    return {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}
