"""The same work on many machines: pieces answered by a Ray cluster, in order.

The driver cuts files into pieces and writes the answers, as with ``--jobs``; so order, resuming and the bytes that are
written are the same, and each output is written once. Actors hold the model and answer pieces. An actor that dies is
replaced, and its piece is sent again.
"""

import logging
from collections import deque
from collections.abc import Generator, Iterable
from importlib import import_module
from typing import Any, TypeVar

from headway.errors import HeadwayError, UsageError

S = TypeVar("S")

_AHEAD = 2
"""Items for each actor that are under way or whose answers wait to be taken."""

_RETRIES = 2
"""How often a piece is sent again when the actor that had it has died."""


class _Actor:
    """One worker of the cluster: `make` loads the model there, once."""

    def __init__(self, make: Any, arguments: tuple[Any, ...]) -> None:
        self._work = make(*arguments)

    def answer(self, item: Any) -> tuple[bool, Any]:
        """Answer an item; an error of Headway's is an answer, too, and is raised by the driver."""
        try:
            return True, self._work(item)
        except HeadwayError as error:
            return False, error


def _ray() -> Any:
    """Import Ray, which few need."""
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise UsageError("--ray needs Ray: pip install 'headway[ray]'") from None


def connect(address: str) -> int:
    """Join a cluster (``auto`` for the one of this machine, ``local`` to start one here); the processors that it has.

    Raises
    ------
    UsageError
        If Ray is not installed, or there is no cluster at that address.
    """
    ray = _ray()
    try:
        ray.init(None if address == "local" else address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        reason = next(iter(str(error).splitlines()), "")
        raise UsageError(f"{address}: no Ray cluster there ({reason})") from None
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def on_cluster(work: Any, items: Iterable[S], count: int) -> Generator[Any, None, None]:
    """Yield ``work(item)`` for every item, in order, by `count` actors of the cluster.

    Parameters
    ----------
    work : callable
        Sent to each actor once, as `pickle` takes it apart: a worker sends its task, and loads the model there.

    Raises
    ------
    HeadwayError
        Whatever is wrong with an item, or with what comes after it, once all before are answered.
    """
    ray = _ray()
    make, arguments = work.__reduce__()[:2]
    kind = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=_RETRIES)(_Actor)
    actors = [kind.remote(make, arguments) for _ in range(count)]
    busy = [0] * count
    waiting: deque[tuple[Any, int]] = deque()  # the promise of an answer, and the actor that gave it
    failure: HeadwayError | None = None
    stream = iter(items)

    def send(item: S) -> None:
        place = min(range(count), key=busy.__getitem__)
        busy[place] += 1
        waiting.append((actors[place].answer.remote(item), place))

    def take() -> Any:
        promise, place = waiting.popleft()
        try:
            done, answer = ray.get(promise)
        except ray.exceptions.RayActorError as error:
            raise HeadwayError(f"workers of the cluster died {_RETRIES + 1} times over a piece") from error
        except ray.exceptions.RayError as error:
            raise HeadwayError(f"the cluster failed ({type(error).__name__})") from error
        busy[place] -= 1
        if not done:
            raise answer
        return answer

    try:
        while True:
            try:
                item = next(stream)
            except StopIteration:
                break
            except HeadwayError as error:
                failure = error
                break
            send(item)
            if len(waiting) >= _AHEAD * count:
                yield take()
        while waiting:
            yield take()
        if failure is not None:
            raise failure
    finally:
        for actor in actors:
            ray.kill(actor)
