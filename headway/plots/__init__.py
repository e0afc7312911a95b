"""Pictures of parses."""

from headway.plots.tree_svg import tree_svg

__all__ = ["tree_svg"]
