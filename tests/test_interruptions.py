"""Signals are handled soon: work that checks no flag is left behind, and long work is done in several calls."""

import os
import signal
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from headway.decoders import find_decoder
from headway.decoders.integer_program import IntegerProgram
from headway.parts import Candidates, Scores
from headway.support.interrupts import interruptibly, stop_flag
from headway.support.threads import Threads

LONG = 60.0
"""Seconds that the work takes if it is not left behind."""


@pytest.fixture
def ends() -> Iterator[threading.Event]:
    """Set when the test is over, so that the work ends."""
    event, before = threading.Event(), signal.signal(signal.SIGINT, signal.default_int_handler)
    yield event
    event.set()
    signal.signal(signal.SIGINT, before)


def interrupt_soon() -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_work_without_a_flag_is_left_behind(ends: threading.Event) -> None:
    ended = []
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        interruptibly(lambda: ended.append(ends.wait(LONG)))
    assert not ended


def test_work_with_a_flag_is_told_to_stop(ends: threading.Event) -> None:
    stop = stop_flag()
    interrupt_soon()

    def work() -> None:
        while stop[0] == 0:
            ends.wait(0.01)

    with pytest.raises(KeyboardInterrupt):
        interruptibly(work, stop)
    assert stop[0] == 1


def test_a_solver_is_left_behind(ends: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []
    monkeypatch.setattr("scipy.optimize.milp", lambda *args, **options: ended.append(ends.wait(LONG)))
    candidates = Candidates.all(3)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        IntegerProgram().decode(candidates, Scores(np.zeros(len(candidates))))
    assert not ended


@pytest.mark.parametrize(
    ("name", "module", "outcome"),
    [("ad3", "dual_decomposition", 0), ("exact", "dual_decomposition", 0), ("greedy", "greedy", (-np.inf, 0))],
)
def test_kernels_look_at_the_flag(name: str, module: str, outcome: object, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = []

    def interrupted(work: Callable[[], object], stop: NDArray[np.int64], *, short: bool = False) -> object:
        stop[0] = 1
        outcomes.append(work())
        raise KeyboardInterrupt

    monkeypatch.setattr(f"headway.decoders.{module}.interruptibly", interrupted)
    candidates = Candidates.all(4)
    with pytest.raises(KeyboardInterrupt):
        find_decoder(name).decode(candidates, Scores(np.arange(float(len(candidates)))))
    assert outcomes == [outcome]


def test_threads_at_work_are_left_behind(ends: threading.Event) -> None:
    ended = []
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt), Threads(2) as threads:
        threads.deal(lambda first, stride: ended.append(ends.wait(LONG)))
    assert not ended


def test_threads_that_fail_are_waited_for() -> None:
    ended, begun = [], threading.Event()

    def work(first: int, stride: int) -> None:
        if first == 0:
            begun.wait(LONG)
            raise ValueError("the first thread")
        begun.set()
        threading.Event().wait(0.2)
        ended.append(first)

    with pytest.raises(ValueError, match="the first"), Threads(2) as threads:
        threads.deal(work)
    assert ended == [1]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("sentences", [0, 1, 9, 10, 11, 100])
def test_several_calls_do_every_sentence_once(number: int, sentences: int) -> None:
    calls: list[list[int]] = []
    with Threads(number) as threads:
        threads.deal(
            lambda first, stride: calls.append(list(range(first, sentences, stride))), sentences=sentences, at_once=10
        )
    assert sorted(sentence for call in calls for sentence in call) == list(range(sentences))
    assert max(map(len, calls)) <= 10
    assert len(calls) % number == 0
