"""A reranker of the k best projective trees beside the parser that searches all trees with the same features.

    python benchmarks/reranking.py --treebank UD_Turkish-IMST --k 50 --k 500

Table 2 of Zhang et al. (2014), "Steps to excellence". The base parser is an exact projective one with arcs and
siblings; the lists to learn from are ten-fold cross-fitted. `oracle` is the UAS of the best tree of each list. The
reranker and the parser have the features of `full`, and each the dev set to choose its best epoch by. Treebanks are
read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
import time
from itertools import islice
from pathlib import Path

from recipes import RECIPES

from headway import TrainingOptions, read_sentences
from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.learning.gold import gold_trees
from headway.learning.recipe import Recipe, train_model
from headway.learning.reranking import FOLDS, cross_fitted_lists, list_trees, train_reranker
from headway.progress import Progress
from headway.search.tree_lists import TreeList
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))


def main() -> None:
    options = read_arguments()
    print("| treebank | sentences | parser | UAS | oracle | CPU s |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for treebank in options.treebank:
        train, dev = (
            list(islice(read_sentences(TREEBANKS / treebank / f"{part}.conllu.xz"), most))
            for part, most in (("train", options.sentences), ("dev", options.dev_sentences))
        )
        measure(treebank, train, dev, options)


def measure(treebank: str, train: list[Sentence], dev: list[Sentence], options: argparse.Namespace) -> None:
    began = time.process_time()

    def tell(parser: str, score: float, oracle: float | None = None) -> None:
        nonlocal began
        cells = [treebank, str(len(train)), parser, f"{score:.2f}", "–" if oracle is None else f"{oracle:.2f}"]
        print(f"| {' | '.join(cells)} | {time.process_time() - began:.0f} |", flush=True)
        began = time.process_time()

    base, full, k = RECIPES[options.base], RECIPES[options.features], max(options.k)
    base_options = TrainingOptions(epochs=options.base_epochs, seed=options.seed)
    chosen = TrainingOptions(epochs=options.epochs, patience=options.epochs, seed=options.seed)
    model = train_model(train, None, preset=base, options=base_options, progress=Progress())
    dev_lists = list_trees(model, dev, k=k)
    tell(f"{options.base}, the base parser", oracle_score(dev, [trees.first(1) for trees in dev_lists]))
    lists = cross_fitted_lists(train, preset=base, options=base_options, k=k, progress=Progress(), number=options.folds)
    tell(f"{options.base}, on the folds", oracle_score(train, [trees.first(1) for trees in lists]))
    for size in sorted(options.k):
        train_trees, dev_trees = ([trees.first(size) for trees in some] for some in (lists, dev_lists))
        reranker = train_reranker(train, train_trees, dev, dev_trees, preset=full, options=chosen, progress=Progress())
        gold = gold_trees(dev, Encoder.fit(train), ())
        tell(f"reranker, top {size}", reranker.accuracy(gold, dev_trees), oracle_score(dev, dev_trees))
    with Threads() as threads:
        recipe = Recipe(train, dev, full, chosen, Progress(), threads, (), {})
        _, arcs, dev_arcs = recipe.prune()
        recipe.learn_trees(arcs, dev_arcs)
    tell(f"{options.features}, all trees", max(recipe.facts["trees"]["dev"]))


def oracle_score(sentences: list[Sentence], lists: list[TreeList]) -> float:
    """Return the UAS of the best tree of every list."""
    right = sum(
        max(int((heads[1:] == sentence.heads).sum()) for heads in trees.heads)
        for sentence, trees in zip(sentences, lists, strict=True)
    )
    return 100.0 * right / sum(map(len, sentences))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", action="append", required=True, help="may be given several times")
    parser.add_argument("--k", type=int, action="append", required=True, help="may be given several times")
    parser.add_argument("--base", default="sibling", help="the recipe of the base parser")
    parser.add_argument("--features", default="full", help="the recipe whose features rerank")
    parser.add_argument("--sentences", type=int, help="to train on, at most")
    parser.add_argument("--dev-sentences", type=int, help="to score, at most")
    parser.add_argument("--base-epochs", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--folds", type=int, default=FOLDS)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
