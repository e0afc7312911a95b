"""Search a batch of sentences under constraints, or with heads that are given."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from headway.corpus import Sentence
from headway.encoding import Encoded
from headway.errors import ConstraintError, HeadwayError
from headway.parts import Parse
from headway.parts.candidate_batch import IntArray
from headway.search.constraints import Constraint
from headway.search.search import Search
from headway.support.threads import Threads


def sentence_rows(encoded: Encoded) -> list[slice]:
    """Return the rows of each sentence."""
    return [slice(start, end) for start, end in itertools.pairwise(encoded.starts.tolist())]


def ranked_heads(encoded: Encoded, trees: Sequence[Sequence[Parse]]) -> Iterator[IntArray]:
    """(rows,) Yield the heads of all best trees, then of all second best, …; missing trees are replaced by the best."""
    for rank in range(max(map(len, trees), default=0)):
        heads = np.arange(-1, len(encoded.atoms) - 1, dtype=np.int32)
        for rows, parses in zip(sentence_rows(encoded), trees, strict=True):
            heads[rows] = (
                parses[min(rank, len(parses) - 1)].heads if parses else np.arange(-1, rows.stop - rows.start - 1)
            )
        yield heads


def constrained_trees(
    search: Search,
    chunk: Sequence[Sentence],
    encoded: Encoded,
    known: Sequence[Sequence[Parse]],
    k: int,
    pool: Threads,
    *,
    keep_heads: bool,
    constraints: Sequence[Constraint],
    tag_map: Mapping[str, str],
    report: Callable[[HeadwayError], None] | None,
) -> list[Sequence[Parse]]:
    """Find the k best trees of each sentence under its constraints, or with its heads; none if there is no such tree.

    If the best trees are `known` already, only sentences with heads or forbidden arcs are searched again.
    """
    trees: list[Sequence[Parse]] = list(known) or [[]] * len(chunk)
    problems: dict[int, ConstraintError] = {}

    def work(first: int, stride: int) -> None:
        for index in range(first, len(chunk), stride):
            required = {}
            if keep_heads:
                required = {modifier: head for modifier, head in enumerate(chunk[index].heads, start=1) if head >= 0}
            leaves = [word for rule in constraints for word in rule.childless(chunk[index], tag_map)]
            if required or leaves or not known:
                try:
                    trees[index] = search.best(encoded, index, k=k, required=required, leaves=leaves)
                except ConstraintError as error:
                    problems[index] = error

    pool.deal(work)
    for index, error in sorted(problems.items()):
        refuse(chunk[index], "these heads" if keep_heads else "the constraints", error, report)
        trees[index] = []
    return trees


def refuse(
    sentence: Sentence, what: str, error: ConstraintError, report: Callable[[HeadwayError], None] | None
) -> None:
    """Report that `what` cannot be kept in a sentence or, without `report`, raise ConstraintError."""
    located = ConstraintError(f"{sentence.path}:{sentence.line}: {what} cannot be kept: {error}")
    if report is None:
        raise located from error
    report(located)
