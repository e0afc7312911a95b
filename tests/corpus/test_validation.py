import gzip

import pytest
from corpus_samples import ODD, text_of

from headway.corpus import validate
from headway.corpus.checks import _ONE_FIELD
from headway.errors import CorpusError


def problems(path, **options):
    return [(error.line, error.column, error.reason) for error in validate(path, **options)]


def test_every_problem_of_a_file(tmp_path):
    path = tmp_path / "a.conllu"
    broken = "1\tw\t\tX\t_\t_\t5\tdep\t_\t_\n1\tw\t_\tX\t_\t_\tx\tdep\t_\t_\n# late\n\n"
    text = ODD + broken + text_of(["2", "1"], ["0", "0"], ["_"]) + "# alone\n\n" + text_of(["0", "1"])
    path.write_text(text + "cut")
    assert problems(path) == [
        (14, 3, "empty field"),
        (14, 7, "HEAD 5 is not a word: the sentence has 2"),
        (15, 1, "ID 1 comes twice"),
        (15, 7, "HEAD 'x' is not a number"),
        (16, None, "comment in the middle of a sentence"),
        (18, None, "no word is the root"),
        (18, None, "cycle: 1 -> 2 -> 1"),
        (21, None, "several roots: words 1, 2"),
        (24, None, "no head for word 1"),
        (26, None, "comments without words"),
        (31, None, f"1 field instead of the 10 of CoNLL-U ({_ONE_FIELD})"),
        (31, 1, "ID 'cut' is not a number"),
        (31, None, "sentence without words"),
    ]
    assert {error.path for error in validate(path)} == {str(path)}


def test_several_roots_may_be_allowed(tmp_path):
    (tmp_path / "a.conllu").write_text(text_of(["0", "0"]))
    assert problems(tmp_path / "a.conllu", single_root=False) == []


def test_every_line_that_is_not_utf8(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_bytes(text_of(["0", "1", "1"]).encode().replace(b"w2", b"\xfe").replace(b"w3", b"\xff") + ODD.encode())
    assert problems(path) == [
        (2, 2, "byte 3 of the line (0xfe) is not UTF-8"),
        (3, 2, "byte 3 of the line (0xff) is not UTF-8"),
    ]


def test_an_archive_that_breaks_off(tmp_path):
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(ODD.encode())[:-10])
    assert [error.reason for error in validate(path)][-1] == "the compressed file is truncated"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CorpusError, match="no such file"):
        validate(tmp_path / "none")


def test_treebanks_are_sound(treebanks):
    for path in sorted(treebanks.glob("*/dev.conllu.xz")):
        assert problems(path, single_root=False) == []
