"""The corpus: a folder for each kind, a file for each input."""

from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"


def seeds(kind: str) -> list[bytes]:
    """Return the inputs of the corpus, in the order of their names."""
    return [path.read_bytes() for path in sorted((CORPUS / kind).iterdir()) if path.is_file()]
