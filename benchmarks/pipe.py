"""The speed of ``nlp.pipe`` on many short texts, beside that of the same words as one text, in one process.

    python benchmarks/pipe.py --texts 1000

The texts are sentences of the sample treebank in `examples/`, or of any other. The ways are timed in turn, in CPU
time, and the medians of the rounds are compared; the ratio is what counts, since machines differ.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import headway

SAMPLE = Path(__file__).resolve().parent.parent / "examples" / "sample-train.conllu"


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds that a call takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    """Print words a second of both, and their ratio."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--treebank", default=str(SAMPLE))
    chosen = options.parse_args()
    sentences = [sentence.text for sentence in headway.read_sentences(chosen.treebank)]
    texts = list(itertools.islice(itertools.cycle(sentences), chosen.texts))
    whole = "\n\n".join(texts)
    nlp = headway.load("en")
    words = {"pipe": sum(map(len, nlp.pipe(texts))), "one text": len(nlp(whole)), "one by one": 0}
    words["one by one"] = words["pipe"]
    ways: dict[str, Callable[[], object]] = {
        "pipe": lambda: list(nlp.pipe(texts)),
        "one text": lambda: nlp(whole),
        "one by one": lambda: list(map(nlp, texts)),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(chosen.rounds):
        for name, work in ways.items():
            times[name].append(seconds(work))
    speeds = {name: words[name] / statistics.median(times[name]) for name in ways}
    for name, speed in speeds.items():
        print(f"{name:12} {words[name]:8,} words {speed:10,.0f} words a second, {speed / speeds['one text']:.2f}")


if __name__ == "__main__":
    main()
