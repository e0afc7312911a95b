"""What becomes of a piece: sentences, tags, trees, and these as text."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headway.annotator import Annotator, load_model
from headway.bulk.pieces import Piece, is_damaged, is_text
from headway.corpus import CONLLU, Layout, Sentence, read_sentences
from headway.corpus.reader import OnError, block_sentences
from headway.corpus.writer import format_sentences
from headway.document import sentence_json
from headway.errors import CorpusError, HeadwayError, UsageError
from headway.parser import Parser
from headway.plots.drawing import tree_lines


@dataclass(frozen=True)
class Task:
    """What is done with every piece; each process gets one.

    Parameters
    ----------
    model : str
        Name or path.
    to : str
        ``conllu``, ``json`` (a line for each sentence) or ``tree``.
    skip : bool
        Leave out sentences that cannot be read or parsed, rather than stop.
    options : mapping
        Those of `Parser.parse`.
    restarts : int or None
        Search longer, or less long, than the model is set to.
    """

    model: str
    layout: Layout = CONLLU
    to: str = "conllu"
    skip: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    restarts: int | None = None


@dataclass(frozen=True)
class Answer:
    """What became of a piece.

    Parameters
    ----------
    sentences, words : int
        How many were read.
    missing : frozenset of str
        Columns that the model relies on and that the first sentences of the file do not have.
    complaints : tuple of HeadwayError
        One for each sentence that was left out.
    """

    text: str
    sentences: int
    words: int
    missing: frozenset[str] = frozenset()
    complaints: tuple[HeadwayError, ...] = ()


class Worker:
    """Answers pieces; `task` says how."""

    def __init__(self, task: Task) -> None:
        self.task = task
        found = load_model(task.model)
        self.annotator = found if isinstance(found, Annotator) else None
        self.parser = found if isinstance(found, Parser) else found.parser
        self.options: dict[str, Any] = {**task.options}
        if task.restarts is not None:
            self.options["search"] = replace(self.parser.model.rule, restarts=task.restarts)

    def __call__(self, piece: Piece) -> Answer:
        """Parse a piece and say it in the form that is wanted."""
        complaints: list[HeadwayError] = []
        missing: list[set[str]] = []
        sentences = list(self.read(piece, complaints))
        if self.annotator is not None:
            given = self.annotator.tag(sentences)
        else:
            given = watched(sentences, self.parser, missing.append) if piece.first else iter(sentences)
        parsed = self.parser.parse(given, report=complaints.append if self.task.skip else None, **self.options)
        text = "".join(formatted(parsed, self.task.to))
        lacking = frozenset(missing[0]) if missing else frozenset[str]()
        return Answer(text, len(sentences), sum(map(len, sentences)), lacking, tuple(complaints))

    def read(self, piece: Piece, complaints: list[HeadwayError]) -> Iterator[Sentence]:
        """The sentences of a piece, without what it lacks."""
        if piece.text is None:
            return block_sentences(
                piece.blocks, layout=self.task.layout, path=piece.path, complain=_complaint(self.task.skip, complaints)
            )
        return self._reader().read(piece.text, offset=piece.offset)

    def parse(
        self,
        paths: Iterable[str],
        *,
        text: bool | None = None,
        live: bool = False,
        tell: Callable[[HeadwayError], None] = lambda error: None,
        lacking: Callable[[set[str]], None] = lambda columns: None,
        unread: Callable[[str], None] = lambda path: None,
    ) -> Iterator[Sentence]:
        """The trees of files one by one, without pieces; the parameters are those of `parse_files`."""
        number = 0
        sentences: Iterable[Sentence]

        def counted(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
            nonlocal number
            for sentence in sentences:
                number += 1
                yield sentence

        for path in paths:
            if is_text(path) if text is None else text:
                sentences = self._text_sentences(path, number, tell, unread)
            else:
                on_error: OnError = "skip" if self.task.skip else "raise"
                sentences = read_sentences(path, layout=self.task.layout, on_error=on_error, report=tell)
            if self.annotator is not None:
                given = self.annotator.tag(counted(sentences), live=live)
            else:
                given = watched(counted(sentences), self.parser, lacking)
            yield from self.parser.parse(given, live=live, report=tell if self.task.skip else None, **self.options)

    def _text_sentences(
        self, path: str, number: int, tell: Callable[[HeadwayError], None], unread: Callable[[str], None]
    ) -> Iterator[Sentence]:
        """Those of a plain text, as far as it can be read."""
        told = False
        try:
            for sentence in self._reader().read_file(path, number=number):
                if not told and any(map(is_damaged, sentence.forms)):
                    unread(path)
                    told = True
                yield sentence
        except CorpusError as error:
            if not self.task.skip:
                raise
            tell(error)

    def _reader(self) -> Annotator:
        if self.annotator is None:
            raise UsageError(f"{self.task.model}: a parser of tagged words, not of text: train it with --pipeline")
        return self.annotator


def _complaint(skip: bool, complaints: list[HeadwayError]) -> Callable[[CorpusError], None]:
    def complain(error: CorpusError) -> None:
        if not skip:
            raise error
        complaints.append(error)

    return complain


def formatted(sentences: Iterable[Sentence], to: str) -> Iterator[str]:
    """Sentences in one of the forms that can be written one by one: ``conllu``, ``json``, ``tree``."""
    if to == "conllu":
        return format_sentences(sentences)
    if to == "json":
        return (json.dumps(sentence_json(one), ensure_ascii=False) + "\n" for one in sentences)
    return ("\n".join([*(line.plain for line in tree_lines(one)), "", ""]) for one in sentences)


_COLUMNS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"}
_WATCHED = 20


def watched(sentences: Iterable[Sentence], parser: Parser, report: Callable[[set[str]], None]) -> Iterator[Sentence]:
    """Pass sentences on, and report the columns that the parser relies on and the first ones lack, if there are any."""
    missing = set(_COLUMNS) - parser.model.encoder.constant_atoms()
    number = 0
    for number, sentence in enumerate(sentences, start=1):
        missing = {name for name in missing if set(getattr(sentence, _COLUMNS[name])) <= {"_"}}
        if number == _WATCHED and missing:
            report(missing)
        yield sentence
    if 0 < number < _WATCHED and missing:
        report(missing)
