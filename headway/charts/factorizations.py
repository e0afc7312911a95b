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

Sibling parts include those of a head's first child on each side, without an inner sibling, and those after its last
child, without an outer one. Third-order parts have such boundaries, too.

Koo and Collins (2010), sections 3 and 4; Carreras (2007); McDonald and Pereira (2006).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.errors import UsageError
from headway.parts.kinds import KINDS


@dataclass(frozen=True)
class Factorization:
    """The kinds of parts that a chart scores, which determine what its spans must record.

    Parameters
    ----------
    kinds : tuple of str
        The kinds of parts, without arcs.
    knows_grandparent : bool
        Whether grandparent or grand-sibling parts are scored, so that spans must record the head of their head.
    outer : int
        0 if all children can have grandparent and grand-sibling parts; otherwise, only this number of outermost
        children on each side has them. Open spans then record the sibling before the outermost child instead of the
        head of the head.
    """

    name: str
    kinds: tuple[str, ...]
    knows_grandparent: bool = False
    outer: int = 0

    def wanted(self, kinds: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(kinds,) Return which of the given `kinds` this chart scores."""
        scored: npt.NDArray[np.bool_] = np.array([kind in self.kinds for kind in KINDS])
        return kinds & scored

    def simplest(self, kinds: npt.NDArray[np.bool_]) -> "Factorization":
        """Return the cheapest factorization that scores all parts of these `kinds` that this one scores."""
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
    """Return the factorization with this name; UsageError if there is none."""
    if name not in FACTORIZATIONS:
        raise UsageError(f"no factorization {name!r}; choose from {', '.join(FACTORIZATIONS)}")
    return FACTORIZATIONS[name]
