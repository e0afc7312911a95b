"""Commands on a disk that fails at every operation in turn; run as a program, for it forks.

    python write_fault_runs.py SCENARIO FOLDER

It prints, as JSON, how many runs there were and what was wrong after each.
"""

import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import small_corpus
from faulty_disk import FAULTS, KILLED, FaultyDisk
from typer.testing import CliRunner

from headway import presets
from headway.bulk import pieces
from headway.cli.app import app
from headway.corpus import write_sentences
from headway.kernel import store
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.support.writing import remove_stale_drafts

OLD = b"what was there before\n"
PAYLOAD = b"compiled" * 2000


@dataclass(frozen=True)
class Scenario:
    """Something that writes files.

    Parameters
    ----------
    run : callable
        Does it in the working folder, from the beginning (False) or going on after a fault (True); returns the exit
        code and standard error.
    outputs : tuple of str
        What it writes there; those of `old` were there before.
    leaves : tuple of str
        Endings of files that may stay after an error, to go on from.
    forgiving : bool
        Whether it may do without what it cannot write.
    stride : int
        Each fault strikes every so many operations. Faults take turns, so that together they strike nearly all.
    """

    run: Callable[[bool], tuple[int, str]]
    outputs: tuple[str, ...]
    old: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    forgiving: bool = False
    stride: int = 1


def command(*arguments: str, again: tuple[str, ...] = ()) -> Callable[[bool], tuple[int, str]]:
    """A command, and what is added to it to go on."""

    def run(resume: bool) -> tuple[int, str]:
        given = [*arguments, *(again if resume else ())]
        result = CliRunner().invoke(app, given, prog_name="headway")
        return result.exit_code, result.stderr

    return run


def chart(resume: bool) -> tuple[int, str]:
    """Draw a chart, as a command would."""
    import numpy as np

    from headway.cli.failures import describe
    from headway.plots.charts import Chart, draw_charts

    line = np.arange(3.0), np.arange(3.0)
    try:
        draw_charts([Chart("a", "b", "c", {"d": line})], "chart.svg")
    except Exception as error:
        text, code = describe(error)
        return code, f"headway: {text}\n"
    return 0, ""


def kernel(resume: bool) -> tuple[int, str]:
    """Keep a compiled kernel; without a place for it, there is a warning."""
    os.environ["HEADWAY_CACHE"] = os.path.abspath("cache")
    store.cache_folders.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        store.keep_entry("entry", PAYLOAD)
    return 0, ""


RESUME = ("--resume",)
PARTS = (".part", ".part.json")
PARSE = ("parse", "../in.conllu", "-m", "../m.headway", "--quiet", "-o")
FOLDER = ("parse", "../in.conllu", "../more.conllu", "-m", "../m.headway", "--quiet", "-o", "out/")
TRAIN = ("train", "../in.conllu", "-o", "m.headway", "--preset", "first-order", "--epochs", "2", "-q")

SCENARIOS = {
    "parse": Scenario(command(*PARSE, "out.conllu", again=RESUME), ("out.conllu",), ("out.conllu",), PARTS, stride=7),
    "compressed": Scenario(command(*PARSE, "out.conllu.gz", again=RESUME), ("out.conllu.gz",), (), PARTS, stride=6),
    "folder": Scenario(
        command(*FOLDER, again=RESUME),
        ("out/in.conllu", "out/more.conllu"), ("out/more.conllu",), (*PARTS, ".headway-resume.jsonl"), stride=11,
    ),
    "page": Scenario(command(*PARSE, "out.html", "--to", "html"), ("out.html",), ("out.html",), stride=2),
    "convert": Scenario(
        command("treebank", "convert", "../in.conllu", "--to", "conllx", "-q", "-o", "out.conllx"),
        ("out.conllx",), ("out.conllx",), stride=2,
    ),
    "split": Scenario(
        command("treebank", "split", "../in.conllu", "--part", "a.conllu=0.5", "--part", "b.conllu.xz=0.5"),
        ("a.conllu", "b.conllu.xz"), ("a.conllu",), stride=2,
    ),
    "train": Scenario(
        command(*TRAIN, "--checkpoint", "checkpoints"),
        ("m.headway",), ("m.headway",), (".checkpoint", "checkpoints"), stride=7,
    ),
    "ensemble": Scenario(
        command("ensemble", "../m.headway", "../m.headway", "-q", "-o", "m.headway"),
        ("m.headway",), ("m.headway",), stride=4,
    ),
    "constituents": Scenario(
        command("constituents", "parse", "../in.ptb", "-m", "../c.headway", "-q", "-o", "out.ptb"),
        ("out.ptb",), ("out.ptb",), stride=2,
    ),
    "chart": Scenario(chart, ("chart.svg",), ("chart.svg",)),
    "kernel": Scenario(kernel, ("cache/entry.kernel",), (), ("cache",), forgiving=True),
}  # fmt: skip


