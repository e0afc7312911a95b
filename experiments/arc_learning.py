"""Arcs alone, with one thing changed: templates added or dropped, the learning rule, its step, batch or table size.

    python experiments/arc_learning.py UD_Turkish-IMST UD_Latin-UDante --add "h.morph* m.morph*"
    python experiments/arc_learning.py UD_Turkish-IMST --rule loglinear --step 0.02

Prints the dev UAS after each epoch, and the mean of the best ones. What came out is in docs/results/first-order.md.
"""

import argparse
import os
import time
from pathlib import Path

from headway.corpus import read_sentences
from headway.encoding import Encoder
from headway.learning.arcs import RULES, ArcRule
from headway.learning.epochs import run_epochs
from headway.learning.gold import gold_trees, nonprojective_share
from headway.learning.learners import ArcLearner
from headway.learning.options import TrainingOptions
from headway.learning.recipe import MANY_CROSSING
from headway.model import arc_plan
from headway.presets import find_preset
from headway.progress import Progress
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).parent / "../../shared/treebanks"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", nargs="+")
    parser.add_argument("--add", default="", help="templates, separated by semicolons")
    parser.add_argument("--drop", default="", help="templates to leave out, separated by semicolons")
    parser.add_argument("--rule", choices=RULES, default="mira")
    parser.add_argument("--step", type=float, default=0.01, help="the largest step")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--bits", type=int, default=21, help="the table has 2 to this power slots")
    parser.add_argument("--epochs", type=int, default=8)
    options = parser.parse_args()
    best = [measure(name, options) for name in options.treebank]
    print(f"mean of the best: {sum(best) / len(best):.2f}")


def measure(name: str, options: argparse.Namespace) -> float:
    train, dev = (list(read_sentences(TREEBANKS / name / f"{part}.conllu.xz")) for part in ("train", "dev"))
    encoder = Encoder.fit(train)
    projective = nonprojective_share(train) < MANY_CROSSING
    rule = ArcRule(options.rule, projective, largest_step=options.step, batch=options.batch)
    plan = arc_plan(encoder, templates(options))
    gold, gold_dev = gold_trees(train, encoder, []), gold_trees(dev, encoder, [])
    with Threads() as threads:
        learner = ArcLearner(gold, gold_dev, plan=plan, rule=rule, slots=1 << options.bits, threads=threads)
        started = time.process_time()
        training = run_epochs(
            learner, TrainingOptions(epochs=options.epochs, patience=options.epochs), progress=Progress()
        )
    scores = " ".join(f"{score:.2f}" for score in training.scores)
    print(f"{name}: {scores} in {time.process_time() - started:.0f} CPU seconds", flush=True)
    return max(training.scores)


def templates(options: argparse.Namespace) -> str:
    dropped = {line.strip() for line in options.drop.split(";")}
    kept = [line for line in find_preset("first-order").arcs.templates.splitlines() if line.strip() not in dropped]
    return "\n".join([*kept, *options.add.split(";")])


if __name__ == "__main__":
    main()
