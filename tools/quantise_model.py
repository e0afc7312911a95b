"""Write a neural model with matrices as int8: ``python tools/quantise_model.py MODEL -o SMALLER``."""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from headway.errors import UsageError
from headway.model_file import read_model_file, write_model_file
from headway.scorers.neural.extras import require


def quantised(graph: bytes) -> bytes:
    """Return an ONNX model with int8 matrices, scaled by column, and activations quantised at run time."""
    tools = require("onnxruntime.quantization")
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.onnx", Path(folder) / "after.onnx"
        before.write_bytes(graph)
        tools.quantize_dynamic(before, after, per_channel=True, op_types_to_quantize=["MatMul", "Gemm"])
        return after.read_bytes()


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
