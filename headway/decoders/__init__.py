"""Search: from candidates and scores to a tree."""

from collections.abc import Mapping
from types import MappingProxyType

from headway.decoders.decoder import Decoder
from headway.decoders.eisner import eisner, eisner_kernel
from headway.decoders.hill_climbing import hill_climbing
from headway.decoders.projective_approximation import best_projective
from headway.decoders.spanning_tree import spanning_tree, spanning_tree_kernel

DECODERS: Mapping[str, Decoder] = MappingProxyType(
    {"spanning-tree": spanning_tree, "eisner": eisner, "hill-climbing": hill_climbing}
)
"""Every decoder by its name."""

__all__ = [
    "DECODERS",
    "Decoder",
    "best_projective",
    "eisner",
    "eisner_kernel",
    "hill_climbing",
    "spanning_tree",
    "spanning_tree_kernel",
]
