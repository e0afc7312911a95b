"""Constituent trees: brackets, grammars, and parsing jointly with dependencies and tags."""

from typing import TYPE_CHECKING

from headway.support.lazy import lazy_names

if TYPE_CHECKING:
    from headway.constituency.bracket_rules import BracketRules
    from headway.constituency.bracket_scores import BracketScores, score_trees
    from headway.constituency.brackets import format_tree, parse_trees, read_trees, write_trees
    from headway.constituency.head_rules import HeadRules, dependencies
    from headway.constituency.tree import Tree, stripped

__all__ = [
    "BracketRules",
    "BracketScores",
    "HeadRules",
    "Tree",
    "dependencies",
    "format_tree",
    "parse_trees",
    "read_trees",
    "score_trees",
    "stripped",
    "write_trees",
]

__getattr__ = lazy_names(
    "headway.constituency",
    {
        "BracketRules": "headway.constituency.bracket_rules",
        "BracketScores": "headway.constituency.bracket_scores",
        "HeadRules": "headway.constituency.head_rules",
        "Tree": "headway.constituency.tree",
        "dependencies": "headway.constituency.head_rules",
        "format_tree": "headway.constituency.brackets",
        "parse_trees": "headway.constituency.brackets",
        "read_trees": "headway.constituency.brackets",
        "score_trees": "headway.constituency.bracket_scores",
        "stripped": "headway.constituency.tree",
        "write_trees": "headway.constituency.brackets",
    },
)
