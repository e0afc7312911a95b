"""Score arcs, labels and tags by a neural network, which runs in ONNX Runtime."""

from collections.abc import Collection, Iterator, Sequence
from threading import Lock
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded, Encoder
from headway.errors import UsageError
from headway.model_file import read_text_tensor, text_tensor
from headway.parts import Candidates, Kind, Scores
from headway.parts.candidate_batch import IntArray
from headway.parts.kinds import KINDS
from headway.parts.part_tables import lay_out_tables, list_table
from headway.parts.scorer import TableScorer
from headway.scorers.neural.extras import require
from headway.scorers.neural.readers import Reader, reader_from_json
from headway.scorers.neural.second_order import trilinear_scores
from headway.support.schema import Cells, Sized, check_array, check_json

_BATCH = 1000
"""The maximum number of words or word pieces in a batch, including padding; a longer sentence is a batch by itself."""

_OUTPUTS = ["arcs", "label_heads", "label_modifiers", "tags"]
_FACTORS = "factors"
"""An additional output of networks that score siblings and grandparents."""

_SECOND = (Kind.SIBLING, Kind.GRANDPARENT)
_LARGEST = 6e4
"""The maximum absolute value of a weight of labels, which are stored as 16-bit floats."""

Floats = npt.NDArray[np.float32]
_Tags = Annotated[list[Annotated[str, Cells()]], Sized(1)]


class Outputs(NamedTuple):
    """The outputs of a network for one sentence of n words.

    Parameters
    ----------
    arcs : (n + 1, n + 1) float32 [head, modifier]
    label_heads, label_modifiers : (n + 1, size) float32
        The vectors of each word as head and as modifier, for label scores.
    tags : (n + 1, tags) float32
    factors : (n + 2, 6, rank) float32, optional
        See `headway.scorers.neural.trilinear`.
    """

    arcs: Floats
    label_heads: Floats
    label_modifiers: Floats
    tags: Floats
    factors: Floats | None = None


