"""Write the result of a parse into a sentence.

Comments have scores, proofs and the probability of the tree; MISC has the probabilities of arcs and labels. Those of an
earlier parse are removed first, because they may not hold for the new tree.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from headway.corpus import Sentence
from headway.parts import Kind, Parse
from headway.search.confidence import Judgement

_JUDGEMENTS = ("tree_prob", "optimal", "gap", "parsed_in_pieces")
_CHANCES = ("HeadProb", "SecondHead", "SecondProb", "LabelProb")


def without_judgements(sentence: Sentence) -> Sentence:
    """Remove an earlier parser's scores, proofs and probabilities, which may not hold for the new tree."""
    if not sentence.has_notes("score", *_JUDGEMENTS, *_CHANCES):
        return sentence
    told = sentence.metadata
    judged = [*_JUDGEMENTS, *(["tree", "score"] if {"tree", "score"} <= told.keys() else [])]
    if not told.keys().isdisjoint(judged):
        sentence = sentence.without_comments(judged)
    for name in _CHANCES:
        if sentence.misc(name).count(None) < len(sentence):
            sentence = sentence.with_misc(name, [None] * len(sentence))
    return sentence


def without_breaks(sentence: Sentence) -> Sentence:
    """Return the sentence without ``# newdoc`` and ``# newpar``: only its first tree begins a document or paragraph."""
    copy = sentence.with_comments()
    copy.comments = [comment for comment in copy.comments if not comment.startswith(("# newdoc", "# newpar"))]
    return copy


def with_confidence(parsed: Sentence, judged: Judgement, whole: float | None) -> Sentence:
    """Return the sentence with the probabilities of its arcs and of the whole tree, if they are known."""
    heads = [None if np.isnan(chance) else f"{chance:.3f}" for chance in judged.chances]
    parsed = parsed.with_misc("HeadProb", heads)
    # A word may have only one possible head; and a lifted arc that was restored may be the second-best head.
    told = (judged.others > 0.0) & (judged.seconds != parsed.heads)
    pairs = list(zip(told, judged.seconds, judged.others, strict=True))
    parsed = parsed.with_misc("SecondHead", [str(head) if is_one else None for is_one, head, _ in pairs])
    parsed = parsed.with_misc("SecondProb", [f"{chance:.3f}" if is_one else None for is_one, _, chance in pairs])
    return parsed if whole is None else parsed.with_comments(f"# tree_prob = {whole:.3f}")


def proof_comment(parse: Parse) -> str:
    """Return the comment with the certificate of a tree."""
    ignoring = ", ".join(str(kind) for kind in Kind if kind in parse.ignored)
    if parse.exact:
        return f"# optimal = yes, ignoring: {ignoring}" if ignoring else "# optimal = yes"
    gap = np.inf if parse.bound is None else parse.bound - parse.score
    return f"# gap = {gap:.4f}, ignoring: {ignoring}" if ignoring else f"# gap = {gap:.4f}"


def unproved(parse: Parse, heads: Sequence[int]) -> Parse:
    """Remove bound and certificate from a parse if these are not the heads of its tree."""
    return parse if parse.heads[1:].tolist() == list(heads) else replace(parse, exact=False, bound=None)


def kept_labels(sentence: Sentence, labels: Sequence[str]) -> list[str]:
    """Return the labels of a tree, but those of the sentence for words whose heads were given."""
    return [
        old if head >= 0 and old != "_" else new
        for head, old, new in zip(sentence.heads, sentence.labels, labels, strict=True)
    ]
