"""Compile kernels before they are needed, in parallel processes.

A task runs one part of Headway on a few words with real models, so that its kernels are compiled for the right types.
Tasks overlap in few kernels. A task whose kernels are all compiled is skipped.

    python -m headway.warmup search        run one task in this process and print the kernels that it compiles
"""

import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from headway.corpus import Sentence
from headway.errors import KernelError, UsageError
from headway.kernel.store import cache_folders, can_keep
from headway.progress import Progress

if TYPE_CHECKING:
    from headway.annotator import Annotator
    from headway.parser import Parser

TEXT = """Headway finds the head of every word. It reads plain text (like this), tags it, and parses it!
The committee that she chaired met again on Friday, and "nobody" who'd seen the report was surprised by what it said.
I can't remember whether we've got any milk, but Mr. Smith from the shop on 5th St. may have some at $1.50."""
"""The text to parse."""

_SEARCH, _TEXT, _PRUNE, _LABELS = "search", "text", "prune", "labels"

PARSING = (_SEARCH, _TEXT, _PRUNE, _LABELS)
"""The tasks for parsing text with a hill-climbing model, such as ``en``; the longest first."""

CONFIDENCE = "confidence"

_CLIMBS = "hill-climbing"

_KERNELS = {
    _SEARCH: [("headway.search.climbing", "search_kernel")],
    _TEXT: [
        ("headway.tagging.segmenter", "_decide"),
        ("headway.tagging.tagger", "_tag"),
        ("headway.tagging.morphology", "_analyse"),
    ],
    _PRUNE: [("headway.pruning.pruner", "_prune_kernel")],
    _LABELS: [("headway.search.labels", "_labels_kernel")],
    CONFIDENCE: [("headway.search.rivals", "_weigh_rivals"), ("headway.search.labels", "_scores_kernel")],
}
"""The kernels that a task calls from Python: if they are compiled, the task is skipped."""


def _sentences() -> list[Sentence]:
    """Return two tagged sentences, for tasks without a tagger."""
    forms = ["The", "dogs", "who", "bark", "and", "chase", "cats", "(", "sometimes", ")", "sleep", "in", "it", "."]
    tags = ["DET", "NOUN", "PRON", "VERB", "CCONJ", "VERB", "NOUN", "PUNCT", "ADV", "PUNCT", "VERB", "ADP", "PRON"]
    return [Sentence.from_words(forms, lemmas=forms, upos=[*tags, "PUNCT"]), Sentence.from_words(["Yes"])]


def _model() -> "Annotator":
    from headway.annotator import Annotator

    return Annotator.load("en")


def _read_text() -> None:
    nlp = _model()
    list(nlp.tag(nlp.read(TEXT)))


def _search() -> None:
    from headway.parts.candidate_batch import ALL_ARCS

    model = _model().parser.model
    model.search().trees(model.encoder.encode(_sentences()), ALL_ARCS)


def _prune() -> None:
    from headway.support.threads import Threads

    model = _model().parser.model
    model.search().candidates(model.encoder.encode(_sentences()), threads=Threads())


def _label() -> None:
    from headway.search.labels import find_labels
    from headway.support.threads import Threads

    model = _model().parser.model
    encoded = model.encoder.encode(_sentences()[:1])
    find_labels(encoded, np.arange(-1, len(encoded.atoms) - 1, dtype=np.int32), model.namer, threads=Threads())


def _confidence() -> None:
    from headway.search.labels import label_scores

    model = _model().parser.model
    encoded = model.encoder.encode(_sentences())
    heads = np.arange(-1, int(encoded.starts[1]) - 1, dtype=np.int32)
    model.search().probabilities(encoded, 0, heads=heads)
    label_scores(encoded, 0, heads, model.namer)


def _parse_with(**options: object) -> Callable[[], None]:
    def run() -> None:
        list(_model().parser.parse(_sentences(), **options))  # type: ignore[arg-type]

    return run


def _treebank() -> list[Sentence]:
    """Return a small treebank of predicted trees with one crossing arc."""
    parsed = list(_model().annotate(TEXT))
    crossing = Sentence.from_words(
        ["A", "hearing", "is", "scheduled", "today"], upos=["DET", "NOUN", "AUX", "VERB", "NOUN"],
        heads=[2, 4, 4, 0, 2], labels=["det", "nsubj", "aux", "root", "nmod"],
    )  # fmt: skip
    return [*parsed, crossing] * 4


