"""Growth with the sentence of time and memory of exact projective search, and of the time of greedy inference.

    python benchmarks/growth.py
    python benchmarks/growth.py --greedy
    python benchmarks/growth.py --incremental english.headway dev.conllu

Scores are random, over all arcs. Prints milliseconds and megabytes for some lengths, and the exponents of the power
laws that fit the longer ones best.
The memory is that of the search: the scores it is given are not counted (those of grand-siblings and tri-siblings are
n⁴ numbers themselves when no arc is pruned). Then the time of one 40-word sentence, pruned to so many heads a word.

With --greedy, greedy inference alone, for twice as long sentences.

With an incremental model and sentences: the same for its beam search, on sentences joined to so many words.
"""

import argparse
import math
import time

import numpy as np

from headway.analysis.hc_search import beam_search
from headway.charts.derivations import write_best_tree
from headway.charts.factorizations import FACTORIZATIONS, Factorization
from headway.charts.problems import Problem, make_problem
from headway.charts.values import highest_values
from headway.corpus import Sentence, read_sentences
from headway.decoders.greedy import Greedy
from headway.incremental.beam import most_steps
from headway.incremental.states import make_arena
from headway.model import TrainedModel
from headway.parts import Candidates, Kind, Scores
from headway.parts.arc_index import index_arcs
from headway.parts.kinds import KINDS
from headway.parts.part_tables import lay_out_tables
from headway.parts.third_order_index import index_third_order

LENGTHS = (10, 20, 30, 40, 60, 80)
GREEDY = {
    "greedy: arcs": (),
    "greedy: grandparents": ("grandparent",),
    "greedy: siblings": ("sibling",),
    "greedy: siblings, grandparents": ("sibling", "grandparent"),
    "greedy: grand-siblings": ("grand_sibling",),
}
"""The parts that greedy inference, without beam and swaps, is timed with."""
GREEDY_LENGTHS = (10, 20, 40, 80, 160)
BEAM_LENGTHS = (62, 125, 250, 500, 1000)
REPEATS = 5


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--longest", type=int, default=LENGTHS[-1])
    options.add_argument("--greedy", action="store_true")
    options.add_argument("--incremental", nargs=2, metavar=("MODEL", "FILE"))
    given = options.parse_args()
    if given.incremental:
        measure_beam(*given.incremental)
        return
    if given.greedy:
        measure_growth_of_greedy()
        return
    longest = given.longest
    lengths = [length for length in LENGTHS if length <= longest]
    print(f"| factorization | {' | '.join(f'{length} words' for length in lengths)} | time ~ n^ | memory ~ n^ |")
    print("| --- " * (len(lengths) + 3) + "|")
    for factorization in FACTORIZATIONS.values():
        measured = [measure(Candidates.all(length), factorization) for length in lengths]
        cells = [f"{1e3 * seconds:.1f} ms, {size / 1e6:.1f} MB" for seconds, size in measured]
        fits = [exponent(lengths[-3:], [one[part] for one in measured[-3:]]) for part in (0, 1)]
        print(f"| {factorization.name} | {' | '.join(cells)} | {fits[0]:.2f} | {fits[1]:.2f} |", flush=True)
    for name, kinds in GREEDY.items():
        measured_times = [measure_greedy(Candidates.all(length), kinds) for length in lengths]
        cells = [f"{1e3 * seconds:.1f} ms" for seconds in measured_times]
        print(f"| {name} | {' | '.join(cells)} | {exponent(lengths[-3:], measured_times[-3:]):.2f} | |", flush=True)
    for heads in (4, 8, 12):
        seconds, _ = measure(some_heads(40, heads), FACTORIZATIONS["model1"])
        print(f"\n40 words, {heads} heads a word: model1 in {1e3 * seconds:.2f} ms", end="")
    print()


def measure(candidates: Candidates, factorization: Factorization) -> tuple[float, int]:
    """Seconds (the best of three) and bytes of one search, from scores to the tree."""
    scores = random_scores(candidates, factorization)
    search(make_problem(candidates, scores, factorization))  # compiles
    best = math.inf
    for _ in range(3):
        started = time.perf_counter()
        search(make_problem(candidates, scores, factorization))
        best = min(best, time.perf_counter() - started)
    problem = make_problem(candidates, scores, factorization)
    values = highest_values(problem.chart, problem.scores)
    arrays = [array for array in problem.chart if isinstance(array, np.ndarray)]
    items = int(problem.chart.size[0])
    used = sum(array.nbytes for array in arrays if array.ndim == 1 or len(array) != len(problem.chart.items))
    return best, used + items * (problem.chart.items.itemsize * 4) + values.nbytes


