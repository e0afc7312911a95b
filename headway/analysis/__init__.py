"""Analyses of search, learning, confidence and agreement, for any model and treebank."""

from headway.analysis.ablation import Ablation, compare_models
from headway.analysis.climbs import climb_traces
from headway.analysis.convergence import Convergence, follow_climbs
from headway.analysis.first_order import arc_tables
from headway.analysis.landscape import Landscape, survey_local_optima
from headway.analysis.local_optima import count_local_optima
from headway.analysis.optimality import Optimality, compare_with_exact
from headway.analysis.outcomes import Outcome, TradeOff, measure, trade_off
from headway.analysis.rows import rows_table
from headway.analysis.starts import Beginning, Beginnings, compare_starts

__all__ = [
    "Ablation",
    "Beginning",
    "Beginnings",
    "Convergence",
    "Landscape",
    "Optimality",
    "Outcome",
    "TradeOff",
    "arc_tables",
    "climb_traces",
    "compare_models",
    "compare_starts",
    "compare_with_exact",
    "count_local_optima",
    "follow_climbs",
    "measure",
    "rows_table",
    "survey_local_optima",
    "trade_off",
]
