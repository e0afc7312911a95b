"""Train a linear model on top of a network; the result is the sum of both.

A network is overconfident on sentences that it was trained on. So each fold of the treebank is scored by a network that
was trained on the other folds (jackknifing), and the linear model is trained on top of these scores; the final network
is trained on all sentences. The margins of the linear model include the network's scores, so it learns to correct the
network's errors, and what arc scores alone cannot express. The weight of the network is then tuned on the dev set.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headway.corpus import folds
from headway.errors import UsageError
from headway.learning.checkpoint import FolderCheckpoint
from headway.learning.gold import GoldTrees
from headway.learning.labels import possible_labels
from headway.learning.learners import accuracy
from headway.learning.neural_recipe import NetworkRecipe
from headway.learning.recipe import Recipe
from headway.model import TrainedModel
from headway.parts.candidate_batch import CandidateBatch
from headway.presets import Neural
from headway.scorers.given import GivenArcs, GivenLabels
from headway.scorers.linear_models import LabelModel
from headway.scorers.neural.scorer import NeuralScorer
from headway.scorers.sum import Sum
from headway.search.labels import LabelSum, NamesArcs, find_labels

WEIGHT, LABEL_WEIGHT = 0.15, 0.15
"""The factors of the network's scores, which are roughly log probabilities, while the linear model is trained."""

FACTORS = (1.0, 0.25, 0.5, 0.7, 1.4, 2.0, 3.0, 5.0, 8.0)
"""The multiples of these factors that are tried on the dev set; on ties, the first one is chosen."""

_LEAST = -1e6
"""The score of impossible labels."""

Arcs = npt.NDArray[np.float32]


