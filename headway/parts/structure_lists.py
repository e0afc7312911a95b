"""List all structures of a tree (see `headway.parts.structures`), for training and for tests of incremental gains."""

import numpy as np
import numpy.typing as npt

from headway.encoding.tag_map import ADPOSITION
from headway.kernel import kernel, leaf_kernel
from headway.parts import structures
from headway.parts.links import Links
from headway.parts.spans import set_spans
from headway.parts.structures import CLASS, FIRST_STRUCTURE, LISTED, PARTNER, Traits
from headway.parts.styles import find_coordination


@kernel
def most_structures(size: int) -> int:
    """Return an upper bound on the number of structures of a tree over `size` - 1 words."""
    return (len(structures.STRUCTURES) - 1) * size + 1


@kernel
def list_globals(links: Links, traits: Traits, keys: npt.NDArray[np.int64]) -> int:
    """Write the keys of all structures of the wanted kinds in a tree; return their number.

    Parameters
    ----------
    keys : (room,) int64
        The output, with room for at least `most_structures` keys.
    """
    size, words, wanted = len(links.heads), traits.words, traits.wanted
    spans = np.empty((size, 2), dtype=np.int64)
    count = 0
    if wanted[structures.SPAN - FIRST_STRUCTURE]:
        set_spans(spans, links)
        for word in range(1, size):
            keys[count] = structures.span_key(links.heads[word], word, spans[word, 0], spans[word, 1])
            count += 1
    if wanted[structures.CHILDREN - FIRST_STRUCTURE]:
        for word in range(1, size):
            keys[count] = structures.children_key(links, words, word, size)
            count += 1
    if wanted[structures.PREPOSITION - FIRST_STRUCTURE]:
        count = _list_prepositions(links, traits, keys, count)
    if wanted[structures.COORDINATION - FIRST_STRUCTURE]:
        for place in range(size):
            if words[place, LISTED] == 0:
                break
            keys[count] = find_coordination(links, words, words[place, LISTED], traits.coordination)
            count += int(keys[count] >= 0)
    if wanted[structures.PUNCTUATION - FIRST_STRUCTURE]:
        for word in range(1, size):
            partner = words[word, PARTNER]
            if partner > word and links.heads[word] == links.heads[partner]:
                keys[count] = structures.pair_key(links.heads[word], word, partner)
                count += 1
    if wanted[structures.RIGHT_BRANCH - FIRST_STRUCTURE]:
        keys[count] = structures.branch_key(structures.right_path(links, words, 0), size)
        count += 1
    if wanted[structures.CROSSING - FIRST_STRUCTURE]:
        for word in range(1, size):
            crossing = structures.count_crossing(links.heads, links.heads[word], word, 0)
            if crossing > 0:
                keys[count] = structures.crossing_key(links.heads[word], word, crossing)
                count += 1
    return count


@leaf_kernel
def _list_prepositions(links: Links, traits: Traits, keys: npt.NDArray[np.int64], count: int) -> int:
    size, words, style = len(links.heads), traits.words, traits.preposition
    for word in range(1, size):
        if words[word, CLASS] != ADPOSITION:
            continue
        governor, noun = links.heads[word], structures.argument(links, words, word)
        if style == 0:
            noun = links.heads[word] if links.heads[word] > 0 else size
            governor = links.heads[noun] if noun != size else 0
        if noun != size:
            keys[count] = structures.preposition_key(style, governor, noun, word)
            count += 1
    return count
