"""Split the errors of an incremental model into beam errors and errors in the choice among the beam's trees.

Liu, Zhang, Che and Liu, "HC-search for incremental parsing", Section 4.4: the generation loss ε_H is the share of wrong
heads of the best tree in the beam, and the selection loss ε_C|H is the mean distance of the chosen tree from the best
trees. Search errors are sentences for which a wider beam finds a tree with a higher score.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headway.analysis.rows import Cell, Row
from headway.corpus import Sentence
from headway.encoding import Encoded
from headway.errors import UsageError
from headway.incremental.search import BeamSearch, mixture, tree_scores
from headway.model import TrainedModel
from headway.plots.charts import Chart
from headway.search.tree_lists import TreeList

BEAMS = (1, 2, 4, 8, 16, 32, 64)

Floats = npt.NDArray[np.float64]
Heads = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Losses:
    """The sources of wrong heads, in per cent of the words.

    Parameters
    ----------
    generation : float
        ε_H: wrong heads of the best tree of each list.
    selection : float
        ε_C|H: the mean distance of the chosen tree from the best ones.
    total : float
        Wrong heads of the chosen tree.
    """

    generation: float
    selection: float
    total: float


def decompose(gold: Sequence[Heads], lists: Sequence[TreeList], scores: Sequence[Floats]) -> Losses:
    """Return the losses if the tree with the highest score is chosen from each list.

    Parameters
    ----------
    gold : sequence of (n + 1,) int32
    scores : sequence of (k,) float64
    """
    generation, selection, total, words = 0, 0.0, 0, 0
    for heads, trees, list_scores in zip(gold, lists, scores, strict=True):
        wrong, chosen = trees.wrong_heads(heads), int(np.argmax(list_scores))
        best = trees.heads[wrong == wrong.min()]
        generation += int(wrong.min())
        total += int(wrong[chosen])
        selection += float((best[:, 1:] != trees.heads[chosen, 1:]).sum(axis=1).mean())
        words += len(heads) - 1
    return Losses(*(100.0 * value / max(1, words) for value in (generation, selection, total)))


def loss_rows(models: Mapping[str, TrainedModel], sentences: Sequence[Sentence]) -> list[Row]:
    """Return accuracy, losses and relative time of models, for the beam, the ranker and the mixture of both.

    These are Tables 1 to 3 of the paper; only models with a ranker have rows for the ranker and the mixture.

    Parameters
    ----------
    models : mapping
        The models by name. Times are those of the search, relative to the first model's beam.
    """
    rows: list[dict[str, Cell]] = []
    for name, model in models.items():
        search = beam_search(model)
        encoded = model.encoder.encode(sentences)
        plain = replace(search, transitions=search.transitions.with_share(1.0))
        lists = plain.tree_lists(encoded, plain.lists(encoded, k=search.width))
        gold = [np.array([-1, *sentence.heads], dtype=np.int32) for sentence in sentences]
        choices: dict[str, list[Floats]] = {"beam": [trees.scores for trees in lists]}
        seconds = {"beam": _seconds(plain, encoded)}
        share = search.transitions.settings.share
        if share < 1.0:
            ranks = [tree_scores(model.scorer, encoded, number, trees) for number, trees in enumerate(lists)]
            choices["ranker"] = ranks
            pairs = zip(lists, ranks, strict=True)
            choices["mixture"] = [mixture(trees.scores, some, share) for trees, some in pairs]
            seconds["ranker"] = seconds["mixture"] = _seconds(search, encoded)
        for choice, scores in choices.items():
            losses = decompose(gold, lists, scores)
            rows.append(
                {
                    "model": name, "choice": choice, "UAS": 100.0 - losses.total, "generation loss": losses.generation,
                    "selection loss": losses.selection, "loss": losses.total, "relative time": seconds[choice],
                }
            )  # fmt: skip
    first = float(rows[0]["relative time"] or 0.0) if rows else 0.0
    return [row | {"relative time": float(row["relative time"] or 0.0) / max(first, 1e-9)} for row in rows]


def _seconds(search: BeamSearch, encoded: Encoded) -> float:
    """Return the CPU time of the search."""
    search.lists(encoded.some(np.arange(1)), k=1)  # warm-up, so that compile time does not count
    begun = time.process_time()
    search.lists(encoded, k=1)
    return time.process_time() - begun


@dataclass(frozen=True)
class BeamCurve:
    """Accuracy, speed and search errors by beam width.

    Parameters
    ----------
    widths : tuple of int
    uas, speeds, errors : tuple of float
        UAS in per cent; words per CPU second of the search; the share of sentences, in per cent, for which another beam
        width finds a tree with a higher score.
    """

    widths: tuple[int, ...]
    uas: tuple[float, ...]
    speeds: tuple[float, ...]
    errors: tuple[float, ...]

    def rows(self) -> list[Row]:
        """Return a row for each width."""
        columns = zip(self.widths, self.uas, self.speeds, self.errors, strict=True)
        return [
            {"beam": width, "UAS": uas, "words a CPU second": round(speed), "search errors": wrong}
            for width, uas, speed, wrong in columns
        ]

    def charts(self) -> list[Chart]:
        """Return charts of accuracy, speed and search errors by beam width."""
        widths = np.array(self.widths)
        return [
            Chart("Accuracy by beam", "beam", "UAS", {"UAS": (widths, np.array(self.uas))}, x_log=True),
            Chart(
                "Speed by beam", "beam", "words a second", {"speed": (widths, np.array(self.speeds))},
                x_log=True, y_log=True,
            ),
            Chart(
                "Search errors by beam", "beam", "sentences (%)", {"errors": (widths, np.array(self.errors))},
                x_log=True,
            ),
        ]  # fmt: skip


def beam_curve(model: TrainedModel, sentences: Sequence[Sentence], *, widths: Sequence[int] = BEAMS) -> BeamCurve:
    """Measure beam search without the ranker, at several widths."""
    search = beam_search(model)
    plain = replace(search, transitions=search.transitions.with_share(1.0))
    encoded = model.encoder.encode(sentences)
    gold = np.concatenate([[-1, *sentence.heads] for sentence in sentences])
    words = gold >= 0
    uas, speeds, scores = [], [], []
    replace(plain, width=1).lists(encoded.some(np.arange(1)), k=1)  # warm-up, so that compile time does not count
    for width in widths:
        begun = time.process_time()
        found = replace(plain, width=width).lists(encoded, k=1)
        speeds.append(float(words.sum()) / (time.process_time() - begun))
        uas.append(100.0 * float(np.mean(found.heads[0][words] == gold[words])))
        scores.append(found.scores[0])
    best = np.max(scores, axis=0)
    errors = [100.0 * float(np.mean(some < best - 1e-6 * np.abs(best))) for some in scores]
    return BeamCurve(tuple(widths), tuple(uas), tuple(speeds), tuple(errors))


def beam_search(model: TrainedModel) -> BeamSearch:
    """Return the search of an incremental model; UsageError for any other."""
    search = model.search()
    if not isinstance(search, BeamSearch):
        raise UsageError("this model does not parse incrementally: train one with --preset incremental")
    return search
