"""Read sentences from CoNLL files: one at a time, without loss, and with the position of every error."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from headway.corpus.block_parser import parse_block
from headway.corpus.blocks import LARGEST_BLOCK, Block, read_blocks
from headway.corpus.files import check_readable, comes_live, open_input, read_chunks
from headway.corpus.guessing import guess_layout
from headway.corpus.layout import CONLLU, Layout
from headway.corpus.sentence import Sentence
from headway.errors import CorpusError, UsageError
from headway.support.arguments import check_path

OnError = Literal["raise", "skip"]
Report = Callable[[CorpusError], None]


def read_sentences(
    path: str | Path, *, layout: Layout | None = None, on_error: OnError = "raise", report: Report | None = None
) -> Iterator[Sentence]:
    """Read the sentences of a file one by one, in constant memory.

    Parameters
    ----------
    path : str or Path
        The file; ``.gz`` and ``.xz`` are decompressed, ``-`` is standard input.
    layout : Layout, optional
        The table format of the file; by default it is guessed from the first lines.
    on_error : {"raise", "skip"}
        What to do with a broken sentence: raise its error, or skip to the next blank line.
    report : callable, optional
        Called with the error of each sentence that is skipped; by default, they are skipped silently.

    Returns
    -------
    Iterator of Sentence
        In file order.

    Raises
    ------
    CorpusError
        At once if the file cannot be opened; from the iterator if a sentence is broken and `on_error` is ``"raise"``.
    """
    check_path(path, "the path of a file")
    name = str(path)
    check_readable(name)
    complain = _complaint(on_error, report)
    layout = layout or guess_layout(name)
    return block_sentences(file_blocks(name), layout=layout, path=name, complain=complain)


def parse_sentences(
    text: str, *, layout: Layout = CONLLU, on_error: OnError = "raise", report: Report | None = None
) -> Iterator[Sentence]:
    r"""Read the sentences in a string, as `read_sentences` reads those in a file.

    Examples
    --------
    >>> [sentence] = parse_sentences("1\tHark\thark\tVERB\t_\t_\t0\troot\t_\t_\n")
    >>> sentence.forms, sentence.heads
    (['Hark'], [0])
    """
    if not isinstance(text, str):
        raise TypeError(f"expected the content of a file (str), got {type(text).__name__}")
    blocks = read_blocks([text.encode("utf-8", "surrogatepass")])
    return block_sentences(blocks, layout=layout, path="<text>", complain=_complaint(on_error, report))


def file_blocks(path: str) -> Iterator[Block]:
    """Yield the sentences of a file as undecoded blocks."""
    with open_input(path) as stream:
        yield from read_blocks(read_chunks(stream, path), live=comes_live(stream))


def block_sentences(blocks: Iterable[Block], *, layout: Layout, path: str, complain: Report) -> Iterator[Sentence]:
    """Yield the sentences in blocks of a file; skip broken ones and pass their errors to `complain`."""
    loose, loose_line = "", 1  # comments and blank lines without words: attached to the next sentence
    for block in _up_to_breakdown(blocks, complain):
        try:
            sentence = parse_block(block, layout=layout, path=path)
            if not len(sentence):
                loose_line = loose_line if loose else sentence.line
                loose += block.body.decode() + block.after.decode()
                if len(loose) > LARGEST_BLOCK:
                    loose = ""
                    raise CorpusError("too many comment lines without words", path=path, line=loose_line)
                continue
        except CorpusError as error:
            complain(error)
            continue
        if loose:
            sentence.before, loose = loose + sentence.before, ""
        yield sentence
    if "#" in loose:
        complain(CorpusError("comments without words at the end of the file", path=path, line=loose_line))


def _up_to_breakdown(blocks: Iterable[Block], complain: Report) -> Iterator[Block]:
    """Yield `blocks`; if reading the file itself fails (a truncated archive, a bad disk), report this and stop."""
    try:
        yield from blocks
    except CorpusError as error:
        complain(error)


def _complaint(on_error: OnError, report: Report | None) -> Report:
    if on_error not in ("raise", "skip"):
        raise UsageError(f"on_error is {on_error!r}; it may be 'raise' or 'skip'")
    return _raise if on_error == "raise" else report or _ignore


def _raise(error: CorpusError) -> None:
    raise error


def _ignore(error: CorpusError) -> None:
    pass
