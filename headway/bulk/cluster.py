"""Process pieces on the machines of a Ray cluster, and return the results in order.

As with ``--jobs``, the driver cuts files into pieces and writes the results; so order, resuming and the bytes of the
output are the same, and each output is written once. Actors hold the model and parse pieces. If an actor dies, Ray
replaces it and its piece is sent again.
"""

import logging
from collections import deque
from collections.abc import Generator, Iterable
from importlib import import_module
from typing import Any, TypeVar

from headway.errors import HeadwayError, UsageError

S = TypeVar("S")

_AHEAD = 2
"""Items per actor that are being processed, or whose results wait to be taken, at the same time."""

_RETRIES = 2
"""The number of times a piece is sent again after its actor has died."""


class _Actor:
    """A worker on the cluster; `make` is called once there to load the model."""

    def __init__(self, make: Any, arguments: tuple[Any, ...]) -> None:
        self._work = make(*arguments)

    def answer(self, item: Any) -> tuple[bool, Any]:
        """Process an item; return (True, result) or, for an error that the driver shall raise, (False, error)."""
        try:
            return True, self._work(item)
        except HeadwayError as error:
            return False, error


def _ray() -> Any:
    """Import Ray, which is an optional dependency."""
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise UsageError("--ray needs Ray: pip install 'headway[ray]'") from None


def connect(address: str) -> int:
    """Connect to a cluster and return its number of processors.

    Parameters
    ----------
    address : str
        The address of the cluster; ``auto`` for the one on this machine, ``local`` to start one here.

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
        Sent to each actor once, by `pickle`: a `Worker` sends only its task, and the actor loads the model.

    Raises
    ------
    HeadwayError
        The first error of an item or of reading the items, after the results of all items before it.
    """
    ray = _ray()
    make, arguments = work.__reduce__()[:2]
    kind = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=_RETRIES)(_Actor)
    actors = [kind.remote(make, arguments) for _ in range(count)]
    busy = [0] * count
    waiting: deque[tuple[Any, int]] = deque()  # the future of a result, and the number of its actor
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
            raise HeadwayError(f"a worker of the cluster died {_RETRIES + 1} times on the same piece") from error
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