@dataclass
class Runs:
    """A scenario in a folder, and what was found wrong with it."""

    scenario: Scenario
    folder: Path
    problems: list[str] = field(default_factory=list)
    count: int = 0

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def files(self) -> dict[str, bytes]:
        """All files of the working folder, and folders that hold nothing."""
        found = {}
        for path in sorted(self.work.rglob("*")):
            if path.is_file() or not any(path.iterdir()):
                found[str(path.relative_to(self.work))] = path.read_bytes() if path.is_file() else b""
        return found

    def reset(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        for name in self.scenario.old:
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_bytes(OLD)
        self.work.mkdir(exist_ok=True)

    def fork(self, *, resume: bool = False, fault: str | None = None, at: int = 0) -> dict[str, Any]:
        """Run in a process of its own."""
        answer = self.folder / "answer.json"
        answer.unlink(missing_ok=True)
        process = os.fork()
        if process == 0:
            os.chdir(self.work)
            remove_stale_drafts.cache_clear()
            disk = FaultyDisk(str(self.work), fault, at)
            disk.install()
            code, told = self.scenario.run(resume)
            answer.write_text(
                json.dumps({"code": code, "told": told, "operations": disk.operations, "struck": disk.struck})
            )
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if status == KILLED:
            return {"code": KILLED, "struck": True}
        return json.loads(answer.read_text())

    def strike_all(self) -> None:
        """Strike operations with faults, which take turns by the scenario's stride."""
        self.reset()
        os.chdir(self.work)
        self.scenario.run(False)  # loads what the processes below then need not load
        os.chdir(self.folder)
        self.reset()
        clean = self.fork()
        expected = self.files()
        if clean["code"] != 0 or set(expected) != set(self.scenario.outputs):
            self.problems.append(f"without a fault: {clean}, {sorted(expected)}")
            return
        for at, operation in enumerate(clean["operations"], start=1):
            for turn, (fault, (_, struck)) in enumerate(FAULTS.items()):
                if operation in struck and (at + turn) % self.scenario.stride == 0:
                    self.strike(fault, at, expected, f"{fault} at operation {at}, {operation}")

    def strike(self, fault: str, at: int, expected: dict[str, bytes], place: str) -> None:
        """Fail once, look at what is there, go on, and look again."""
        self.count += 1
        self.reset()
        answer = self.fork(fault=fault, at=at)
        self.problems += [f"{place}: {problem}" for problem in self.left_over(fault, answer, expected)]
        again = self.fork(resume=True)
        if again["code"] != 0:
            self.problems.append(f"{place}: could not go on: {again['told']}")
        elif self.files() != expected:
            self.problems.append(f"{place}: other bytes, or other files, in the end: {sorted(self.files())}")

    def left_over(self, fault: str, answer: dict[str, Any], expected: dict[str, bytes]) -> list[str]:
        """Return the problems of the files and of the messages after a fault."""
        problems, files = [], self.files()
        for name in self.scenario.outputs:
            before = OLD if name in self.scenario.old else None
            if files.pop(name, None) not in (before, expected[name]):
                problems.append(f"{name} is neither old nor new")
        cannot_remove = fault in ("kill", "no permission")
        allowed = (*self.scenario.leaves, *([".part"] if cannot_remove else []))
        if stray := [name for name in files if not name.endswith(allowed)]:
            problems.append(f"left behind: {stray}")
        if answer["code"] == KILLED or self.scenario.forgiving or not answer["struck"]:
            return problems
        whole = all((self.work / name).exists() and self.files()[name] == expected[name] for name in expected)
        if answer["code"] == 0 and not whole:
            problems.append("exit code 0 without the files")
        told = answer["told"]
        if answer["code"] != 0 and (told.count("\n") != 1 or not told.startswith("headway: error: ")):
            problems.append(f"told {told!r}")
        names = [*self.scenario.outputs, *self.scenario.leaves, "out/"]
        if answer["code"] != 0 and ("unexpected" in told or not any(name in told for name in names)):
            problems.append(f"no name in {told!r}")
        return problems


def prepare(folder: Path) -> None:
    """Make what commands read, and load all that they need."""
    small = small_corpus.with_tables(presets.PRESETS["first-order"], arcs=1 << 14, labels=1 << 12)
    presets.PRESETS["first-order"] = small
    pieces._SENTENCES = 4
    sentences = small_corpus.sample(18)
    write_sentences(folder / "in.conllu", sentences[:10])
    write_sentences(folder / "more.conllu", sentences[10:])
    Parser.train(sentences, preset=small, options=TrainingOptions(epochs=1)).save(folder / "m.headway")


def prepare_constituents(folder: Path) -> None:
    """The same for commands on bracketed trees."""
    from headway.constituency.brackets import read_trees
    from headway.constituency.parser import ConstituentParser

    (folder / "in.ptb").write_text("(ROOT (S (NP (NN dogs)) (VP (VBP bark)) (. .)))\n(ROOT (NP (NN mat)))\n")
    ConstituentParser.train(list(read_trees(str(folder / "in.ptb"))), preset="sibling", epochs=1).save(
        folder / "c.headway"
    )


def main(name: str, folder: Path) -> None:
    prepare(folder)
    if name == "constituents":
        prepare_constituents(folder)
    runs = Runs(SCENARIOS[name], folder)
    runs.strike_all()
    print(json.dumps({"runs": runs.count, "problems": runs.problems}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
