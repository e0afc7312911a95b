"""The check of words finds what it looks for, and nothing in the package."""

import importlib.util
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent / "tools" / "check_words.py"
spec = importlib.util.spec_from_file_location("check_words", TOOL)
assert spec is not None
assert spec.loader is not None
check_words = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_words)


def test_problems_are_found() -> None:
    source = '"""How it works."""\ndef f(own):\n    """(n,) What is left."""\n    for own in []: pass\n'
    assert sorted(line for line, _ in check_words.problems(source)) == [1, 2, 3, 4]
    assert [line for line, _ in check_words.problems('MOST = 3\n"""What is left."""\n')] == [2]
    assert list(check_words.problems('"""Howl."""\nowner = 1\nprint(own)\n')) == []


def test_the_package_has_none(capsys) -> None:
    assert check_words.main() == 0, capsys.readouterr().out
