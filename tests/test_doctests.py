"""The examples in docstrings."""

import doctest

from package_modules import package_modules


def test_examples_in_docstrings_are_true():
    attempted = 0
    for module in package_modules():
        result = doctest.testmod(module)
        assert result.failed == 0, module.__name__
        attempted += result.attempted
    assert attempted >= 10
