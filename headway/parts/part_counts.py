"""Count the parts over given arcs, without listing them, to find the size of their tables. O(n²)."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from headway.errors import ConstraintError
from headway.parts.kinds import Kind

LARGEST = 16_000_000
"""The maximum number of entries of tables of parts: about 1 GB, including everything derived from them."""


class TooManyParts(ConstraintError):
    """Tables of scores would take too much memory: search the sentence in pieces, or with only arcs."""


def check_parts(mask: npt.NDArray[np.bool_], kinds: Collection[Kind]) -> None:
    """Raise TooManyParts if the tables of these kinds would have more than `LARGEST` entries; see `count_parts`."""
    if (entries := count_parts(mask, kinds)) > LARGEST:
        raise TooManyParts(f"the {len(mask) - 1} words of this sentence make {entries:,} parts: more than {LARGEST:,}")


def count_parts(mask: npt.NDArray[np.bool_], kinds: Collection[Kind]) -> int:
    """Return the number of entries in the tables of these kinds, arcs included; see `headway.parts.part_tables`.

    Parameters
    ----------
    mask : (n + 1, n + 1) bool
        The arcs, [head, modifier].
    """
    allowed = mask.copy()
    np.fill_diagonal(allowed, False)
    allowed[:, 0] = False
    arcs = allowed.astype(np.float64)  # counts of order n⁴ may not fit into integers
    heads, left, right = arcs.sum(axis=0), np.tril(arcs).sum(axis=1), np.triu(arcs).sum(axis=1)
    chains = heads @ arcs  # (n + 1,) for each modifier, the number of heads of its heads
    sides = np.stack([left, right])
    triangles = (sides + 1) * (sides + 2) / 2
    counts = {
        Kind.ARC: arcs.sum(),
        Kind.SIBLING: triangles.sum(),
        Kind.GRANDPARENT: chains.sum(),
        Kind.HEAD_BIGRAM: (heads[1:-1] * heads[2:]).sum(),
        Kind.GRAND_SIBLING: (triangles * heads).sum(),
        Kind.TRI_SIBLING: (sides * (sides + 1) * (sides + 2) / 6).sum(),
        Kind.GREAT_GRANDPARENT: (chains @ arcs).sum(),
        Kind.SIBLING_GRANDCHILD: (left @ np.tril(arcs) + right @ np.triu(arcs)) @ (left + right),
        Kind.ARBITRARY_SIBLING: (sides * (sides - 1) / 2).sum(),
    }
    return int(sum(counts.get(kind, 0.0) for kind in kinds))