class SumRecipe(Recipe):
    """Trains networks, and a linear model on top of them."""

    network: NeuralScorer

    def train(self, checkpoint: Path | None) -> TrainedModel:
        """Train networks, and then a linear model on top of them; see `Recipe.train`."""
        self.learn_networks(self.checkpoint(checkpoint))
        return super().train(checkpoint)

    def learn_networks(self, checkpoint: FolderCheckpoint | None) -> None:
        """Train the network, and the networks of the folds, on whose scores the linear model is trained."""
        rule, recipe = self._rule, self._network_recipe(checkpoint)
        network, self.facts["network"] = recipe.train(self.train_sentences, self.dev_sentences, share=1.0 / rule.folds)
        self.network = network
        arcs, labels = self._cross_fitted(recipe)
        self.beside = {"beside": GivenArcs(arcs, WEIGHT)}
        self.label_beside = {"beside": GivenLabels(np.maximum(LABEL_WEIGHT * labels, _LEAST))}
        if self.dev is not None:
            dev_labels = np.maximum(LABEL_WEIGHT * _gold_labels(network, self.dev), _LEAST)
            self.beside["dev_beside"] = GivenArcs(_arcs(network, self.dev), WEIGHT)
            self.label_beside["dev_beside"] = GivenLabels(dev_labels)

    def learn_network(self, fold: int, checkpoint: FolderCheckpoint) -> None:
        """Train only one network, into a checkpoint: that of a fold, counted from 1, or of all sentences with fold 0.

        So networks can be trained at the same time, in several processes.
        """
        recipe = self._network_recipe(checkpoint)
        if fold:
            self._fold_network(recipe, fold, self._folds())
        else:
            recipe.train(self.train_sentences, self.dev_sentences)

    @property
    def _rule(self) -> Neural:
        rule = self.preset.neural
        assert rule is not None
        return rule

    def _network_recipe(self, checkpoint: FolderCheckpoint | None) -> NetworkRecipe:
        if self._rule.second:
            raise UsageError("a linear model can only be trained on top of arc scores: Neural.second must be 0")
        options = replace(self.options, patience=self.options.epochs)
        possible = possible_labels(self.gold, len(self.labels))
        return NetworkRecipe(self._rule, options, self.labels, possible, self.progress, checkpoint)

    def _folds(self) -> list[npt.NDArray[np.int64]]:
        """Return the sentences of each fold."""
        if len(self.gold) < 2:
            return [np.arange(1)]  # a single sentence has no other folds
        return folds(len(self.gold), number=min(self._rule.folds, len(self.gold)), seed=self.options.seed)

    def _fold_network(self, recipe: NetworkRecipe, fold: int, parts: Sequence[npt.NDArray[np.int64]]) -> NeuralScorer:
        """Train a network on all folds but one."""
        part, number = parts[fold - 1], self._rule.folds
        rest = np.setdiff1d(np.arange(len(self.gold)), part)
        chosen = [self.train_sentences[one] for one in (rest if len(rest) else part).tolist()]
        stage, share = f"network, fold {fold} of {len(parts)}", (1.0 - 1.0 / number) / number
        return recipe.train(chosen, None, stage=stage, share=share)[0]

    def _cross_fitted(self, recipe: NetworkRecipe) -> tuple[list[Arcs], Arcs]:
        """Score the arcs and gold labels of each sentence by a network that was trained without it."""
        gold, parts = self.gold, self._folds()
        tables: list[Arcs] = [np.empty((0, 0), dtype=np.float32)] * len(gold)
        labels = np.zeros((len(gold.heads), len(self.labels)), dtype=np.float32)
        for fold, part in enumerate(parts, start=1):
            network = self._fold_network(recipe, fold, parts)
            rows = np.concatenate([np.arange(*gold.encoded.starts[one : one + 2]) for one in part.tolist()])
            some = GoldTrees(gold.encoded.some(part), gold.heads[rows], gold.labels[rows])
            labels[rows] = _gold_labels(network, some)
            for one, table in zip(part.tolist(), _arcs(network, some), strict=True):
                tables[one] = table
        return tables, labels

    def combine(self, model: TrainedModel, dev_arcs: CandidateBatch | None) -> TrainedModel:
        """Add the linear model and the network, with the weight that is best on the dev set; see `Recipe.combine`."""
        linear, namer, weight = model.scorer, model.namer, WEIGHT
        assert isinstance(namer, LabelModel)
        namers: list[NamesArcs] = [LabelSum(namer, self.network, LABEL_WEIGHT * factor) for factor in FACTORS]
        if self.dev is not None:
            given = self.beside["dev_beside"].tables
            right = [
                accuracy(
                    replace(model, scorer=Sum(linear, GivenArcs(given, WEIGHT * factor))).search(), self.dev, dev_arcs,
                    threads=self.threads,
                )
                for factor in FACTORS
            ]  # fmt: skip
            weight = WEIGHT * FACTORS[int(np.argmax(right))]
            self.progress.note(f"weight of the network: {weight:g}, {max(right):.2f} on dev")
        scorer = Sum(linear, self.network, weights=(1.0, weight))
        self.settings = replace(self.settings, scorer=scorer.name)
        model = replace(model, scorer=scorer, settings=self.settings)
        best = namers[0] if self.dev is None else self._best_namer(model, self.dev, [*namers, self.network], dev_arcs)
        self.facts["sum"] = {"weight": weight, "label_weight": getattr(best, "weight", "the network alone")}
        return replace(model, namer=best)

    def _best_namer(
        self, model: TrainedModel, dev: GoldTrees, namers: Sequence[NamesArcs], dev_arcs: CandidateBatch | None
    ) -> NamesArcs:
        """Return the label scorer with the most correct labels in the predicted trees of the dev set."""
        parses = model.search().trees(dev.encoded, dev_arcs, threads=self.threads)
        heads = np.concatenate([parse.heads for parse in parses])
        found = [find_labels(dev.encoded, heads, namer, threads=self.threads) for namer in namers]
        return namers[int(np.argmax([((heads == dev.heads) & (some == dev.labels)).sum() for some in found]))]


def _arcs(network: NeuralScorer, gold: GoldTrees) -> list[Arcs]:
    """Return the table of arc scores of each sentence; the diagonal is ignored."""
    return [outputs.arcs.copy() for outputs in network.outputs(gold.encoded)]


def _gold_labels(network: NeuralScorer, gold: GoldTrees) -> Arcs:
    """(rows, labels) Return the label scores for the arcs of gold trees."""
    starts = gold.encoded.starts
    scores = [
        network.label_scores(gold.encoded, sentence, gold.heads[starts[sentence] : starts[sentence + 1]])
        for sentence in range(len(gold))
    ]
    return np.concatenate(scores).astype(np.float32)
