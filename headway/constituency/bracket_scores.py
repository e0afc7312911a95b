"""Labelled brackets as EVALB counts them: precision, recall, F1, exact match, crossing brackets, tags.

A bracket is a label and the words from its first to its last one, pre-terminals apart. As EVALB's parameter file
``COLLINS.prm`` has it, the top's label and punctuation are left out, and ADVP and PRT count as one label.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headway.constituency.head_rules import HeadRules, dependencies
from headway.constituency.tree import EMPTY, Tree, bare_label, without_empty
from headway.errors import UsageError


@dataclass(frozen=True)
class BracketRules:
    """The settings of EVALB's parameter file.

    Parameters
    ----------
    deleted : frozenset of str
        Labels that do not count: words with such a tag are left out, phrases lose their bracket.
    equal : frozenset of frozenset of str
        Labels that count as one.
    """

    deleted: frozenset[str] = frozenset(["TOP", "ROOT", "S1", "", EMPTY, ",", ":", "``", "''", ".", "?", "!"])
    equal: frozenset[frozenset[str]] = frozenset([frozenset(["ADVP", "PRT"])])

    def name(self, label: str) -> str:
        """Return the label that a label counts as."""
        bare = bare_label(label)
        return next((min(group) for group in self.equal if bare in group), bare)


COLLINS = BracketRules()


@dataclass(frozen=True)
class SentenceScore:
    """The counts of one sentence: brackets in common, in gold and in the system's tree, crossings, words, tags."""

    matched: int
    gold: int
    system: int
    crossing: int
    words: int
    tags: int
    arcs: int
    arc_words: int

    @property
    def exact(self) -> bool:
        """Whether all brackets are right."""
        return self.matched == self.gold == self.system


@dataclass(frozen=True)
class BracketScores:
    """The scores of many sentences, in per cent where they are shares."""

    sentences: Sequence[SentenceScore]

    def _total(self, name: str) -> int:
        return sum(getattr(sentence, name) for sentence in self.sentences)

    @property
    def precision(self) -> float:
        """Of the system's brackets, those that are right."""
        return _share(self._total("matched"), self._total("system"))

    @property
    def recall(self) -> float:
        """Of the gold brackets, those that were found."""
        return _share(self._total("matched"), self._total("gold"))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _share(2 * self._total("matched"), self._total("gold") + self._total("system"))

    @property
    def exact(self) -> float:
        """Sentences with the right brackets and no others."""
        return _share(sum(sentence.exact for sentence in self.sentences), len(self.sentences))

    @property
    def crossing(self) -> float:
        """Brackets of the system that cross gold ones, a sentence."""
        return self._total("crossing") / max(len(self.sentences), 1)

    @property
    def no_crossing(self) -> float:
        """Sentences in which no bracket crosses a gold one."""
        return _share(sum(sentence.crossing == 0 for sentence in self.sentences), len(self.sentences))

    @property
    def tags(self) -> float:
        """Words with the right tag, punctuation apart."""
        return _share(self._total("tags"), self._total("words"))

    @property
    def arcs(self) -> float:
        """Words with the right head, by the head rules, punctuation and all."""
        return _share(self._total("arcs"), self._total("arc_words"))

    def data(self) -> dict[str, float | int]:
        """All of it, by name."""
        names = ("precision", "recall", "f1", "exact", "crossing", "no_crossing", "tags", "arcs")
        return {"sentences": len(self.sentences), **{name: getattr(self, name) for name in names}}


def score_trees(
    gold: Iterable[Tree],
    system: Iterable[Tree],
    *,
    rules: BracketRules = COLLINS,
    head_rules: HeadRules | None = None,
) -> BracketScores:
    """Score trees against gold trees of the same sentences; UsageError where sentences differ."""
    heads = head_rules or HeadRules.read("english")
    pairs = []
    trees = iter(system)
    for number, right in enumerate(gold, start=1):
        found = next(trees, None)
        if found is None:
            raise UsageError(f"tree {number} has no counterpart: the system's file ends before it")
        pairs.append(score_tree(right, found, number=number, rules=rules, head_rules=heads))
    if next(trees, None) is not None:
        raise UsageError(f"the system's file has more than {len(pairs)} trees")
    return BracketScores(pairs)


def score_tree(
    gold: Tree, system: Tree, *, number: int = 1, rules: BracketRules = COLLINS, head_rules: HeadRules
) -> SentenceScore:
    """Score one tree; see `score_trees`."""
    gold, system = without_empty(gold), without_empty(system)
    forms = gold.forms, system.forms
    if forms[0] != forms[1]:
        at = next((i for i, pair in enumerate(zip(*forms, strict=False)) if pair[0] != pair[1]), min(map(len, forms)))
        raise UsageError(f"tree {number}: the words differ, first at word {at + 1}")
    counted = [tag not in rules.deleted for tag in gold.tags]
    places = [0]
    for counts in counted:
        places.append(places[-1] + counts)
    right, found = (_brackets(tree, places, rules) for tree in (gold, system))
    crossing = sum(
        count
        for (_, start, end), count in found.items()
        if any(a < start < b < end or start < a < end < b for _, a, b in right)
    )
    tags = sum(one == other for one, other, counts in zip(gold.tags, system.tags, counted, strict=True) if counts)
    arcs = zip(dependencies(gold, head_rules)[0], dependencies(system, head_rules)[0], strict=True)
    return SentenceScore(
        (right & found).total(), right.total(), found.total(), crossing, sum(counted), tags,
        sum(one == other for one, other in arcs), len(gold),
    )  # fmt: skip


def _brackets(tree: Tree, places: Sequence[int], rules: BracketRules) -> Counter[tuple[str, int, int]]:
    """Count labels and spans over the words that count."""
    spans = tree.spans.tolist()
    found: Counter[tuple[str, int, int]] = Counter()
    for node, (label, word) in enumerate(zip(tree.labels, tree.words, strict=True)):
        start, end = places[spans[node][0]], places[spans[node][1]]
        if word is None and start < end and bare_label(label) not in rules.deleted:
            found[rules.name(label), start, end] += 1
    return found


def _share(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
