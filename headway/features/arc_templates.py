"""The templates of an arc. Roles: ``h`` the head, ``m`` the modifier; docs/templates.md explains the language."""

ARC_TEMPLATES = """
# one word
h.form
h.lemma
h.upos
h.xpos
h.feats
h.lemma h.upos
h.lemma h.feats
h.suffix2
h.suffix3
h.shape h.upos
h-1.upos h.upos
h.upos h+1.upos
h-1.upos h.upos h+1.upos
h-2.upos h-1.upos h.upos
h.upos h+1.upos h+2.upos
h-1.form h.upos
h.upos h+1.form
h-1.lemma h.lemma
h.lemma h+1.lemma
m.form
m.lemma
m.upos
m.xpos
m.feats
m.lemma m.upos
m.lemma m.feats
m.suffix2
m.suffix3
m.shape m.upos
m-1.upos m.upos
m.upos m+1.upos
m-1.upos m.upos m+1.upos
m-2.upos m-1.upos m.upos
m.upos m+1.upos m+2.upos
m-2.upos m-1.upos m.upos m+1.upos m+2.upos
m-1.form m.upos
m.upos m+1.form
m-1.lemma m.lemma
m.lemma m+1.lemma

# two words
h.form m.form
h.lemma m.lemma
h.lemma h.upos m.lemma m.upos
h.form m.upos
h.upos m.form
h.lemma m.upos
h.upos m.lemma
h.lemma m.xpos
h.xpos m.lemma
h.form h.upos m.upos
h.upos m.form m.upos
h.lemma h.upos m.upos
h.upos m.lemma m.upos
h.upos m.upos
h.xpos m.xpos
h.upos m.xpos
h.xpos m.upos
h.xpos_last m.xpos_last
h.xpos_first m.xpos_first

# the tags around them
h-1.upos h.upos m.upos m+1.upos
h.upos h+1.upos m-1.upos m.upos
h-1.upos h.upos m-1.upos m.upos
h.upos h+1.upos m.upos m+1.upos
h-1.upos h.upos h+1.upos m-1.upos m.upos m+1.upos
h.upos m.upos m+1.upos
h.upos m-1.upos m.upos
h-1.upos h.upos m.upos
h.upos h+1.upos m.upos
h.upos m-2.upos m-1.upos m.upos
h.upos m.upos m+1.upos m+2.upos
h-2.upos h-1.upos h.upos m.upos
h.upos h+1.upos h+2.upos m.upos
h-1.xpos h.xpos m.xpos m+1.xpos
h.xpos h+1.xpos m-1.xpos m.xpos
h-1.xpos h.xpos m-1.xpos m.xpos
h.xpos h+1.xpos m.xpos m+1.xpos
h.xpos m.xpos m+1.xpos
h.xpos m-1.xpos m.xpos
h-1.xpos h.xpos m.xpos
h.xpos h+1.xpos m.xpos

# the words around them, such as a preposition before the modifier
h.lemma m-1.lemma m.upos
h.lemma m-2.lemma m.upos
h.upos m-1.lemma m.upos
h.upos m-2.lemma m.upos
h.upos m.upos m+1.lemma
h-1.lemma h.upos m.upos
h.upos h+1.lemma m.upos
h.form m-1.form m.upos
h.upos m-1.form m.upos
h.upos m.upos m+1.form
h-1.form h.upos m.upos
h.upos h+1.form m.upos
h.lemma m.upos m+1.upos
h.lemma m-1.upos m.upos
h.upos h+1.upos m.lemma
h-1.upos h.upos m.lemma

# morphology
h.feats m.feats
h.upos h.feats m.upos m.feats
h.upos m.upos m.feats
h.upos h.feats m.upos
h.form m.feats
h.lemma m.feats
h.lemma m.upos m.feats
h.feats m.lemma
h.upos h.morph= m.upos m.morph=
h.upos m.upos m.morph*
h.upos h.morph* m.upos

# word endings
h.suffix2 m.suffix2
h.suffix3 m.suffix3
h.upos m.upos m.suffix2
h.upos m.upos m.suffix3
h.upos h.suffix2 m.upos
h.upos h.suffix3 m.upos
h.lemma m.suffix3
h.suffix3 m.lemma

# the tags between head and modifier
h.upos m.upos between.tags
h.upos m.upos between.verbs
h.upos m.upos between.punctuation
h.upos m.upos between.coordinators
h.lemma m.upos between.punctuation
"""

CLAUSE_ARC_TEMPLATES = """
# the clauses of head and modifier
h.upos h.since m.upos
h.upos m.upos m.since
h.upos h.until m.upos
h.upos m.upos m.until
h.upos m.lemma m.until
h.upos h.opener m.upos
h.upos m.upos m.opener
h.upos h.opener m.upos m.opener
h.upos h.opener m.lemma
h.upos h.verbs m.upos
h.upos m.upos m.verbs
h.upos h.verbs m.upos m.verbs
h.upos h.verbs m.lemma
h.upos m.lemma m.verbs
h.upos m.upos m.opener m.verbs
"""
