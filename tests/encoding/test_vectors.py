"""Word vectors: their files, and what a parser makes of them."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
import small_corpus

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.encoding.vectors import WordVectors, read_vectors
from headway.encoding.vocabulary import FIRST_FREE
from headway.errors import CorpusError, ModelError, UsageError
from headway.learning import TrainingOptions
from headway.model_file import read_model_file, write_model_file
from headway.parser import Parser

WORDS = {"the": [1.0, 0.0, -2.0], "Oslo": [0.25, 3.0, 0.5], "naïve": [-1.0, 1e-3, 0.0]}


def text(header: bool) -> bytes:
    lines = [" ".join([word, *map(repr, vector)]) for word, vector in WORDS.items()]
    return "\n".join([*(["3 3"] if header else []), *lines, ""]).encode()


def binary(newlines: bool) -> bytes:
    entries = (word.encode() + b" " + struct.pack("<3f", *vector) for word, vector in WORDS.items())
    return b"3 3\n" + (b"\n" if newlines else b"").join(entries)


@pytest.mark.parametrize("content", [text(True), text(False), binary(True), binary(False)])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_every_format_says_the_same(tmp_path: Path, content: bytes, ending: str) -> None:
    path = tmp_path / f"vectors{ending}"
    path.write_bytes(gzip.compress(content) if ending else content)
    found = read_vectors(str(path))
    assert found.words == list(WORDS)
    values = found.values[FIRST_FREE:] * found.scales
    lengths = [np.linalg.norm(vector) for vector in WORDS.values()]
    np.testing.assert_allclose(values * np.mean(lengths), list(WORDS.values()), atol=0.02)
    assert not found.values[:FIRST_FREE].any()


def test_words_may_have_spaces(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(b"2 2\nNew York 1 2\nat name@example.org 3 4\n")
    assert read_vectors(str(path)).words == ["New York", "at name@example.org"]


def test_a_damaged_archive_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "vectors.gz"
    path.write_bytes(gzip.compress(text(False) * 100)[:-9])
    with pytest.raises(CorpusError, match="cannot be read to its end"):
        read_vectors(str(path))


def test_the_first_words_and_the_wanted_ones_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(text(True))
    assert read_vectors(str(path), most=1).words == ["the"]
    assert read_vectors(str(path), most=1, wanted=["naïve", "no"]).words == ["the", "naïve"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no word vectors"),
        (b"2 3\n", "ends before"),
        (b"the one two\n", "expected a word"),
        (b"the 1 2\nof 1\n", "vectors:2: expected a word and 2 numbers"),
        (b"the 1 nan\n", "NaN, infinite or huge"),
        (b"the 1 1e300\n", "infinite or huge"),
        (b"the 1 1e30\n", "infinite or huge"),
        (b"1 0\nthe\n", "vectors:1: vectors must have 1 to 65536 numbers"),
        (b"1 99999999999999999999\nthe 1\n", "vectors:1: vectors must have 1 to 65536 numbers"),
        (b"1 " + b"9" * 5000 + b"\nthe 1\n", "vectors:1: vectors must have 1 to 65536 numbers"),
        (binary(True)[:-3], "ends before"),
        (b"2 3\nthe 1 2 3\nof 1 x 3\n", "vectors:3: expected a word and 3 numbers"),
        (b"1 3\n" + b"x" * 100_000, "ends before"),
    ],
)
def test_what_is_no_file_of_vectors(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=message):
        read_vectors(str(path))


def test_words_are_found_as_they_are_spelled_or_in_small_letters() -> None:
    encoder = Encoder.fit(small_corpus.sample(3), vectors=["the", "Oslo"])
    atoms = encoder.encode([Sentence.from_words(["The", "Oslo", "oslo", "the"])]).atoms
    assert atoms[1:, encoder.names.index("vector")].tolist() == [
        FIRST_FREE, FIRST_FREE + 1, encoder.vocabularies["vector"]["oslo"], FIRST_FREE,
    ]  # fmt: skip
    again = Encoder.from_json(encoder.to_json())
    assert (again.encode(small_corpus.sample(4)).atoms == encoder.encode(small_corpus.sample(4)).atoms).all()


def vectors_of_tags(sentences: list[Sentence]) -> WordVectors:
    """A vector for each form that says its tag, as if it had been learned from much text."""
    tags = {form: tag for sentence in sentences for form, tag in zip(sentence.forms, sentence.upos, strict=True)}
    names = sorted(set(tags.values()))
    return WordVectors.pack(
        list(tags), np.eye(len(names), dtype=np.float32)[[names.index(tag) for tag in tags.values()]]
    )


def test_a_parser_learns_from_them_and_keeps_them(tmp_path: Path) -> None:
    sentences = small_corpus.sample(160)
    train, dev = sentences[:60], sentences[60:]
    options = TrainingOptions(epochs=4)
    plain, helped = (
        Parser.train(
            train,
            dev=dev[:20],
            preset="fast",
            options=options,
            without=("lemma", "upos", "xpos", "feats"),
            vectors=vectors,
        )
        for vectors in (None, vectors_of_tags(sentences))
    )
    right = [
        sum(
            head == gold
            for found, one in zip(parser.parse(dev), dev, strict=True)
            for head, gold in zip(found.heads, one.heads, strict=True)
        )
        for parser in (plain, helped)
    ]
    assert right[1] > right[0]
    path = tmp_path / "vectors.headway"
    helped.save(path)
    assert [one.heads for one in Parser.load(path).parse(dev)] == [one.heads for one in helped.parse(dev)]
    tensors, facts = read_model_file(path)
    write_model_file(path, {**tensors, "vectors": tensors["vectors"][1:]}, facts)
    with pytest.raises(ModelError, match="vectors"):
        Parser.load(path)
    with pytest.raises(UsageError, match="no tensor"):
        Parser.train(train, preset="first-order", vectors=vectors_of_tags(sentences))
