"""The examples in docstrings."""

import doctest
import importlib
import pkgutil

import headway


def test_examples_in_docstrings_are_true():
    attempted = 0
    for module in pkgutil.walk_packages(headway.__path__, "headway."):
        result = doctest.testmod(importlib.import_module(module.name))
        assert result.failed == 0, module.name
        attempted += result.attempted
    assert attempted >= 10
