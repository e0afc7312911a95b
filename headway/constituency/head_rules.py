"""Head rules: tables that determine the head child of each phrase, and the dependencies derived from them.

A line of a table has a phrase, the side to search from, and the labels to search for, in order of priority::

    PP right IN TO VBG VBN RP FW      the rightmost IN; if there is none, the rightmost TO; …

If no label is found, the head is the first child from that side that is not punctuation. If a phrase has several lines,
they are tried in turn. Labels joined by a bar have the same priority. ``*`` stands for all phrases without a line.

Collins (1999), "Head-driven statistical models for natural language parsing", appendix A.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headway.constituency.tree import Tree, bare_label
from headway.errors import UsageError

ENGLISH = """
ADJP left NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP right RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP right CC RB IN
FRAG right
INTJ left
LST right LS :
NAC left NN|NNS NNP|NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
NP last POS
NP right NN|NNP|NNPS|NNS|NX|POS|JJR
NP left NP
NP right $|ADJP|PRN
NP right CD
NP right JJ|JJS|RB|QP
NP right
PP right IN TO VBG VBN RP FW
PRN left
PRT right RP
QP left $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC right VP NP ADVP ADJP PP
S left TO IN VP S SBAR ADJP UCP NP
SBAR left WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ left SQ S SINV SBARQ FRAG
SINV left VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ left VBZ VBD VBP VB MD VP SQ
UCP right
VP left TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
WHADJP left CC WRB JJ ADJP
WHADVP right CC WRB
WHNP left WDT WP WP$ WHADJP WHPP WHNP
WHPP right IN TO FW
* left
"""
"""Collins's table for the labels of the Penn Treebank. As in his table, NX has no line."""

GERMAN = """
S left VVFIN|VAFIN|VMFIN VVIMP VP VZ S CVP
CS left S
VP right VVPP VVINF|VVIZU|VAINF VZ VP
NP right NN|NE|PPER|PDS|PIS NM NP CNP
PN right NE NN
PP left APPR|APPRART PROAV PP
AP right ADJA ADJD AP
AVP right ADV AVP
CNP left NP NN NE
* right
"""
"""A short table for the labels of the TIGER treebank: an example for other languages."""

TABLES = {"english": ENGLISH, "german": GERMAN}
"""The built-in tables by name; a model file contains the name or the text of its table."""

_PUNCTUATION = frozenset(
    [
        *(",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"), *("$,", "$.", "$(", "$[", "$*LRB*"),
        *("PU", "PUNC", "PUNCT", "PONCT", "?", "!", ";", "\"", "(", ")"),
    ]
)  # fmt: skip
"""Tags of punctuation in the Penn, TIGER, Chinese and French treebanks and in Universal Dependencies."""
_COORDINATORS = frozenset(["CC", "KON", "CONJP", "CCONJ"])


@dataclass(frozen=True)
class HeadRules:
    """A parsed table.

    Parameters
    ----------
    lines : mapping of str to list of (str, tuple of (frozenset of str))
        For each phrase, the sides and the labels to search for.
    """

    lines: Mapping[str, list[tuple[str, tuple[frozenset[str], ...]]]]

    @classmethod
    def read(cls, table: str) -> "HeadRules":
        """Parse a table, or one of `TABLES` given by its name; UsageError if a line is invalid."""
        if table not in TABLES and "\n" not in table and len(table.split()) == 1:
            raise UsageError(f"no head rules {table!r}; there are {', '.join(TABLES)}, and files of rules")
        lines: dict[str, list[tuple[str, tuple[frozenset[str], ...]]]] = {}
        for number, line in enumerate(TABLES.get(table, table).split("\n"), start=1):
            phrase, *rest = line.split() or [""]
            if not phrase or (phrase.startswith("#") and rest[:1] not in (["left"], ["right"], ["last"])):
                continue  # a blank line, or a comment
            if not rest or rest[0] not in ("left", "right", "last"):
                raise UsageError(f"head rules, line {number}: expected a phrase, left, right or last, and labels")
            wanted = tuple(frozenset(entry.split("|")) for entry in rest[1:])
            lines.setdefault(phrase, []).append((rest[0], wanted))
        lines.setdefault("*", [("left", ())])
        return cls(lines)

    def head(self, phrase: str, children: Sequence[str]) -> int:
        """Return the index of the head child, given the children's bare labels.

        In a coordination that ends in the head (``A CC head``), the first conjunct is the head instead.
        """
        found = self._wanted(phrase, children)
        if found >= 2 and children[found - 1] in _COORDINATORS:
            before = found - 2
            while before > 0 and children[before] in _PUNCTUATION:
                before -= 1
            return before if children[before] not in _PUNCTUATION else found
        return found

    def _wanted(self, phrase: str, children: Sequence[str]) -> int:
        side = "left"
        for side, wanted in self.lines.get(phrase, self.lines["*"]):
            order = range(len(children)) if side == "left" else range(len(children) - 1, -1, -1)
            for labels in wanted:
                for place in order[:1] if side == "last" else order:
                    if children[place] in labels:
                        return place
        order = range(len(children)) if side == "left" else range(len(children) - 1, -1, -1)
        return next((place for place in order if children[place] not in _PUNCTUATION), order[0])


def head_children(tree: Tree, rules: HeadRules) -> list[int]:
    """(nodes,) Return the head child of every node, -1 for pre-terminals."""
    bare = [bare_label(label) for label in tree.labels]
    return [
        below[rules.head(bare[node], [bare[child] for child in below])] if below else -1
        for node, below in enumerate(tree.children)
    ]


def head_words(tree: Tree, heads: Sequence[int]) -> list[int]:
    """(nodes,) Return the head word of every node, counted from 0, given the head children."""
    words = [0] * len(tree.labels)
    place = {leaf: word for word, leaf in enumerate(tree.leaves)}
    for node in range(len(words) - 1, -1, -1):
        words[node] = place[node] if heads[node] < 0 else words[heads[node]]
    return words


def dependencies(tree: Tree, rules: HeadRules) -> tuple[list[int], list[str]]:
    """Return the head of every word (from 1; 0 for the root) and its label, the largest phrase that it is the head of.

    >>> from headway.constituency.brackets import parse_trees
    >>> tree = next(parse_trees("(ROOT (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks))))"))
    >>> dependencies(tree, HeadRules.read("english"))
    ([2, 3, 0], ['DT', 'NP-SBJ', 'root'])
    """
    heads = head_children(tree, rules)
    words = head_words(tree, heads)
    above, labels = [0] * len(tree), ["root"] * len(tree)
    for node, parent in enumerate(tree.parents):
        if parent >= 0 and heads[parent] != node:
            above[words[node]], labels[words[node]] = words[parent] + 1, tree.labels[node]
    return above, labels
