"""Speed and accuracy of two checkouts beside each other, in one run: what a change of the search costs.

    python benchmarks/contract.py OLD NEW MODELS [--rounds 5]

OLD and NEW are checkouts, MODELS a folder with ``old-fast.headway``, ``new-fast.headway`` and so on, trained by each.
The rounds alternate between the two; CPU seconds for the sentences of a dev set (HEADWAY_TREEBANKS), the median of all
rounds, and the ratio of speeds. Kernels are compiled by a first round, which is not counted.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))

RUN = """
import json, resource, sys, time
from headway.corpus import read_sentences
from headway.annotator import load_model
found, sentences = load_model(sys.argv[1]), list(read_sentences(sys.argv[2]))
parser = getattr(found, "parser", found)
list(parser.parse(sentences[:50]))
began = time.process_time()
parsed = list(parser.parse(sentences))
seconds = time.process_time() - began
right = sum(a == b for gold, tree in zip(sentences, parsed) for a, b in zip(gold.heads, tree.heads))
words = sum(map(len, sentences))
print(json.dumps([words / seconds, 100 * right / words, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--treebank", default="UD_Turkish-IMST")
    options = parser.parse_args()
    names = sorted(path.name.removeprefix("new-").removesuffix(".headway") for path in options.models.glob("new-*"))
    print("| model | old words/s | new words/s | ratio | old UAS | new UAS | old MB | new MB |\n" + "| --- " * 8 + "|")
    for name in [*names, "en"]:
        found: dict[str, list[list[float]]] = {"old": [], "new": []}
        for _ in range(options.rounds + 1):
            for which, checkout in (("old", options.old), ("new", options.new)):
                found[which].append(run(checkout, which, name, options))
        old, new = ([statistics.median(column) for column in zip(*found[which][1:], strict=True)] for which in found)
        cells = [f"{old[0]:,.0f}", f"{new[0]:,.0f}", f"{new[0] / old[0]:.3f}", f"{old[1]:.2f}", f"{new[1]:.2f}"]
        print(f"| {name} | {' | '.join(cells)} | {old[2]:.0f} | {new[2]:.0f} |", flush=True)


def run(checkout: Path, which: str, name: str, options: argparse.Namespace) -> list[float]:
    model = "en" if name == "en" else str((options.models / f"{which}-{name}.headway").resolve())
    treebank = "UD_English-EWT" if name == "en" else options.treebank
    command = [sys.executable, "-c", RUN, model, str((TREEBANKS / treebank / "dev.conllu.xz").resolve())]
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    found: list[float] = json.loads(subprocess.check_output(command, env=environment, cwd=checkout))
    return found


if __name__ == "__main__":
    main()
