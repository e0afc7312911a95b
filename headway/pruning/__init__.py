"""Pruning: choose the arcs that are worth scoring."""

from headway.pruning.pruner import Pruner, PruningReport, PruningRule, keep_gold, prune, pruning_report
from headway.pruning.reach import Reach

__all__ = ["Pruner", "PruningReport", "PruningRule", "Reach", "keep_gold", "prune", "pruning_report"]
