"""The check of words finds what it looks for, and nothing in the package."""

from script_files import TOOLS, load_script

check_words = load_script(TOOLS / "check_words.py")


def test_problems_are_found() -> None:
    source = '"""How it works."""\ndef f(own):\n    """(n,) What is left."""\n    for own in []: pass\n'
    assert sorted(line for line, _ in check_words.problems(source)) == [1, 2, 3, 4]
    assert [line for line, _ in check_words.problems('MOST = 3\n"""What is left."""\n')] == [2]
    assert list(check_words.problems('"""Howl."""\nowner = 1\nprint(own)\n')) == []


def test_the_package_has_none(capsys) -> None:
    assert check_words.main() == 0, capsys.readouterr().out
