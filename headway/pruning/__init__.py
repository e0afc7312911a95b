"""Which arcs are worth scoring."""

from headway.pruning.pruner import Pruner, PruningReport, PruningRule, candidates, keep_gold, prune

__all__ = ["Pruner", "PruningReport", "PruningRule", "candidates", "keep_gold", "prune"]
