"""The results of a constituent parser, and the weights of its models."""

from dataclasses import dataclass
from typing import Annotated, Any

from headway.constituency.tree import Tree, escaped_words
from headway.corpus.word import counted, shorten
from headway.support.schema import Within


@dataclass(frozen=True)
class Weights:
    """The weights of other models relative to the parser's log probabilities, and the pruning of the forest.

    Parameters
    ----------
    tags, dependencies, grammar : float
        The weights of tagger, dependency parser and, if both grammars are used, the markovised grammar. The first two
        were tuned on samples of GUM's dev set.
    beam, margin, narrow : float
        Pruning margins, as differences in log probability: of the chart's cells, of the forest without heads, and of
        the forest with heads.
    """

    tags: Annotated[float, Within(0.0, 1e6)] = 4.0
    dependencies: Annotated[float, Within(0.0, 1e6)] = 2.0
    beam: Annotated[float, Within(0.0, 1e6)] = 10.0
    margin: Annotated[float, Within(0.0, 1e6)] = 8.0
    narrow: Annotated[float, Within(0.0, 1e6)] = 14.0
    grammar: Annotated[float, Within(0.0, 1e6)] = 0.3


@dataclass(frozen=True, repr=False)
class ConstituentParse:
    """A tree with its score and certificate.

    Parameters
    ----------
    heads : list of int
        The head of every word, by the head rules: counted from 1, 0 for the root.
    score, bound : float
        The score and its upper bound, under all models that were used.
    certified : bool
        Whether the tree is proved to be the best of the forest.
    iterations : int
        The iterations of dual decomposition; 1 if the parser was used alone.
    fallback : bool
        Whether the tree is flat because the grammar has no tree.
    rank : int
        1 for the best tree, 2 for the second one: see `ConstituentParser.k_best`.
    partners : tuple of str
        The models that took part beside the parser: ``dependencies``, ``tags``.
    """

    tree: Tree
    heads: list[int]
    score: float
    bound: float
    certified: bool
    iterations: int
    fallback: bool = False
    rank: int = 1
    partners: tuple[str, ...] = ()

    def __repr__(self) -> str:
        found = "certified" if self.certified else "flat" if self.fallback else "not certified"
        return f"<ConstituentParse of {counted(len(self.tree), 'word')}, {found}: {shorten(str(self.tree))}>"

    @property
    def note(self) -> str:
        """A line about the search: ``certified, agrees with dependencies and tags``."""
        partners = " and ".join(self.partners)
        if self.fallback:
            return "flat: the grammar has no tree"
        if not self.certified:
            searched = f", with {partners}" if partners else ""
            return f"not certified: score {self.score:.2f}, at most {self.bound:.2f}{searched}"
        if self.rank > 1:
            return f"certified as tree {self.rank}{' with ' if partners else ''}{partners}"
        return f"certified{', agrees with ' if partners else ''}{partners}"

    def data(self) -> dict[str, Any]:
        """Return everything as a dictionary for JSON."""
        from headway.constituency.brackets import format_tree

        return {
            "tree": format_tree(escaped_words(self.tree)),
            "words": self.tree.forms,
            "tags": self.tree.tags,
            "heads": self.heads,
            "score": None if self.fallback else self.score,
            "bound": None if self.fallback else self.bound,
            "certified": self.certified,
            "iterations": self.iterations,
            "partners": list(self.partners),
            "fallback": self.fallback,
            "rank": self.rank,
        }
