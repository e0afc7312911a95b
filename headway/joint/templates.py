"""The templates of joint scores: tags and features of a word together with those of its neighbours and its head."""

NGRAM_TEMPLATES = """
w.upos
w.upos w-2.form
w.upos w-1.form
w.upos w.form
w.upos w+1.form
w.upos w+2.form
w-1.upos w.upos
w-2.upos w.upos
w-1.upos w.upos w-1.form
w-1.upos w.upos w.form
w-1.upos w.upos w+1.upos
w-2.upos w.upos w+1.upos
w-1.upos w.upos w+2.upos
w-2.upos w.upos w+2.upos
w-2.upos w-1.upos w.upos w+1.upos
w-2.upos w-1.upos w.upos w+2.upos
w-2.upos w.upos w+1.upos w+2.upos
w-2.upos w-1.upos w.upos w+1.upos w+2.upos
"""
"""Zhang et al. (2014), Table 1: n-grams of one to five tags. Role ``w``."""

READING_TEMPLATES = """
w.upos w.feats
w.upos w.lemma
w.feats w.form
w.upos w.suffix2
w.upos w.suffix3
w.upos w.feats w.suffix3
w.upos w.shape
w-1.upos w.upos w.feats
w.upos w.feats w+1.upos
w-1.feats w.feats
w.feats w+1.feats
w-1.form w.upos w.feats
w.upos w.feats w+1.form
w-1.form w.upos w+1.form
w-1.upos w.form w+1.upos
w-1.suffix3 w.upos
w.upos w+1.suffix3
"""
"""Similar templates with FEATS and with word endings. Role ``w``."""

TREE_TEMPLATES = """
m.upos h.upos
m.upos h.form
m.form h.upos
m.upos m.lemma h.upos
m.upos h.upos h.lemma
m.upos h.lemma
m.lemma h.upos
m.upos m.feats h.upos
m.upos h.upos h.feats
m.upos m.feats h.upos h.feats
m.upos h.upos m.morph= h.morph=
m.upos m.suffix3 h.upos
m.upos h.upos h.suffix3
m-1.upos m.upos h.upos
m.upos m+1.upos h.upos
m.upos h-1.upos h.upos
m.upos h.upos h+1.upos
"""
"""The tags and features of a word and its head. Roles ``h`` and ``m``; features of arcs to the left and to the right
are different."""
