"""Estimate the work of training, for progress reports."""

from headway.learning.options import TrainingOptions
from headway.presets import Preset

TEXT = 6.0
"""CPU seconds per thousand words of a pipeline's stages before the parser. These and the following are rough figures,
measured when training on English-EWT and Turkish-IMST; only their ratios matter.
"""

_PRUNER, _TENSOR = 0.4, 0.2
_ARCS, _CLIMBING, _SAMPLING, _CHART, _LABELS = 0.06, 0.17, 0.35, 0.16, 0.03
"""CPU seconds per thousand words and epoch."""
_NETWORK = 0.3
_STATE, _RANKER = 0.018, 0.3
"""CPU seconds per thousand words: for each epoch of transitions and state of the beam; for each epoch of the ranker."""


def training_work(preset: Preset, options: TrainingOptions, words: int) -> dict[str, float]:
    """Return the stages of training a parser, in order, with the work of each; see `Progress.plan`."""
    seconds = words / 1000.0 / options.threads
    networks = {}
    if preset.neural is not None:
        networks = {"network": _NETWORK * words / 1000.0 * options.epochs * max(1, preset.neural.folds)}
        if not preset.neural.folds:
            return networks
    if preset.incremental is not None:
        rule, epochs = preset.incremental, seconds * options.epochs
        folds = rule.folds if rule.ranking else 0
        return {
            "transitions": _STATE * rule.beam * epochs * (1 + folds),
            "labels": _LABELS * epochs * (1 + folds),
            "ranker": _RANKER * epochs if folds else 0.0,
        }
    trees = preset.tensor is not None or preset.parts is not None
    if preset.parts is None:
        each = _ARCS
    elif preset.is_projective:
        each = _CHART
    else:  # chains of one sentence after the other: threads do not share them
        each = _SAMPLING * options.threads if preset.inference.startswith("samples") else _CLIMBING
    return {
        **networks,
        "pruner": _PRUNER * seconds if preset.pruning is not None else 0.0,
        "tensor": _TENSOR * seconds if preset.tensor is not None else 0.0,
        "trees" if trees else "arcs": each * seconds * options.epochs,
        "labels": _LABELS * seconds * options.epochs,
    }
