"""Import the packages that only neural models need; if one is missing, say in one line what to install."""

from importlib import import_module
from typing import Any

from headway.errors import UsageError

_EXTRA = {"onnxruntime": "onnx", "tokenizers": "onnx", "torch": "neural", "onnx": "neural", "safetensors": "neural"}


def require(package: str) -> Any:
    """Import an optional package; UsageError if it is not installed."""
    try:
        return import_module(package)
    except ImportError as error:
        extra = _EXTRA[package.partition(".")[0]]
        what = "training neural models" if extra == "neural" else "this neural model"
        raise UsageError(f"{what} needs {package}, which is missing: pip install 'headway[{extra}]'") from error
