"""Import the packages that only neural models need; if one is missing, say in one line what to install."""

import os
from importlib import import_module
from typing import Any

from headway.errors import UsageError

_EXTRA = {"onnxruntime": "onnx", "tokenizers": "onnx", "torch": "neural", "onnx": "neural", "safetensors": "neural"}

TRAINING = ("torch", "onnx", "onnxruntime")
"""The packages that training needs, with any encoder."""


def require(package: str) -> Any:
    """Import an optional package; UsageError if it is not installed."""
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # PyTorch's exporter logs every LSTM several times
    try:
        return import_module(package)
    except ImportError as error:
        extra = _EXTRA[package.partition(".")[0]]
        what = "training neural models" if extra == "neural" else "this neural model"
        raise UsageError(f"{what} needs {package}, which is missing: pip install 'headway[{extra}]'") from error
