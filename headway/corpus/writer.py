"""Write sentences; unchanged sentences are written byte for byte as they were read."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from headway.corpus.arguments import checked_sentences
from headway.corpus.files import open_output
from headway.corpus.sentence import Sentence
from headway.errors import CorpusError
from headway.support.arguments import check_path


def format_sentence(sentence: Sentence) -> str:
    r"""Return the lines of `sentence`, with the blank lines after it.

    Examples
    --------
    >>> format_sentence(Sentence.from_words(["Hark"], heads=[0], labels=["root"]))
    '1\tHark\t_\t_\t_\t_\t0\troot\t_\t_\n\n'
    """
    table = sentence.table()
    lines = "\n".join([*sentence.comments, table] if table else sentence.comments)
    if sentence.newline != "\n":
        lines = lines.replace("\n", sentence.newline)
    return sentence.before + lines + sentence.after


def write_sentences(path: str | Path, sentences: Iterable[Sentence]) -> int:
    """Write `sentences` to a file, which appears complete or not at all.

    Parameters
    ----------
    path : str or Path
        The file; ``.gz`` and ``.xz`` are compressed. ``-`` is standard output, flushed after each sentence.
    sentences : iterable of Sentence
        Written one by one. If a sentence has no blank line after it and another one follows, a blank line is added; a
        byte-order mark is kept only before the first sentence.

    Returns
    -------
    int
        The number of sentences written.

    Raises
    ------
    CorpusError
        If the file cannot be written. Errors that `sentences` raises pass through, and no file is left behind.
    """
    check_path(path, "the path of a file")
    sentences = checked_sentences(sentences)
    live = os.fspath(path) == "-"
    count = 0
    with open_output(path) as stream:
        for text in format_sentences(sentences):
            count += 1
            stream.write(encode(text, os.fspath(path)))
            if live:
                stream.flush()
    return count


def format_sentences(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the text of consecutive sentences, as `write_sentences` writes it."""
    missing = ""
    for count, sentence in enumerate(sentences):
        text = format_sentence(sentence)
        yield missing + (text.removeprefix("\ufeff") if count else text)
        missing = sentence.newline * (2 - sentence.after.count("\n"))


def encode(text: str, path: str) -> bytes:
    """Encode text for the file `path`; CorpusError if it cannot be encoded in UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise CorpusError(f"cannot be written as UTF-8: {text[error.start]!r}", path=path) from None
