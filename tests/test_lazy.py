"""Packages that import their modules when something of them is asked for."""

import importlib
import pkgutil
import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["headway", "headway.corpus"])
def test_every_name_is_there_whatever_was_imported_before(package: str) -> None:
    module = importlib.import_module(package)
    names = set(module.__all__)
    assert all(hasattr(module, name) for name in names)
    assert not names & {found.name for found in pkgutil.iter_modules(module.__path__)}
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


def test_loading_a_model_imports_nothing_that_only_training_needs() -> None:
    program = "import sys, headway.annotator; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "headway.parser" in loaded
    for name in (
        "numba",
        "scipy",
        "numpy.random",
        "logging",
        "headway.joint",
        "headway.presets",
        "headway.corpus.treebank",
    ):
        assert name not in loaded
