"""The factorizations: the parts of projective trees that charts can score.

================  ==============================================================  ======  =====
factorization     parts in addition to arcs                                       time    space
================  ==============================================================  ======  =====
first-order       none                                                            n³      n²
sibling           siblings                                                        n³      n²
model0            grandparents                                                    n⁴      n³
model1            siblings, grandparents, grand-siblings                          n⁴      n³
tri-sibling       siblings, tri-siblings                                          n⁴      n³
carreras          siblings; grandparents of the outermost child on each side      n⁴      n³
model2            siblings, tri-siblings; grandparents and grand-siblings of the  n⁴      n³
                  two outermost children on each side
================  ==============================================================  ======  =====

Siblings include the start before a head's first child on each side and the end after its last child; so do third-order
parts.

Koo and Collins (2010), sections 3 and 4; Carreras (2007); McDonald and Pereira (2006).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.errors import UsageError
from headway.parts.kinds import KINDS


@dataclass(frozen=True)
class Factorization:
    """The parts that a chart scores, which determine the contexts of its spans.

    Parameters
    ----------
    kinds : tuple of str
        The kinds of parts, without arcs.
    knows_grandparent : bool
        Whether the context of a span has the head of its head.
    outer : int
        0 if there are grandparent and grand-sibling parts for all children; otherwise, the number of outermost children
        on each side that have them. Spans then have the sibling before the outermost child instead of the grandparent.
    """

    name: str
    kinds: tuple[str, ...]
    knows_grandparent: bool = False
    outer: int = 0

    def wanted(self, kinds: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(kinds,) Return which of these `kinds` this chart scores."""
        scored: npt.NDArray[np.bool_] = np.array([kind in self.kinds for kind in KINDS])
        return kinds & scored

    def simplest(self, kinds: npt.NDArray[np.bool_]) -> "Factorization":
        """Return the cheapest factorization that scores the same parts if only these `kinds` have scores."""
        wanted = {KINDS[kind] for kind in np.flatnonzero(self.wanted(kinds))}
        simpler: Factorization
        for simpler in (FIRST_ORDER, SIBLING, TRI_SIBLING if self.outer else MODEL0):
            if wanted <= set(simpler.kinds):
                return simpler
        return self


FIRST_ORDER = Factorization("first-order", ())
SIBLING = Factorization("sibling", ("sibling",))
MODEL0 = Factorization("model0", ("grandparent",), knows_grandparent=True)
TRI_SIBLING = Factorization("tri-sibling", ("sibling", "tri_sibling"), outer=1)
_MODEL1_KINDS = ("sibling", "grandparent", "grand_sibling")
_MODEL2_KINDS = (*_MODEL1_KINDS, "tri_sibling")

FACTORIZATIONS = {
    factorization.name: factorization
    for factorization in (
        FIRST_ORDER,
        SIBLING,
        MODEL0,
        Factorization("model1", _MODEL1_KINDS, knows_grandparent=True),
        TRI_SIBLING,
        Factorization("carreras", ("sibling", "grandparent"), knows_grandparent=True, outer=1),
        Factorization("model2", _MODEL2_KINDS, knows_grandparent=True, outer=2),
    )
}
"""All factorizations by name."""


def find_factorization(name: str) -> Factorization:
    """Return the factorization with this name."""
    if name not in FACTORIZATIONS:
        raise UsageError(f"no factorization {name!r}; choose from {', '.join(FACTORIZATIONS)}")
    return FACTORIZATIONS[name]
