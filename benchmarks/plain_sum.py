"""The plain sum of a linear model and of a network that were trained apart, beside both, on a dev set.

    python benchmarks/plain_sum.py en en-accurate --treebank UD_English-EWT [--sentences 0] [--save sum.headway]

Both models are pipelines trained on the same treebank. Words are tagged by the one with the network, and searched by
hill climbing as the preset ``full`` does. The weight of the network is tuned on one half of the dev set (every second
sentence) and used on the other half; --save writes the sum, with the weight that is best on the whole dev set.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from headway import Annotator, Parser
from headway.corpus import Sentence, read_sentences
from headway.corpus.text import treebank_text
from headway.evaluation.raw_text import evaluate_text
from headway.learning.gold import GoldTrees, gold_trees
from headway.model import TrainedModel
from headway.pruning import Pruner, pruning_report
from headway.scorers.given import GivenArcs
from headway.scorers.linear_models import LabelModel
from headway.scorers.neural.scorer import NeuralScorer
from headway.scorers.sum import Sum
from headway.search.labels import LabelSum, find_labels
from headway.support.threads import Threads

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))
WEIGHTS = (0.1, 0.2, 0.35, 0.6, 1.0)


class Result:
    """Which heads and labels of some trees are right."""

    def __init__(self, gold: GoldTrees, heads: np.ndarray, labels: np.ndarray) -> None:
        self.starts = gold.encoded.starts
        self.heads = heads == gold.heads
        self.labels = self.heads & (labels == gold.labels)

    def mixed(self, other: "Result") -> "Result":
        """Return these trees for the sentences 0, 2, 4, …, and those of `other` for the rest."""
        found, odd = object.__new__(Result), np.repeat(np.arange(len(self.starts) - 1) % 2, np.diff(self.starts)) == 1
        found.starts = self.starts
        found.heads, found.labels = (
            np.where(odd, one, two) for one, two in ((other.heads, self.heads), (other.labels, self.labels))
        )
        return found

    def right(self, half: int) -> int:
        """Count the right labelled arcs of every second sentence, from this one."""
        pairs = list(zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True))[half::2]
        return sum(int(self.labels[begin + 1 : end].sum()) for begin, end in pairs)

    def __str__(self) -> str:
        pairs = list(zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True))
        words = np.ones(len(self.heads), dtype=np.bool_)
        words[self.starts[:-1]] = False
        whole = [100.0 * np.mean([some[a + 1 : b].all() for a, b in pairs]) for some in (self.heads, self.labels)]
        uas, las = (100.0 * some[words].mean() for some in (self.heads, self.labels))
        return f"{uas:.2f} | {las:.2f} | {whole[0]:.1f} % | {whole[1]:.1f} %"


def main() -> None:
    """Read the arguments, search, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("linear")
    options.add_argument("neural")
    options.add_argument("--treebank", default="UD_English-EWT")
    options.add_argument("--sentences", type=int, default=0, help="the first so many of the dev set; 0 for all")
    options.add_argument("--save", type=Path)
    given = options.parse_args()
    dev = list(read_sentences(str(TREEBANKS / given.treebank / "dev.conllu.xz")))[: given.sentences or None]
    linear, neural = Annotator.load(given.linear), Annotator.load(given.neural)
    model, network = linear.parser.model, neural.parser.model.scorer
    assert isinstance(network, NeuralScorer)
    assert isinstance(model.namer, LabelModel)
    assert model.labels == neural.parser.model.labels
    both = replace(model, settings=replace(model.settings, search_ratio=0.0, restarts=4))
    gold = with_tags(dev, list(neural.tag(dev, keep=False)), model)
    tables = [one.arcs.copy() for one in network.outputs(gold.encoded)]
    print("| model | UAS | LAS | all heads right | and all labels |\n" + "| --- " * 5 + "|")
    with Threads() as threads:

        def tell(name: str, model: TrainedModel, gold: GoldTrees) -> Result:
            """Parse the dev set, print a line, and return what is right."""
            heads = np.concatenate([parse.heads for parse in model.search().trees(gold.encoded, threads=threads)])
            result = Result(gold, heads, find_labels(gold.encoded, heads, model.namer, threads=threads))
            print(f"| {name} | {result} |", flush=True)
            return result

        tell("linear, its tags", model, with_tags(dev, list(linear.tag(dev, keep=False)), model))
        tell("linear", model, gold)
        tell("linear, more search", both, gold)
        tell("network", neural.parser.model, gold_trees(dev, neural.parser.model.encoder, model.labels))
        results = [
            tell(
                f"sum, network times {weight}",
                replace(
                    both, scorer=Sum(model.scorer, GivenArcs(tables, weight)),
                    namer=LabelSum(model.namer, network, weight),
                ),
                gold,
            )
            for weight in WEIGHTS
        ]  # fmt: skip
        best = [int(np.argmax([one.right(half) for one in results])) for half in (0, 1)]
        weights = ", ".join(f"{WEIGHTS[one]}" for one in best)
        print(f"| sum, weights tuned on the other half ({weights}) | {results[best[1]].mixed(results[best[0]])} |")
        if isinstance(model.pruner, Pruner):
            report = pruning_report(model.pruner.prune(gold.encoded, threads=threads), gold.encoded, gold.heads)
            print(f"the pruner: {report}")
    weight = WEIGHTS[int(np.argmax([one.right(0) + one.right(1) for one in results]))]
    scorer = Sum(model.scorer, network, weights=(1.0, weight))
    settings = replace(both.settings, scorer=scorer.name)
    parser = Parser(replace(both, scorer=scorer, namer=LabelSum(model.namer, network, weight), settings=settings))
    for name, one in (("network", neural.parser), (f"sum, network times {weight}", parser)):
        scores = evaluate_text(dev, one.parse(neural.tag(neural.read(treebank_text(dev).text))))
        print(f"from raw text, {name}: {', '.join(f'{key} {value.f1:.2f}' for key, value in scores.items())}")
    if given.save:
        parser.save(given.save)


def with_tags(dev: Sequence[Sentence], tagged: Sequence[Sentence], model: TrainedModel) -> GoldTrees:
    """Return gold trees over predicted tags."""
    pairs = zip(tagged, dev, strict=True)
    return gold_trees([one.with_tree(tree.heads, tree.labels) for one, tree in pairs], model.encoder, model.labels)


if __name__ == "__main__":
    main()
