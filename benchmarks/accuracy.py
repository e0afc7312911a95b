"""Train and score on every treebank, and print the figures beside the reference parsers'.

    python benchmarks/accuracy.py --preset first-order --output accuracy.json
    python benchmarks/accuracy.py --treebank UD_Turkish-IMST --treebank UD_Latin-UDante
    python benchmarks/accuracy.py --preset full --epochs 7 --seed 1 --seed 2 --seed 3

With several seeds, figures are means. Each treebank is trained in a process of its own, so that CPU seconds and memory
are its own; kernels that are not yet compiled on this machine are compiled within them. Treebanks are read from
HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recipes import RECIPES

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))


def main() -> None:
    options = read_arguments()
    if options.one:
        print(json.dumps(measure(options.one, (options.seed or [1])[-1], options)))
        return
    if options.models:
        options.models.mkdir(parents=True, exist_ok=True)
    names = options.treebank or sorted(folder.name for folder in TREEBANKS.glob("UD_*"))
    if not names:
        sys.exit(f"no treebanks in {TREEBANKS}: set HEADWAY_TREEBANKS")
    reference = json.loads((HERE / "reference.json").read_text())
    figures = {}
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        runs = [in_a_process(name, seed) for seed in options.seed or [1]]
        figures[name] = {key: sum(run[key] for run in runs) / len(runs) for key in runs[0]}
        print(row(name, figures[name], reference.get(name, {})), file=sys.stderr, flush=True)
    print(table(figures, reference))
    if options.output:
        options.output.write_text(json.dumps({"preset": options.preset, "figures": figures}, indent=1) + "\n")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="first-order")
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--seed", type=int, action="append", help="1 by default; may be given several times")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--models", type=Path, help="a folder to keep the models in")
    parser.add_argument("--output", type=Path, help="write the figures as JSON")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


def in_a_process(name: str, seed: int) -> dict[str, float]:
    command = [sys.executable, __file__, *sys.argv[1:], "--one", name, "--seed", str(seed)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def measure(name: str, seed: int, options: argparse.Namespace) -> dict[str, float]:
    from headway import Parser, TrainingOptions, read_sentences
    from headway.evaluation import evaluate

    chosen = {"seed": seed, "threads": options.threads}
    if options.epochs:
        chosen["epochs"] = options.epochs
    dev = list(read_sentences(TREEBANKS / name / "dev.conllu.xz"))
    started, cpu = time.time(), time.process_time()
    parser = Parser.train(
        read_sentences(TREEBANKS / name / "train.conllu.xz"),
        dev=dev,
        preset=RECIPES[options.preset],
        options=TrainingOptions(**chosen),
    )
    trained, cpu = time.time() - started, time.process_time() - cpu
    with tempfile.TemporaryDirectory() as folder:
        path = (options.models or Path(folder)) / f"{name}.headway"
        parser.save(path)
        size = path.stat().st_size
        parsed = list(Parser.load(path).parse(dev))
    result = evaluate(dev, parsed)
    return {
        "uas": result.uas,
        "las": result.las,
        "clas": result.clas,
        "uas_nopunct": result.score("UAS-nopunct").f1,
        "las_nopunct": result.score("LAS-nopunct").f1,
        "complete": result.score("UEM").f1,
        "projective": parser.model.settings.projective,
        "epochs": (parser.model.facts.get("trees") or parser.model.facts["arcs"])["best_epoch"],
        "train_cpu_seconds": cpu,
        "train_seconds": trained,
        "train_gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "model_megabytes": size / 1e6,
    }


HEADER = """\
| treebank | UAS | LAS | CLAS | baseline UAS | gain | TurboParser | RBGParser | train CPU s | GB | model MB |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def row(name: str, found: dict[str, float], reference: dict[str, dict[str, float]]) -> str:
    baseline = reference.get("baseline", {}).get("uas")
    cells = [
        name,
        *(f"{found[key]:.2f}" for key in ("uas", "las", "clas")),
        f"{baseline:.2f}" if baseline else "–",
        f"{found['uas'] - baseline:+.2f}" if baseline else "–",
        pair(reference.get("turbo")),
        pair(reference.get("rbg")),
        f"{found['train_cpu_seconds']:.0f}",
        f"{found['train_gigabytes']:.2f}",
        f"{found['model_megabytes']:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def pair(figures: dict[str, float] | None) -> str:
    return f"{figures['uas']:.2f} / {figures['las']:.2f}" if figures else "–"


def table(figures: dict[str, dict[str, float]], reference: dict[str, dict[str, dict[str, float]]]) -> str:
    lines = [HEADER, *(row(name, found, reference.get(name, {})) for name, found in figures.items())]
    gains = [found["uas"] - reference[name]["baseline"]["uas"] for name, found in figures.items() if name in reference]
    if gains:
        lines.append(f"\nUAS over the baseline: {sum(gains) / len(gains):+.2f} on average, {min(gains):+.2f} at least.")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
