"""Read and write Penn brackets: ``(S (NP (NN dogs)) (VP (VBP bark)))``. Only white space is lost.

Lines between trees that begin with ``#`` are comments. Trees may be nested to any depth. Labels and words are separated
by ASCII white space; a no-break space can be part of a word.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from headway.constituency.tree import RESERVED, Tree
from headway.corpus.files import open_input, open_output, read_chunks
from headway.errors import CorpusError

_TOKEN = re.compile(r"[()]|[^ \t\n\r\f\v()]+")


def read_trees(path: str | Path) -> Iterator[Tree]:
    """Yield the trees of a file of brackets, which may be ``.gz``, ``.xz``, or ``-`` for standard input.

    Raises
    ------
    CorpusError
        If the brackets are not valid, with file and line.
    """
    name = str(path)
    with open_input(name) as stream:
        data = b"".join(read_chunks(stream, name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CorpusError("not UTF-8", path=name, line=line) from None
    yield from parse_trees(text, path=name)


def parse_trees(text: str, *, path: str = "-") -> Iterator[Tree]:
    """Yield the trees in a string of brackets; `path` is its name in error messages."""
    labels: list[str | None] = []
    parents: list[int] = []
    words: list[str | None] = []
    filled: list[bool] = []
    node, began = -1, 1

    def problem(reason: str, line: int) -> CorpusError:
        return CorpusError(reason, path=path, line=line)

    for line, content in enumerate(text.split("\n"), start=1):
        if node < 0 and content.startswith("#"):
            continue
        for token in _TOKEN.findall(content):
            if token == "(":
                if node < 0:
                    labels, parents, words, filled, began = [], [], [], [], line
                elif words[node] is not None:
                    raise problem("a bracket after a word in the same bracket", line)
                else:
                    filled[node] = True
                labels.append(None)
                parents.append(node)
                words.append(None)
                filled.append(False)
                node = len(labels) - 1
            elif node < 0:
                reason = "a closing bracket too many" if token == ")" else f"{token!r} outside all brackets"
                raise problem(reason, line)
            elif token == ")":
                if not filled[node]:
                    raise problem("a bracket without words", line)
                node = parents[node]
                if node < 0:
                    yield Tree(tuple(label or "" for label in labels), tuple(parents), tuple(words), began)
            elif labels[node] is None and not filled[node]:
                if any(letter in token for letter in RESERVED):
                    raise problem(f"the label {token!r} contains {' or '.join(RESERVED)}, which are reserved", line)
                labels[node] = token
            elif filled[node]:
                raise problem(f"the word {token!r} beside other words or brackets in one bracket", line)
            else:
                words[node], filled[node] = token, True
    if node >= 0:
        raise problem("this tree is never closed", began)


def format_tree(tree: Tree) -> str:
    r"""Return a tree as brackets on one line.

    >>> print(format_tree(next(parse_trees("(S (NP (NN dogs))\n   (VP (VBP bark)))"))))
    (S (NP (NN dogs)) (VP (VBP bark)))
    """
    pieces: list[str] = []
    open_nodes: list[int] = []
    for node, (label, parent, word) in enumerate(zip(tree.labels, tree.parents, tree.words, strict=True)):
        while open_nodes and open_nodes[-1] != parent:
            pieces.append(")")
            open_nodes.pop()
        pieces.append(f"{' ' if node else ''}({label}")
        if word is None:
            open_nodes.append(node)
        else:
            pieces.append(f" {word})")
    return "".join(pieces) + ")" * len(open_nodes)


def write_trees(path: str | Path, trees: Iterable[Tree]) -> None:
    """Write trees as brackets, one per line; the file is written completely or not at all."""
    with open_output(path) as file:
        for tree in trees:
            file.write(f"{format_tree(tree)}\n".encode())
