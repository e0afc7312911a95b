"""Bias a search towards the trees of other parsers; see `headway.scorers.biased`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from headway.corpus import Sentence
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoded
from headway.parts.candidate_batch import CandidateBatch
from headway.scorers.biased import Biased, Gamma, NoScores, Vote
from headway.search.search import Prunes, Search
from headway.support.threads import Threads


class Advisor(Protocol):
    """A source of trees that a search is biased towards."""

    @property
    def gammas(self) -> Sequence[Gamma]:
        """The weights of the trees of a sentence."""
        ...

    @property
    def alone(self) -> bool:
        """Whether the trees are combined by voting, without the parser's scores."""
        ...

    def votes(self, sentences: Sequence[Sentence], *, threads: Threads) -> Sequence[Sequence[Vote]]:
        """Return the trees of each sentence, one for each weight in `gammas`."""
        ...


@dataclass(frozen=True, eq=False)
class KeepsVotes:
    """A pruner that keeps the arcs of other parsers' trees, too, so that the search can choose them.

    Parameters
    ----------
    encoded : Encoded
        The sentences that the votes belong to; other sentences are pruned as usual.
    """

    pruner: Prunes
    votes: Sequence[Sequence[Vote]]
    encoded: Encoded

    def prune(self, encoded: Encoded, *, threads: Threads) -> CandidateBatch:
        """Return the arcs that are kept in each sentence; see `Prunes`."""
        kept = self.pruner.prune(encoded, threads=threads)
        if encoded is self.encoded and len(kept.starts):
            for sentence, votes in enumerate(self.votes):
                mask = kept.of(sentence)
                for vote in votes:
                    mask[vote.heads[1:], np.arange(1, len(vote.heads))] = True
        return kept


def biased_search(
    search: Search, encoded: Encoded, votes: Sequence[Sequence[Vote]], gammas: Sequence[Gamma], *, alone: bool = False
) -> Search:
    """Return a search that is biased towards trees; with `alone`, it combines them by voting, without scores."""
    if alone:
        scorer = Biased(NoScores(), votes, gammas, encoded)
        return replace(search, scorer=scorer, decoder=SpanningTree(), pruner=None, narrow=None)

    def keep_votes(pruner: Prunes | None) -> Prunes | None:
        return None if pruner is None else KeepsVotes(pruner, votes, encoded)

    scorer = Biased(search.scorer, votes, gammas, encoded)
    return replace(search, scorer=scorer, pruner=keep_votes(search.pruner), narrow=keep_votes(search.narrow))
