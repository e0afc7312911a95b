"""Read and write the files of ``headway constituents``: trees, head rules and sentences."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from headway.errors import UsageError

if TYPE_CHECKING:
    from headway.constituency.parses import ConstituentParse
    from headway.constituency.tree import Tree


class Shape(StrEnum):
    """The output format."""

    brackets = "brackets"
    json = "json"
    tree = "tree"
    svg = "svg"
    conllu = "conllu"


class Input(StrEnum):
    """The input format."""

    text = "text"
    words = "words"
    trees = "trees"


def read_trees(file: str) -> "list[Tree]":
    """Return the trees of a file; CorpusError if it has none with words."""
    from headway.constituency import brackets
    from headway.constituency.tree import has_words
    from headway.errors import CorpusError

    trees = list(brackets.read_trees(file))
    if not any(map(has_words, trees)):
        raise CorpusError("no trees with words", path=file)
    return trees


def head_table(name: str) -> str:
    """Return the name of a built-in table of head rules, or the text of a file; UsageError if it is invalid."""
    from headway.constituency.head_rules import TABLES, HeadRules
    from headway.corpus import open_input

    if name in TABLES or not Path(name).is_file():
        HeadRules.read(name)
        return name
    with open_input(name) as stream:
        text = stream.read().decode("utf-8-sig", errors="replace")
    try:
        HeadRules.read(f"{text}\n")
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    return f"{text}\n"


def read_sentences(file: str, input: Input, segmenter: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of each sentence and their tags, if the input has tags."""
    if input is Input.trees:
        from headway.constituency import brackets
        from headway.constituency.tree import without_empty

        for tree in map(without_empty, brackets.read_trees(file)):
            yield tree.forms, tree.tags
    elif input is Input.words:
        from headway.corpus import open_input
        from headway.corpus.files import read_chunks
        from headway.errors import CorpusError

        with open_input(file) as stream:
            data = b"".join(read_chunks(stream, file))
        for line, content in enumerate(data.split(b"\n"), start=1):
            try:
                forms = content.decode().split()
            except UnicodeDecodeError:
                raise CorpusError("not UTF-8", path=file, line=line) from None
            if forms:
                yield forms, []
    else:
        from headway.annotator import Annotator

        for sentence in Annotator.load(segmenter).read_file(file):
            yield list(sentence.forms), []


def written(parses: "Iterator[ConstituentParse]", shape: Shape) -> Iterator[str]:
    """Yield the text of trees in an output format."""
    import json

    from headway.constituency.brackets import format_tree
    from headway.constituency.drawing import draw_tree, tree_text
    from headway.constituency.tree import escaped_words

    if shape is Shape.svg:
        drawn = list(parses)
        yield draw_tree([parse.tree for parse in drawn], [parse.heads for parse in drawn])
        return
    for parse in parses:
        if shape is Shape.brackets:
            yield f"{format_tree(escaped_words(parse.tree))}\n"
        elif shape is Shape.json:
            yield json.dumps(parse.data(), ensure_ascii=False) + "\n"
        elif shape is Shape.tree:
            state = "flat: the grammar has no tree" if parse.fallback else f"certified after {parse.iterations}"
            if not parse.certified and not parse.fallback:
                state = f"not certified: {parse.score:.2f}, at most {parse.bound:.2f}"
            yield f"{tree_text(parse.tree, parse.heads)}# {state}\n\n"
        else:
            yield _conllu(parse)


def _conllu(parse: "ConstituentParse") -> str:
    from headway.corpus import Sentence, format_sentence

    labels = ["root" if head == 0 else "dep" for head in parse.heads]
    sentence = Sentence.from_words(
        parse.tree.forms, upos=parse.tree.tags, xpos=parse.tree.tags, heads=parse.heads, labels=labels,
        comments=[f"# certified = {'yes' if parse.certified else 'no'}"],
    )  # fmt: skip
    return format_sentence(sentence)
