"""Compare the trees found by sampling and by hill climbing in the same CPU time, by sentence length.

The number of sampling chains is chosen so that sampling takes as long as hill climbing. Where the time of hill climbing
is between those of k and k + 1 chains, some sentences get k chains and the others k + 1. The rows have the shares of
trees that score lower and higher than those of hill climbing. Hill climbing with other seeds is the control: its
differences are due to chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headway.analysis.rows import Row, reaches
from headway.analysis.sampling import CLIMBING, Group, describe
from headway.decoders.hill_climbing import HillClimbing
from headway.decoders.sampling import Sampling
from headway.progress import Progress

SEEDS = 3
_TRIES = 3
"""Attempts at finding the number of chains that takes a given time, and corrections of the result."""
_REPEATS, _LEAST_SECONDS = 2, 2.0
_CLOSE = 1e-6
"""A time above the one that is wanted by less than this share of a chain's is equal to it."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """A search of a group of sentences, compared with hill climbing.

    Parameters
    ----------
    time : float
        CPU seconds, divided by those of hill climbing.
    scores, climbed : (seeds, sentences) float64
        The scores of this search and of hill climbing.
    """

    words: str
    search: str
    time: float
    scores: NDArray[np.float64]
    climbed: NDArray[np.float64]

    def row(self) -> Row:
        """The cells of a table's row."""
        change = self.scores - self.climbed
        error = change.mean(axis=0).std(ddof=1) / np.sqrt(change.shape[1]) if change.shape[1] > 1 else None
        return {
            "words": self.words,
            "sentences": change.shape[1],
            "search": self.search,
            "time": round(self.time, 2),
            "score less, %": 100.0 * float(np.mean(~reaches(self.scores, self.climbed))),
            "more, %": 100.0 * float(np.mean(~reaches(self.climbed, self.scores))),
            "mean difference": round(float(change.mean()), 4),
            "its error": None if error is None else round(float(error), 4),
        }


def compare_at_equal_time(
    groups: Sequence[Group],
    proposals: Mapping[str, Sampling],
    *,
    restarts: int | None = None,
    seeds: int = SEEDS,
    progress: Progress | None = None,
) -> list[Comparison]:
    """Compare sampling with hill climbing in the same time, in each group of sentences.

    Parameters
    ----------
    restarts : int, optional
        Restarts of hill climbing; the model's by default.
    """
    progress, compared = progress or Progress(), list[Comparison]()
    progress.start("comparing", len(groups))
    for group in groups:
        climbing = group.climbing if restarts is None else replace(group.climbing, restarts=restarts)
        climbed, seconds = _run_seeds(group, climbing, range(seeds))
        again, spent = _run_seeds(group, climbing, range(seeds, 2 * seeds))
        control = f"{describe(CLIMBING, climbing.restarts)}, other seeds"
        compared.append(Comparison(group.name, control, spent / seconds, again, climbed))
        for name, sampler in proposals.items():
            mixture = run_for(group, sampler, seconds, seeds=seeds)
            search = describe(name, mixture.chains)
            compared.append(Comparison(group.name, search, mixture.seconds / seconds, mixture.scores, climbed))
        progress.advance()
    progress.finish()
    return compared


class Mixture(NamedTuple):
    """The result of a search with k chains for some sentences and k + 1 for the others.

    Parameters
    ----------
    chains : float
        The mean number of chains.
    seconds : float
        CPU seconds, by those of both numbers of chains and their shares.
    scores : (seeds, sentences) float64
    """

    chains: float
    seconds: float
    scores: NDArray[np.float64]


def run_for(group: Group, decoder: Sampling, seconds: float, *, seeds: int) -> Mixture:
    """Search with as many chains as take `seconds` seconds of CPU time: a mixture of k and k + 1 chains."""
    fewer = chains_for(group, decoder, seconds)
    low, short = _run_seeds(group, replace(decoder, chains=fewer), range(seeds))
    while short > seconds and fewer > 1:  # times vary, so the estimate can be too high, or too low
        fewer -= 1
        low, short = _run_seeds(group, replace(decoder, chains=fewer), range(seeds))
    if short >= seconds:
        return Mixture(fewer, short, low)
    high, long = _run_seeds(group, replace(decoder, chains=fewer + 1), range(seeds))
    for _ in range(_TRIES):  # not for ever: chains that have proved their trees to be the best take no time
        if long < seconds:
            fewer, low, short = fewer + 1, high, long
            high, long = _run_seeds(group, replace(decoder, chains=fewer + 1), range(seeds))
    share = min(1.0, (seconds - short) / max(long - short, 1e-9))
    more = np.random.default_rng(decoder.seed).random(low.shape) < share
    return Mixture(fewer + share, (1.0 - share) * short + share * long, np.where(more, high, low))


def chains_for(group: Group, decoder: Sampling, seconds: float) -> int:
    """Return the largest number of chains that takes no more than about `seconds` seconds of CPU time, at least 1."""
    single = _seconds(group, replace(decoder, chains=1))
    chains, spent = decoder.chains, _seconds(group, decoder)
    for _ in range(_TRIES):
        each = max((spent - single) / max(chains - 1, 1), 1e-9)
        needed = max(1, 1 + int((seconds - single) / each + _CLOSE))
        if needed in (1, chains):
            return needed
        chains, spent = needed, _seconds(group, replace(decoder, chains=needed))
    return chains


def _seconds(group: Group, decoder: Sampling) -> float:
    return group.run(decoder, repeats=_REPEATS, least=_LEAST_SECONDS).seconds


def _run_seeds(group: Group, decoder: HillClimbing | Sampling, seeds: range) -> tuple[NDArray[np.float64], float]:
    """Search with several seeds; return the scores (seeds, sentences) and the mean time."""
    runs = [group.run(replace(decoder, seed=seed), repeats=_REPEATS, least=_LEAST_SECONDS) for seed in seeds]
    return np.array([run.scores for run in runs]), float(np.mean([run.seconds for run in runs]))
