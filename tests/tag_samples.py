"""Made-up treebanks with tags of any names, to find universal tags in."""

from collections.abc import Mapping

from headway.corpus import Sentence

TAGS = {
    "DET": "A", "NOUN": "B", "VERB": "C", "ADP": "D", "CCONJ": "E", "PUNCT": "F", "ADJ": "G", "SCONJ": "H", "PART": "I",
    "PRON": "J", "NUM": "K", "AUX": "L",
}  # fmt: skip
"""The names of tags in `sample`, by the universal tags that they stand for."""

_PREFIXES = [first + second for first in "bdgklmnp" for second in "aeiou"]

_UNIVERSAL = (
    # form, universal tag, head, relation
    ("the", "DET", 2, "det"), ("*noun", "NOUN", 4, "nsubj"), ("can", "AUX", 4, "aux"), ("*verb", "VERB", 0, "root"),
    ("a", "DET", 7, "det"), ("*adj", "ADJ", 7, "amod"), ("*noun", "NOUN", 4, "obj"), ("and", "CCONJ", 10, "cc"),
    ("a", "DET", 10, "det"), ("*noun", "NOUN", 7, "conj"), ("near", "ADP", 13, "case"), ("the", "DET", 13, "det"),
    ("*noun", "NOUN", 4, "obl"), ("because", "SCONJ", 17, "mark"), ("she", "PRON", 17, "nsubj"),
    ("can", "AUX", 17, "aux"), ("*verb", "VERB", 13, "acl"), ("to", "PART", 19, "mark"),
    ("*verb", "VERB", 13, "acl"), ("7", "NUM", 19, "obj"), (".", "PUNCT", 4, "punct"),
)  # fmt: skip

_PREPOSITIONS_AS_HEADS = (
    # "the noun verb noun and noun in a noun .": the coordinator and the preposition have what they join below them
    ("the", "DET", 2, "NMOD"), ("*noun", "NOUN", 3, "SBJ"), ("*verb", "VERB", 0, "ROOT"), ("*noun", "NOUN", 3, "OBJ"),
    ("and", "CCONJ", 4, "COORD"), ("*noun", "NOUN", 5, "CONJ"), ("in", "ADP", 3, "LOC"), ("a", "DET", 9, "NMOD"),
    ("*noun", "NOUN", 7, "PMOD"), (".", "PUNCT", 3, "P"),
)  # fmt: skip


def sample(
    *, prepositions_as_heads: bool = False, labels: bool = True, tags: Mapping[str, str] = TAGS, sentences: int = 120
) -> list[Sentence]:
    """Sentences of one pattern, in Universal Dependencies or as in CoNLL-X, with many words for each ``*`` in it."""
    pattern = _PREPOSITIONS_AS_HEADS if prepositions_as_heads else _UNIVERSAL
    forms, universal, heads, relations = zip(*pattern, strict=True)
    columns = {
        "upos": [tags[tag] for tag in universal],
        "xpos": [tags[tag] for tag in universal],
        "labels": [relation if labels else "dep" for relation in relations],
    }
    return [
        Sentence.from_words(
            [form.replace("*", _PREFIXES[(7 * number + place) % len(_PREFIXES)]) for place, form in enumerate(forms)],
            heads=heads,
            **columns,
        )
        for number in range(sentences)
    ]
