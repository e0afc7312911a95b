"""Scores of the trees that sampling finds, beside those of hill climbing: score against speed.

Zhang, Barzilay, Globerson, Lei, Liu and Jaakkola (2014), "Steps to excellence", Figure 7, for both proposals. What is
varied is the number of chains, of hill climbing the number of restarts. All searches take the plain path, one sentence
after the other, on one thread. `headway.analysis.equal_time` compares them at the same speed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headway.analysis.rows import Row, reaches, share
from headway.corpus import Sentence
from headway.decoders import Decoder
from headway.decoders.hill_climbing import HillClimbing
from headway.decoders.sampling import PROPOSALS, Sampling
from headway.errors import UsageError
from headway.evaluation.breakdown import bin_names
from headway.parser import Parser
from headway.plots.charts import Chart
from headway.progress import Progress
from headway.threads import Threads

BINS = (10, 20, 30)
"""The most words of the sentences of each group but the last."""
RESTARTS = (1, 4, 10, 30)
CHAINS = (1, 2, 4, 12, 30)
CLIMBING, CLIMBER = "hill climbing", "hill-climbing"
"""What tables call it, and its name as a decoder."""
NAMES = {"gibbs": "Gibbs", "walk": "random walk"}
"""What tables call the proposals."""


_REPEATS = 3
"""Times that the speed of a search is measured: the best one counts."""


class Run(NamedTuple):
    """One search of some sentences.

    Parameters
    ----------
    scores : (sentences,) float64
        Of the trees found.
    right : int
        Heads that agree with the gold trees.
    seconds : float
        CPU time of all.
    """

    scores: NDArray[np.float64]
    right: int
    seconds: float


class Group:
    """Sentences of similar length, and how to search them."""

    def __init__(self, parser: Parser, name: str, sentences: Sequence[Sentence]) -> None:
        self.name, self.lengths = name, np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        self.gold = [np.array(sentence.heads, dtype=np.int32) for sentence in sentences]
        self.encoded, self.search = parser.model.encoder.encode(sentences), parser.model.search(CLIMBER, ignore=())
        with Threads() as pool:
            batch = self.search.candidates(self.encoded, threads=pool)
        self.arcs = [batch.candidates(number, len(sentence)) for number, sentence in enumerate(sentences)]

    @property
    def climbing(self) -> HillClimbing:
        """The hill climber of the model."""
        assert isinstance(self.search.decoder, HillClimbing)
        return self.search.decoder

    def run(self, decoder: Decoder, *, repeats: int = 1, least: float = 0.0) -> Run:
        """Search all sentences after the kernels are compiled; of several times, the least counts.

        Parameters
        ----------
        repeats, least : int, float
            Search at least so often, and at least so many seconds: for times that are well measured.
        """
        search = replace(self.search, decoder=decoder)
        search.decode(self.encoded, 0, self.arcs[0])
        times = list[float]()
        while len(times) < repeats or sum(times) < least:
            began = process_time()
            parses = [search.decode(self.encoded, number, arcs) for number, arcs in enumerate(self.arcs)]
            times.append(process_time() - began)
        right = sum(
            int(np.count_nonzero(parse.heads[1:] == gold)) for parse, gold in zip(parses, self.gold, strict=True)
        )
        return Run(np.array([parse.score for parse in parses]), right, min(times))


def length_samples(
    parser: Parser, sentences: Iterable[Sentence], *, most: int, bins: Sequence[int] = BINS
) -> list[Group]:
    """Return the first `most` sentences of each group of lengths; groups without sentences are left out.

    Raises
    ------
    UsageError
        If hill climbing and sampling cannot read the parts that the model scores, or there is no sentence.
    """
    names, chosen = bin_names(bins), [list[Sentence]() for _ in range(len(bins) + 1)]
    for sentence in sentences:
        some = chosen[int(np.searchsorted(bins, len(sentence)))]
        if len(sentence) and len(some) < most:
            some.append(sentence)
    groups = [Group(parser, name, some) for name, some in zip(names, chosen, strict=True) if some]
    if not groups:
        raise UsageError("there is no sentence to search")
    return groups


def describe(search: str, effort: int) -> str:
    """Return what tables call a search with so many restarts or chains."""
    return f"{search}, {effort} {'restart' if search == CLIMBING else 'chain'}{'' if effort == 1 else 's'}"


def samplers(parser: Parser) -> dict[str, Sampling]:
    """Return the sampling decoder for each proposal, by the names of tables."""
    projective = parser.model.settings.projective
    return {NAMES[proposal]: Sampling(projective=projective, proposal=proposal) for proposal in PROPOSALS}


@dataclass(frozen=True, eq=False)
class Speeds:
    """Several searches of the same sentences, each with several efforts.

    Parameters
    ----------
    lengths : mapping of str to (sentences,) int64
        Words of the sentences of each group.
    runs : mapping of (str, int) to mapping of str to Run
        By the name of the search and its effort, chains or restarts, and by group.
    """

    lengths: Mapping[str, NDArray[np.int64]]
    runs: Mapping[tuple[str, int], Mapping[str, Run]]

    @property
    def best(self) -> dict[str, NDArray[np.float64]]:
        """(sentences,) The best score that any search found, by group."""
        return {name: np.max([runs[name].scores for runs in self.runs.values()], axis=0) for name in self.lengths}

    def speed(self, search: tuple[str, int]) -> float:
        """Return words a CPU second."""
        seconds = sum(run.seconds for run in self.runs[search].values())
        return self._words / max(seconds, np.finfo(np.float64).tiny)

    def below(self, search: tuple[str, int]) -> float:
        """Return by how much the tree of a sentence is below the best known, on average."""
        best = self.best
        return float(np.concatenate([best[name] - run.scores for name, run in self.runs[search].items()]).mean())

    def found(self, search: tuple[str, int]) -> dict[str, NDArray[np.bool_]]:
        """(sentences,) Return whether the best known tree was found, by group."""
        best = self.best
        return {name: reaches(run.scores, best[name]) for name, run in self.runs[search].items()}

    def rows(self) -> list[Row]:
        """A row for each search: speed, score, accuracy, and how often it finds the best known tree."""
        rows: list[Row] = []
        for search, runs in self.runs.items():
            right = sum(run.right for run in runs.values())
            shares = {f"best found, % ({name})": share(found) for name, found in self.found(search).items()}
            rows.append(
                {
                    "search": describe(*search),
                    "words/s": round(self.speed(search)),
                    "below the best": round(self.below(search), 4),
                    "UAS": 100.0 * right / self._words,
                    **shares,
                }
            )
        return rows

    def charts(self) -> list[Chart]:
        """The score and the best trees found, over speed; a line for each kind of search."""
        below, shares = {}, {}
        for name in dict.fromkeys(search for search, _ in self.runs):
            own = [search for search in self.runs if search[0] == name]
            speeds = np.array([self.speed(search) for search in own])
            below[name] = (speeds, np.array([-self.below(search) for search in own]))
            found = [np.concatenate(list(self.found(search).values())) for search in own]
            shares[name] = (speeds, np.array([100.0 * some.mean() for some in found]))
        words = "words a CPU second"
        return [
            Chart("Score and speed", words, "mean score, beside the best known", below),
            Chart("Best known tree found", words, "sentences, %", shares),
        ]

    @property
    def _words(self) -> int:
        return sum(int(lengths.sum()) for lengths in self.lengths.values())


def compare_speeds(
    groups: Sequence[Group],
    proposals: Mapping[str, Sampling],
    *,
    chains: Sequence[int] = CHAINS,
    restarts: Sequence[int] = RESTARTS,
    progress: Progress | None = None,
) -> Speeds:
    """Search by hill climbing and by sampling, with several efforts each.

    Parameters
    ----------
    proposals : mapping of str to Sampling
        See `samplers`.
    """
    progress = progress or Progress()
    decoders: dict[tuple[str, int], HillClimbing | Sampling] = {}
    for number in restarts:
        decoders[CLIMBING, number] = replace(groups[0].climbing, restarts=number)
    for name, sampler in proposals.items():
        for number in chains:
            decoders[name, number] = replace(sampler, chains=number)
    runs: dict[tuple[str, int], dict[str, Run]] = {}
    progress.start("searching", len(decoders))
    for search, decoder in decoders.items():
        runs[search] = {group.name: group.run(decoder, repeats=_REPEATS) for group in groups}
        progress.advance()
    progress.finish()
    return Speeds({group.name: group.lengths for group in groups}, runs)
