"""The pipeline from raw text to trees: segmenter, taggers, lemmatizer and parser, trained together, in one file."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence, open_input
from headway.corpus.arguments import checked_sentences
from headway.corpus.files import read_chunks
from headway.corpus.text import (
    Token,
    has_paragraph_end,
    make_sentence,
    text_parts,
    treebank_text,
    word_sentences,
)
from headway.corpus.word import counted, shorten
from headway.document import Doc
from headway.encoding.vectors import WordVectors
from headway.errors import ModelError, UsageError
from headway.learning import TrainingOptions
from headway.model import MISFITS, TrainedModel, reason, refuse_constituents, rows_of
from headway.model_file import read_model_file, read_only, read_text_tensor, text_tensor, write_model_file
from headway.models import find_model
from headway.parser import Parser
from headway.progress import Progress
from headway.scorers.neural.extras import TRAINING, require
from headway.scorers.rows import row_tensors
from headway.support.arguments import check_flag, check_iterable, check_kind, check_whole, check_words, checked_pair
from headway.support.chunks import full_chunks, ready_chunks
from headway.support.schema import check_array
from headway.tagging.multiword import Splitter
from headway.tagging.segmenter import Segmenter
from headway.tagging.tagger import TagScores
from headway.tagging.text_features import WIDTH
from headway.tagging.words import WordModel

if TYPE_CHECKING:
    from headway.evaluation.metrics import Score
    from headway.joint.correction import Corrector
    from headway.joint.states import Lattice
    from headway.presets import Preset

T = TypeVar("T")

_CHUNK = 256
"""The number of sentences tagged in one batch."""

_FOLDS = 10
"""The number of folds (jackknifing): the parser is trained on tags predicted by taggers trained on the other folds."""


@dataclass(frozen=True)
class Annotator:
    """The pipeline from plain text to trees.

    Parameters
    ----------
    segmenter, splitter
        Split text into sentences and words.
    words : WordModel
        Predicts tags, features and lemmas of words.
    parser : Parser
        Predicts heads and labels from words and tags.
    corrector : Corrector, optional
        Corrects tags after parsing.
    """

    segmenter: Segmenter
    splitter: Splitter
    words: WordModel
    parser: Parser
    corrector: "Corrector | None" = None

    def __repr__(self) -> str:
        model = self.parser.model
        sizes = f"{counted(len(self.words.tagger.names), 'tag')}, {counted(len(model.labels), 'label')}"
        about = shorten(str(model.facts.get("about", "")))
        return f"<Annotator with {sizes}{about and ': '}{about}>"

    @classmethod
    def train(
        cls,
        train: Iterable[Sentence],
        *,
        dev: Iterable[Sentence] | None = None,
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
        """Train segmenter, tagger, lemmatizer and parser on a treebank; other parameters are those of `Parser.train`.

        Parameters
        ----------
        crossed : int
            The number of folds for jackknifing: each is tagged, for training the parser, by a tagger trained on the
            others. Networks that read no tags are trained on the sentences as they are.
        short_sentences : bool
            Also train the taggers on shortened sentences; see `WordModel.fit`.
        correct_tags : bool
            Also train a corrector of tags, which uses the trees; see `headway.joint`. It is used by default if that
            improves the scores on the dev set.
        """
        from headway.joint.reading import MOST_READINGS, cross_read, read_lattices
        from headway.learning.gold import check_gold  # imported here: parsing does not need it
        from headway.learning.work import TEXT, training_work
        from headway.presets import Preset, find_preset

        check_kind("preset", preset, (str, Preset), "the name of a preset, or a Preset")
        train = list(checked_sentences(train))
        dev = None if dev is None else list(checked_sentences(dev))
        check_gold(train, "train on")
        if dev is not None:
            check_gold(dev, "test on while training")
        neural = find_preset(preset).neural
        reads_tags = neural is None or neural.folds > 0
        if correct_tags and not reads_tags:
            raise UsageError("trees of a network that reads no tags cannot correct tags: train without --correct-tags")
        for package in () if neural is None else TRAINING:
            require(package)  # here, too: before the taggers are trained
        options, progress, size = options or TrainingOptions(), progress or Progress(), sum(map(len, train))
        crossed = crossed if reads_tags else 0
        text_work = TEXT * size / 1000.0 * (crossed + 3) / (_FOLDS + 3)
        progress.plan({"text": text_work, **training_work(find_preset(preset), options, size)})
        progress.start("text", crossed + 3)
        segmenter, splitter = Segmenter.fit(train, dev=dev), Splitter.fit(train)
        progress.advance()
        words = WordModel.fit(train, dev=dev, seed=options.seed, short_sentences=short_sentences)
        progress.advance()
        most, lattices, seen = MOST_READINGS if correct_tags else 1, None, None
        if reads_tags:
            lattices = cross_read(
                train, crossed, trust=words.trust, seed=options.seed, short_sentences=short_sentences,
                progress=progress, most=most,
            )  # fmt: skip
            seen = None if dev is None else read_lattices(words, dev, most=most)
        progress.advance()
        progress.finish()
        train_parser = partial(
            Parser.train, preset=preset, options=options, about=about, without=without, tag_map=tag_map, beam=beam,
            pseudo_projective=pseudo_projective, vectors=vectors,
        )  # fmt: skip
        parser = train_parser(
            train if lattices is None else _tagged(lattices), dev=dev if seen is None else _tagged(seen),
            progress=progress, checkpoint=checkpoint,
        )  # fmt: skip
        corrector = None
        if correct_tags and lattices is not None:
            from headway.joint.training import pays, train_corrector  # imported here: parsing does not need it

            progress.note("training the corrector of tags, with the trees of two more parsers")
            corrector = train_corrector(train, lattices, parser, train_parser, seed=options.seed)
        nlp = cls(segmenter, splitter, words, parser).with_share(dev)
        if corrector is not None and dev and seen:
            corrector = replace(corrector, pays=pays(corrector, parser, dev, list(nlp.tag(dev, keep=False)), seen))
        return replace(nlp, corrector=corrector)

    def with_share(self, dev: Sequence[Sentence] | None) -> "Annotator":
        """Return a copy whose tagger counts beside the parser's network, if it has one, as is best on a dev set."""
        scores = self._network_tags(dev) if dev else None
        return self if not dev or scores is None else replace(self, words=self.words.fit_share(dev, scores))

    def read(
        self, text: str, *, number: int = 0, offset: int = 0, paragraph: bool = True, presegmented: bool = False
    ) -> Iterator[Sentence]:
        """Split a text into sentences and words with character offsets, but without annotation.

        Parameters
        ----------
        number, offset : int
            The numbers of sentences and characters before this text, if it is part of a longer one.
        paragraph : bool
            Whether this text starts a new paragraph.
        presegmented : bool
            Treat each line as a sentence.
        """
        _checked_text(text)
        end = 0
        pending: tuple[list[Token], int] | None = None

        def finish(tokens: list[Token], before: int, after: int) -> Sentence:
            return make_sentence(
                tokens, text, number=number, before=before, after=after, offset=offset,
                new_document=number == 1 and not offset,
                new_paragraph=paragraph if before == 0 else has_paragraph_end(text[last_end : tokens[0].start]),
            )  # fmt: skip

        last_end = 0
        for spans in self._line_spans(text) if presegmented else self.segmenter.segment(text):
            tokens = [
                Token(text[start:stop], start, stop, tuple(self.splitter.split(text[start:stop])))
                for start, stop in spans
            ]
            if pending is not None:
                number += 1
                yield finish(*pending, spans[0][0])
                last_end, end = pending[0][-1].end, spans[0][0]
            pending = tokens, end
        if pending is not None:
            number += 1
            yield finish(*pending, len(text))

    def _line_spans(self, text: str) -> Iterator[list[tuple[int, int]]]:
        """Yield the tokens of each line that is not blank."""
        start = 0
        for line in text.splitlines(keepends=True):
            spans = [span for sentence in self.segmenter.segment(line) for span in sentence]
            if spans:
                yield [(start + first, start + last) for first, last in spans]
            start += len(line)

    def read_file(self, path: str, *, number: int = 0) -> Iterator[Sentence]:
        """Yield the sentences of a text file (``-`` is standard input), a few paragraphs at a time.

        Parameters
        ----------
        number : int
            The number of sentences before this file, for numbering.
        """
        offset, paragraph = 0, True
        with open_input(path) as file:
            for part in text_parts(read_chunks(file, path)):
                for sentence in self.read(part, number=number, offset=offset, paragraph=paragraph):
                    number += 1
                    yield sentence
                offset, paragraph = offset + len(part), has_paragraph_end(part, at_end=True)

    def tag(
        self,
        sentences: Iterable[Sentence],
        *,
        keep: bool = True,
        live: bool = False,
        correct_tags: bool | None = None,
    ) -> Iterator[Sentence]:
        """Yield the sentences with tags, features and lemmas; existing annotation is kept if `keep` is True.

        Parameters
        ----------
        live : bool
            Process sentences as they arrive; see `Parser.parse`.
        correct_tags : bool, optional
            Whether to correct the predicted tags after parsing; by default, if this improved the scores on the dev set.
        """
        corrector = self._corrector(correct_tags)
        for chunk in (ready_chunks if live else full_chunks)(checked_sentences(sentences), _CHUNK):
            if corrector is None:
                yield from self.words.tag(chunk, keep=keep, beside=self._network_tags(chunk))
                continue
            bare = [not keep or _is_bare(sentence) for sentence in chunk]
            untagged = [sentence for sentence, new in zip(chunk, bare, strict=True) if new]
            tagged = [sentence for sentence, new in zip(chunk, bare, strict=True) if not new]
            corrected = iter(corrector.tag(self.words, self.parser.model, untagged))
            kept = iter(self.words.tag(tagged, keep=True))
            yield from (next(corrected if new else kept) for new in bare)

    def _network_tags(self, chunk: Sequence[Sentence]) -> TagScores | None:
        """Return the UPOS scores of the parser's network, which can be part of a sum; None if it has no network."""
        scorer = self.parser.model.scorer
        for one in getattr(scorer, "scorers", (scorer,)):
            if hasattr(one, "tag_scores"):
                return TagScores(*one.tag_scores([sentence.forms for sentence in chunk]))
        return None

    def _corrector(self, wanted: bool | None) -> "Corrector | None":
        """Return the corrector of tags if it is requested or used by default; otherwise None."""
        if wanted and self.corrector is None:
            raise UsageError("this model cannot correct tags: train it with --pipeline --correct-tags")
        used = self.corrector is not None and (self.corrector.pays if wanted is None else wanted)
        return self.corrector if used else None

    def annotate(self, text: str, *, confidence: bool = False, correct_tags: bool | None = None) -> Iterator[Sentence]:
        """Yield the sentences of a text with tags, lemmas and trees.

        Parameters
        ----------
        confidence : bool
            Add the probability of each head and label.
        correct_tags : bool, optional
            See `tag`.
        """
        sentences = self.read(_checked_text(text))
        return self.parser.parse(self.tag(sentences, correct_tags=correct_tags), confidence=confidence)

    def __call__(
        self,
        text: str | None = None,
        *,
        words: Sequence[str] | Sequence[Sequence[str]] | None = None,
        confidence: bool = False,
        presegmented: bool = False,
    ) -> Doc:
        """Tag and parse a text, or words that are already tokenised.

        Parameters
        ----------
        text : str
        words : list of str, or list of lists of str
            The words of one sentence, or of several sentences, instead of a text.
        confidence : bool
            Add the probability of each head and label.
        presegmented : bool
            Treat each line of the text as a sentence.
        """
        if (text is None) == (words is None):
            raise TypeError("expected a text (str) or words=[...], and not both")
        if words is not None:
            return next(self.pipe_tokens([words], confidence=confidence))
        return next(self.pipe([_checked_text(text)], confidence=confidence, presegmented=presegmented))

    @overload
    def pipe(
        self, texts: Iterable[str], *, batch_size: int = ..., n_process: int = ..., as_tuples: Literal[False] = ...,
        confidence: bool = ..., presegmented: bool = ...,
    ) -> Iterator[Doc]: ...  # fmt: skip
    @overload
    def pipe(
        self, texts: Iterable[tuple[str, T]], *, batch_size: int = ..., n_process: int = ..., as_tuples: Literal[True],
        confidence: bool = ..., presegmented: bool = ...,
    ) -> Iterator[tuple[Doc, T]]: ...  # fmt: skip
    def pipe(
        self,
        texts: Iterable[Any],
        *,
        batch_size: int = 1000,
        n_process: int = 1,
        as_tuples: bool = False,
        confidence: bool = False,
        presegmented: bool = False,
    ) -> Iterator[Any]:
        """Tag and parse many texts, lazily and in order; sentences of different texts share a batch.

        Parameters
        ----------
        texts : iterable of str
            With `as_tuples`, pairs of a text and any value, which is returned together with the text's `Doc`.
        batch_size : int
            The number of texts that are parsed together.
        n_process : int
            The number of processes, each with a copy of the model. They are spawned, so a script needs
            ``if __name__ == "__main__":``.
        confidence, presegmented : bool
            As for a single text.
        """
        if isinstance(texts, str | bytes):
            raise TypeError("expected an iterable of texts, got a single one: call nlp(text)")
        check_iterable(texts, "an iterable of texts")
        check_flag("confidence", confidence)
        check_flag("presegmented", presegmented)
        if as_tuples:
            pairs, beside = itertools.tee(map(checked_pair, texts))
            first = (pair[0] for pair in pairs)
            docs = self.pipe(
                first, batch_size=batch_size, n_process=n_process, confidence=confidence, presegmented=presegmented
            )
            return zip(docs, (pair[1] for pair in beside), strict=True)
        batches = full_chunks(map(_checked_text, texts), _positive("batch_size", batch_size))
        work = partial(self._docs, confidence=confidence, presegmented=presegmented)
        if _positive("n_process", n_process) == 1:
            return (doc for batch in batches for doc in work(batch))
        from headway.support.processes import in_processes  # imported here: most callers use one process

        return (doc for docs in in_processes(work, batches, n_process) for doc in docs)

    def pipe_tokens(
        self,
        sentences: Iterable[Sequence[str] | Sequence[Sequence[str]]],
        *,
        batch_size: int = 1000,
        confidence: bool = False,
    ) -> Iterator[Doc]:
        """Tag and parse tokenised texts, lazily and in order.

        Parameters
        ----------
        sentences : iterable of lists
            Each item becomes a `Doc`: the words of one sentence, or a list of sentences.
        """
        check_iterable(sentences, "an iterable of texts, each a list of words")
        check_flag("confidence", confidence)
        for batch in full_chunks(map(_checked_words, sentences), _positive("batch_size", batch_size)):
            texts = [" ".join(word for words in item for word in words) for item in batch]
            yield from self._finished(texts, list(map(word_sentences, batch)), confidence=confidence)

    def _docs(self, texts: Sequence[str], *, confidence: bool, presegmented: bool) -> list[Doc]:
        """Parse several texts in one batch."""
        sentences = [list(self.read(text, presegmented=presegmented)) for text in texts]
        return list(self._finished(texts, sentences, confidence=confidence))

    def _finished(
        self, texts: Sequence[str], sentences: Sequence[Sequence[Sentence]], *, confidence: bool
    ) -> Iterator[Doc]:
        """Tag and parse the sentences of several texts in one batch, and yield a `Doc` for each text."""
        tagged = self.tag(itertools.chain.from_iterable(sentences))
        parsed = self.parser.parse(tagged, confidence=confidence)
        for text, group in zip(texts, sentences, strict=True):
            yield Doc(text, tuple(itertools.islice(parsed, len(group))))

    def evaluate(self, gold: Iterable[Sentence], *, correct_tags: bool | None = None) -> "dict[str, Score]":
        """Parse the raw text of gold sentences and return the CoNLL 2018 scores; `correct_tags` as for `tag`."""
        from headway.evaluation.raw_text import evaluate_text  # imported here: parsing does not need it

        gold = list(checked_sentences(gold))
        return evaluate_text(gold, self.annotate(treebank_text(gold).text, correct_tags=correct_tags))

    def save(self, path: str | Path) -> None:
        """Write a model file for `Annotator.load`; `Parser.load` reads only the parser in it."""
        write_model_file(path, self._tensors(), self.parser.model.facts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the contents of a model file, for use in other processes: ``pool.map(nlp, texts)``."""
        return _from_tensors, ("<pickle>", self._tensors(), self.parser.model.facts)

    def _tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of the model file."""
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
            If the file cannot be read or is not valid.
        UsageError
            If the file has only a parser, without segmenter and tagger.
        """
        model = load_model(path)
        if isinstance(model, Parser):
            raise UsageError(f"{path}: this model parses tagged words, not plain text: train one with --pipeline")
        return model

    @classmethod
    def _around(cls, parser: Parser, path: str | Path, tensors: dict[str, npt.NDArray[Any]]) -> "Annotator":
        """Build an annotator from a parser and the arrays of a model file."""
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
        """Return a copy of this model with extra metadata."""
        model = self.parser.model
        return replace(self, parser=Parser(replace(model, facts={**model.facts, **facts})))


def load_model(path: str | Path, content: npt.NDArray[np.uint8] | None = None) -> Annotator | Parser:
    """Load a model file: an annotator that reads text, or only a parser; `content` is as for `read_model_file`."""
    path = find_model(path)
    tensors, facts = read_model_file(path, content)
    refuse_constituents(path, tensors)
    return _from_tensors(path, tensors, facts)


def _from_tensors(path: str | Path, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Annotator | Parser:
    """Build a model from the arrays and the description of a model file."""
    tensors = read_only(tensors)
    parser = Parser(TrainedModel.from_tensors(path, tensors, facts))
    if "ensemble" in tensors:
        from headway.ensemble import Ensemble  # imported here: few models are ensembles

        return Ensemble.from_tensors(path, parser, tensors)
    return Annotator._around(parser, path, tensors) if "words" in tensors else parser


def _checked_text(text: object) -> str:
    if isinstance(text, str):
        return text
    hint = ": words that are tokenised already go into nlp(words=[...])" if isinstance(text, list | tuple) else ""
    hint = ": decode it first" if isinstance(text, bytes) else hint
    raise TypeError(f"expected a text (str), got {type(text).__name__}{hint}")


def _checked_words(words: object) -> list[list[str]]:
    """Check words and return them as a list for each sentence."""
    if isinstance(words, str) or not isinstance(words, Sequence):
        raise TypeError(f"expected a list of words, or a list of such lists, got {type(words).__name__}")
    sentences = [words] if all(isinstance(word, str) for word in words) else words
    for sentence in sentences:
        check_words(sentence)
        for word in sentence:
            if not word.strip():
                raise ValueError(f"a word must not be empty, or only white space: {word!r}")
    return [list(sentence) for sentence in sentences if sentence]


def _positive(name: str, value: int) -> int:
    check_whole(name, value)
    if value < 1:
        raise ValueError(f"{name} must be at least 1, not {value}")
    return value


def _read_corrector(parser: Parser, tensors: dict[str, npt.NDArray[Any]]) -> "Corrector":
    from headway.joint.correction import Corrector  # imported here: most models have no corrector

    return Corrector.from_tensors(parser.model.encoder, tensors)


def _tagged(lattices: "Sequence[Lattice]") -> list[Sentence]:
    """Return the sentences of the lattices, with the tagger's tags."""
    return [lattice.sentence for lattice in lattices]


def _is_bare(sentence: Sentence) -> bool:
    """Return whether a sentence has only word forms, without annotation."""
    columns = sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas
    return all(value == "_" for column in columns for value in column)
