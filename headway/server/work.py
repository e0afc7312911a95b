"""Process batches of jobs in a worker process."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headway.annotator import Annotator
from headway.bulk.forms import Form
from headway.bulk.joining import joined
from headway.bulk.pieces import Piece
from headway.bulk.worker import Task, Worker
from headway.corpus import Sentence
from headway.corpus.checks import TEXT_OPTION
from headway.corpus.text import rebuild_text
from headway.errors import HeadwayError, UsageError
from headway.parser import Parser
from headway.server.jobs import WORD_FORMS, Exploration, Job, Order, Result
from headway.server.limits import Problem, too_many_words
from headway.server.shared_models import SharedModel

_TEXT_PARAMETER = "the parameter tokenizer of /process, or text of /v1/parse"
_SPACES = ("SpacesBefore", "SpacesAfter", "SpacesInToken")


class Models:
    """The loaded models of a worker process.

    Parameters
    ----------
    files : mapping of str to SharedModel
        The model files by name.
    """

    def __init__(self, files: Mapping[str, SharedModel]) -> None:
        self._files = dict(files)
        models = {file: file.load() for file in set(files.values())}
        self.loaded: dict[str, Annotator | Parser] = {name: models[file] for name, file in files.items()}

    def worker(self, order: Order) -> Worker:
        """Return a `Worker` for an order; workers of the same model share it."""
        task = Task(self._files[order.model].path, options=dict(order.options), presegmented=order.presegmented)
        return Worker(task, self.loaded[order.model])

    def answer(self, jobs: Sequence[Job | Exploration]) -> list[Any]:
        """Process jobs that share an order as one batch; if that fails, process each job separately."""
        if len(jobs) > 1:
            try:
                return list(self._results(jobs))
            except Exception:
                return [answer for job in jobs for answer in self.answer([job])]
        try:
            return list(self._results(jobs))
        except Problem as problem:
            return [problem]
        except HeadwayError as error:
            return [Problem(400, str(error).replace(TEXT_OPTION, _TEXT_PARAMETER))]
        except Exception as error:  # without its message, which can contain a user's text
            return [Problem(500, f"internal error ({type(error).__name__})")]

    def _results(self, jobs: Sequence[Job | Exploration]) -> Iterator[Any]:
        if isinstance(jobs[0], Exploration):
            from headway.server.explore import explore  # imported here so that the worker starts sooner

            yield explore(self.loaded[jobs[0].model], jobs[0])
            return
        ordered = [job for job in jobs if isinstance(job, Job)]
        order = ordered[0].order
        worker = self.worker(order)
        groups = [_pieces(worker, job) for job in ordered]
        answered = iter(_annotated(worker, order, list(itertools.chain.from_iterable(groups))))
        for job, sentences in zip(ordered, groups, strict=True):
            yield _result(job, sentences, list(itertools.islice(answered, len(sentences))))


def _pieces(worker: Worker, job: Job) -> list[list[Sentence]]:
    """Read the sentences of all pieces; too many words are refused before any are parsed."""
    read, words = list[list[Sentence]](), 0
    for piece in job.pieces:
        read.append(list(_read(worker, job, piece)))
        words += sum(map(len, read[-1]))
        if words > job.words:
            raise too_many_words(job.words)
    return read


def _read(worker: Worker, job: Job, piece: Piece) -> Iterator[Sentence]:
    """Read the sentences of a piece, check their length, and drop white space from MISC if the order says so."""
    if piece.text is not None and worker.annotator is None:
        raise UsageError(f"{job.order.model}: this model parses tagged words, not plain text")
    for sentence in worker.read(piece, []):
        if len(sentence) > job.sentence:
            raise Problem(413, f"a sentence has {len(sentence):,} words; at most {job.sentence:,} are accepted")
        if job.order.plain_spaces:
            _drop_spaces(sentence)
        yield sentence


def _annotated(worker: Worker, order: Order, groups: Sequence[Sequence[Sentence]]) -> Iterator[Sequence[Sentence]]:
    """Tag and parse all groups, as ordered, and yield the sentences of each group."""
    if order.parse and dict(order.options).get("k_best", 1) > 1:  # the number of trees per sentence varies
        yield from (list(_steps(worker, order, group)) for group in groups)
        return
    done = _steps(worker, order, itertools.chain.from_iterable(groups))
    for group in groups:
        annotated = list(itertools.islice(done, len(group)))
        if order.parse and not order.tag:
            annotated = list(map(_with_tags_of, annotated, group))
        yield annotated


def _steps(worker: Worker, order: Order, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Tag and parse the sentences, as ordered."""
    given: Iterable[Sentence] = sentences
    if order.tag and worker.annotator is None and not order.keep_tags:
        raise UsageError(f"{order.model}: this model has no tagger")
    if worker.annotator is not None and (order.tag or order.parse):
        given = worker.annotator.tag(given, keep=order.keep_tags or not order.tag)
    return worker.parser.parse(given, **worker.options) if order.parse else iter(given)


def _with_tags_of(parsed: Sentence, given: Sentence) -> Sentence:
    """Return a parsed sentence with the tags of the input instead of predicted ones."""
    return parsed.with_tags(upos=given.upos, xpos=given.xpos, feats=given.feats, lemmas=given.lemmas)


def _result(job: Job, given: Sequence[Sequence[Sentence]], done: Sequence[Sequence[Sentence]]) -> Result:
    """Format the sentences of a job like `headway.bulk.parse_files`."""
    form = None if job.order.to in WORD_FORMS else Form(job.order.to)
    write = _WORDS[job.order.to] if form is None else form.add
    counts, written = dict(job.counts), list[str]()
    for piece, read, sentences in zip(job.pieces, given, done, strict=True):
        written.append(write(joined(sentences, piece, counts, document="")))
        counts["sentences"] = counts.get("sentences", 0) + len(read)
    if form is not None:
        written.append(form.end())
    return Result("".join(written), counts, sum(len(sentence) for read in given for sentence in read))


def _drop_spaces(sentence: Sentence) -> None:
    """Remove the descriptions of white space from MISC, except ``SpaceAfter``."""
    misc = sentence.layout.names.index("MISC")
    for row in sentence.rows:
        kept = [note for note in row[misc].split("|") if not note.startswith(_SPACES)]
        row[misc] = "|".join(kept) or "_"


def _horizontal(sentences: Iterable[Sentence]) -> str:
    return "".join(" ".join(form.replace(" ", "\xa0") for form in sentence.forms) + "\n" for sentence in sentences)


def _vertical(sentences: Iterable[Sentence]) -> str:
    return "".join("\n".join([*sentence.forms, "", ""]) for sentence in sentences)


def _lines(sentences: Iterable[Sentence]) -> str:
    """Return a line for each sentence, with an empty line before each paragraph, also the first."""
    return "".join("\n" * _begins_paragraph(sentence) + f"{sentence.text}\n" for sentence in sentences)


def _begins_paragraph(sentence: Sentence) -> bool:
    return any(comment.startswith(("# newpar", "# newdoc")) for comment in sentence.comments)


_WORDS: dict[str, Callable[[Iterable[Sentence]], str]] = {
    "horizontal": _horizontal,
    "vertical": _vertical,
    "plaintext": rebuild_text,
    "lines": _lines,
}
