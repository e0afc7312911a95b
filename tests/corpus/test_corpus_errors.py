import gzip
import lzma
import os
import random

import pytest
from corpus_samples import ODD, lines_of, text_of

from headway.corpus import CONLL2009, CONLLX, parse_sentences, read_sentences
from headway.errors import CorpusError, UsageError

GOOD = lines_of(["2", "0", "2", "3"])
SOUND = text_of(["0"])  # two lines; the broken sentence starts on line 3
EMPTY_NODE = "\t_\t_\t_\t_\t_\t_\t_\t_\t_"


def with_line(index: int, line: str) -> list[str]:
    return [*GOOD[:index], line, *GOOD[index + 1 :]]


def inserted(index: int, *lines: str) -> list[str]:
    return [*GOOD[:index], *lines, *GOOD[index:]]


def with_field(index: int, column: int, value: str) -> list[str]:
    fields = GOOD[index].split("\t")
    fields[column - 1] = value
    return with_line(index, "\t".join(fields))


BROKEN = {
    "one field": (with_line(1, "hello"), 2, None, "1 field instead of the 10 of CoNLL-U"),
    "nine fields": (with_line(1, GOOD[1][:-2]), 2, None, "9 fields instead of the 10"),
    "eleven fields": (with_line(3, GOOD[3] + "\tmore"), 4, None, "11 fields instead of the 10"),
    "spaces for tabs": (with_line(0, GOOD[0].replace("\t", "  ")), 1, None, "1 field instead of the 10"),
    "empty field": (with_field(2, 4, ""), 3, 4, "empty field"),
    "empty first field": (with_field(2, 1, ""), 3, 1, "empty field"),
    "empty first field of the first line": (with_field(0, 1, ""), 1, 1, "empty field"),
    "empty last field": (with_field(2, 10, ""), 3, 10, "empty field"),
    "empty last field of the last line": (with_field(3, 10, ""), 4, 10, "empty field"),
    "line of tabs": (inserted(2, "\t" * 9), 3, 1, "empty field"),
    "ID not a number": (with_field(1, 1, "two"), 2, 1, "ID 'two' is not a number"),
    "ID zero": (with_field(0, 1, "0"), 1, 1, "ID '0' is not a number"),
    "ID with a zero in front": (with_field(1, 1, "02"), 2, 1, "ID '02' is not a number"),
    "ID of other digits": (with_field(1, 1, "２"), 2, 1, "ID '２' is not a number"),
    "ID of superscript digits": (with_field(1, 1, "²"), 2, 1, "ID '²' is not a number"),
    "ID negative": (with_field(1, 1, "-2"), 2, 1, "ID '-2' is not a number"),
    "ID huge": (with_field(1, 1, "9" * 5000), 2, 1, "is not a number"),
    "ID out of order": (with_field(1, 1, "3"), 2, 1, "ID 3 is out of order: 2 should come here"),
    "ID twice": (with_field(1, 1, "1"), 2, 1, "ID 1 comes twice"),
    "first ID": (GOOD[1:], 1, 1, "ID 2 is out of order: 1 should come here"),
    "range backwards": (inserted(2, "4-3" + EMPTY_NODE), 3, 1, "range 4-3 ends before it starts"),
    "range overlapping": (
        [*GOOD[:1], "2-3" + EMPTY_NODE, GOOD[1], "3-4" + EMPTY_NODE, *GOOD[2:]],
        4,
        1,
        "range 3-4 overlaps the range before it",
    ),
    "range too far": (
        inserted(2, "3-5" + EMPTY_NODE),
        3,
        1,
        "the range ends at word 5, but the last word is 4",
    ),
    "range too late": (inserted(2, "2-3" + EMPTY_NODE), 3, 1, "range 2-3 is out of order"),
    "range too early": (inserted(1, "3-4" + EMPTY_NODE), 2, 1, "it should stand right before word 3"),
    "range twice": (inserted(2, "3-4" + EMPTY_NODE, "3-4" + EMPTY_NODE), 4, 1, "range 3-4 overlaps"),
    "range huge": (inserted(2, f"3-{'9' * 5000}" + EMPTY_NODE), 3, 1, "is not a number"),
    "empty node misplaced": (
        inserted(2, "3.1" + EMPTY_NODE),
        3,
        1,
        "empty node 3.1 is out of order after word 2",
    ),
    "empty nodes twice": (
        inserted(2, "2.1" + EMPTY_NODE, "2.1" + EMPTY_NODE),
        4,
        1,
        "empty node 2.1 is out of order",
    ),
    "empty node zero": (inserted(2, "2.0" + EMPTY_NODE), 3, 1, "ID '2.0' is not a number"),
    "without words": (["1-2" + EMPTY_NODE], 1, None, "sentence without words"),
    "HEAD a word": (with_field(2, 7, "two"), 3, 7, "HEAD 'two' is not a number"),
    "HEAD negative": (with_field(2, 7, "-1"), 3, 7, "HEAD '-1' is not a number"),
    "HEAD fraction": (with_field(2, 7, "1.1"), 3, 7, "HEAD '1.1' is not a number"),
    "HEAD of other digits": (with_field(2, 7, "２"), 3, 7, "HEAD '２' is not a number"),
    "HEAD too large": (with_field(2, 7, "5"), 3, 7, "HEAD 5 is not a word: the sentence has 4"),
    "HEAD huge": (with_field(2, 7, "9" * 5000), 3, 7, "is not a word: the sentence has 4"),
    "HEAD itself": (with_field(2, 7, "3"), 3, 7, "HEAD 3 is the word itself"),
    "NUL in a field": (with_field(2, 3, "a\0b"), 3, 3, "NUL byte"),
    "NUL in a comment": (["# a\0b", *GOOD], 1, 1, "NUL byte"),
    "comment inside": (inserted(2, "# text = no"), 3, None, "comment in the middle of a sentence"),
    "comment behind": ([*GOOD, "# text = no"], 5, None, "comment in the middle of a sentence"),
    "byte-order mark inside": (with_field(0, 1, "\ufeff1"), 1, 1, "is not a number"),
}


