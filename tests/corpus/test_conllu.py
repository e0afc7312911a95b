import gzip
import io
import lzma
import os
import sys
import threading

import pytest
from corpus_samples import ODD, lines_of, text_of
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import format_sentence, parse_sentences, read_sentences, write_sentences

LINES = lines_of(["2", "0", "2"])
BODY = "\n".join(LINES)
FIELDS = st.text(st.characters(exclude_characters="\t\n\0", exclude_categories=["Cs"]), min_size=1, max_size=4)

HABITS = {
    "usual": ODD + BODY + "\n\n",
    "no blank line at the end": ODD + BODY + "\n",
    "no newline at the end": ODD + BODY,
    "many blank lines": "\n\n" + ODD + "\n\n \n" + BODY + "\n\n\n\n",
    "one blank line before": "\n" + ODD + BODY + "\n\n",
    "blank lines of spaces": "  \n" + ODD + BODY + "\n   \n  ",
    "byte-order mark": "\ufeff" + ODD + BODY + "\n\n",
    "byte-order mark and blank lines": "\ufeff\n\n" + ODD + BODY + "\n\n",
    "CRLF": (ODD + BODY + "\n\n\n").replace("\n", "\r\n"),
    "CRLF, blank lines before": ("\n \n" + ODD + BODY + "\n\n").replace("\n", "\r\n"),
    "CRLF, no newline at the end": (ODD + BODY).replace("\n", "\r\n"),
    "CRLF in one sentence only": ODD.replace("\n", "\r\n") + BODY + "\n\n",
    "both line ends in a sentence": ODD + BODY.replace("\n", "\r\n", 1) + "\n\n",
    "comments without words": "# generator = me\n\n" + ODD + "# lost\n\n\n" + BODY + "\n\n",
    "tabs in a comment": "# a\t\tb\t\n" + ODD + BODY + "\n\n",
    "bare comment": "#\n" + ODD + BODY + "\n\n",
}


def round_trip(data: bytes, path) -> bytes:
    source, target = path / "in.conllu", path / "out.conllu"
    source.write_bytes(data)
    write_sentences(target, read_sentences(source))
    return target.read_bytes()


@pytest.mark.parametrize("habit", HABITS)
def test_files_come_out_as_they_went_in(habit, tmp_path):
    data = HABITS[habit].encode()
    assert round_trip(data, tmp_path) == data
    first, second = read_sentences(tmp_path / "in.conllu")
    assert first.heads == [0, 4, 4, 1, 6, 1, 6, 1]
    assert second.forms == ["w1", "w2", "w3"]


@pytest.mark.parametrize("habit", ["CRLF", "CRLF, no newline at the end", "byte-order mark"])
def test_fields_are_free_of_line_ends_and_marks(habit):
    first, second = parse_sentences(HABITS[habit])
    assert first.comments[0] == "# sent_id = 1"
    assert first.rows[0][0] == "1"
    assert [row[-1] for row in second.rows] == ["_"] * 3


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", " \n", "\ufeff", "\ufeff\n", "\r\n\r\n", "  "])
def test_nothing_holds_no_sentences(text):
    assert list(parse_sentences(text)) == []


@pytest.mark.parametrize("odd", ["\r", "\u2028", "\u2029", "\u0085", "\f", "\v", "\x1c", "\u00a0", " ", "\ufeff"])
def test_odd_characters_stay_inside_their_field(odd, tmp_path):
    text = f"# text = x{odd}y\n1\tx{odd}y\t{odd}\tX\t_\t_\t0\troot\t_\tz{odd}z\n\n"
    assert round_trip(text.encode(), tmp_path) == text.encode()
    [sentence] = read_sentences(tmp_path / "in.conllu")
    assert sentence.forms == [f"x{odd}y"]
    assert sentence.lemmas == [odd]


