"""The templates of tagger and morphology, as in `headway.features.templates`, with the single role ``w``."""

TAG_TEMPLATES = """
w.form
w.lower
w.shape
w.class
w.prefix1
w.prefix2
w.prefix3
w.prefix4
w.prefix5
w.suffix1
w.suffix2
w.suffix3
w.suffix4
w.suffix5
w.suffix6
w.middle4
w.middle5
w.middle6
w.middle7
w.middle8
w.prefix3 w.suffix2
w.prefix3 w.suffix3
w.prefix4 w.suffix2
w.suffix3 w.shape
w-1.lower
w+1.lower
w-2.lower
w+2.lower
w-1.lower w.lower
w.lower w+1.lower
w-1.lower w+1.lower
w-1.suffix3
w+1.suffix3
w-1.suffix2 w.suffix3
w.suffix3 w+1.suffix2
w-1.suffix2 w.suffix2 w+1.suffix2
w-1.shape w.shape w+1.shape
w-1.lower w.suffix3
w.suffix3 w+1.lower
w-1.class w.class
w.class w+1.class
"""

DICTIONARY_TEMPLATES = """
w.known
w-1.known
w+1.known
w-1.known w.known
w.known w+1.known
w-1.known w.known w+1.known
w-2.known w-1.known w.known
w.known w+1.known w+2.known
w.known w.suffix2
w.verbal w.known
w.verbal w-1.known w.known w+1.known
w.verbal w.lower
w.verbal w.suffix2
w.verbal w.suffix2 w+1.lower
w.verbal w-1.suffix2 w.suffix2
w.verbal w-1.lower w.suffix1
"""
"""Templates for encoders with a dictionary of tags."""

MORPH_TEMPLATES = """
w.form
w.lower
w.shape
w.prefix2
w.prefix3
w.prefix4
w.suffix1
w.suffix2
w.suffix3
w.suffix4
w.suffix5
w.suffix6
w.middle4
w.middle5
w.middle6
w.middle7
w.middle8
w.upos w.middle4
w.upos w.middle5
w.upos w.middle6
w.upos w.middle7
w.upos w.middle8
w.prefix3 w.suffix3
w.upos
w.upos w.suffix2
w.upos w.suffix3
w.upos w.suffix1
w.upos w.suffix4
w.upos w.suffix5
w.upos w.suffix6
w.middle4 w.middle7
w.middle5 w.middle8
w.suffix3 w.middle6
w.suffix2 w.middle5
w-1.upos w.upos
w.upos w+1.upos
w-1.upos w.upos w+1.upos
w-2.upos w-1.upos w.upos
w.upos w+1.upos w+2.upos
w-1.lower w.upos
w.upos w+1.lower
w-1.lower w.suffix3
w.suffix3 w+1.lower
w-1.suffix2 w.suffix3
w.suffix3 w+1.suffix2
w-1.suffix3 w.upos
w.upos w+1.suffix3
w-2.lower w.suffix2
w.suffix2 w+2.lower
w-1.upos w.lower
w.lower w+1.upos
w-1.lower w.lower
w.lower w+1.lower
"""
