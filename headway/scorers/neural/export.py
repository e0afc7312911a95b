"""Export a PyTorch network to ONNX."""

import io
import warnings

import torch

from headway.scorers.neural.network import Network
from headway.scorers.neural.readers import Reader

_OPSET = 17
_AXES = {
    "words": {0: "batch", 1: "length"},
    "spellings": {0: "forms", 1: "characters"},
    "spelling_lengths": {0: "forms"},
    "which": {0: "batch", 1: "length"},
    "form_pieces": {0: "forms", 1: "form_pieces"},
    "pieces": {0: "batch", 1: "pieces"},
    "piece_lengths": {0: "batch"},
    "firsts": {0: "batch", 1: "length"},
    "lengths": {0: "batch"},
    "arcs": {0: "batch", 1: "length", 2: "length"},
    "label_heads": {0: "batch", 1: "length"},
    "label_modifiers": {0: "batch", 1: "length"},
    "tags": {0: "batch", 1: "length"},
    "factors": {0: "batch", 1: "rows"},
}


def export_network(network: Network, reader: Reader) -> bytes:
    """Convert a network to an ONNX model for batches of any size and return the file's bytes."""
    network.eval().cpu()
    inputs = list(network.encoder.inputs)
    sample = reader.batch([["a", "sample", "here"], ["of", "words"]])
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about shapes, which the tests check
        torch.onnx.export(
            network,
            tuple(torch.from_numpy(sample[name]) for name in inputs),
            buffer,
            input_names=inputs,
            output_names=["arcs", "label_heads", "label_modifiers", "tags", *(["factors"] if network.second else [])],
            dynamic_axes=_AXES,
            opset_version=_OPSET,
            dynamo=False,
        )
    return buffer.getvalue()
