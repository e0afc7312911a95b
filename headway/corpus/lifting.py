"""Make a tree projective by lifting arcs (Nivre & Nilsson 2005, Pseudo-projective dependency parsing, § 2).

While there is a non-projective arc, the shortest one (the leftmost, if several are shortest) moves from its head to its
head's head. The result is projective, and keeps every projective arc that no lift makes non-projective. It takes at
most n · depth lifts of O(n²) each; in treebank sentences a few lifts are enough. The result is not the projective tree
nearest to the given one: that one is found by Eisner's algorithm with a score of 1 for each arc of the given tree.
"""

from collections.abc import Sequence

from headway.corpus.trees import check_tree, nonprojective_arcs


def projectivize(heads: Sequence[int]) -> list[int]:
    """Lift non-projective arcs until there are none.

    Parameters
    ----------
    heads : sequence of int, (n,)
        A tree: entry i is the head of word i + 1, 0 is the root. Several roots are fine.

    Returns
    -------
    list of int, (n,)
        A projective tree. A single root stays the single root; if there are several, a word between them may be lifted
        to become another root.

    Raises
    ------
    TreeError
        If `heads` is not a tree.

    Examples
    --------
    >>> projectivize([3, 0, 2, 2])
    [2, 0, 2, 2]
    """
    check_tree(heads, single_root=False)
    lifted = [int(head) for head in heads]
    while True:
        crossing = [word for word, bad in enumerate(nonprojective_arcs(lifted), start=1) if bad]
        if not crossing:
            return lifted
        modifier = min(crossing, key=lambda word: abs(lifted[word - 1] - word))
        lifted[modifier - 1] = lifted[lifted[modifier - 1] - 1]
