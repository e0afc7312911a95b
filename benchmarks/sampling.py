"""How good the trees are that sampling finds, beside those of hill climbing in the same CPU time.

    python benchmarks/sampling.py --model turkish.headway --treebank UD_Turkish-IMST

Sentences of the dev set, as many of each group of lengths. ``speeds``: every search at several speeds (Figure 7 of
Zhang et al. 2014, "Steps to excellence"). ``equal``: for each group, as many chains as take the time of hill
climbing, and how many trees score less, or more, than hill climbing's. Hill climbing with another seed stands beside
it: the share of its trees that score less is that of luck. All searches take the plain path, one sentence after the
other.
Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway import Parser, read_sentences
from headway.corpus import Sentence
from headway.decoders import Decoder
from headway.decoders.hill_climbing import HillClimbing
from headway.decoders.sampling import PROPOSALS, Sampling
from headway.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))
GROUPS = {"at most 10": range(1, 11), "11 to 20": range(11, 21), "21 to 30": range(21, 31), "over 30": range(31, 9999)}
RESTARTS = (1, 4, 10, 30)
CHAINS = (1, 2, 4, 12, 30)
TRIES = 3
"""At finding the number of chains that takes a given time."""
REPEATS, LEAST_SECONDS = 2, 2.0
SAME = 1e-6


class Run(NamedTuple):
    """The score of every sentence's tree, and the CPU seconds of all."""

    scores: npt.NDArray[np.float64]
    seconds: float


class Group:
    """Some sentences, and how to search them."""

    def __init__(self, parser: Parser, sentences: list[Sentence]) -> None:
        self.words = sum(map(len, sentences))
        self.encoded, self.search = parser.model.encoder.encode(sentences), parser.model.search()
        with Threads() as pool:
            batch = self.search.candidates(self.encoded, threads=pool)
        self.arcs = [batch.candidates(number, len(sentence)) for number, sentence in enumerate(sentences)]
        assert isinstance(self.search.decoder, HillClimbing)
        self.climbing = self.search.decoder

    def run(self, decoder: Decoder) -> Run:
        """Search all sentences, after the kernels are compiled; of several times, the least counts."""
        search = replace(self.search, decoder=decoder)
        search.decode(self.encoded, 0, self.arcs[0])
        times = list[float]()
        while sum(times) < LEAST_SECONDS or len(times) < REPEATS:
            began = time.process_time()
            scores = [search.decode(self.encoded, number, arcs).score for number, arcs in enumerate(self.arcs)]
            times.append(time.process_time() - began)
        return Run(np.array(scores), min(times))

    def run_seeds(self, decoder: HillClimbing | Sampling, seeds: range) -> Run:
        """Search with several seeds: scores (seeds, sentences), and the mean of the times."""
        runs = [self.run(replace(decoder, seed=seed)) for seed in seeds]
        return Run(np.array([run.scores for run in runs]), float(np.mean([run.seconds for run in runs])))

    def chains_for(self, decoder: Sampling, seconds: float) -> int:
        """Return how many chains take so many seconds."""
        single = self.run(replace(decoder, chains=1)).seconds
        chains, spent = decoder.chains, self.run(decoder).seconds
        for _ in range(TRIES):
            each = max((spent - single) / max(chains - 1, 1), 1e-9)
            wanted = max(1, 1 + round((seconds - single) / each))
            if wanted in (1, chains):
                return wanted
            chains, spent = wanted, self.run(replace(decoder, chains=wanted)).seconds
        return chains


def main() -> None:
    options = read_arguments()
    parser = Parser.load(options.model)
    sentences = list(read_sentences(TREEBANKS / options.treebank / "dev.conllu.xz"))
    groups = {}
    for name, lengths in GROUPS.items():
        some = [sentence for sentence in sentences if len(sentence) in lengths][: options.sentences]
        if some:
            groups[name] = Group(parser, some)
    samplers = {
        proposal: Sampling(projective=parser.model.settings.projective, proposal=proposal) for proposal in PROPOSALS
    }
    if "equal" in options.tables:
        print_equal_times(groups, samplers, options.restarts, options.seeds)
    if "speeds" in options.tables:
        print_speeds(groups, samplers)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="with hill climbing as its decoder, such as `full`")
    parser.add_argument("--treebank", required=True)
    parser.add_argument("--sentences", type=int, default=75, help="of each group of lengths, at most")
    parser.add_argument("--restarts", type=int, help="of hill climbing in `equal`; the model's by default")
    parser.add_argument("--seeds", type=int, default=3, help="for `equal`")
    parser.add_argument("--tables", nargs="*", choices=("equal", "speeds"), default=["equal", "speeds"])
    return parser.parse_args()


def print_equal_times(
    groups: dict[str, Group], samplers: dict[str, Sampling], restarts: int | None, seeds: int
) -> None:
    print("| words | sentences | search | time | score less, % | more, % | mean difference |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name, group in groups.items():
        climbing = group.climbing if restarts is None else replace(group.climbing, restarts=restarts)
        base = group.run_seeds(climbing, range(seeds))

        def tell(search: str, run: Run, name: str = name, group: Group = group, base: Run = base) -> None:
            change = run.scores - base.scores
            error = change.mean(axis=0).std(ddof=1) / np.sqrt(change.shape[1])  # of sentences, not of seeds
            cells = [name, str(len(group.arcs)), search, f"{run.seconds / base.seconds:.2f}"]
            cells += [f"{100 * np.mean(change < -SAME):.1f}", f"{100 * np.mean(change > SAME):.1f}"]
            print(f"| {' | '.join(cells)} | {change.mean():+.4f} ± {error:.4f} |", flush=True)

        again = group.run_seeds(climbing, range(seeds, 2 * seeds))
        tell(f"hill climbing, {climbing.restarts} restarts, another seed", again)
        for proposal, sampler in samplers.items():
            chains = group.chains_for(sampler, base.seconds)
            tell(f"{proposal}, {chains} chains", group.run_seeds(replace(sampler, chains=chains), range(seeds)))


def print_speeds(groups: dict[str, Group], samplers: dict[str, Sampling]) -> None:
    searches: dict[str, dict[str, Run]] = {}
    for name, group in groups.items():
        searches[name] = {
            f"hill climbing, {restarts} restarts": group.run(replace(group.climbing, restarts=restarts))
            for restarts in RESTARTS
        }
        for proposal, sampler in samplers.items():
            for chains in CHAINS:
                searches[name][f"{proposal}, {chains} chains"] = group.run(replace(sampler, chains=chains))
    best = {name: np.max([run.scores for run in runs.values()], axis=0) for name, runs in searches.items()}
    print(f"| search | words/s | below the best known | {' | '.join(f'best known, {name}, %' for name in groups)} |")
    print("| --- " * (3 + len(groups)) + "|")
    for search in next(iter(searches.values())):
        runs = {name: some[search] for name, some in searches.items()}
        seconds = sum(run.seconds for run in runs.values())
        cells = [search, f"{sum(group.words for group in groups.values()) / seconds:,.0f}"]
        cells.append(f"{np.concatenate([best[name] - run.scores for name, run in runs.items()]).mean():.4f}")
        cells += [f"{100 * np.mean(run.scores > best[name] - SAME):.1f}" for name, run in runs.items()]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
