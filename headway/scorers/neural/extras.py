"""Packages that only neural models need, imported when they are, with one line that says what to install."""

from importlib import import_module
from typing import Any

from headway.errors import UsageError

_EXTRA = {"onnxruntime": "onnx", "tokenizers": "onnx", "torch": "neural", "onnx": "neural", "safetensors": "neural"}


def require(package: str) -> Any:
    """Import a package of an extra; UsageError if it is not installed."""
    try:
        return import_module(package)
    except ImportError as error:
        extra = _EXTRA[package.partition(".")[0]]
        what = "training neural models" if extra == "neural" else "this neural model"
        raise UsageError(f"{what} needs {package}, which is missing: pip install 'headway[{extra}]'") from error
