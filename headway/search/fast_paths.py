"""Fast paths: kernels that fuse scoring and search, for some pairs of scorer and decoder.

A fast path gives the same trees as the plain path, which gets scores from the scorer and passes them to the decoder,
one sentence after the other; `tests/search/test_fast_paths.py` compares the two.
"""

from importlib import import_module
from typing import Any, Protocol, cast

from headway.decoders import Decoder
from headway.parts.candidate_batch import TreeBatch
from headway.parts.scorer import Scorer
from headway.support.threads import Threads


class FastPath(Protocol):
    """A search of many sentences per call."""

    def __call__(
        self,
        scorer: Any,
        decoder: Any,
        batch: TreeBatch,
        *,
        single_root: bool,
        threads: Threads,
    ) -> None:
        """Search sentences and write their trees."""
        ...


_LINEAR = "headway.scorers.linear_scorer.LinearScorer"

_FAST_PATHS: dict[tuple[str, str], FastPath | str] = {
    (_LINEAR, "headway.decoders.eisner.Eisner"): "headway.search.first_order:search_arcs",
    (_LINEAR, "headway.decoders.spanning_tree.SpanningTree"): "headway.search.first_order:search_arcs",
    (_LINEAR, "headway.decoders.hill_climbing.HillClimbing"): "headway.search.climbing:climb_batch",
    (_LINEAR, "headway.decoders.third_order.ChartDecoder"): "headway.search.charts:search_charts",
}
"""Fast paths by the names of scorer and decoder classes, so that nothing is imported before it is needed."""


def _name(made: type) -> str:
    return f"{made.__module__}.{made.__qualname__}"


def register_fast_path(scorer: type, decoder: type, path: FastPath) -> None:
    """Register a fast path for searches with a scorer and a decoder of these classes."""
    _FAST_PATHS[_name(scorer), _name(decoder)] = path


def find_fast_path(scorer: Scorer, decoder: Decoder) -> FastPath | None:
    """Return the fast path of a scorer and a decoder, if there is one."""
    if getattr(decoder, "marginal_roots", False):  # the kernels do not support these starts
        return None
    path = _FAST_PATHS.get((_name(type(scorer)), _name(type(decoder))))
    if isinstance(path, str):
        module, _, attribute = path.partition(":")
        path = cast(FastPath, getattr(import_module(module), attribute))
    return path