def measure_growth_of_greedy() -> None:
    """Print the times of greedy inference and their exponents: over all lengths, and over the three longest."""
    print(f"| parts | {' | '.join(f'{length} words' for length in GREEDY_LENGTHS)} | all | three longest |")
    print("| --- " * (len(GREEDY_LENGTHS) + 3) + "|")
    for name, kinds in GREEDY.items():
        lengths = [length for length in GREEDY_LENGTHS if length <= 40 or "grand_sibling" not in kinds]
        times = [measure_greedy(Candidates.all(length), kinds) for length in lengths]
        cells = [f"{1e3 * seconds:.1f} ms" for seconds in times] + [""] * (len(GREEDY_LENGTHS) - len(lengths))
        fits = [exponent(lengths[-count:], times[-count:]) for count in (len(lengths), 3)]
        print(f"| {name} | {' | '.join(cells)} | {fits[0]:.2f} | {fits[1]:.2f} |", flush=True)


def measure_greedy(candidates: Candidates, kinds: tuple[str, ...]) -> float:
    """Seconds (the best of three) of one greedy search."""
    generator, sizes = np.random.default_rng(0), lay_out_tables(candidates.mask()).sizes
    tables = {kind: generator.normal(size=sizes[KINDS.index(Kind(kind))]) for kind in kinds}
    scores, decoder = Scores(3.0 * generator.normal(size=len(candidates)), **tables), Greedy(beam=1, swaps=0)
    decoder.decode(candidates, scores)  # compiles
    best = math.inf
    for _ in range(3):
        started = time.process_time()
        decoder.decode(candidates, scores)
        best = min(best, time.process_time() - started)
    return best


def search(problem: Problem) -> None:
    heads = np.empty(len(problem.chart.vertices), dtype=np.int32)
    write_best_tree(problem.chart, problem.scores, highest_values(problem.chart, problem.scores), heads)


def random_scores(candidates: Candidates, factorization: Factorization) -> Scores:
    generator, index = np.random.default_rng(0), index_arcs(candidates.mask())
    sizes = (*index.sizes.tolist(), *index_third_order(index).sizes.tolist())
    kinds = zip(("sibling", "grandparent", "grand_sibling", "tri_sibling"), sizes, strict=True)
    tables = {kind: generator.normal(size=size) for kind, size in kinds if kind in factorization.kinds}
    return Scores(generator.normal(size=len(candidates)), **tables)


def some_heads(length: int, most: int) -> Candidates:
    """So many heads for each word, mostly near ones, with a chain so that there is a tree."""
    generator = np.random.default_rng(1)
    mask = np.zeros((length + 1, length + 1), dtype=np.bool_)
    for modifier in range(1, length + 1):
        distance = np.abs(np.arange(length + 1) - modifier)
        weight = np.where(distance > 0, 1.0 / np.maximum(distance, 1), 0.0)
        mask[generator.choice(length + 1, size=most - 1, replace=False, p=weight / weight.sum()), modifier] = True
        mask[modifier - 1, modifier] = True
    return Candidates.from_mask(mask)


def measure_beam(model_path: str, sentences_path: str) -> None:
    """Print the time and the memory of beam search for sentences of up to a thousand words."""
    model = TrainedModel.load(model_path)
    search = beam_search(model)
    words = [word for sentence in read_sentences(sentences_path) for word in zip(*columns(sentence), strict=True)]
    times, sizes = [], []
    for length in BEAM_LENGTHS:
        forms, lemmas, upos, xpos, feats = map(list, zip(*words[:length], strict=True))
        joined = Sentence.from_words(forms, lemmas=lemmas, upos=upos, xpos=xpos, feats=feats)
        encoded = model.encoder.encode([joined])
        search.lists(encoded, k=1)
        begun = time.process_time()
        for _ in range(REPEATS):
            search.lists(encoded, k=1)
        times.append(1000.0 * (time.process_time() - begun) / REPEATS)
        sizes.append(sum(array.nbytes for array in make_arena(length, search.width * most_steps(length) + 1)) / 1e6)
    print("| words | milliseconds | MB |\n| --- | --- | --- |")
    for length, spent, size in zip(BEAM_LENGTHS, times, sizes, strict=True):
        print(f"| {length} | {spent:.1f} | {size:.1f} |")
    fits = [exponent(list(BEAM_LENGTHS[-3:]), some[-3:]) for some in (times, sizes)]
    print(f"\ntime ~ n^{fits[0]:.2f}, memory ~ n^{fits[1]:.2f}")


def columns(sentence: Sentence) -> tuple[list[str], ...]:
    """The columns of a sentence that the parser sees."""
    return sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats


def exponent(lengths: list[int], values: list[float]) -> float:
    """The slope of the line through the logarithms."""
    return float(np.polyfit(np.log(lengths), np.log(values), 1)[0])


if __name__ == "__main__":
    main()
