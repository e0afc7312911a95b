"""Read and write the files of ``headway constituents``: trees, head rules and sentences."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headway.errors import UsageError

if TYPE_CHECKING:
    from headway.constituency.parses import ConstituentParse
    from headway.constituency.tree import Tree
    from headway.corpus import Sentence

_NOTES = ("certified", "fallback", "score", "bound", "iterations", "partners")
"""The names of the comments that say how a tree was found."""


class To(StrEnum):
    """The output format."""

    brackets = "brackets"
    json = "json"
    tree = "tree"
    svg = "svg"
    conllu = "conllu"


class Format(StrEnum):
    """The input format."""

    auto = "auto"
    text = "text"
    words = "words"
    trees = "trees"
    conllu = "conllu"
    conllx = "conllx"
    conll2009 = "conll2009"

    def of(self, file: str) -> "Format":
        """The format of a file: guessed from its content with ``auto``."""
        from headway.corpus import CONLL2009, CONLLX
        from headway.corpus.guessing import guess_layout, looks_like_text, looks_like_trees

        if self is not Format.auto:
            return self
        if looks_like_trees(file):
            return Format.trees
        if looks_like_text(file):
            return Format.text
        layout = guess_layout(file)
        return Format.conll2009 if layout is CONLL2009 else Format.conllx if layout is CONLLX else Format.conllu


class Input(NamedTuple):
    """A sentence to parse.

    Parameters
    ----------
    forms, tags : list of str
        Words, and tags where there are some.
    sentence : Sentence, optional
        The sentence of a table.
    """

    forms: list[str]
    tags: list[str]
    sentence: "Sentence | None" = None


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


def read_sentences(file: str, format: Format, segmenter: str, *, gold_tags: bool = False) -> Iterator[Input]:
    """Yield the sentences of a file; `gold_tags` makes all tags necessary."""
    found = format.of(file)
    if found is Format.trees:
        yield from _tree_sentences(file, guessed=format is Format.auto)
    elif found is Format.words:
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
                yield Input(forms, [])
    elif found is Format.text:
        from headway.annotator import Annotator
        from headway.bulk.pieces import is_damaged
        from headway.cli.failures import warn_unread

        warned = False
        for sentence in Annotator.load(segmenter).read_file(file):
            if not warned and is_damaged(sentence.text):
                warn_unread(file)
                warned = True
            yield Input(list(sentence.forms), [])
    else:
        yield from _table_sentences(file, found, gold_tags=gold_tags)


def _table_sentences(file: str, format: Format, *, gold_tags: bool) -> Iterator[Input]:
    """Yield the sentences of a table; tags are XPOS, or UPOS where a sentence has no XPOS."""
    from headway.cli import options
    from headway.corpus import read_sentences
    from headway.errors import CorpusError

    for sentence in read_sentences(file, layout=options.Format(format.value).layout):
        tags = sentence.upos if set(sentence.xpos) == {"_"} else sentence.xpos
        if gold_tags and "_" in tags:
            raise CorpusError("a word without a tag, and --gold-tags", path=file, line=sentence.line)
        yield Input(sentence.forms, tags, sentence)


def _tree_sentences(file: str, *, guessed: bool) -> Iterator[Input]:
    """Yield the words and tags of trees; `guessed` adds advice to errors, for the file may be text."""
    from headway.constituency import brackets
    from headway.constituency.tree import without_empty
    from headway.errors import CorpusError

    try:
        for tree in map(without_empty, brackets.read_trees(file)):
            yield Input(tree.forms, tree.tags)
    except CorpusError as error:
        if not guessed:
            raise
        advice = f"{error.reason} (if this is text that begins with a bracket, add --format text)"
        raise CorpusError(advice, path=error.path, line=error.line) from None


def written(parses: "Iterator[tuple[Input, ConstituentParse]]", to: To, *, gold_tags: bool = False) -> Iterator[str]:
    """Yield the text of trees in an output format; `gold_tags` if the tags are those of the input."""
    import json

    from headway.constituency.brackets import format_tree
    from headway.constituency.drawing import draw_tree, tree_text
    from headway.constituency.tree import escaped_words
    from headway.corpus.writer import format_sentences

    if to is To.svg:
        drawn = [parse for _, parse in parses]
        columns = [parse.tree for parse in drawn], [parse.heads for parse in drawn]
        yield draw_tree(*columns, notes=[parse.note for parse in drawn])
        return
    if to is To.conllu:
        yield from format_sentences(_with_dependencies(given, parse, gold_tags) for given, parse in parses)
        return
    for _, parse in parses:
        if to is To.brackets:
            yield f"{format_tree(escaped_words(parse.tree))}\n"
        elif to is To.json:
            yield json.dumps(parse.data(), ensure_ascii=False) + "\n"
        else:
            yield f"{tree_text(parse.tree, parse.heads)}# {parse.note}\n\n"


def _with_dependencies(given: Input, parse: "ConstituentParse", gold_tags: bool) -> "Sentence":
    """Return a sentence of CoNLL-U with the dependencies of a tree; all else of a table stays as it is.

    The tree's tags are XPOS, unless the table has XPOS, or the tags are its UPOS.
    """
    from headway.corpus import CONLLU, Sentence, convert
    from headway.search.notes import without_breaks

    if given.sentence is None:
        sentence = Sentence.from_words(parse.tree.forms, xpos=parse.tree.tags)
    else:
        sentence = convert(given.sentence, layout=CONLLU).without_comments(_NOTES)
        if not gold_tags and set(sentence.xpos) == {"_"}:
            sentence = sentence.with_tags(xpos=parse.tree.tags)
    if parse.rank > 1:
        sentence = without_breaks(sentence)
    comments = [f"# certified = {'yes' if parse.certified else 'no'}"]
    if parse.fallback:
        comments.append("# fallback = yes")
    else:
        comments += [f"# score = {parse.score:.4f}", f"# bound = {parse.bound:.4f}"]
        comments += [f"# iterations = {parse.iterations}", f"# partners = {', '.join(parse.partners) or 'none'}"]
    labels = ["root" if head == 0 else "dep" for head in parse.heads]
    return sentence.with_tree(parse.heads, labels).with_comments(*comments)
