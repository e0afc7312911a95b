"""Ensembles: bias a parser's search towards the trees of other parsers or of a file (`headway.scorers.biased`).

An `Ensemble` is a parser with further parsers as members. Each member parses a sentence separately; their trees bias
the first parser's search, or replace its scores by votes (`reparse`). The members' weights are learned on a dev set.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from headway.corpus import Layout, Sentence, read_sentences
from headway.corpus.trees import tree_problems
from headway.errors import CorpusError, ModelError, UsageError
from headway.model import TrainedModel
from headway.model_file import read_text_tensor, text_tensor, write_model_file
from headway.parser import Parser
from headway.parts import Kind
from headway.scorers.biased import Gamma, Vote
from headway.search.biased import biased_search
from headway.support.threads import Threads

KEY = "ensemble"
"""The name of the tensor by which model files of ensembles are recognised."""

SCALES = (0.0, 0.1, 0.2, 0.35, 0.6, 1.0, 2.0)
"""The arc weights that `Ensemble.tuned` tries for all members together."""
FACTORS = (0.0, 0.5, 2.0)
"""The factors that it then tries for the weight of each member."""
SHARES = (0.0, 0.15, 0.3)
"""The weights of second- and third-order parts that it tries, relative to arcs."""


def read_gamma(text: str) -> Gamma:
    """Parse weights written as one to three numbers separated by commas."""
    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or not np.isfinite(numbers).all():
        raise UsageError(f"expected one to three numbers separated by commas, such as 1,0.3,0.1, not {text!r}")
    return Gamma(*numbers)


@dataclass(frozen=True)
class TreeFile:
    """The trees of a file; they are looked up by the words of a sentence.

    Parameters
    ----------
    trees : mapping
        Maps the words of a sentence to its heads.
    path : str
        The file, for error messages.
    digest : int
        A checksum of the trees, so that ``--resume`` notices when they change.
    """

    trees: Mapping[tuple[str, ...], tuple[int, ...]] = field(repr=False)
    gamma: Gamma
    path: str
    digest: int = 0
    alone: bool = False

    @classmethod
    def read(cls, path: str, *, gamma: Gamma | None = None, layout: Layout | None = None) -> "TreeFile":
        """Read a file of trees; CorpusError, with the line, if a sentence has no valid tree."""
        trees: dict[tuple[str, ...], tuple[int, ...]] = {}
        for sentence in read_sentences(path, layout=layout):
            heads = tuple(sentence.heads)
            if problems := list(tree_problems(heads, single_root=False)):
                raise CorpusError(
                    f"the --like file has no valid tree for a sentence: {'; '.join(problems)}",
                    path=path,
                    line=sentence.line,
                )
            trees.setdefault(tuple(sentence.forms), heads)
        return cls(trees, gamma or Gamma(), path, crc32(repr(sorted(trees.items())).encode()))

    @property
    def gammas(self) -> Sequence[Gamma]:
        """The weights of the trees; see `Advisor`."""
        return (self.gamma,)

    def votes(self, sentences: Sequence[Sentence], *, threads: Threads) -> Sequence[Sequence[Vote]]:
        """Look up the trees of sentences; CorpusError if the file does not have one; see `Advisor`."""
        found = []
        for sentence in sentences:
            heads = self.trees.get(tuple(sentence.forms))
            if heads is None:
                what = f"{self.path} has no tree for these {len(sentence)} words: it must hold the same sentences"
                raise CorpusError(what, path=sentence.path, line=sentence.line)
            found.append([Vote(np.array([-1, *heads], dtype=np.int32))])
        return found


@dataclass(frozen=True)
class Members:
    """Other parsers as advisors.

    Parameters
    ----------
    confident : bool
        Whether to multiply the weights of arcs by their calibrated probabilities.
    alone : bool
        Whether the trees are combined by voting, without the first parser's scores.
    """

    parsers: tuple[Parser, ...]
    gammas: tuple[Gamma, ...]
    confident: bool = False
    alone: bool = False

    def votes(self, sentences: Sequence[Sentence], *, threads: Threads) -> Sequence[Sequence[Vote]]:
        """Parse sentences by all members; see `Advisor`."""
        columns = [tree_votes(parser, sentences, threads=threads, confident=self.confident) for parser in self.parsers]
        return [[column[place] for column in columns] for place in range(len(sentences))]


def tree_votes(
    parser: Parser, sentences: Sequence[Sentence], *, threads: Threads, confident: bool = False
) -> list[Vote]:
    """Parse sentences and return the trees as votes; if `confident`, with the probabilities of their arcs."""
    encoded, search = parser.model.encoder.encode(sentences), parser.model.search()
    votes = []
    for number, parse in enumerate(search.trees(encoded, threads=threads)):
        sure = None
        if confident:
            arcs = search.confidence(encoded, number, parse, heads=parse.heads).arcs
            sure = np.concatenate([[0.0], arcs[parse.heads[1:], np.arange(1, len(parse.heads))]])
        votes.append(Vote(parse.heads.astype(np.int32), sure))
    return votes


def learn_gammas(
    right: Callable[[Sequence[Gamma]], int],
    gammas: Sequence[Gamma],
    *,
    together: bool = True,
    parts: bool = False,
    report: Callable[[int, Gamma, int], None] | None = None,
) -> list[Gamma]:
    """Search the weights that give most correct heads: first one weight for all members, then each separately.

    A coarse grid is used, because a fine one would overfit to a small dev set.

    Parameters
    ----------
    right : callable
        Maps weights to the number of correct heads.
    gammas : sequence of Gamma
        The weights to start from; ties are won by the weights tried first.
    together : bool
        Whether to start with the same weight for all members; otherwise weights are only changed one by one.
    parts : bool
        Whether to learn weights for second- and third-order parts, too.
    report : callable, optional
        Called with each member's number, its weights, and the number of correct heads.
    """
    most, best = right(gammas), list(gammas)

    def attempt(options: Sequence[list[Gamma]]) -> None:
        nonlocal most, best
        for weights in options:
            if weights != best and (count := right(weights)) > most:
                most, best = count, weights

    if together and len(gammas) > 1:
        attempt([[replace(gamma, arc=scale) for gamma in gammas] for scale in SCALES])
    for place in range(len(gammas)):

        def change(gamma: Gamma, place: int = place) -> list[Gamma]:
            return [*best[:place], gamma, *best[place + 1 :]]

        alone, arc = len(gammas) == 1, best[place].arc
        steps = SCALES if alone or arc == 0.0 else [factor * arc for factor in FACTORS]
        attempt([change(replace(best[place], arc=step)) for step in steps])
        if parts and (arc := best[place].arc):
            attempt([change(Gamma(arc, s * arc, t * arc)) for s in SHARES for t in SHARES if s + t > 0.0])
        if report is not None:
            report(place, best[place], most)
    return best


class Ensemble(Parser):
    """A parser whose search is biased towards the trees of other parsers.

    Parameters
    ----------
    model : TrainedModel
        The model of the first parser, which searches and labels.
    members : sequence of Parser
        The other parsers.
    gammas : sequence of Gamma
        The weights of the members; with `reparse`, they are preceded by the weight of the first parser's tree.
    confident : bool
        Whether to multiply the weights of arcs by their calibrated probabilities.
    reparse : bool
        Whether to combine all trees by voting, without scores (Sagae and Lavie 2006).
    """

    def __init__(
        self,
        model: TrainedModel,
        members: Sequence[Parser],
        gammas: Sequence[Gamma],
        *,
        confident: bool = False,
        reparse: bool = False,
    ) -> None:
        super().__init__(model)
        model.check_bias()
        if not members:
            raise UsageError("an ensemble needs at least two parsers")
        if len(gammas) != len(members) + int(reparse):
            raise UsageError(f"{len(gammas)} weights for {len(members)} other parsers")
        self.members, self.gammas, self.confident, self.reparse = tuple(members), tuple(gammas), confident, reparse
        voters = (Parser(model), *self.members) if reparse else self.members
        self.advisor: Members = Members(voters, self.gammas, confident, alone=reparse)

    def tuned(self, dev: Sequence[Sentence], *, report: Callable[[str], None] | None = None) -> "Ensemble":
        """Return this ensemble with the best weights on a dev set; see `learn_gammas`."""
        encoded, gold = self.model.encoder.encode(dev), [np.array(sentence.heads) for sentence in dev]
        search, gammas = self.model.search(), list(self.gammas)
        with Threads() as pool:
            votes = self.advisor.votes(dev, threads=pool)

            def right(weights: Sequence[Gamma]) -> int:
                found = biased_search(search, encoded, votes, weights, alone=self.reparse).trees(encoded, threads=pool)
                return sum(int((parse.heads[1:] == heads).sum()) for parse, heads in zip(found, gold, strict=True))

            words = sum(map(len, dev))

            def tell(place: int, gamma: Gamma, count: int) -> None:
                if report is not None:
                    report(f"parser {place + 1 + int(not self.reparse)}: {gamma}, UAS {100 * count / words:.2f}")

            parts = not self.reparse and Kind.GLOBAL not in search.scorer.kinds
            gammas = learn_gammas(right, gammas, together=not self.reparse, parts=parts, report=tell)
        return Ensemble(self.model, self.members, gammas, confident=self.confident, reparse=self.reparse)

    def save(self, path: str | Path) -> None:
        """Write all members to one model file."""
        about = {
            "gammas": [list(vars(gamma).values()) for gamma in self.gammas],
            "facts": [member.model.facts for member in self.members],
            "confident": self.confident,
            "reparse": self.reparse,
        }
        tensors: dict[str, npt.NDArray[Any]] = {**self.model.tensors(), KEY: text_tensor(about)}
        for number, member in enumerate(self.members):
            tensors |= {f"member{number}.{name}": array for name, array in member.model.tensors().items()}
        write_model_file(path, tensors, {**self.model.facts, "members": len(self.members) + 1})

    @classmethod
    def from_tensors(cls, path: str | Path, parser: Parser, tensors: Mapping[str, npt.NDArray[Any]]) -> "Ensemble":
        """Build an ensemble from its first parser and the arrays of a model file."""
        try:
            about = read_text_tensor(tensors[KEY])
            gammas = [Gamma(*map(float, weights)) for weights in about["gammas"]]
            if not all(np.isfinite(list(vars(gamma).values())).all() for gamma in gammas):
                raise ValueError("weights of an ensemble")
            members = []
            for number, facts in enumerate(about["facts"]):
                begin = f"member{number}."
                member_tensors = {
                    name.removeprefix(begin): array for name, array in tensors.items() if name.startswith(begin)
                }
                members.append(Parser(TrainedModel.from_tensors(path, member_tensors, dict(facts))))
            return cls(
                parser.model, members, gammas, confident=bool(about["confident"]), reparse=bool(about["reparse"])
            )
        except UsageError as error:
            raise ModelError(f"{path}: {error}") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"{path}: the members of this ensemble do not fit together ({error})") from error
