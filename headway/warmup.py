"""Compile ahead of time, in parallel processes, what a user is going to run.

A task runs one piece of Headway on a few words, with real models, so that the kernels it needs are compiled for the
types that they will meet. Tasks are chosen so that few of them need the same kernels. A task whose kernels are all
there is not run again.

    python -m headway.warmup search        one task, in this process; the kernels that it compiles are printed
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
from headway.kernel.store import can_keep
from headway.progress import Progress

if TYPE_CHECKING:
    from headway.annotator import Annotator
    from headway.parser import Parser

TEXT = """Headway finds the head of every word. It reads plain text (like this), tags it, and parses it!
The committee that she chaired met again on Friday, and "nobody" who'd seen the report was surprised by what it said.
I can't remember whether we've got any milk, but Mr. Smith from the shop on 5th St. may have some at $1.50."""
"""What tasks read."""

_SEARCH, _TEXT, _PRUNE, _LABELS = "search", "text", "prune", "labels"

PARSING = (_SEARCH, _TEXT, _PRUNE, _LABELS)
"""The tasks for trees of a text by a model that climbs, such as ``en``; the longest first."""

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
    CONFIDENCE: [("headway.search.rivals", "_weigh_rivals")],
}
"""The kernels that Python calls in a task: if they are compiled, the task need not be run."""


def _sentences() -> list[Sentence]:
    """Two tagged sentences: what needs no tagger."""
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
    from headway.threads import Threads

    model = _model().parser.model
    model.search().candidates(model.encoder.encode(_sentences()), threads=Threads())


def _label() -> None:
    from headway.search.labels import find_labels
    from headway.threads import Threads

    model = _model().parser.model
    encoded = model.encoder.encode(_sentences()[:1])
    find_labels(encoded, np.arange(-1, len(encoded.atoms) - 1, dtype=np.int32), model.namer, threads=Threads())


def _confidence() -> None:
    model = _model().parser.model
    encoded = model.encoder.encode(_sentences())
    model.search().probabilities(encoded, 0, heads=np.arange(-1, int(encoded.starts[1]) - 1, dtype=np.int32))


def _parse_with(**options: object) -> Callable[[], None]:
    def run() -> None:
        list(_model().parser.parse(_sentences(), **options))  # type: ignore[arg-type]

    return run


def _treebank() -> list[Sentence]:
    """A treebank of the model's own trees, with one crossing arc among them."""
    parsed = list(_model().annotate(TEXT))
    crossing = Sentence.from_words(
        ["A", "hearing", "is", "scheduled", "today"], upos=["DET", "NOUN", "AUX", "VERB", "NOUN"],
        heads=[2, 4, 4, 0, 2], labels=["det", "nsubj", "aux", "root", "nmod"],
    )  # fmt: skip
    return [*parsed, crossing] * 4


def _train_with(preset: str, *, text: bool = False) -> Callable[[], None]:
    """Train, with a dev set and without, on crossing arcs and without; save, load, parse."""

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
    """Train on a few bracketed trees; save, load, parse in all ways."""
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
    """Run the tasks whose kernels are not all there yet; how many were run is returned.

    Parameters
    ----------
    tasks : sequence of str
        Some of `TASKS`.
    jobs : int, optional
        How many processes at once; as many as there are processors by default.

    Raises
    ------
    KernelError
        If a task fails.
    """
    for task in tasks:
        if task not in TASKS:
            raise UsageError(f"there is nothing called {task!r} to warm up; there is {', '.join(TASKS)}")
    waiting = [task for task in tasks if not is_warm(task)]
    if not waiting:
        return 0
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
    """Before the first sentence: compile in parallel what a parser that climbs needs.

    Only where that saves time: other parsers compile little, and one processor gains nothing.
    """
    if parser.model.settings.decoder != _CLIMBS or processors() == 1 or not can_keep():
        return
    tasks = [task for task in PARSING if text or task != _TEXT]
    warm_up([*tasks, CONFIDENCE] if confidence else tasks, progress)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_warm(task: str) -> bool:
    """Return whether the kernels of a task are compiled; False where that is not known without running it."""
    from headway.kernel import is_compiled

    kernels = [getattr(importlib.import_module(module), name) for module, name in _KERNELS.get(task, ())]
    return bool(kernels) and all(map(is_compiled, kernels))


def _run_apart(task: str, progress: Progress) -> None:
    """Run a task in a process of its own."""
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
