"""Compute arc marginals and the log partition function over trees."""

from headway.marginals.inside_outside import inside_outside, inside_outside_kernel
from headway.marginals.marginals import Marginals
from headway.marginals.matrix_tree import matrix_tree, matrix_tree_kernel

__all__ = ["Marginals", "inside_outside", "inside_outside_kernel", "matrix_tree", "matrix_tree_kernel"]
