"""Derive universal tags from the relations of gold trees: each word votes for a universal tag by its relation.

For example, ``case`` is a vote for ADP, ``cc`` for CCONJ, ``nsubj`` for NOUN. A conjunct votes like the first conjunct,
and a word whose relation is compatible with any class, such as the root, votes by the relations of its children.
Prepositions that are heads are recognised by their children. The known relations are those of both versions of
Universal Dependencies, of Stanford Dependencies and, where they are informative, of the CoNLL-X treebanks.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from headway.corpus import Sentence

_RELATIONS = {
    "ADJ": "amod",
    "ADP": "case prep adpmod",
    "ADV": "advmod neg adv",
    "AUX": "aux auxpass cop",
    "CCONJ": "cc cd coord preconj",
    "DET": "det predet",
    "INTJ": "discourse intj",
    "NOUN": """
        nsubj nsubjpass obj dobj iobj obl nmod appos vocative dislocated poss nn compound flat name
        sbj subj sb su suj sub obj1 obj2 oa da pobj pmod adpobj prepcomp
    """,
    "NUM": "nummod num",
    "PRON": "expl",
    "PUNCT": "punct punc pu p ponct",
    "SCONJ": "mark complm cp",
    "VERB": "xcomp ccomp advcl acl csubj rcmod vmod infmod partmod vc",
}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOTES = {relation: tag for tag, relations in _RELATIONS.items() for relation in _names(relations)}
_VERB_PARTICLES = _names("compound:prt prt svp")
_CONJUNCTS = _names("conj cj cnj")
_COORDINATORS = _names(_RELATIONS["CCONJ"])
_TOLD_BY_CHILDREN = _names("root sentence parataxis orphan ccomp xcomp advcl acl csubj") | _CONJUNCTS
_UNDER_VERBS = _names("nsubj nsubjpass csubj obj dobj iobj aux auxpass expl xcomp ccomp sbj subj sb su obj1 oa vc")
_UNDER_NOUNS = _names("det case amod nummod")
_UNDER_PREDICATES = _names("cop")
_UNDER_PREPOSITIONS = _names("pobj pmod pcomp adpobj prepcomp")


def relation_votes(sentence: Sentence) -> list[str | None]:
    """(n,) Return the universal tag that each word votes for; None if its relation is not informative.

    >>> relation_votes(Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"]))
    ['NOUN', 'VERB']
    """
    heads, labels = sentence.heads, [label.lower() for label in sentence.labels]
    relations = [label.split(":")[0] for label in labels]
    children: dict[int, set[str]] = defaultdict(set)
    for head, relation in zip(heads, relations, strict=True):
        children[head - 1].add(relation)
    return [
        "ADP" if label in _VERB_PARTICLES else _vote(_first_conjunct(word, heads, relations), relations, children)
        for word, label in enumerate(labels)
    ]


def _first_conjunct(word: int, heads: Sequence[int], relations: Sequence[str]) -> int:
    """Return the first conjunct of a conjunct, which may be attached to the coordinator; any other word itself."""
    if relations[word] in _CONJUNCTS:
        while heads[word] > 0 and relations[word] in _CONJUNCTS | _COORDINATORS:
            word = heads[word] - 1
    return word


def _vote(word: int, relations: Sequence[str], children: Mapping[int, set[str]]) -> str | None:
    relation, below = relations[word], children.get(word, set())
    if below & _UNDER_PREPOSITIONS:
        return "ADP"
    if relation not in _TOLD_BY_CHILDREN:
        return _VOTES.get(relation)
    if below & _UNDER_NOUNS:
        return "NOUN"
    if below & _UNDER_PREDICATES:
        return None
    return "VERB" if below & _UNDER_VERBS else _VOTES.get(relation)
