"""Distribute the work among processes until the limits are reached, and keep the findings."""

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from fuzz.corpus_files import CORPUS, seeds
from fuzz.worker import Report, present_input, work

_MOST_ENDS = 500
"""The number of times that a process may hang or crash."""

CHECKED = {"HEADWAY_KERNELS": "checked", "NUMBA_OPT": "1"}
_SLICE = 20.0
"""Seconds after which a process may change to another kind."""


@dataclass(frozen=True)
class Plan:
    """The limits, and the number of processes.

    Parameters
    ----------
    minutes, inputs : float, int
        The run ends when both limits are reached: these minutes, and this number of inputs of each kind.
    checked : int
        The number of the `jobs` processes that check the bounds of arrays in kernels.
    limit : float
        Seconds after which an input counts as hanging.
    findings : Path
        The folder for inputs with findings.
    grow : int
        The number of inputs with new behaviour that are kept, for each kind.
    """

    kinds: Sequence[str]
    minutes: float
    inputs: int
    jobs: int
    checked: int
    seed: int
    limit: float
    findings: Path
    grow: int


@dataclass
class Tally:
    """The results of the inputs of a kind."""

    inputs: int = 0
    failures: int = 0
    seconds: float = 0.0
    lines: int = 0
    behaviours: dict[str, bytes] = field(default_factory=dict)
    findings: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    def add(self, report: Report) -> list[bytes]:
        """Add a report, and return its inputs with new behaviour."""
        self.inputs += report.inputs
        self.failures += report.failures
        self.seconds += report.seconds
        self.lines = max(self.lines, report.lines)
        self.findings = {**report.findings, **self.findings}
        fresh = {name: data for name, data in report.behaviours.items() if name not in self.behaviours}
        self.behaviours |= fresh
        return list(fresh.values())


class Process:
    """A process, its current request, and the inputs that it has not received yet."""

    def __init__(self, number: int, plan: Plan, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder / str(number)
        self.folder.mkdir()
        self.plan, self.models, self.environment = plan, folder, environment
        self.news: dict[str, list[bytes]] = {kind: [] for kind in plan.kinds}
        self.seeds = {kind: seeds(kind) for kind in plan.kinds}
        self.kind, self.ended = "", 0
        self.start()

    def start(self) -> None:
        """Start the process, or restart it."""
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        arguments = (other, str(self.folder), str(self.models), self.environment, self.plan.limit)
        self.process = context.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        other.close()

    def ask(self, kind: str, seed: int, seconds: float, count: int) -> None:
        """Request some inputs of a kind."""
        self.kind, news = kind, self.news[kind]
        self.news[kind] = []
        self.connection.send((kind, seed, seconds, count, self.seeds[kind], news))

    def answer(self) -> Report:
        """Return the report, or a report of the end of the process."""
        try:
            report: Report = self.connection.recv()
            return report
        except EOFError:
            pass
        self.process.join()
        self.ended += 1
        if self.ended > _MOST_ENDS:
            raise RuntimeError(f"processes end again and again: {(self.folder / 'log').read_text()[-2000:]}")
        data = present_input((self.folder / "present").read_bytes())
        log = (self.folder / "log").read_text(errors="replace")
        what = "hang" if "Timeout" in log else f"crash (exit code {self.process.exitcode})"
        where = next((line.strip() for line in log.splitlines() if "/headway/" in line), "")
        name = f"{what} {where.rpartition('/headway/')[2]}"
        self.seeds[self.kind] = [seed for seed in self.seeds[self.kind] if seed != data]
        self.start()
        return Report(inputs=1, failures=1, findings={name: (data, log[-3000:])})


def run(plan: Plan) -> dict[str, Any]:
    """Run the plan, and return the results, ready for JSON."""
    tallies = {kind: Tally() for kind in plan.kinds}
    with tempfile.TemporaryDirectory(prefix="headway-fuzz-", dir=_fast_folder()) as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "fuzz.samples", name], check=True)
        began = time.monotonic()
        processes = [
            Process(number, plan, folder, CHECKED if number < plan.checked else {}) for number in range(plan.jobs)
        ]
        seed = plan.seed << 32
        for process in processes:
            seed += 1
            process.ask(_next_kind(plan, tallies, processes), seed, _SLICE, plan.inputs)
        while processes:
            for ready in wait([process.connection for process in processes]):
                process = next(one for one in processes if one.connection is ready)
                kind = process.kind
                before = set(tallies[kind].findings)
                news = tallies[kind].add(process.answer())
                for other in processes:
                    if other is not process:
                        other.news[kind] += news
                for finding in set(tallies[kind].findings) - before:
                    _keep_finding(plan, kind, finding, *tallies[kind].findings[finding])
                passed = (time.monotonic() - began) / 60.0
                process.kind = ""
                if passed >= plan.minutes and all(tally.inputs >= plan.inputs for tally in tallies.values()):
                    process.connection.send(None)
                    processes.remove(process)
                    continue
                seed += 1
                process.ask(_next_kind(plan, tallies, processes), seed, _SLICE, 10_000)
                _tell_progress(passed, tallies)
    for kind, tally in tallies.items():
        _grow(plan, kind, tally)
    return {
        "minutes": round((time.monotonic() - began) / 60.0, 1),
        "kinds": {k: _figures(t) for k, t in tallies.items()},
    }


