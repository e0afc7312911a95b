"""Constituent trees drawn by hypothesis."""

from hypothesis import strategies as st

from headway.constituency.brackets import parse_trees
from headway.constituency.tree import Tree

PHRASES = ("S", "NP", "NP-SBJ", "VP", "PP-1", "SBAR", "ADVP", "PRT")
TAGS = ("NN", "VB", "DT", "CC", ",", ".", "-NONE-", "-LRB-")

LEAVES = st.builds("({} {})".format, st.sampled_from(TAGS), st.sampled_from(["a", "b", "c", "ü", "-LRB-", "#"]))


def brackets() -> st.SearchStrategy[str]:
    """Trees as text, on one line."""
    phrases = st.recursive(
        LEAVES,
        lambda below: st.builds(
            lambda label, children: f"({label} {' '.join(children)})",
            st.sampled_from(PHRASES),
            st.lists(below, min_size=1, max_size=4),
        ),
        max_leaves=12,
    )
    return st.builds(lambda children: f"(ROOT {' '.join(children)})", st.lists(phrases, min_size=1, max_size=3))


def trees() -> st.SearchStrategy[Tree]:
    """Trees."""
    return brackets().map(lambda text: next(parse_trees(text)))
