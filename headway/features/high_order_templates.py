"""The templates of second- and third-order parts, one list for each kind; `headway.parts.kinds` explains the roles.

A feature has one weight without shape and one for each shape of its part, so no template needs a "direction" atom. A
sibling template without ``h`` is only about the pair of siblings.
"""

SIBLING_TEMPLATES = """
h.upos s.upos m.upos
h.xpos s.xpos m.xpos
h.lemma s.upos m.upos
h.upos s.lemma m.upos
h.upos s.upos m.lemma
h.lemma s.lemma m.upos
h.lemma s.upos m.lemma
h.upos s.lemma m.lemma
h.upos s.upos s.feats m.upos m.feats
h.feats s.upos m.upos
h.upos s.upos m.upos m.feats
h.upos s.upos s.feats m.upos

# with a neighbour's tag
h-1.upos h.upos s.upos m.upos
h.upos h+1.upos s.upos m.upos
h.upos s-1.upos s.upos m.upos
h.upos s.upos s+1.upos m.upos
h.upos s.upos m-1.upos m.upos
h.upos s.upos m.upos m+1.upos
h.upos s.upos s+1.upos m-1.upos m.upos
h.upos s.upos m-1.lemma m.upos
h.upos s-1.lemma s.upos m.upos

# the pair
s.upos m.upos
s.xpos m.xpos
s.form m.form
s.lemma m.lemma
s.lemma m.upos
s.upos m.lemma
s.feats m.feats
"""

GRANDPARENT_TEMPLATES = """
g.upos h.upos m.upos
g.xpos h.xpos m.xpos
g.lemma h.upos m.upos
g.upos h.lemma m.upos
g.upos h.upos m.lemma
g.lemma h.lemma m.upos
g.lemma h.upos m.lemma
g.upos h.lemma m.lemma
g.lemma h.lemma m.lemma
g.upos h.upos h.feats m.upos m.feats
g.upos g.feats h.upos h.feats m.upos
g.upos h.upos m.upos m.feats
g.upos h.upos h.feats m.upos

# with a neighbour's tag
g-1.upos g.upos h.upos m.upos
g.upos g+1.upos h.upos m.upos
g.upos h-1.upos h.upos m.upos
g.upos h.upos h+1.upos m.upos
g.upos h.upos m-1.upos m.upos
g.upos h.upos m.upos m+1.upos
g.upos h-1.lemma h.upos m.upos
g.upos h.upos m-1.lemma m.upos

# without the one in the middle
g.upos m.upos
g.lemma m.upos
g.upos m.lemma
g.lemma m.lemma
g.upos g.feats m.upos m.feats
"""

HEAD_BIGRAM_TEMPLATES = """
j.upos h.upos m-1.upos m.upos
j.xpos h.xpos m-1.xpos m.xpos
j.lemma h.upos m-1.upos m.upos
j.upos h.lemma m-1.upos m.upos
j.upos h.upos m-1.lemma m.upos
j.upos h.upos m-1.upos m.lemma
"""

GRAND_SIBLING_TEMPLATES = """
g.upos h.upos s.upos m.upos
g.xpos h.xpos s.xpos m.xpos
g.lemma h.upos s.upos m.upos
g.upos h.lemma s.upos m.upos
g.upos h.upos s.lemma m.upos
g.upos h.upos s.upos m.lemma
g.upos s.upos m.upos
"""

TRI_SIBLING_TEMPLATES = """
h.upos t.upos s.upos m.upos
h.xpos t.xpos s.xpos m.xpos
h.lemma t.upos s.upos m.upos
h.upos t.lemma s.upos m.upos
h.upos t.upos s.lemma m.upos
h.upos t.upos s.upos m.lemma
h.upos t.upos m.upos
h.lemma t.upos m.upos
h.upos t.lemma m.upos
h.upos t.upos m.lemma
t.upos s.upos m.upos
t.upos m.upos
"""

GREAT_GRANDPARENT_TEMPLATES = """
a.upos g.upos h.upos m.upos
a.lemma g.upos h.upos m.upos
a.upos g.lemma h.upos m.upos
a.upos g.upos h.lemma m.upos
a.upos g.upos h.upos m.lemma
a.upos h.upos m.upos
a.upos g.upos m.upos
a.upos m.upos
a.lemma m.upos
a.upos m.lemma
"""

SIBLING_GRANDCHILD_TEMPLATES = """
h.upos m.upos s.upos x.upos
h.lemma m.upos s.upos x.upos
h.upos m.lemma s.upos x.upos
h.upos m.upos s.lemma x.upos
h.upos m.upos s.upos x.lemma
h.upos s.upos x.upos
h.upos s.upos x.lemma
h.upos s.lemma x.upos
"""

ARBITRARY_SIBLING_TEMPLATES = """
h.upos s.upos m.upos
h.lemma s.upos m.upos
h.upos s.lemma m.upos
h.upos s.upos m.lemma
s.upos m.upos
s.lemma m.lemma
"""

# Additional templates for exact third-order charts (Koo and Collins 2010, section 7.1): tags around a part, and the two
# neighbours of a conjunction together with the conjunction; for coarse and fine tags (upos, xpos).

CHART_GRAND_SIBLING_TEMPLATES = f"""{GRAND_SIBLING_TEMPLATES}
g.upos g+1.upos h.upos h+1.upos s.upos m.upos m+1.upos
g-1.upos g.upos h-1.upos h.upos s.upos m-1.upos m.upos
g.upos h.upos s.upos s+1.upos m-1.upos m.upos
g.upos h.upos h.feats s.upos m.upos m.feats
g.xpos s.xpos m.xpos
g.lemma s.upos m.lemma
g.lemma s.upos m.upos
g.upos s.upos m.lemma
g.upos s.lemma m.upos
g.upos g.feats s.upos m.upos m.feats
"""

CHART_TRI_SIBLING_TEMPLATES = f"""{TRI_SIBLING_TEMPLATES}
h.upos h+1.upos t.upos s.upos s+1.upos m.upos m+1.upos
h-1.upos h.upos t-1.upos t.upos s.upos m-1.upos m.upos
t.xpos s.xpos m.xpos
t.xpos m.xpos
t.lemma m.lemma
"""
