"""The tables of Koo and Collins (2010) on treebanks at hand: exact projective parsers beside each other.

    python benchmarks/third_order.py --table models --treebank UD_English-EWT --treebank UD_Portuguese-Bosque
    python benchmarks/third_order.py --table beams --treebank UD_English-EWT

`models` is their Tables 2 and 3: every factorization, and ablations. `beams` is Table 1: Models 1 and 2 with three
beams of the pruner. Every parser is trained in a process of its own. Treebanks are read from HEADWAY_TREEBANKS, by
default ../shared/treebanks.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from recipes import RECIPES

from headway.progress import Progress

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))

MODELS = (
    "first-order",
    "sibling-pairs",
    "sibling",
    "model0",
    "carreras",
    "model1-no-third",
    "model1",
    "tri-sibling",
    "model2-no-third",
    "model2",
)
BEAMS = (1e-4, 1e-3, 1e-2)


def main() -> None:
    options = read_arguments()
    if options.one:
        print(json.dumps(measure(options)))
        return
    runs = [(preset, None) for preset in options.preset or MODELS]
    if options.table == "beams":
        runs = [(preset, beam) for beam in BEAMS for preset in options.preset or ("model1", "model2")]
    print("| treebank | parser | beam | heads kept, % | oracle | UAS | LAS | CPU s an epoch |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for treebank in options.treebank or ["UD_English-EWT"]:
        for preset, beam in runs:
            print(row(treebank, preset, beam, in_a_process(treebank, preset, beam, options)), flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=("models", "beams"), default="models")
    parser.add_argument("--treebank", action="append", help="may be given several times")
    parser.add_argument("--preset", action="append", help="only this one; may be given several times")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--beam", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


def in_a_process(treebank: str, preset: str, beam: float | None, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", treebank, "--preset", preset]
    command += ["--epochs", str(options.epochs), "--seed", str(options.seed)]
    command += ["--beam", str(beam)] if beam else []
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


class Clock(Progress):
    """A progress that measures the CPU seconds of the epochs of trees."""

    def __init__(self) -> None:
        self.started, self.seconds, self.running = 0.0, [], False

    def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
        self.running = stage.startswith(("trees, epoch", "arcs, epoch"))
        self.started = time.process_time()

    def finish(self) -> None:
        if self.running:
            self.seconds.append(time.process_time() - self.started)


def measure(options: argparse.Namespace) -> dict[str, float]:
    from headway import Parser, TrainingOptions, read_sentences
    from headway.evaluation import evaluate
    from headway.learning.gold import gold_trees
    from headway.pruning import pruning_report
    from headway.support.threads import Threads

    folder, clock = TREEBANKS / options.one, Clock()
    dev = list(read_sentences(folder / "dev.conllu.xz"))
    parser = Parser.train(
        read_sentences(folder / "train.conllu.xz"),
        dev=dev,
        preset=RECIPES[options.preset[0]],
        beam=options.beam,
        options=TrainingOptions(epochs=options.epochs, seed=options.seed),
        progress=clock,
    )
    result = evaluate(dev, list(parser.parse(dev)))
    found = {"uas": result.uas, "las": result.las, "seconds": sorted(clock.seconds)[len(clock.seconds) // 2]}
    if parser.model.pruner is not None:
        gold = gold_trees(dev, parser.model.encoder, parser.model.labels)
        with Threads() as pool:
            kept = parser.model.pruner.prune(gold.encoded, threads=pool)
        report = pruning_report(kept, gold.encoded, gold.heads)
        found |= {"oracle": report.recall, "kept": 100.0 * report.kept / float((gold.encoded.lengths() ** 2).sum())}
    return found


def row(treebank: str, preset: str, beam: float | None, found: dict[str, float]) -> str:
    pruned = "oracle" in found
    cells = [
        treebank,
        preset,
        f"{beam:g}" if beam else "0.001" if pruned else "–",
        f"{found['kept']:.1f}" if pruned else "100",
        f"{found['oracle']:.2f}" if pruned else "100",
        f"{found['uas']:.2f}",
        f"{found['las']:.2f}",
        f"{found['seconds']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