@given(
    st.lists(st.lists(st.tuples(FIELDS, FIELDS, FIELDS), min_size=1, max_size=4), max_size=4),
    st.integers(0, 3),
)
def test_any_fields_come_back(sentences, blanks):
    text = "".join(
        "".join(
            f"{i}\t{form}\t{lemma}\tX\t_\t_\t{i - 1}\tdep\t_\t{misc}\n"
            for i, (form, lemma, misc) in enumerate(words, start=1)
        )
        + "\n" * (blanks + 1)
        for words in sentences
    )
    parsed = list(parse_sentences(text))
    assert "".join(map(format_sentence, parsed)) == text
    assert [sentence.forms for sentence in parsed] == [[form for form, _, _ in words] for words in sentences]


def test_places_are_kept():
    sentences = list(parse_sentences("\n\n" + ODD + "\n" + BODY))
    assert [sentence.line for sentence in sentences] == [3, 17]
    assert {sentence.path for sentence in sentences} == {"<text>"}


def test_long_sentences():
    heads = [str(i) for i in range(3000)]
    [sentence] = parse_sentences(text_of(heads))
    assert len(sentence) == 3000
    assert sentence.heads == list(range(3000))


def test_unknown_heads_are_minus_one():
    [sentence] = parse_sentences(text_of(["_", "0", "_"]))
    assert sentence.heads == [-1, 0, -1]
    assert format_sentence(sentence) == text_of(["_", "0", "_"])


@pytest.mark.parametrize(("name", "module"), [("a.conllu.gz", gzip), ("a.conllu.xz", lzma)])
def test_compressed_by_name(name, module, tmp_path):
    sentences = list(parse_sentences(ODD * 50))
    assert write_sentences(tmp_path / name, sentences) == 50
    with module.open(tmp_path / name) as stream:
        assert stream.read().decode() == ODD * 50
    assert list(read_sentences(tmp_path / name)) == sentences
    first = (tmp_path / name).read_bytes()
    write_sentences(tmp_path / name, sentences)
    assert (tmp_path / name).read_bytes() == first


def test_standard_streams(monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ODD.encode())))
    assert write_sentences("-", read_sentences("-")) == 1
    assert capsysbinary.readouterr().out.decode() == ODD


def test_a_pipe_is_answered_sentence_by_sentence(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    answered = threading.Event()

    def talk():
        with open(fifo, "wb", buffering=0) as stream:
            stream.write(ODD.encode())
            if answered.wait(20):
                stream.write(text_of(["0"]).encode())

    talker = threading.Thread(target=talk)
    talker.start()
    sentences = read_sentences(fifo)
    assert len(next(sentences)) == 8
    answered.set()
    assert [len(sentence) for sentence in sentences] == [1]
    talker.join()


def test_reading_is_lazy(tmp_path):
    broken = tmp_path / "late.conllu"
    broken.write_text(ODD + "broken\n\n")
    assert len(next(read_sentences(broken))) == 8


def test_every_treebank_comes_out_byte_for_byte(treebanks, tmp_path):
    files = sorted(treebanks.glob("*/*.conllu.xz"))
    assert files
    for path in files:
        with lzma.open(path) as stream:
            data = stream.read()
        write_sentences(tmp_path / "out.conllu", read_sentences(path))
        assert (tmp_path / "out.conllu").read_bytes() == data, path


def test_agrees_with_the_conllu_package(treebanks):
    conllu = pytest.importorskip("conllu")
    for path in sorted(treebanks.glob("*/dev.conllu.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as stream:
            text = "".join(next(stream, "") for _ in range(4000)).rpartition("\n\n")[0] + "\n\n"
        theirs = conllu.parse(text)
        ours = list(parse_sentences(text))
        assert len(ours) == len(theirs) > 0
        for sentence, tokens in zip(ours, theirs, strict=True):
            words = [token for token in tokens if isinstance(token["id"], int)]
            assert sentence.forms == [token["form"] for token in words]
            assert sentence.lemmas == [token["lemma"] for token in words]
            assert sentence.upos == [token["upos"] or "_" for token in words]
            assert sentence.xpos == [token["xpos"] or "_" for token in words]
            assert sentence.heads == [token["head"] for token in words]
            assert sentence.labels == [token["deprel"] for token in words]
            assert len(sentence.rows) == len(tokens)
            assert sentence.metadata.get("sent_id") == tokens.metadata.get("sent_id")
