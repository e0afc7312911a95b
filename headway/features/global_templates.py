"""The templates of global features, one list for each family; `headway.parts.structures` explains the roles.

The role ``tree`` is not a word: its atoms (`TREE_ATOMS`) are counts and strings of tags of a structure. As for parts,
a feature has a plain weight and one for the shape of its structure: the number of children, the length of a span.
"""

from collections.abc import Mapping

VALENCY_TEMPLATES = """
h.upos
h.xpos
h.lemma
h.upos tree.left tree.right
h.lemma tree.left tree.right
"""

CHILD_STRING_TEMPLATES = """
h.upos tree.left_tags tree.right_tags
h.lemma tree.left_tags tree.right_tags
h.upos tree.left_tags
h.upos tree.right_tags
"""

SPAN_LENGTH_TEMPLATES = """
m.upos tree.after
m.xpos tree.after
m.lemma
h.upos m.upos
"""

NEIGHBOUR_TEMPLATES = """
m.upos l.upos r.upos
m.xpos l.xpos r.xpos
m.lemma l.upos r.upos
h.upos m.upos l.upos r.upos
h.upos m.lemma l.upos r.upos
h.lemma m.upos l.upos r.upos
"""

PREPOSITION_TEMPLATES = """
g.upos n.upos
g.lemma n.lemma
g.lemma p.lemma
g.upos n.lemma p.lemma
g.lemma n.upos p.lemma
g.upos n.upos n.feats p.lemma
g.lemma n.lemma p.lemma
"""

COORDINATION_TEMPLATES = """
# the conjuncts
l.upos r.upos
l.xpos r.xpos
l.lemma r.lemma
l.feats r.feats
l.suffix3 r.suffix3
l.upos r.upos c.lemma
l.upos r.lemma c.lemma
l.lemma r.upos c.lemma
l.upos l.morph= r.upos r.morph=
l-1.upos l.upos r-1.upos r.upos
l.upos l+1.upos r.upos r+1.upos

# each conjunct as if it were attached to the head
g.upos l.upos c.upos
g.upos r.upos c.upos
g.upos r.upos c.lemma
g.lemma r.upos c.upos
g.upos r.lemma c.upos
g.lemma r.lemma c.upos
g.upos l.upos r.upos
"""

PUNCTUATION_TEMPLATES = """
i.form
i.form h.upos
i.form h.lemma
"""

RIGHT_BRANCH_TEMPLATES = """
h.upos
h.upos tree.nodes
"""

CROSSING_TEMPLATES = """
h.upos
m.upos
h.lemma
m.lemma
h.upos m.upos
h.lemma m.upos
h.upos m.lemma
"""

FAMILIES: Mapping[str, tuple[str, str]] = {
    "valency": ("children", VALENCY_TEMPLATES),
    "child_strings": ("children", CHILD_STRING_TEMPLATES),
    "span_length": ("span", SPAN_LENGTH_TEMPLATES),
    "neighbours": ("span", NEIGHBOUR_TEMPLATES),
    "prepositions": ("preposition", PREPOSITION_TEMPLATES),
    "coordination": ("coordination", COORDINATION_TEMPLATES),
    "punctuation": ("punctuation", PUNCTUATION_TEMPLATES),
    "right_branch": ("right_branch", RIGHT_BRANCH_TEMPLATES),
    "crossing": ("crossing", CROSSING_TEMPLATES),
}
"""The families by name, each with its kind of structure and its templates."""

STRUCTURE_ROLES: Mapping[str, tuple[str, ...]] = {
    "children": ("h",),
    "span": ("h", "m", "l", "r"),
    "preposition": ("g", "n", "p"),
    "coordination": ("g", "l", "r", "c"),
    "punctuation": ("h", "i", "j"),
    "right_branch": ("h",),
    "crossing": ("h", "m"),
}
"""The words of each kind of structure, in the order of its key."""

TREE_ATOMS: Mapping[str, tuple[str, ...]] = {
    "children": ("left", "right", "left_tags", "right_tags"),
    "span": ("after",),
    "right_branch": ("nodes",),
}
"""The atoms of ``tree``: numbers of children on either side (up to four) and the tags of these, nearest
first; whether a span is followed by a word, by punctuation or by nothing; the number of words on the right branch."""

PAIRS = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("-LRB-", "-RRB-"), ('"', '"'), ("``", "''"), ("“", "”"), ("„", "“"),
    ("«", "»"), ("‹", "›"), ("‘", "’"), ("「", "」"), ("『", "』"), ("《", "》"), ("（", "）"),
)  # fmt: skip
"""Marks that open and close."""
