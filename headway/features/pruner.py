"""The pruner's feature templates: few, and mostly of tags, because they are computed for every pair of words."""

PRUNER_TEMPLATES = """
h.upos
h.lemma
h-1.upos h.upos h+1.upos
m.upos
m.lemma
m.feats
m.suffix3
m-1.upos m.upos m+1.upos
m-1.lemma m.upos

h.upos m.upos
h.xpos m.xpos
h.lemma m.upos
h.upos m.lemma
h.feats m.feats
h.upos m.upos m.feats
h.upos m.upos m.suffix2
h-1.upos h.upos m.upos m+1.upos
h.upos h+1.upos m-1.upos m.upos
h-1.upos h.upos m-1.upos m.upos
h.upos h+1.upos m.upos m+1.upos
h.upos m-1.upos m.upos m+1.upos
h-1.upos h.upos h+1.upos m.upos

h.upos m.upos between.verbs
h.upos m.upos between.punctuation
h.upos m.upos between.coordinators
"""
