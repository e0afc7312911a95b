"""Metrics of a server, in Prometheus' format."""

from collections import defaultdict
from threading import Lock

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the latency buckets, in seconds."""

HELP = {
    "headway_requests_total": ("counter", "Requests answered, by route and status."),
    "headway_request_seconds": ("histogram", "Time from the first byte of a request to the last byte of the response."),
    "headway_words_total": ("counter", "Words read."),
    "headway_batches_total": ("counter", "Batches sent to workers."),
    "headway_batched_jobs_total": ("counter", "Jobs in those batches."),
    "headway_worker_starts_total": ("counter", "Worker processes started, including the initial ones."),
    "headway_workers_ready": ("gauge", "Worker processes that can take work."),
    "headway_requests_in_progress": ("gauge", "Requests that are being answered or are queued."),
}

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters, gauges and one histogram; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[str, dict[Labels, float]] = defaultdict(lambda: defaultdict(float))
        self._buckets: dict[Labels, list[int]] = defaultdict(lambda: [0] * len(_BOUNDS))

    def add(self, name: str, amount: float = 1.0, **labels: str) -> None:
        """Add an amount, which may be negative, to a counter or gauge."""
        with self._lock:
            self._values[name][tuple(sorted(labels.items()))] += amount

    def observe(self, seconds: float, **labels: str) -> None:
        """Add the duration of a request to the histogram."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            for place, bound in enumerate(_BOUNDS):
                self._buckets[key][place] += seconds <= bound
            self._values["headway_request_seconds_sum"][key] += seconds
            self._values["headway_request_seconds_count"][key] += 1

    def value(self, name: str) -> float:
        """Return the sum of a counter or gauge over all its labels."""
        with self._lock:
            return sum(self._values[name].values()) if name in self._values else 0.0

    def exposition(self) -> str:
        """Return all metrics in Prometheus' text format."""
        with self._lock:
            lines: list[str] = []
            for name, (kind, text) in HELP.items():
                lines += (f"# HELP {name} {text}", f"# TYPE {name} {kind}")
                if kind == "histogram":
                    lines += self._histogram(name)
                else:
                    known = self._values.get(name) or {(): 0.0}
                    lines += (f"{name}{_braces(labels)} {value:g}" for labels, value in sorted(known.items()))
            return "\n".join([*lines, ""])

    def _histogram(self, name: str) -> list[str]:
        lines: list[str] = []
        for labels, buckets in sorted(self._buckets.items()):
            count = self._values[f"{name}_count"][labels]
            bounds = zip([*(f"{bound:g}" for bound in _BOUNDS), "+Inf"], [*buckets, int(count)], strict=True)
            lines += (f"{name}_bucket{_braces((*labels, ('le', bound)))} {value}" for bound, value in bounds)
            lines += (
                f"{name}_sum{_braces(labels)} {self._values[f'{name}_sum'][labels]:g}",
                f"{name}_count{_braces(labels)} {count:g}",
            )
        return lines


def _braces(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
