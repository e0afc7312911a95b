"""Where the time goes: tokens a second by stage, memory, load time.

    headway train .../train.conllu.xz --dev .../dev.conllu.xz -o english.headway
    python benchmarks/speed.py english.headway .../dev.conllu.xz --output speed.json

Machines differ and are noisy, so every time also stands as a ratio to a fixed calibration loop that runs in between:
look-ups at random in 16 MB and a plain Python loop, about as much of each as parsing has. Compare ratios, not seconds.
Everything runs on one thread, after one warm-up; the figure of a stage is the median of the rounds.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from headway import Parser, read_sentences, write_sentences
from headway.kernel import kernel
from headway.search.labels import find_labels
from headway.support.threads import Threads


def main() -> None:
    options = read_arguments()
    parser = Parser.load(options.model)
    sentences = list(read_sentences(options.sentences))
    words = sum(map(len, sentences))
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "in.conllu"
        write_sentences(plain, sentences)
        stages = make_stages(parser, plain, Path(folder) / "out.conllu")
        seconds = measure(stages, options.rounds)
    calibration = seconds.pop("calibration")
    load = load_figures(options.model)
    print(f"{len(sentences):,} sentences, {words:,} words, {options.rounds} rounds; calibration {calibration:.3f} s\n")
    print("| stage | tokens/s | µs a token | share | ratio to calibration, 1,000 tokens |")
    print("| --- | --- | --- | --- | --- |")
    for name, spent in seconds.items():
        ratio = spent / words * 1000 / calibration
        share = spent / seconds["CoNLL-U to CoNLL-U"]
        print(f"| {name} | {words / spent:,.0f} | {1e6 * spent / words:.2f} | {share:.0%} | {ratio:.4f} |")
    print(f"\nload {load['load_seconds']:.2f} s after {load['import_seconds']:.2f} s of imports; ", end="")
    print(f"memory {load['load_megabytes']:.0f} MB loaded; model {Path(options.model).stat().st_size / 1e6:.1f} MB")
    if options.output:
        figures = {"words": words, "calibration_seconds": calibration, "seconds": seconds, **load}
        options.output.write_text(json.dumps(figures, indent=1) + "\n")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("sentences", help="a CoNLL-U file")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--output", type=Path, help="write the figures as JSON")
    return parser.parse_args()


def make_stages(parser: Parser, source: Path, target: Path) -> dict[str, Callable[[], object]]:
    """The stages in order, each a call that does it for the whole file; the last is all of them together."""
    model, threads = parser.model, Threads()
    sentences = list(read_sentences(source))
    encoded, search = model.encoder.encode(sentences), model.search()
    candidates = search.candidates(encoded, threads=threads)
    heads = np.concatenate([parse.heads for parse in search.trees(encoded, candidates, threads=threads)])
    pruning = {"prune": lambda: model.pruner.prune(encoded, threads=threads)} if model.pruner else {}
    parsed = list(parser.parse(sentences))
    return {
        "calibration": calibrate,
        "read": lambda: list(read_sentences(source)),
        "encode": lambda: model.encoder.encode(sentences),
        **pruning,
        "score and search": lambda: search.trees(encoded, candidates, threads=threads),
        "label": lambda: find_labels(encoded, heads, model.namer, threads=threads),
        "fill in trees": lambda: [s.with_tree(p.heads, p.labels) for s, p in zip(sentences, parsed, strict=True)],
        "write": lambda: write_sentences(target, parsed),
        "CoNLL-U to CoNLL-U": lambda: write_sentences(target, parser.parse(read_sentences(source))),
    }


def measure(stages: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median seconds of each stage, all stages being run in turn `rounds` times."""
    times: dict[str, list[float]] = {name: [] for name in stages}
    for stage in stages.values():
        stage()
    for _ in range(rounds):
        for name, stage in stages.items():
            started = time.process_time()
            stage()
            times[name].append(time.process_time() - started)
    return {name: statistics.median(some) for name, some in times.items()}


TABLE = np.arange(1 << 22, dtype=np.int32)


def calibrate() -> float:
    total = look_ups(TABLE, 4_000_000)
    for number in range(1_000_000):
        total += number & 3
    return total


@kernel
def look_ups(table: np.ndarray, count: int) -> int:
    place, total = 1, 0
    for _ in range(count):
        place = (place * 1664525 + 1013904223) & 0xFFFFFFFF
        total += table[place & (len(table) - 1)]
    return total


def load_figures(model: str) -> dict[str, float]:
    """Import and load times and memory, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", _LOADING, model], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


_LOADING = """
import json, resource, sys, time
started = time.perf_counter()
from headway import Parser
imported = time.perf_counter()
Parser.load(sys.argv[1])
loaded = time.perf_counter()
print(json.dumps({
    "import_seconds": imported - started,
    "load_seconds": loaded - imported,
    "load_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""

if __name__ == "__main__":
    main()
