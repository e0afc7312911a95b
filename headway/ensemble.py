"""Ensembles: parsers, or files of trees, that bias another parser's search (`headway.scorers.biased`).

An `Ensemble` is a parser with members. Each member parses a sentence by itself; the trees bias the search of the first
one, or decide alone by their votes (`reparse`). Weights are learned on a dev set.
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
from headway.threads import Threads

KEY = "ensemble"
"""The tensor of a model file that makes it an ensemble."""

SCALES = (0.0, 0.1, 0.2, 0.35, 0.6, 1.0, 2.0)
"""The weights of arcs that `Ensemble.tuned` tries, for all members together."""
FACTORS = (0.0, 0.5, 2.0)
"""What it then multiplies the weight of each member by."""
SHARES = (0.0, 0.15, 0.3)
"""What parts of order two and three weigh beside arcs."""


def read_gamma(text: str) -> Gamma:
    """Return weights written as one to three numbers with commas between."""
    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or not np.isfinite(numbers).all():
        raise UsageError(f"expected one to three numbers separated by commas, such as 1,0.3,0.1, not {text!r}")
    return Gamma(*numbers)


@dataclass(frozen=True)
class TreeFile:
    """The trees of a file, by the words of their sentences.

    Parameters
    ----------
    trees : mapping
        From the words of a sentence to its heads.
    path : str
        For error messages.
    digest : int
        Of the trees, so that ``--resume`` notices when they change.
    """

    trees: Mapping[tuple[str, ...], tuple[int, ...]] = field(repr=False)
    gamma: Gamma
    path: str
    digest: int = 0
    alone: bool = False

    @classmethod
    def read(cls, path: str, *, gamma: Gamma | None = None, layout: Layout | None = None) -> "TreeFile":
        """Read a file of trees; CorpusError, with the line, where something is no tree."""
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
        """The weights of its trees; see `Advisor`."""
        return (self.gamma,)

    def votes(self, sentences: Sequence[Sentence], *, threads: Threads) -> Sequence[Sequence[Vote]]:
        """Return the trees of sentences; CorpusError for one that the file does not have; see `Advisor`."""
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
    """Parsers as advisors.

    Parameters
    ----------
    confident : bool
        Whether arcs count by their calibrated probabilities.
    alone : bool
        Whether their votes decide, without scores.
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
    """Return the trees that a parser finds for sentences, with the probabilities of their arcs if asked for."""
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
    """Return the weights under which most words are right: one for all members first, then one after the other.

    A few coarse steps learn less from the noise of a small dev set than a fine grid does.

    Parameters
    ----------
    right : callable
        From weights to the number of words that are right.
    gammas : sequence of Gamma
        Where the search starts; of weights that are equally good, the first that was tried stays.
    together : bool
        Whether members get the same weight first; weights are otherwise only changed one by one.
    parts : bool
        Whether parts of order two and three get weights, too.
    report : callable, optional
        Told of each member's number, its weights, and how many words are right.
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
    """A parser whose search is biased towards the trees of others.

    Parameters
    ----------
    model : TrainedModel
        The one that searches and labels.
    members : sequence of Parser
        The others.
    gammas : sequence of Gamma
        Their weights; with `reparse`, one more, of the first parser's tree, comes before them.
    confident : bool
        Whether arcs count by their calibrated probabilities.
    reparse : bool
        Whether the votes of all decide, and no scores (Sagae and Lavie 2006).
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
        """Return this ensemble with the weights that are best on a dev set; see `learn_gammas`."""
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
        """Write one model file with all members."""
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
        """Return the ensemble that the arrays of a file make around its first parser."""
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
