"""Searches that are biased towards the trees of others; see `headway.scorers.biased`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from headway.corpus import Sentence
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoded
from headway.scorers.biased import Biased, Gamma, NoScores, Vote
from headway.search.search import Search
from headway.threads import Threads


class Advisor(Protocol):
    """Trees that a search may be biased towards."""

    @property
    def gammas(self) -> Sequence[Gamma]:
        """The weights of the trees of a sentence."""
        ...

    @property
    def alone(self) -> bool:
        """Whether the trees decide by their votes, without scores."""
        ...

    def votes(self, sentences: Sequence[Sentence], *, threads: Threads) -> Sequence[Sequence[Vote]]:
        """Return the trees of each sentence, one for each of `gammas`."""
        ...


def biased_search(
    search: Search, encoded: Encoded, votes: Sequence[Sequence[Vote]], gammas: Sequence[Gamma], *, alone: bool = False
) -> Search:
    """Return a search that is biased towards trees; with `alone`, one that counts their votes and nothing else."""
    if alone:
        scorer = Biased(NoScores(), votes, gammas, encoded)
        return replace(search, scorer=scorer, decoder=SpanningTree(), pruner=None, narrow=None)
    return replace(search, scorer=Biased(search.scorer, votes, gammas, encoded))