def first_error(text: str, **options) -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        list(parse_sentences(text, **options))
    return caught.value


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("name", BROKEN)
def test_place_and_reason(name, ends):
    lines, line, column, reason = BROKEN[name]
    error = first_error((SOUND + "\n".join(lines) + "\n\n" + ODD).replace("\n", ends))
    assert (error.line, error.column) == (line + 2, column)
    assert reason in error.reason
    assert str(error).startswith(f"<text>:{line + 2}")
    assert "\n" not in str(error)


@pytest.mark.parametrize("name", BROKEN)
def test_skipping_leaves_out_the_broken_sentence_only(name):
    errors: list[CorpusError] = []
    text = SOUND + "\n".join(BROKEN[name][0]) + "\n\n" + ODD + ODD
    sentences = list(parse_sentences(text, on_error="skip", report=errors.append))
    assert [len(sentence) for sentence in sentences] == [1, 8, 8]
    assert [error.line for error in errors] == [BROKEN[name][1] + 2]


def test_skipping_needs_no_report():
    assert [len(sentence) for sentence in parse_sentences("broken\n\n" + ODD, on_error="skip")] == [8]


def test_options_are_checked_at_once(tmp_path):
    with pytest.raises(UsageError, match="on_error is 'ignore'"):
        parse_sentences(ODD, on_error="ignore")


def test_errors_in_long_sentences():
    lines = lines_of([str(i) for i in range(2000)])
    lines[1500] = lines[1500].replace("\t1500\t", "\t2001\t")
    error = first_error("\n".join(lines))
    assert (error.line, error.column) == (1501, 7)
    assert error.reason == "HEAD 2001 is not a word: the sentence has 2000"


def test_ranges_are_foreign_to_conll_x():
    error = first_error("\n".join(inserted(2, "3-4" + EMPTY_NODE)), layout=CONLLX)
    assert (error.line, error.column, error.reason) == (3, 1, "ID '3-4' is not a number")


def test_conll_2009_wants_the_same_width_throughout():
    row = "{}\tw\tl\tl\tN\tN\t_\t_\t0\t0\troot\troot\t_\t_\tA0"
    assert len(list(parse_sentences(f"{row.format(1)}\n{row.format(2)}\n", layout=CONLL2009))) == 1
    error = first_error(f"{row.format(1)}\n{row.format(2)}\tA1\n", layout=CONLL2009)
    assert (error.line, error.reason) == (2, "16 fields instead of the 15 of CoNLL 2009")
    error = first_error("1\tw\n", layout=CONLL2009)
    assert error.reason == "2 fields instead of the 14 of CoNLL 2009"


