"""Parse one piece of the input: find sentences, tags and trees."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headway.annotator import Annotator, load_model
from headway.bulk.pieces import Piece
from headway.corpus import CONLLU, Layout, Sentence
from headway.corpus.reader import block_sentences
from headway.errors import CorpusError, HeadwayError, UsageError
from headway.parser import Parser


@dataclass(frozen=True)
class Task:
    """The settings for every piece; each process gets a copy.

    Parameters
    ----------
    model : str
        The name or path of the model.
    to : str
        The output format, as for `Form`.
    skip : bool
        Leave out sentences that cannot be read or parsed, rather than stop.
    options : mapping
        Options for `Parser.parse`.
    restarts : int or None
        Restarts of hill climbing; the model's setting by default.
    correct_tags : bool or None
        As for `Annotator.tag`.
    presegmented : bool
        Treat each line of a text as a sentence.
    """

    model: str
    layout: Layout = CONLLU
    to: str = "conllu"
    skip: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    restarts: int | None = None
    correct_tags: bool | None = None
    presegmented: bool = False


@dataclass(frozen=True)
class Answer:
    """The result for a piece.

    Parameters
    ----------
    trees : tuple of Sentence
        Parsed sentences; sentences of a text are numbered from 1 in each piece.
    sentences, words : int
        The numbers of sentences and words that were read.
    missing : frozenset of str
        Columns that the model was trained with but that are empty in the first sentences of the piece.
    complaints : tuple of HeadwayError
        An error for each sentence that was skipped.
    """

    trees: tuple[Sentence, ...]
    sentences: int
    words: int
    missing: frozenset[str] = frozenset()
    complaints: tuple[HeadwayError, ...] = ()


class Worker:
    """Parses pieces with the settings of `task`. Workers for different tasks can share a loaded `model`."""

    def __init__(self, task: Task, model: Annotator | Parser | None = None) -> None:
        self.task = task
        found = load_model(task.model) if model is None else model
        self.annotator = found if isinstance(found, Annotator) else None
        self.parser = found if isinstance(found, Parser) else found.parser
        self.options: dict[str, Any] = {**task.options}
        if task.correct_tags and (self.annotator is None or self.annotator.corrector is None):
            raise UsageError(f"{task.model}: cannot correct tags: train it with --pipeline --correct-tags")
        if task.restarts is not None:
            self._check_climbs()
            self.options["search"] = replace(self.parser.model.rule, restarts=task.restarts)

    def _check_climbs(self) -> None:
        """Raise UsageError if the number of restarts has no effect."""
        model, decoder = self.parser.model, self.options.get("decoder")
        if model.transitions is not None:
            raise UsageError("--restarts is for hill climbing, and an incremental model has its own search")
        if not hasattr(model.search(decoder).decoder, "restarts"):
            name = decoder or model.settings.decoder
            raise UsageError(f"--restarts is for hill climbing, and the decoder {name} does not climb")

    def __reduce__(self) -> tuple[type["Worker"], tuple[Task]]:
        """Send only the task to another process, which loads the model itself."""
        return Worker, (self.task,)

    def __call__(self, piece: Piece) -> Answer:
        """Read, tag and parse a piece."""
        complaints: list[HeadwayError] = []
        sentences = list(self.read(piece, complaints))
        missing = frozenset[str]()
        given: Iterable[Sentence] = sentences
        if self.annotator is not None:
            given = self.annotator.tag(sentences, correct_tags=self.task.correct_tags)
        else:
            missing = missing_columns(sentences[:WATCHED], self.parser)
        parsed = self.parser.parse(given, report=complaints.append if self.task.skip else None, **self.options)
        return Answer(tuple(parsed), len(sentences), sum(map(len, sentences)), missing, tuple(complaints))

    def read(self, piece: Piece, complaints: list[HeadwayError]) -> Iterator[Sentence]:
        """Read the sentences of a piece; tags may be missing."""
        if piece.text is None:
            return block_sentences(
                piece.blocks, layout=self.task.layout, path=piece.path, complain=_complaint(self.task.skip, complaints)
            )
        return self._reader().read(
            piece.text, offset=piece.offset, paragraph=piece.paragraph, presegmented=self.task.presegmented
        )

    def _reader(self) -> Annotator:
        if self.annotator is None:
            raise UsageError(
                f"{self.task.model}: this model parses tagged words, not plain text: train one with --pipeline"
            )
        return self.annotator


def _complaint(skip: bool, complaints: list[HeadwayError]) -> Callable[[CorpusError], None]:
    def complain(error: CorpusError) -> None:
        if not skip:
            raise error
        complaints.append(error)

    return complain


_COLUMNS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"}

WATCHED = 20
"""The number of sentences, at the start of a run, that are checked for empty columns."""


def missing_columns(sentences: Iterable[Sentence], parser: Parser) -> frozenset[str]:
    """Return the columns that the parser was trained with but that are empty in all of these sentences."""
    encoder = parser.model.encoder
    missing = set(_COLUMNS) - encoder.constant_atoms() - set(encoder.ignored)
    if not encoder.has_lemmas:  # then the vocabulary has the lower-cased forms in place of lemmas
        missing.discard("lemma")
    for sentence in sentences:
        missing = {name for name in missing if set(getattr(sentence, _COLUMNS[name])) <= {"_"}}
    return frozenset(missing)
