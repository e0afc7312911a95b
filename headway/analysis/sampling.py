"""Compare the trees of sampling with those of hill climbing: score against speed.

Zhang, Lei, Barzilay, Jaakkola and Globerson (2014), "Steps to excellence", Figure 7, for both proposals. The number of
chains varies, and for hill climbing the number of restarts. All searches take the plain path (no fused kernels), one
sentence at a time, on one thread. `headway.analysis.equal_time` compares them at the same speed.
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
from headway.support.threads import Threads

BINS = (10, 20, 30)
"""The maximum sentence length, in words, of each group but the last."""
RESTARTS = (1, 4, 10, 30)
CHAINS = (1, 2, 4, 12, 30)
CLIMBING, CLIMBER = "hill climbing", "hill-climbing"
"""The name of hill climbing in tables, and its name as a decoder."""
NAMES = {"gibbs": "Gibbs", "walk": "random walk"}
"""The names of the proposals in tables."""


_REPEATS = 3
"""The number of times each search is timed; the shortest time counts."""


class Run(NamedTuple):
    """The result of one search of several sentences.

    Parameters
    ----------
    scores : (sentences,) float64
        The scores of the trees found.
    right : int
        The number of correct heads.
    seconds : float
        CPU time of the whole search.
    """

    scores: NDArray[np.float64]
    right: int
    seconds: float


class Group:
    """Sentences of similar length, with the arcs and the search of a parser."""

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
        """Search all sentences; return the shortest time of several runs, without compile time.

        Parameters
        ----------
        repeats : int
            The minimum number of runs.
        least : float
            The minimum total time of the runs in seconds, so that short times are measured well.
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
    """Return the first `most` sentences of each group of similar length, without empty groups.

    Raises
    ------
    UsageError
        If hill climbing and sampling cannot read the parts that the model scores, or there is no sentence.
    """
    names, chosen = bin_names(bins), [list[Sentence]() for _ in range(len(bins) + 1)]
    for sentence in sentences:
        group = chosen[int(np.searchsorted(bins, len(sentence)))]
        if len(sentence) and len(group) < most:
            group.append(sentence)
    groups = [Group(parser, name, group) for name, group in zip(names, chosen, strict=True) if group]
    if not groups:
        raise UsageError("there is no sentence to search")
    return groups


def describe(search: str, effort: float) -> str:
    """Return the name of a search in tables, with its (mean) number of restarts or chains."""
    number = f"{round(effort, 1):g}"
    return f"{search}, {number} {'restart' if search == CLIMBING else 'chain'}{'' if number == '1' else 's'}"


def samplers(parser: Parser) -> dict[str, Sampling]:
    """Return the sampling decoder for each proposal, by its name in tables."""
    projective = parser.model.settings.projective
    return {NAMES[proposal]: Sampling(projective=projective, proposal=proposal) for proposal in PROPOSALS}


@dataclass(frozen=True, eq=False)
class Speeds:
    """Results of several searches of the same sentences, each with several numbers of restarts or chains.

    Parameters
    ----------
    lengths : mapping of str to (sentences,) int64
        The number of words of each sentence, by group.
    runs : mapping of (str, int) to mapping of str to Run
        The results by search (its name, and the number of its restarts or chains) and by group.
    """

    lengths: Mapping[str, NDArray[np.int64]]
    runs: Mapping[tuple[str, int], Mapping[str, Run]]

    @property
    def best(self) -> dict[str, NDArray[np.float64]]:
        """The best score that any search found, (sentences,), by group."""
        return {name: np.max([runs[name].scores for runs in self.runs.values()], axis=0) for name in self.lengths}

    def speed(self, search: tuple[str, int]) -> float:
        """Return the number of words parsed per CPU second."""
        seconds = sum(run.seconds for run in self.runs[search].values())
        return self._words / max(seconds, np.finfo(np.float64).tiny)

    def below(self, search: tuple[str, int]) -> float:
        """Return the mean difference between the best known score and the score of the tree."""
        best = self.best
        return float(np.concatenate([best[name] - run.scores for name, run in self.runs[search].items()]).mean())

    def found(self, search: tuple[str, int]) -> dict[str, NDArray[np.bool_]]:
        """Return whether each sentence's best known score was reached, (sentences,), by group."""
        best = self.best
        return {name: reaches(run.scores, best[name]) for name, run in self.runs[search].items()}

    def rows(self) -> list[Row]:
        """A row for each search: speed, score, accuracy, and how often it reaches the best known score."""
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
            searches = [search for search in self.runs if search[0] == name]
            speeds = np.array([self.speed(search) for search in searches])
            below[name] = (speeds, np.array([-self.below(search) for search in searches]))
            found = [np.concatenate(list(self.found(search).values())) for search in searches]
            shares[name] = (speeds, np.array([100.0 * hits.mean() for hits in found]))
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
    """Search by hill climbing and by sampling, with several numbers of restarts or chains each.

    Parameters
    ----------
    proposals : mapping of str to Sampling
        The sampling decoders by their names in tables; see `samplers`.
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
