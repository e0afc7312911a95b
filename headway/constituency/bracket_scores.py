"""Bracket scores like EVALB's: precision, recall, F1, exact match, crossing brackets, tags.

A bracket is the label and the span of a phrase; pre-terminals have none. As in EVALB's parameter file ``COLLINS.prm``,
the top bracket and punctuation are ignored, and ADVP and PRT are treated as equal.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headway.constituency.bracket_rules import COLLINS, BracketRules
from headway.constituency.head_rules import HeadRules, dependencies
from headway.constituency.tree import Tree, bare_label, escaped_word, without_empty
from headway.errors import CorpusError


@dataclass(frozen=True)
class SentenceScore:
    """The counts of one sentence: matched, gold and system brackets, crossing brackets, words, tags."""

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
        """Whether all brackets are correct."""
        return self.matched == self.gold == self.system


@dataclass(frozen=True)
class BracketScores:
    """The scores of many sentences; shares are in per cent."""

    sentences: Sequence[SentenceScore]

    def up_to(self, length: int) -> "BracketScores":
        """Return the scores of sentences of at most `length` words, without ignored ones."""
        return BracketScores([sentence for sentence in self.sentences if sentence.words <= length])

    def _total(self, name: str) -> int:
        return sum(getattr(sentence, name) for sentence in self.sentences)

    @property
    def precision(self) -> float:
        """The share of the system's brackets that are correct."""
        return _share(self._total("matched"), self._total("system"))

    @property
    def recall(self) -> float:
        """The share of the gold brackets that were found."""
        return _share(self._total("matched"), self._total("gold"))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _share(2 * self._total("matched"), self._total("gold") + self._total("system"))

    @property
    def exact(self) -> float:
        """The share of sentences with exactly the gold brackets."""
        return _share(sum(sentence.exact for sentence in self.sentences), len(self.sentences))

    @property
    def crossing(self) -> float:
        """The mean number, per sentence, of system brackets that cross gold brackets."""
        return self._total("crossing") / max(len(self.sentences), 1)

    @property
    def no_crossing(self) -> float:
        """The share of sentences in which no bracket crosses a gold bracket."""
        return _share(sum(sentence.crossing == 0 for sentence in self.sentences), len(self.sentences))

    @property
    def tags(self) -> float:
        """Tagging accuracy, without punctuation."""
        return _share(self._total("tags"), self._total("words"))

    @property
    def arcs(self) -> float:
        """The share of words with the correct head by the head rules, including punctuation."""
        return _share(self._total("arcs"), self._total("arc_words"))

    def data(self) -> dict[str, float | int]:
        """Return all scores by name."""
        names = ("precision", "recall", "f1", "exact", "crossing", "no_crossing", "tags", "arcs")
        return {"sentences": len(self.sentences), **{name: getattr(self, name) for name in names}}


def score_trees(
    gold: Iterable[Tree],
    system: Iterable[Tree],
    *,
    rules: BracketRules = COLLINS,
    head_rules: HeadRules | None = None,
    names: tuple[str, str] = ("the gold file", "the system's file"),
) -> BracketScores:
    """Score trees against gold trees of the same sentences.

    Parameters
    ----------
    names : tuple of (str, str)
        The names of the files, for error messages.

    Raises
    ------
    CorpusError
        If the sentences differ, with file and line.
    """
    heads = head_rules or HeadRules.read("english")
    pairs = []
    trees = iter(system)
    for number, right in enumerate(gold, start=1):
        found = next(trees, None)
        if found is None:
            reason = f"this tree, number {number}, has no counterpart: {names[1]} has only {number - 1}"
            raise CorpusError(reason, path=names[0], line=right.line or None)
        pairs.append(score_tree(right, found, rules=rules, head_rules=heads, names=names))
    if (extra := next(trees, None)) is not None:
        reason = f"this tree has no counterpart: {names[0]} has only {len(pairs)}"
        raise CorpusError(reason, path=names[1], line=extra.line or None)
    return BracketScores(pairs)


def score_tree(
    gold: Tree,
    system: Tree,
    *,
    rules: BracketRules = COLLINS,
    head_rules: HeadRules,
    names: tuple[str, str] = ("the gold file", "the system's file"),
) -> SentenceScore:
    """Score one tree; see `score_trees`."""
    gold, system = without_empty(gold), without_empty(system)
    _check_words(gold, system, rules, names)
    counted = [bare_label(tag) not in rules.deleted for tag in gold.tags]
    places = [0]
    for counts in counted:
        places.append(places[-1] + counts)
    right, found = (_brackets(tree, places, rules) for tree in (gold, system))
    spans = {(start, end) for _, start, end in right}
    crossing = sum(
        count
        for (_, start, end), count in found.items()
        if any(a < start < b < end or start < a < end < b for a, b in spans)
    )
    tags = sum(
        bare_label(one) == bare_label(other)
        for one, other, counts in zip(gold.tags, system.tags, counted, strict=True)
        if counts
    )
    arcs = zip(dependencies(gold, head_rules)[0], dependencies(system, head_rules)[0], strict=True)
    return SentenceScore(
        (right & found).total(), right.total(), found.total(), crossing, sum(counted), tags,
        sum(one == other for one, other in arcs), len(gold),
    )  # fmt: skip


def _check_words(gold: Tree, system: Tree, rules: BracketRules, names: tuple[str, str]) -> None:
    """Raise CorpusError, with the position in both files, if the trees have different words."""
    words = [[rules.word(escaped_word(form)) for form in tree.forms] for tree in (gold, system)]
    if words[0] == words[1]:
        return
    place = next((i for i, pair in enumerate(zip(*words, strict=False)) if pair[0] != pair[1]), min(map(len, words)))
    there = [repr(forms[place]) if place < len(forms) else "nothing" for forms in words]
    reason = f"word {place + 1} of this tree is {there[1]}, but {there[0]} in {names[0]}"
    if gold.line:
        reason += f", line {gold.line}"
    raise CorpusError(reason, path=names[1], line=system.line or None)


def _brackets(tree: Tree, places: Sequence[int], rules: BracketRules) -> Counter[tuple[str, int, int]]:
    """Count brackets by label and span; ignored words have no position."""
    spans = tree.spans.tolist()
    found: Counter[tuple[str, int, int]] = Counter()
    for node, (label, word) in enumerate(zip(tree.labels, tree.words, strict=True)):
        start, end = places[spans[node][0]], places[spans[node][1]]
        if word is None and start < end and bare_label(label) not in rules.deleted:
            found[rules.name(label), start, end] += 1
    return found


def _share(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
