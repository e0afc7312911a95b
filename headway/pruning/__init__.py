"""Which arcs are worth scoring."""

from headway.pruning.pruner import Pruner, PruningReport, PruningRule, keep_gold, prune, pruning_report

__all__ = ["Pruner", "PruningReport", "PruningRule", "keep_gold", "prune", "pruning_report"]
