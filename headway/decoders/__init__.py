"""Search: from candidates and scores to a tree."""

from collections.abc import Mapping
from types import MappingProxyType

from headway.decoders.decoder import Decoder
from headway.decoders.dual_decomposition import alternating_directions, dual_decomposition, exact
from headway.decoders.eisner import eisner, eisner_kernel
from headway.decoders.hill_climbing import hill_climbing
from headway.decoders.integer_program import integer_program
from headway.decoders.k_best_spanning import best_spanning_trees
from headway.decoders.projective_approximation import best_projective
from headway.decoders.spanning_tree import spanning_tree, spanning_tree_kernel
from headway.decoders.third_order import (
    ChartDecoder,
    best_senses,
    carreras,
    model0,
    model1,
    model2,
    sibling,
    tri_sibling,
)

DECODERS: Mapping[str, Decoder] = MappingProxyType(
    {
        "spanning-tree": spanning_tree,
        "eisner": eisner,
        "hill-climbing": hill_climbing,
        "sibling": sibling,
        "model0": model0,
        "model1": model1,
        "model2": model2,
        "carreras": carreras,
        "tri-sibling": tri_sibling,
        "dual-decomposition": dual_decomposition,
        "ad3": alternating_directions,
        "exact": exact,
        "integer-program": integer_program,
    }
)
"""Every decoder by its name."""

__all__ = [
    "DECODERS",
    "ChartDecoder",
    "Decoder",
    "alternating_directions",
    "best_projective",
    "best_senses",
    "best_spanning_trees",
    "carreras",
    "dual_decomposition",
    "eisner",
    "eisner_kernel",
    "exact",
    "hill_climbing",
    "integer_program",
    "model0",
    "model1",
    "model2",
    "sibling",
    "spanning_tree",
    "spanning_tree_kernel",
    "tri_sibling",
]
