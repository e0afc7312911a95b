"""Ensembles of different parsers beside the best of them: full, an exact chart, greedy inference, incremental.

    python benchmarks/ensembles.py --models models --sentences 1500
    python benchmarks/ensembles.py --models models --sentences 500 --sample 1   # minimally supervised
    python benchmarks/ensembles.py --models models --member full --member model1-tensor --member standard-greedy
    python benchmarks/ensembles.py --pipelines folder --member network --member full

Every parser learns from the same sentences, without a dev set. Weights of ensembles are learned on one half of the dev
set and measured on the other, then the other way round, so the figures are about the whole dev set. "Best single" is
chosen in the same way; it is also the parser whose search is biased towards the trees of the others, unless --base
names another. Labels are those of the first parser. With --pipelines, members are the trained pipelines
FOLDER/TREEBANK/MEMBER.headway, and the sentences have the tags that the last of them predicts. Treebanks are read from
HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from recipes import RECIPES

from headway import Annotator, Parser, TrainingOptions
from headway.corpus import Sentence, read_sentences
from headway.ensemble import learn_gammas, tree_votes
from headway.scorers.biased import Gamma, Vote
from headway.search.biased import biased_search
from headway.search.labels import find_labels
from headway.support.threads import Threads

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))
MEMBERS = ("full", "model1", "second-order-greedy", "incremental")
Heads = list[np.ndarray]


def main() -> None:
    options = read_arguments()
    if options.models:
        options.models.mkdir(parents=True, exist_ok=True)
    for name in options.treebank or sorted(folder.name for folder in TREEBANKS.glob("UD_*")):
        print(json.dumps({"treebank": name, "sample": options.sample, **measure(name, options)}), flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, help="the folder of the models")
    parser.add_argument("--pipelines", type=Path, metavar="FOLDER", help="of neural_sum.py --save, not trained here")
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument(
        "--member", action="append", metavar="RECIPE",
        help=f"a parser of the ensembles, the most accurate first; two to four; by default {', '.join(MEMBERS)}",
    )  # fmt: skip
    parser.add_argument("--base", metavar="RECIPE", help="bias this parser, whichever is best")
    parser.add_argument("--restarts", type=int, default=0, help="of hill climbing in parsing; 0 for those of models")
    parser.add_argument("--confident", action="store_true", help="only ensembles that weigh arcs by their confidence")
    parser.add_argument("--sentences", type=int, default=0, help="train on so many; 0 for all")
    parser.add_argument("--sample", type=int, default=0, help="draw them by this seed; 0 for the first ones")
    parser.add_argument("--dev", type=int, default=0, help="use the first so many of the dev set; 0 for all")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--only", choices=("reparsed", "biased"), help="only ensembles of this sort")
    options = parser.parse_args()
    options.member = options.member or list(MEMBERS)
    if not 2 <= len(options.member) <= 4:
        parser.error("name two to four members")
    if (options.models is None) == (options.pipelines is None):
        parser.error("give either --models or --pipelines")
    if options.models and (unknown := set(options.member) - set(RECIPES)):
        parser.error(f"no recipe {', '.join(sorted(unknown))}: choose from {', '.join(sorted(RECIPES))}")
    if options.base not in (None, *options.member[:3]):
        parser.error("--base must be one of the first three members")
    return options


def measure(name: str, options: argparse.Namespace) -> dict[str, float]:
    """The UAS of every parser and ensemble on one treebank."""
    train = list(read_sentences(str(TREEBANKS / name / "train.conllu.xz")))
    dev = list(read_sentences(str(TREEBANKS / name / "dev.conllu.xz")))
    dev = dev[: options.dev or len(dev)]
    if options.sample:
        train = [train[place] for place in np.random.default_rng(options.sample).permutation(len(train))]
    train = train[: options.sentences or len(train)]

    def trained(recipe: str) -> Parser:
        path = options.models / f"{name}-{recipe}-{len(train)}-{options.sample}.headway"
        if not path.exists():
            rule = TrainingOptions(epochs=options.epochs, seed=1 + options.sample)
            Parser.train(train, preset=RECIPES[recipe], options=rule).save(path)
        model = Parser.load(path).model
        settings = replace(model.settings, restarts=options.restarts or model.settings.restarts)
        return Parser(replace(model, settings=settings))

    recipes: list[str] = options.member
    given = dev
    if options.pipelines:
        pipelines = [Annotator.load(options.pipelines / name / f"{recipe}.headway") for recipe in recipes]
        parsers = {recipe: nlp.parser for recipe, nlp in zip(recipes, pipelines, strict=True)}
        given = list(pipelines[-1].tag(dev, keep=False))
    else:
        parsers = {recipe: trained(recipe) for recipe in recipes}
    ensembles = {"two": recipes} if len(recipes) == 2 else {"three": recipes[:3]}
    ensembles |= {"four": recipes} if len(recipes) > 3 else {}
    halves = [Half(dev[half::2], given[half::2], parsers) for half in (0, 1)]
    words = sum(map(len, dev))
    rows: dict[str, float] = {"words": words}

    def note(label: str, found: Sequence[Heads]) -> None:
        rows[label] = percent(sum(half.hits(trees)[0] for half, trees in zip(halves, found, strict=True)), words)
        rows[f"{label}, LAS"] = percent(
            sum(half.hits(trees)[1] for half, trees in zip(halves, found, strict=True)), words
        )

    right = {recipe: [half.hits(half.trees(recipe))[0] for half in halves] for recipe in recipes}
    for recipe in recipes:
        note(recipe, [half.trees(recipe) for half in halves])
    for label, members in ensembles.items():
        best = [max(members, key=lambda recipe: right[recipe][1 - half]) for half in (0, 1)]
        note(f"{label}, best single", [half.trees(recipe) for half, recipe in zip(halves, best, strict=True)])
        for how in ("reparsed", "biased"):
            if options.only not in (None, how):
                continue
            for confident in (True,) if options.confident else (False, True):
                started = time.process_time()
                found = []
                for half, other, first in zip(halves, halves[::-1], best, strict=True):
                    base = "" if how == "reparsed" else options.base or first  # an incremental model cannot be biased
                    gammas = other.learn(members, base, confident)
                    found.append(half.combine(members, gammas, base, confident))
                ensemble = f"{label}, {how}{', confident' if confident else ''}"
                note(ensemble, found)
                rows[f"{ensemble}, CPU seconds"] = round(time.process_time() - started, 1)
    return rows


class Half:
    """One half of a dev set, and the trees of all parsers for it."""

    def __init__(self, gold: Sequence[Sentence], given: Sequence[Sentence], parsers: dict[str, Parser]) -> None:
        self.gold, self.given, self.parsers = gold, given, parsers
        self.first = next(iter(parsers.values())).model
        self.encoded = self.first.encoder.encode(given)
        with Threads() as pool:
            self.votes = {
                recipe: tree_votes(parser, given, threads=pool, confident=True) for recipe, parser in parsers.items()
            }

    def trees(self, recipe: str) -> Heads:
        """The trees of one parser."""
        return [vote.heads for vote in self.votes[recipe]]

    def combine(self, members: Sequence[str], gammas: Sequence[Gamma], base: str, confident: bool) -> Heads:
        """Return the trees of an ensemble: of the biased search of `base`, or of votes alone if it is empty."""
        columns = [self.votes[recipe] for recipe in members if recipe != base]
        votes: list[list[Vote]] = [list(row) for row in zip(*columns, strict=True)]
        if not confident:
            votes = [[replace(vote, confidence=None) for vote in row] for row in votes]
        model = self.parsers[base or members[0]].model
        encoded = model.encoder.encode(self.given)
        search = biased_search(model.search(), encoded, votes, gammas, alone=not base)
        with Threads() as pool:
            return [parse.heads for parse in search.trees(encoded, threads=pool)]

    def learn(self, members: Sequence[str], base: str, confident: bool) -> list[Gamma]:
        """Return the weights that are best here."""
        start = [Gamma(0.0)] * (len(members) - 1) if base else [Gamma()] * len(members)

        def right(gammas: Sequence[Gamma]) -> int:
            found = self.combine(members, gammas, base, confident)
            pairs = zip(found, self.gold, strict=True)
            return sum(int((heads[1:] == sentence.heads).sum()) for heads, sentence in pairs)

        return learn_gammas(right, start, together=bool(base))

    def hits(self, found: Heads) -> tuple[int, int]:
        """Return the numbers of words that have the right head, and the right head and label."""
        with Threads() as pool:
            rows = find_labels(self.encoded, np.concatenate(found).astype(np.int32), self.first.namer, threads=pool)
        both = heads_right = 0
        for heads, sentence, start in zip(found, self.gold, self.encoded.starts.tolist(), strict=False):
            right = heads[1:] == np.array(sentence.heads)
            labels = [self.first.labels[label] for label in rows[start + 1 : start + len(heads)]]
            heads_right += int(right.sum())
            both += sum(
                bool(head) and label == gold for head, label, gold in zip(right, labels, sentence.labels, strict=True)
            )
        return heads_right, both


def percent(count: int, words: int) -> float:
    return round(100.0 * count / words, 2)


if __name__ == "__main__":
    main()
