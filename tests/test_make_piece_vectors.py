"""The tool that makes vectors of word pieces reads SentencePiece models, and keeps what varies most."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from script_files import TOOLS, load_script

tool = load_script(TOOLS / "make_piece_vectors.py")


def number(value: int) -> bytes:
    """Write a number as Protocol Buffers do: seven bits in each byte, the lowest first."""
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + number(value // 128)


def field(key: int, content: bytes) -> bytes:
    return number(key << 3 | 2) + number(len(content)) + content


@given(st.lists(st.tuples(st.text(min_size=1), st.integers(1, 6))))
def test_pieces_and_their_types(pieces: list[tuple[str, int]]) -> None:
    message = b"".join(
        field(1, field(1, text.encode()) + bytes([2 << 3 | 5, 0, 0, 128, 63]) + bytes([3 << 3, kind]))
        for text, kind in pieces
    )
    trainer = field(2, bytes([1 << 3 | 1]) + bytes(8))
    assert list(tool.read_pieces(message + trainer)) == pieces


def test_pieces_without_a_type_are_normal() -> None:
    assert list(tool.read_pieces(field(1, field(1, b"cat")))) == [("cat", 1)]


def test_chunks_take_turns(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.uint8).reshape(6, 2)
    path = tmp_path / "weights.npz"
    np.savez(path, q1=rows[0::2], q2=rows[1::2], scale=np.array([0.5, 2.0]), lo=np.array([1.0, -1.0]))
    expected = rows * np.array([[0.5], [2.0]] * 3) + np.array([[1.0], [-1.0]] * 3)
    assert np.allclose(tool.read_vectors(path), expected)


def test_the_first_component_is_where_vectors_vary_most() -> None:
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(200, 3)) * [0.1, 5.0, 1.0] + [7.0, 8.0, 9.0]
    found = tool.principal_components(vectors, 2)
    assert abs(np.corrcoef(found[:, 0], vectors[:, 1])[0, 1]) > 0.99
    assert abs(np.corrcoef(found[:, 1], vectors[:, 2])[0, 1]) > 0.99
