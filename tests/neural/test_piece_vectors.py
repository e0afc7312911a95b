"""Static vectors of word pieces: cutting words, reading folders."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.errors import UsageError
from headway.scorers.neural.piece_vectors import PieceCutter, read_piece_vectors
from headway.scorers.neural.readers import WordReader, reader_from_json

PIECES = ["▁", "▁do", "▁dog", "s", "g", "gs", "▁bark"]


def test_the_longest_pieces_are_taken_from_left_to_right() -> None:
    cut = PieceCutter(PIECES)
    assert [PIECES[number - 1] for number in cut("dogs")] == ["▁dog", "s"]
    assert [PIECES[number - 1] for number in cut("barks")] == ["▁bark", "s"]
    assert [PIECES[number - 1] for number in cut("xgsx")] == ["▁", "gs"]  # no piece covers x
    assert cut("dogs") == cut("dogs")
    assert PieceCutter([])("dogs") == []


@given(st.text(alphabet="abc", max_size=8), st.sets(st.text(alphabet="▁abc", min_size=1, max_size=3), max_size=12))
def test_pieces_that_cover_everything_give_the_word_back(form: str, some: set[str]) -> None:
    pieces = sorted(some | set("▁abc"))
    assert "".join(pieces[number - 1] for number in PieceCutter(pieces)(form)) == "▁" + form


def write(folder: Path, pieces: list[str], vectors: object) -> Path:
    (folder / "pieces.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    np.save(folder / "vectors.npy", np.asarray(vectors))
    return folder


def test_vectors_are_scaled(tmp_path: Path) -> None:
    pieces, vectors = read_piece_vectors(write(tmp_path, ["▁a", "b"], [[2.0, -2.0], [2.0, -2.0]]))
    assert pieces == ["▁a", "b"]
    np.testing.assert_allclose(vectors, [[1.0, -1.0], [1.0, -1.0]])


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0]], "a row of numbers for each of the 2 pieces"),
        ([1.0, 2.0], "a row of numbers"),
        ([[1, 2], [3, 4]], "a row of numbers"),
        ([[1.0, np.nan], [1.0, 2.0]], "not finite"),
        (np.array([{}, {}]), "not an array"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(tmp_path: Path, vectors: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_piece_vectors(write(tmp_path, ["▁a", "b"], vectors))


def test_a_reader_with_pieces_survives_saving() -> None:
    reader = WordReader.fit([["Dogs", "bark"], ["dogs"]], pieces=PIECES)
    again = reader_from_json(reader.to_json())
    for name, array in reader.batch([["dogs", "bark"], ["gs"]]).items():
        np.testing.assert_array_equal(again.batch([["dogs", "bark"], ["gs"]])[name], array)
    assert reader.batch([["dogs", "s"]])["form_pieces"].tolist() == [[0, 0], [3, 4], [1, 4]]  # the root has no pieces
    with pytest.raises(ValueError, match="pieces"):
        reader_from_json(reader.to_json() | {"pieces": [1]})
