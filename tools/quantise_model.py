"""Write a neural model with matrices as int8: ``python tools/quantise_model.py MODEL -o SMALLER``."""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from headway.errors import UsageError
from headway.model_file import read_model_file, write_model_file
from headway.scorers.neural.extras import require

WEIGHTS_ONLY = ("narrow", "value", "mixed")
"""Layers of a BERT-shaped encoder whose inputs have outliers that eight bits cannot hold beside the rest: after a GELU,
and in what attention moves."""


def quantised(graph: bytes) -> bytes:
    """Return an ONNX model with int8 matrices, scaled by column.

    Activations are quantised as they come, too, except before `WEIGHTS_ONLY`, which ONNX Runtime multiplies as float32.
    """
    onnx, tools = require("onnx"), require("onnxruntime.quantization")
    model = onnx.load_from_string(graph)
    arrays = {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}
    weights_only = {
        node.name: node.input[1]
        for node in model.graph.node
        if node.op_type == "MatMul" and node.input[1] in arrays and set(WEIGHTS_ONLY) & set(node.name.split("/"))
    }
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.onnx", Path(folder) / "after.onnx"
        before.write_bytes(graph)
        tools.quantize_dynamic(
            before,
            after,
            per_channel=True,
            op_types_to_quantize=["MatMul", "Gemm"],
            nodes_to_exclude=list(weights_only),
        )
        model = onnx.load(after)
    for name in set(weights_only.values()):
        _round_weights(onnx, model.graph, name)
    rounded: bytes = model.SerializeToString()
    return rounded


def _round_weights(onnx: Any, graph: Any, name: str) -> None:
    """Store a matrix as int8 with a scale for each column, and multiply both when the model is loaded."""
    [stored] = [one for one in graph.initializer if one.name == name]
    values = onnx.numpy_helper.to_array(stored)
    scales = (np.abs(values).max(axis=0) / 127.0).clip(min=1e-12).astype(np.float32)
    graph.initializer.remove(stored)
    graph.initializer.append(onnx.numpy_helper.from_array(np.rint(values / scales).astype(np.int8), f"{name}_int8"))
    graph.initializer.append(onnx.numpy_helper.from_array(scales, f"{name}_scales"))
    node = onnx.helper.make_node("DequantizeLinear", [f"{name}_int8", f"{name}_scales"], [name], axis=1)
    graph.node.insert(0, node)


def main() -> None:
    """Read the command line, and write the model."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("model")
    arguments.add_argument("-o", "--output", required=True)
    options = arguments.parse_args()
    tensors, facts = read_model_file(options.model)
    if "neural_graph" not in tensors:
        raise UsageError(f"{options.model}: not a neural model")
    graph = np.frombuffer(quantised(tensors["neural_graph"].tobytes()), dtype=np.uint8)
    write_model_file(options.output, {**tensors, "neural_graph": graph}, {**facts, "quantised": True})


if __name__ == "__main__":
    main()
