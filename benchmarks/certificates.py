"""Trees proved to be the best, by each search, and their speed: after Koo et al. (2010), Table 1.

    python benchmarks/certificates.py --models models
    python benchmarks/certificates.py --models models --treebank UD_Turkish-IMST --preset second-order --sentences 200

For every treebank a model of siblings, and one of siblings and grandparents, is trained and kept in the folder, unless
it is there already; then its dev sentences are searched in every way, with crossing arcs and by the arcs that the
pruner leaves. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

from recipes import RECIPES

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))
PRESETS = ("second-order-sibling", "second-order")

COLUMNS = {
    "sentences": "{:.0f}",
    "certificates": "{:.2f}",
    "of AD3": "{:.2f}",
    "proved by exact": "{:.2f}",
    "climbing: best of the certified": "{:.2f}",
    "above / below dual": "{}",
    "automata run": "{:.1f}",
    "ms: dual": "{:.1f}",
    "AD3": "{:.1f}",
    "exact": "{:.1f}",
    "exact at worst": "{:.0f}",
    "climbing": "{:.1f}",
    "UAS: climbing": "{:.2f}",
    "UAS: exact": "{:.2f}",
    "without crossing": "{:.2f}",
}


def main() -> None:
    options = read_arguments()
    if options.one:
        print(json.dumps(measure(options.one, options.preset[0], options)))
        return
    names = options.treebank or sorted(folder.name for folder in TREEBANKS.glob("UD_*"))
    if not names:
        sys.exit(f"no treebanks in {TREEBANKS}: set HEADWAY_TREEBANKS")
    options.models.mkdir(parents=True, exist_ok=True)
    print(f"| treebank | preset | {' | '.join(COLUMNS)} |")
    print(f"| --- | --- | {' | '.join('---' for _ in COLUMNS)} |", flush=True)
    for preset in options.preset or PRESETS:
        found = []
        for name in names:
            found.append(in_a_process(name, preset, options))
            print(row(name, preset, found[-1]), flush=True)
        if len(found) > 1:
            numbers = [key for key in COLUMNS if key != "above / below dual"]
            means = {key: sum(one[key] for one in found) / len(found) for key in numbers}
            print(row("average", preset, means | {"above / below dual": "–"}), flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True, help="the folder of the models")
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--preset", action="append", help="only this one; may be given several times")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=5000)
    parser.add_argument("--restarts", type=int, default=300, help="of hill climbing")
    parser.add_argument("--thorough", action="store_true", help="end every climb with moves of several words")
    parser.add_argument("--sentences", type=int, default=500, help="at most so many of a dev set; 0 for all")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


def in_a_process(name: str, preset: str, options: argparse.Namespace) -> dict:
    command = [sys.executable, __file__, "--one", name, "--preset", preset, "--models", str(options.models)]
    for key in ("epochs", "iterations", "restarts", "sentences"):
        command += [f"--{key}", str(getattr(options, key))]
    command += ["--thorough"] if options.thorough else []
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def measure(name: str, preset: str, options: argparse.Namespace) -> dict:
    from headway import Parser, TrainingOptions, read_sentences
    from headway.analysis import certificates as names
    from headway.decoders.dual_decomposition import DualRule
    from headway.search import SearchRule

    path, folder = options.models / f"{name}-{preset}.headway", TREEBANKS / name
    dev = list(read_sentences(folder / "dev.conllu.xz"))
    if not path.exists():
        train = read_sentences(folder / "train.conllu.xz")
        training = TrainingOptions(epochs=options.epochs)
        Parser.train(train, dev=dev, preset=RECIPES[preset], options=training).save(path)
    found = names.compare_searches(
        Parser.load(path),
        islice(dev, options.sentences or None),
        rule=DualRule(options.iterations, seconds=10.0),
        climbing=SearchRule(restarts=options.restarts, thorough=options.thorough),
    )
    rows = {row["search"]: row for row in found.rows()}
    climbing, dual, exact = rows[names.CLIMBING], rows[names.DUAL], rows[names.EXACT]
    return {
        "sentences": len(found.lengths),
        "certificates": dual["proved, %"],
        "of AD3": rows[names.ALTERNATE]["proved, %"],
        "proved by exact": exact["proved, %"],
        "climbing: best of the certified": climbing["best of the certified, %"],
        "above / below dual": f"{climbing['above dual, %']:.2f} / {climbing['below dual, %']:.2f}",
        "automata run": found.recomputed,
        "ms: dual": dual["ms/sentence"],
        "AD3": rows[names.ALTERNATE]["ms/sentence"],
        "exact": exact["ms/sentence"],
        "exact at worst": exact["at worst"],
        "climbing": climbing["ms/sentence"],
        "UAS: climbing": climbing["UAS"],
        "UAS: exact": exact["UAS"],
        "without crossing": rows[names.EXACT_PROJECTIVE]["UAS"],
    }


def row(name: str, preset: str, found: dict) -> str:
    cells = (form.format(found[key]) for key, form in COLUMNS.items())
    return f"| {name} | {preset} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