def test_bad_utf8_names_line_field_and_byte(tmp_path):
    path = tmp_path / "bad.conllu"
    good = SOUND.encode()
    path.write_bytes(good + b"# fine\n" + good.replace(b"w1", "é".encode() + b"\xff") + good)
    with pytest.raises(CorpusError) as caught:
        list(read_sentences(path))
    assert (caught.value.line, caught.value.column) == (4, 2)
    assert caught.value.reason == "byte 5 of the line (0xff) is not UTF-8"
    errors: list[CorpusError] = []
    assert len(list(read_sentences(path, on_error="skip", report=errors.append))) == 2
    assert len(errors) == 1


def test_surrogates_are_not_utf8():
    assert "is not UTF-8" in first_error(SOUND.replace("w1", "\ud800")).reason


@pytest.mark.parametrize("size", [5, 20, len(ODD) + 30, 2 * len(ODD) - 4])
def test_file_cut_inside_a_line(size):
    text = (ODD + ODD)[:size]
    if text.endswith("\n") or text.rpartition("\n")[2].startswith("#"):
        assert "comments without words" in first_error(text).reason
    else:
        error = first_error(text)
        assert error.line == text.count("\n") + 1
        assert "fields instead of the 10" in error.reason or error.reason == "empty field"


def test_comments_at_the_end_are_not_lost_in_silence():
    error = first_error(ODD + "# sent_id = 2\n# text = gone\n")
    assert error.line == 14
    assert error.reason == "comments without words at the end of the file"


@pytest.mark.parametrize(("name", "module"), [("a.gz", gzip), ("a.xz", lzma)])
def test_truncated_archives(name, module, tmp_path):
    generator = random.Random(1)
    text = "".join(ODD.replace("mar", f"{generator.random()}") for _ in range(3000))
    data = module.compress(text.encode())
    path = tmp_path / name
    path.write_bytes(data[: len(data) // 2])
    read = []
    with pytest.raises(CorpusError) as caught:
        read.extend(read_sentences(path))
    assert str(caught.value) == f"{path}: the compressed file is truncated"
    assert 500 < len(read) < 3000
    errors: list[CorpusError] = []
    assert list(read_sentences(path, on_error="skip", report=errors.append)) == read
    assert len(errors) == 1


@pytest.mark.parametrize("name", ["a.gz", "a.xz"])
def test_damaged_archives(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"this is not an archive at all")
    with pytest.raises(CorpusError, match="the compressed file is damaged"):
        list(read_sentences(path))


def test_damage_inside_an_archive(tmp_path):
    for module, name in ((gzip, "a.gz"), (lzma, "a.xz")):
        data = bytearray(module.compress(os.urandom(2000).hex().encode()))
        data[len(data) // 2] ^= 0xFF
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CorpusError):
            list(read_sentences(tmp_path / name))


def test_files_that_cannot_be_opened_say_so_at_once(tmp_path, monkeypatch):
    for path, reason in ((tmp_path / "none.conllu", "no such file or folder"), (tmp_path, "is a folder")):
        with pytest.raises(CorpusError, match=reason) as caught:
            read_sentences(path)
        assert str(caught.value).startswith(f"{path}: ")
    secret = tmp_path / "secret.conllu"
    secret.write_text(ODD)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(CorpusError, match="no permission"):
        read_sentences(secret)
    with pytest.raises(CorpusError, match="not a file name"):
        read_sentences("a\0b")


def test_endless_nothing(monkeypatch):
    if not os.path.exists("/dev/zero"):
        pytest.skip("no /dev/zero here")
    with pytest.raises(CorpusError, match="no blank line within 16 MiB: this is not CoNLL-U"):
        list(read_sentences("/dev/zero"))


def test_endless_comments(tmp_path):
    path = tmp_path / "comments.conllu.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(200):
            stream.write(b"#" * 100_000 + b"\n\n")
        stream.write(ODD.encode())
    with pytest.raises(CorpusError, match="too many comment lines without words"):
        list(read_sentences(path))