class NeuralScorer(TableScorer):
    """Scores arcs, labels and tags by a network, and siblings and grandparents if it has outputs for them.

    Parameters
    ----------
    graph : bytes
        The network as an ONNX model.
    reader : Reader
        Makes the network's inputs.
    labels : (labels, size + 1, size + 1) float32
        A bilinear form for each label, over the vectors of the head and the modifier, each with a 1 appended.
    possible : (2, labels) bool
        The possible labels of arcs between two words, and of arcs from the root.
    tags : sequence of str
        The UPOS tags that the network predicts.
    """

    name = "neural"
    kinds = frozenset({Kind.ARC})

    def __init__(
        self,
        graph: bytes,
        reader: Reader,
        labels: Floats,
        possible: npt.NDArray[np.bool_],
        tags: Sequence[str],
    ) -> None:
        self.graph, self.reader, self.possible, self.tags = graph, reader, possible, list(tags)
        self.labels = labels.astype(np.float16).astype(np.float32)  # rounded as in model files
        self._session = _session(graph)
        self._inputs = [node.name for node in self._session.get_inputs()]
        self._outputs = [node.name for node in self._session.get_outputs()]
        if _FACTORS in self._outputs:
            self.kinds = frozenset({Kind.ARC, *_SECOND})
        self._lock = Lock()
        self._read: tuple[list[tuple[str, ...]], list[Outputs]] = [], []
        self._last: Encoded | None = None

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return the scores of parts; see `Scorer`."""
        outputs, tables = self.outputs(encoded)[sentence], dict[str, Any]()
        wanted = [kind for kind in _SECOND if kind in self.kinds and (kinds is None or kind in kinds)]
        if outputs.factors is not None and wanted:
            layout = lay_out_tables(candidates.mask())
            for kind in wanted:
                first = 3 * _SECOND.index(kind)
                factors = np.ascontiguousarray(outputs.factors[:, first : first + 3])
                tables[str(kind)] = trilinear_scores(list_table(layout, KINDS.index(kind)), factors)
        return Scores(candidates.gather(outputs.arcs.astype(np.float64)), **tables)

    def label_scores(self, encoded: Encoded, sentence: int, heads: IntArray) -> npt.NDArray[np.float64]:
        """(n + 1, labels) Return the score of each label for the arc of each word; -inf for impossible labels."""
        outputs = self.outputs(encoded)[sentence]
        ones = np.ones((len(heads), 1), dtype=np.float32)
        left = np.concatenate([outputs.label_heads[np.maximum(heads, 0)], ones], axis=1)
        right = np.concatenate([outputs.label_modifiers, ones], axis=1)
        scores = np.empty((len(heads), len(self.labels)))
        for label, form in enumerate(self.labels):
            scores[:, label] = ((left @ form) * right).sum(axis=1)
        scores[~self.possible[(heads == 0).astype(np.int64)]] = -np.inf
        scores[0] = 0.0
        return scores

    def tag_scores(self, forms: Sequence[Sequence[str]]) -> tuple[Sequence[str], npt.NDArray[np.float64]]:
        """Return the UPOS tags that the network predicts, and (words, tags) their log probabilities."""
        scores = np.concatenate([outputs.tags[1:] for outputs in self._remembered([tuple(words) for words in forms])])
        scores = scores[:, : len(self.tags)]
        scores = scores.astype(np.float64) - scores.max(axis=1, keepdims=True)
        return self.tags, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    def outputs(self, encoded: Encoded) -> list[Outputs]:
        """Return the network's outputs for each sentence; those of the last call are cached."""
        with self._lock:
            if encoded is self._last:
                return self._read[1]
        outputs = self._remembered(list(_forms(encoded)))
        with self._lock:
            if outputs is self._read[1]:
                self._last = encoded
        return outputs

    def _remembered(self, forms: list[tuple[str, ...]]) -> list[Outputs]:
        """Return the outputs for sentences with these forms, from the cache if the last call had the same forms."""
        with self._lock:
            known, outputs = self._read
            if known != forms:
                outputs = self._run(forms)
                self._read, self._last = (forms, outputs), None
            return outputs

    def _run(self, forms: Sequence[tuple[str, ...]]) -> list[Outputs]:
        """Run the network on batches of sentences of similar length."""
        outputs: dict[int, Outputs] = {}
        for batch in _batches(self.reader.sizes(forms)):
            inputs = self.reader.batch([forms[index] for index in batch])
            arrays = self._session.run(self._outputs, {name: inputs[name] for name in self._inputs})
            for row, index in enumerate(batch):
                size = len(forms[index]) + 1
                arcs, *words = (array[row] for array in arrays[: len(_OUTPUTS)])
                factors = [np.append(array[row, :size], array[row, -1:], axis=0) for array in arrays[len(_OUTPUTS) :]]
                outputs[index] = Outputs(arcs[:size, :size], *(array[:size] for array in words), *factors)
        return [outputs[index] for index in range(len(forms))]

    def tensors(self) -> dict[str, Any]:
        """Return the graph, the reader and the bilinear forms of labels; see `Scorer`."""
        return {
            "neural_graph": np.frombuffer(self.graph, dtype=np.uint8),
            "neural_reader": text_tensor(self.reader.to_json()),
            "neural_tags": text_tensor(self.tags),
            "neural_labels": self.labels.astype(np.float16),
            "label_possible": self.possible.view(np.uint8),
        }

    @classmethod
    def from_tensors(cls, encoder: Encoder, tensors: dict[str, npt.NDArray[Any]]) -> "NeuralScorer":
        """Read a scorer from a model file; ValueError or KeyError if its arrays are missing or not valid."""
        labels = check_array(tensors, "neural_labels", np.float16, (None, None, None), (-_LARGEST, _LARGEST))
        possible = check_array(tensors, "label_possible", np.uint8, (2, len(labels)), (0, 1))
        if labels.shape[1] != labels.shape[2] or not possible.any(axis=1).all():
            raise ValueError("neural_labels: the forms are not square, or no label is possible")
        tags = read_text_tensor(tensors["neural_tags"])
        check_json(tags, _Tags, "neural_tags")
        graph = check_array(tensors, "neural_graph", np.uint8, (None,)).tobytes()
        reader = reader_from_json(read_text_tensor(tensors["neural_reader"]))
        return cls(graph, reader, labels, possible.astype(np.bool_), tags)


def _session(graph: bytes) -> Any:
    """Load a network, to be run by a single thread; ValueError if it is not a network or has unexpected outputs."""
    runtime = require("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors have no common base class
        raise ValueError("neural_graph: not a network that ONNX Runtime can run") from error
    if [node.name for node in session.get_outputs()] not in (_OUTPUTS, [*_OUTPUTS, _FACTORS]):
        raise ValueError("neural_graph: unexpected outputs")
    return session


def _forms(encoded: Encoded) -> Iterator[tuple[str, ...]]:
    """Yield the forms of each sentence."""
    if encoded.forms is None:
        raise UsageError("a neural scorer needs forms, but these sentences were encoded without them")
    for start, end in zip(encoded.starts[:-1].tolist(), encoded.starts[1:].tolist(), strict=True):
        yield tuple(encoded.forms[start + 1 : end])


def _batches(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of sentences of similar size, as lists of indices."""
    batch: list[int] = []
    for index in np.argsort(sizes, kind="stable").tolist():
        if batch and (len(batch) + 1) * sizes[index] > _BATCH:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