def _fast_folder() -> str | None:
    """Return a folder in memory, if there is one: every input is written to a file or two."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _next_kind(plan: Plan, tallies: dict[str, Tally], processes: Sequence[Process]) -> str:
    """Return the kind that is furthest from its number of inputs; of finished kinds, the one with the least time."""
    busy = [process.kind for process in processes]

    def state(kind: str) -> tuple[float, int, float]:
        tally = tallies[kind]
        return min(1.0, tally.inputs / max(plan.inputs, 1)), busy.count(kind), tally.seconds

    return min(plan.kinds, key=state)


def _keep_finding(plan: Plan, kind: str, name: str, data: bytes, told: str) -> None:
    folder = plan.findings / kind
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _name(data)
    path.write_bytes(data)
    print(f"\n{kind}: {name}\n{told}\nkept as {path}", file=sys.stderr, flush=True)


def _grow(plan: Plan, kind: str, tally: Tally) -> None:
    """Keep some inputs with new behaviour: the smallest."""
    for data in sorted(set(tally.behaviours.values()), key=len)[: plan.grow]:
        (CORPUS / kind / _name(data)).write_bytes(data)


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _figures(tally: Tally) -> dict[str, Any]:
    return {
        "inputs": tally.inputs,
        "inputs_per_cpu_second": round(tally.inputs / max(tally.seconds, 1e-9), 1),
        "cpu_seconds": round(tally.seconds, 1),
        "failures": tally.failures,
        "behaviours": len(tally.behaviours),
        "lines": tally.lines,
        "findings": {name: data.decode("latin-1") for name, (data, _) in tally.findings.items()},
    }


def _tell_progress(minutes: float, tallies: dict[str, Tally]) -> None:
    counts = ", ".join(f"{kind} {tally.inputs:,} ({len(tally.findings)})" for kind, tally in tallies.items())
    print(f"\r{minutes:.1f} min: {counts}", end="", file=sys.stderr, flush=True)


def table(result: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = [
        "| kind | inputs | inputs per CPU second | behaviours | lines reached | inputs that fail | defects |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind, found in result["kinds"].items():
        cells = (
            kind, f"{found['inputs']:,}", f"{found['inputs_per_cpu_second']:,}", f"{found['behaviours']:,}",
            f"{found['lines']:,}", f"{found['failures']:,}", len(found["findings"]),
        )  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def write_json(result: dict[str, Any], path: Path) -> None:
    """Write the figures and the findings."""
    path.write_text(json.dumps(result, indent=1) + "\n")
