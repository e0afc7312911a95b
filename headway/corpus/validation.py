"""Validate a file of sentences and list all its problems."""

from collections.abc import Iterator
from pathlib import Path

from headway.corpus.block_parser import block_problems, parse_block
from headway.corpus.files import check_readable
from headway.corpus.guessing import guess_layout
from headway.corpus.layout import Layout
from headway.corpus.reader import file_blocks
from headway.corpus.trees import tree_problems
from headway.errors import CorpusError


def validate(path: str | Path, *, layout: Layout | None = None, single_root: bool = True) -> Iterator[CorpusError]:
    """Yield every problem of a file, in constant memory.

    Parameters
    ----------
    path : str or Path
        The file; ``.gz`` and ``.xz`` are decompressed, ``-`` is standard input.
    layout : Layout
        The table format that the file should follow.
    single_root : bool
        Whether several roots are a problem.

    Yields
    ------
    CorpusError
        The problems, sentence by sentence: format errors with line and column; if there are none, problems of the tree,
        with the line on which the sentence starts.

    Raises
    ------
    CorpusError
        At once, if the file cannot be opened.
    """
    name = str(path)
    check_readable(name)
    return _problems(name, layout or guess_layout(name), single_root)


def _problems(path: str, layout: Layout, single_root: bool) -> Iterator[CorpusError]:
    blocks = file_blocks(path)
    while True:
        try:
            block = next(blocks, None)
        except CorpusError as error:
            yield error
            return
        if block is None:
            return
        try:
            sentence = parse_block(block, layout=layout, path=path)
        except CorpusError:
            yield from block_problems(block, layout=layout, path=path)
            continue
        if sentence.comments and not sentence.rows:
            yield CorpusError("comments without words", path=path, line=sentence.line)
        for reason in tree_problems(sentence.heads, single_root=single_root):
            yield CorpusError(reason, path=path, line=sentence.line)
