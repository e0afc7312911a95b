"""Raw text in, trees out: segmentation, words, tags and the parser in one, trained together and kept in one file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from headway.chunks import full_chunks, ready_chunks
from headway.corpus import Sentence, open_input
from headway.corpus.files import read_chunks
from headway.corpus.text import Token, make_sentence, text_parts, treebank_text
from headway.document import Doc
from headway.encoding.vectors import WordVectors
from headway.errors import ModelError, UsageError
from headway.learning import TrainingOptions
from headway.model import MISFITS, TrainedModel, reason, rows_of
from headway.model_file import read_model_file, read_only, read_text_tensor, text_tensor, write_model_file
from headway.models import find_model
from headway.parser import Parser
from headway.progress import Progress
from headway.schema import check_array
from headway.scorers.rows import row_tensors
from headway.tagging.multiword import Splitter
from headway.tagging.segmenter import Segmenter
from headway.tagging.text_features import WIDTH
from headway.tagging.words import WordModel

if TYPE_CHECKING:
    from headway.evaluation.metrics import Score
    from headway.joint.correction import Corrector
    from headway.joint.states import Lattice
    from headway.presets import Preset

_CHUNK = 256
"""Sentences that are tagged together."""

_FOLDS = 10
"""Parts of a treebank: the parser learns from each with the tags of a tagger that has not seen it."""


@dataclass(frozen=True)
class Annotator:
    """Everything between text and trees.

    Parameters
    ----------
    segmenter, splitter
        From text to words.
    words : WordModel
        From words to tags and lemmas.
    parser : Parser
        From those to trees.
    corrector : Corrector, optional
        From trees back to tags.
    """

    segmenter: Segmenter
    splitter: Splitter
    words: WordModel
    parser: Parser
    corrector: "Corrector | None" = None

    @classmethod
    def train(
        cls,
        train: Sequence[Sentence],
        *,
        dev: Sequence[Sentence] | None = None,
        preset: "str | Preset" = "fast",
        options: TrainingOptions | None = None,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
        about: str = "",
        without: Sequence[str] = (),
        tag_map: Mapping[str, str] | None = None,
        beam: float | None = None,
        pseudo_projective: bool = False,
        vectors: WordVectors | None = None,
        crossed: int = _FOLDS,
        short_sentences: bool = False,
        correct_tags: bool = False,
    ) -> "Annotator":
        """Train all of it on a treebank; all other parameters are those of `Parser.train`.

        Parameters
        ----------
        crossed : int
            In how many parts the treebank is tagged for the parser, each by a tagger that learned from the others.
        short_sentences : bool
            Whether the taggers are made better at short sentences; see `WordModel.fit`.
        correct_tags : bool
            Whether to learn how trees correct tags, too; see `headway.joint`. The dev set decides whether that is used
            by default.
        """
        from headway.joint.reading import MOST_READINGS, cross_read, read_lattices
        from headway.learning.gold import check_gold  # here: those who only parse need not wait for it
        from headway.learning.work import TEXT, training_work
        from headway.presets import find_preset

        check_gold(train, "train on")
        if dev is not None:
            check_gold(dev, "test on while training")
        options, progress, size = options or TrainingOptions(), progress or Progress(), sum(map(len, train))
        progress.plan({"text": TEXT * size / 1000.0, **training_work(find_preset(preset), options, size)})
        progress.start("text", crossed + 3)
        segmenter, splitter = Segmenter.fit(train, dev=dev), Splitter.fit(train)
        progress.advance()
        words = WordModel.fit(train, dev=dev, seed=options.seed, short_sentences=short_sentences)
        progress.advance()
        most = MOST_READINGS if correct_tags else 1
        lattices = cross_read(
            train, crossed, trust=words.trust, seed=options.seed, short_sentences=short_sentences, progress=progress,
            most=most,
        )  # fmt: skip
        seen = None if dev is None else read_lattices(words, dev, most=most)
        progress.advance()
        progress.finish()
        train_parser = partial(
            Parser.train, preset=preset, options=options, about=about, without=without, tag_map=tag_map, beam=beam,
            pseudo_projective=pseudo_projective, vectors=vectors,
        )  # fmt: skip
        parser = train_parser(
            _tagged(lattices), dev=None if seen is None else _tagged(seen), progress=progress, checkpoint=checkpoint
        )
        corrector = None
        if correct_tags:
            from headway.joint.training import pays, train_corrector  # here: those who only parse need not wait for it

            progress.note("learning to correct tags, with the trees of two more parsers")
            corrector = train_corrector(train, lattices, parser, train_parser, seed=options.seed)
            if corrector is not None and dev and seen:
                corrector = replace(corrector, pays=pays(corrector, parser, dev, seen))
        return cls(segmenter, splitter, words, parser, corrector)

    def read(self, text: str, *, number: int = 0, offset: int = 0) -> Iterator[Sentence]:
        """The sentences of a text: its words, with their places, and nothing else.

        Parameters
        ----------
        number, offset : int
            Sentences and characters that came before, where this is a part of a text.
        """
        end = 0
        pending: tuple[list[Token], int] | None = None
        for spans in self.segmenter.segment(text):
            tokens = [
                Token(text[start:stop], start, stop, tuple(self.splitter.split(text[start:stop])))
                for start, stop in spans
            ]
            if pending is not None:
                number += 1
                yield make_sentence(
                    pending[0], text, number=number, before=pending[1], after=spans[0][0], offset=offset
                )
                end = spans[0][0]
            pending = tokens, end
        if pending is not None:
            yield make_sentence(pending[0], text, number=number + 1, before=pending[1], after=len(text), offset=offset)

    def read_file(self, path: str, *, number: int = 0) -> Iterator[Sentence]:
        """The sentences of a text file, ``-`` being standard input, a few paragraphs at a time.

        Parameters
        ----------
        number : int
            Sentences that came before.
        """
        offset = 0
        with open_input(path) as file:
            for part in text_parts(read_chunks(file, path)):
                for sentence in self.read(part, number=number, offset=offset):
                    number += 1
                    yield sentence
                offset += len(part)

    def tag(
        self,
        sentences: Iterable[Sentence],
        *,
        keep: bool = True,
        live: bool = False,
        correct_tags: bool | None = None,
    ) -> Iterator[Sentence]:
        """The sentences with tags, features and lemmas; those that they come with are kept unless you say not to.

        Parameters
        ----------
        live : bool
            As for `Parser.parse`.
        correct_tags : bool, optional
            Whether trees correct the tags of sentences that come without any; by default, where the dev set got better
            by that.
        """
        corrector = self._corrector(correct_tags)
        for chunk in (ready_chunks if live else full_chunks)(sentences, _CHUNK):
            if corrector is None:
                yield from self.words.tag(*self._with_coarse_tags(chunk, keep=keep))
                continue
            bare = [not keep or _is_bare(sentence) for sentence in chunk]
            own = [sentence for sentence, new in zip(chunk, bare, strict=True) if new]
            others = [sentence for sentence, new in zip(chunk, bare, strict=True) if not new]
            corrected = iter(corrector.tag(self.words, self.parser.model, own))
            kept = iter(self.words.tag(others, keep=True))
            yield from (next(corrected if new else kept) for new in bare)

    def _with_coarse_tags(self, chunk: list[Sentence], *, keep: bool) -> tuple[list[Sentence], bool]:
        """Return the sentences with the coarse tags of the parser's network, where it has one, and what to keep."""
        coarse_tags = getattr(self.parser.model.scorer, "coarse_tags", None)
        if coarse_tags is None or not keep:
            return chunk, keep
        found = coarse_tags([sentence.forms for sentence in chunk])
        return [
            one.with_tags(upos=[old if old != "_" else new for old, new in zip(one.upos, tags, strict=True)])
            for one, tags in zip(chunk, found, strict=True)
        ], True

    def _corrector(self, wanted: bool | None) -> "Corrector | None":
        """What corrects tags, if that is wanted, or by default."""
        if wanted and self.corrector is None:
            raise UsageError("this model cannot correct tags: train it with --pipeline --correct-tags")
        used = self.corrector is not None and (self.corrector.pays if wanted is None else wanted)
        return self.corrector if used else None

    def annotate(self, text: str, *, confidence: bool = False, correct_tags: bool | None = None) -> Iterator[Sentence]:
        """The sentences of a text with everything, and how sure each head is if you ask for it.

        Parameters
        ----------
        correct_tags : bool, optional
            See `tag`.
        """
        return self.parser.parse(self.tag(self.read(text), correct_tags=correct_tags), confidence=confidence)

    def __call__(self, text: str, *, confidence: bool = True) -> Doc:
        """A text with everything, and how sure each head is unless you do not want to know."""
        return Doc(text, tuple(self.annotate(text, confidence=confidence)))

    def pipe(self, texts: Iterable[str], *, confidence: bool = True) -> Iterator[Doc]:
        """Many texts, one after the other."""
        return (self(text, confidence=confidence) for text in texts)

    def evaluate(self, gold: Sequence[Sentence], *, correct_tags: bool | None = None) -> "dict[str, Score]":
        """The official scores of what it makes of the raw text of gold sentences; `correct_tags` as for `tag`."""
        from headway.evaluation.raw_text import evaluate_text  # here: those who only parse need not wait for it

        return evaluate_text(gold, self.annotate(treebank_text(gold).text, correct_tags=correct_tags))

    def save(self, path: str | Path) -> None:
        """Write a model file that `Annotator.load` reads; `Parser.load` reads its parser."""
        write_model_file(path, self._tensors(), self.parser.model.facts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what a model file would hold, for other processes: ``pool.map(nlp, texts)``."""
        return _from_tensors, ("<pickle>", self._tensors(), self.parser.model.facts)

    def _tensors(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays of the model file."""
        tagger, morphology = self.words.tagger, self.words.morphology
        return {
            **self.parser.model.tensors(),
            **row_tensors("segmenter", self.segmenter.rows),
            "segmenter_known": self.segmenter.known,
            "segmenter_leaning": np.array([self.segmenter.leaning]),
            "segmenter_wide": np.array([self.segmenter.wide], dtype=np.int8),
            **row_tensors("tag", tagger.rows),
            **row_tensors("morphology", morphology.rows),
            "tag_pairs": tagger.transitions.pairs,
            "tag_triples": tagger.transitions.triples,
            "words": text_tensor(self.words.to_json()),
            "splitter": text_tensor(self.splitter.to_json()),
            **({} if self.corrector is None else self.corrector.tensors()),
        }

    @classmethod
    def load(cls, path: str | Path) -> "Annotator":
        """Read a model file.

        Raises
        ------
        ModelError
            If there is something wrong with it.
        UsageError
            If it is a parser alone.
        """
        found = load_model(path)
        if isinstance(found, Parser):
            raise UsageError(f"{path}: a parser of tagged words, not of text: train it with --pipeline")
        return found

    @classmethod
    def _around(cls, parser: Parser, path: str | Path, tensors: dict[str, npt.NDArray[Any]]) -> "Annotator":
        """What the arrays of a file put before its parser."""
        try:
            return cls(
                Segmenter(
                    rows_of("segmenter", tensors, WIDTH),
                    check_array(tensors, "segmenter_known", np.int32, (None,)),
                    float(check_array(tensors, "segmenter_leaning", np.float64, (1,), (-1e6, 1e6))[0]),
                    bool(check_array(tensors, "segmenter_wide", np.int8, (1,), (0, 1))[0]),
                ),
                Splitter.from_json(read_text_tensor(tensors["splitter"])),
                WordModel.from_json(
                    read_text_tensor(tensors["words"]),
                    lambda name, width: rows_of(name, tensors, width),
                    tensors,
                ),
                parser,
                _read_corrector(parser, tensors) if "joint_scales" in tensors else None,
            )
        except UsageError as error:
            raise ModelError(f"{path}: {error}") from error
        except MISFITS as error:
            raise ModelError(f"{path}: the parts of this model do not fit together ({reason(error)})") from error

    def with_facts(self, **facts: Any) -> "Annotator":
        """The same with more to know about it."""
        model = self.parser.model
        return replace(self, parser=Parser(replace(model, facts={**model.facts, **facts})))


def load_model(path: str | Path) -> Annotator | Parser:
    """What a model file holds: all between text and trees, or a parser alone."""
    path = find_model(path)
    return _from_tensors(path, *read_model_file(path))


def _from_tensors(path: str | Path, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Annotator | Parser:
    """What the arrays and the description of a model file make."""
    tensors = read_only(tensors)
    parser = Parser(TrainedModel.from_tensors(path, tensors, facts))
    if "ensemble" in tensors:
        from headway.ensemble import Ensemble  # here: few models are one

        return Ensemble.from_tensors(path, parser, tensors)
    return Annotator._around(parser, path, tensors) if "words" in tensors else parser


def _read_corrector(parser: Parser, tensors: dict[str, npt.NDArray[Any]]) -> "Corrector":
    from headway.joint.correction import Corrector  # here: most models have none

    return Corrector.from_tensors(parser.model.encoder, tensors)


def _tagged(lattices: "Sequence[Lattice]") -> list[Sentence]:
    """The sentences as the tagger has them."""
    return [lattice.sentence for lattice in lattices]


def _is_bare(sentence: Sentence) -> bool:
    """Whether nothing is said of the words but their forms."""
    columns = sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas
    return all(value == "_" for column in columns for value in column)