def _train_with(preset: str, *, text: bool = False) -> Callable[[], None]:
    """Return a task that trains, with and without a dev set and crossing arcs, then saves, loads and parses."""

    def run() -> None:
        from headway.annotator import Annotator
        from headway.learning import TrainingOptions
        from headway.parser import Parser

        options = TrainingOptions(epochs=1)
        trees = _treebank()
        flat = [tree for tree in trees if tree.forms[0] != "A"]
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "small.headway"
            if text:
                Annotator.train(flat, dev=flat, preset=preset, options=options, crossed=2).save(place)
                Annotator.load(place)(TEXT)
                return
            Parser.train(flat, preset=preset, options=options)
            for sentences in (flat, trees):
                Parser.train(sentences, dev=sentences, preset=preset, options=options).save(place)
                parser = Parser.load(place)
                list(parser.parse(sentences, confidence=True))
                list(parser.parse(sentences, keep_heads=True))
                if parser.model.settings.decoder != _CLIMBS:
                    list(parser.parse(sentences, k_best=2))

    return run


def _constituents() -> None:
    """Train on a few bracketed trees; save, load, and parse in all modes."""
    from headway.constituency.brackets import parse_trees
    from headway.constituency.parser import ConstituentParser

    text = "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .)))(ROOT (NP (NN mat)))"
    trees = list(parse_trees(text)) * 4
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "small.const.headway"
        ConstituentParser.train(trees, dev=trees, epochs=1).save(place)
        parser = ConstituentParser.load(place)
        for tree in trees[:2]:
            parser.k_best(tree.forms, 2)
            parser.k_best(tree.forms, 1, tags=tree.tags)


TASKS: dict[str, Callable[[], None]] = {
    _SEARCH: _search,
    _TEXT: _read_text,
    _PRUNE: _prune,
    _LABELS: _label,
    CONFIDENCE: _confidence,
    "k-best": _parse_with(decoder="model1", k_best=2, confidence=True),
    "keeping heads": _parse_with(keep_heads=True, confidence=True),
    "exact": _parse_with(decoder="exact", confidence=True),
    "training fast": _train_with("fast"),
    "training full": _train_with("full"),
    "training fast from text": _train_with("fast", text=True),
    "constituents": _constituents,
}
"""Every task by its name."""


def warm_up(tasks: Sequence[str], progress: Progress, *, jobs: int | None = None) -> int:
    """Run the tasks whose kernels are not all compiled yet; return the number of tasks run.

    Parameters
    ----------
    tasks : sequence of str
        Names of `TASKS`.
    jobs : int, optional
        The number of processes; one per processor by default.

    Raises
    ------
    KernelError
        If a task fails, or if there is no writable folder for compiled kernels.
    """
    for task in tasks:
        if task not in TASKS:
            raise UsageError(f"unknown warm-up task {task!r}; choose from {', '.join(TASKS)}")
    waiting = [task for task in tasks if not is_warm(task)]
    if not waiting:
        return 0
    if not can_keep():
        folders = ", ".join(map(str, cache_folders()))
        raise KernelError(f"compiled kernels cannot be kept in {folders}: set HEADWAY_CACHE to a writable folder")
    jobs = jobs or processors()
    progress.start("compiling kernels", len(waiting))
    with ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(_run_apart, task, progress) for task in waiting]
        for done in as_completed(running):
            done.result()
            progress.advance()
    progress.finish()
    return len(waiting)


def warm_up_parser(parser: "Parser", progress: Progress, *, text: bool, confidence: bool) -> None:
    """Compile in parallel, before the first sentence, the kernels that a hill-climbing parser needs.

    This is done only if it saves time: other parsers compile little, and a single processor gains nothing.
    """
    if parser.model.settings.decoder != _CLIMBS or processors() == 1 or not can_keep():
        return
    tasks = [task for task in PARSING if text or task != _TEXT]
    warm_up([*tasks, CONFIDENCE] if confidence else tasks, progress)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_warm(task: str) -> bool:
    """Return whether the kernels of a task are compiled; False if that is unknown without running it."""
    from headway.kernel import is_compiled

    kernels = [getattr(importlib.import_module(module), name) for module, name in _KERNELS.get(task, ())]
    return bool(kernels) and all(map(is_compiled, kernels))


def _run_apart(task: str, progress: Progress) -> None:
    """Run a task in a separate process."""
    command = [sys.executable, "-m", "headway.warmup", task]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout or ():
            progress.note(f"  {line.strip()} ({task})")
        problem = (process.stderr.read() if process.stderr else "").strip().splitlines()
    if process.returncode != 0:
        raise KernelError(f"{task}: compiling failed: {problem[-1] if problem else process.returncode}")


def main(task: str) -> None:
    """Run a task in this process, and print the kernels that it compiles."""
    from headway.kernel import watch_compilation

    watch_compilation(lambda name: print(name, flush=True))
    TASKS[task]()


if __name__ == "__main__":
    main(sys.argv[1])
