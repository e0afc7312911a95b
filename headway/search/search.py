"""Search: a scorer, a decoder, a pruner and a calibration in one.

Parsing, cost-augmented learning, confidence, k-best lists, constraints and analysis all go through `Search`. The plain
path asks the scorer for scores over the candidates of a sentence and hands them to the decoder. Where scoring and
search are fused for speed (`headway.search.fast_paths`), batches take that way instead.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headway.decoders import Decoder, HasMarginals, ListsTrees, SearchesTrees
from headway.decoders.decoder import list_kinds, unread_kinds
from headway.decoders.eisner import Eisner
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoded
from headway.errors import ConstraintError, UsageError
from headway.marginals.softmax import softmax
from headway.parts import Candidates, Kind, Parse
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch, IntArray, TreeBatch
from headway.parts.constraints import no_tree
from headway.parts.kinds import LONGEST
from headway.parts.scorer import Scorer
from headway.search.confidence import Chances, Curve
from headway.search.fast_paths import find_fast_path
from headway.search.rivals import rivals
from headway.threads import Threads

Table = npt.NDArray[np.float64]


class Prunes(Protocol):
    """Something that leaves out arcs before they are scored."""

    def prune(self, encoded: Encoded, *, threads: Threads) -> CandidateBatch:
        """Return the arcs of every sentence that are still possible."""
        ...


@dataclass(frozen=True)
class Search:
    """A scorer, a decoder, and what goes with them.

    Parameters
    ----------
    pruner : optional
        All arcs are candidates without one.
    narrow : optional
        A pruner that leaves out more, for finding trees; confidences are told beside all that `pruner` keeps.
    temperature : float
        What scores are divided by before they count as log probabilities.
    single_root : bool
        Whether every tree has exactly one child of the root.
    ignore : frozenset of Kind
        Kinds of parts that the scorer has and that may be left out if the decoder cannot read them.

    Raises
    ------
    UsageError
        If the decoder cannot read a kind of the scorer that is not to be ignored.
    """

    scorer: Scorer
    decoder: Decoder
    pruner: Prunes | None = None
    narrow: Prunes | None = None
    temperature: float = 1.0
    single_root: bool = True
    ignore: frozenset[Kind] = frozenset()

    def __post_init__(self) -> None:
        if missing := self.ignored - self.ignore:
            raise UsageError(
                f"{self.decoder.name} cannot read {list_kinds(missing)} parts, which the model scores: "
                "choose another decoder, or tell it to ignore them"
            )

    @property
    def ignored(self) -> frozenset[Kind]:
        """The kinds of parts that the scorer has and the decoder leaves out."""
        return unread_kinds(self.decoder, self.scorer.kinds, self.scorer.outer)

    def candidates(self, encoded: Encoded, *, threads: Threads, narrow: bool = True) -> CandidateBatch:
        """Return the arcs that trees are made of; with `narrow`, those that trees are searched among."""
        pruner = (self.narrow if narrow else None) or self.pruner
        return ALL_ARCS if pruner is None else pruner.prune(encoded, threads=threads)

    def trees(
        self, encoded: Encoded, candidates: CandidateBatch | None = None, *, threads: Threads | None = None
    ) -> list[Parse]:
        """Find the tree of every sentence.

        Where the candidates hold no tree, or a sentence is too long, arcs alone decide, among all of them.

        Parameters
        ----------
        candidates : CandidateBatch, optional
            What the pruner leaves, by default.
        """
        threads = threads or Threads()
        candidates = self.candidates(encoded, threads=threads) if candidates is None else candidates
        batch = TreeBatch.of(encoded, np.arange(len(encoded)), candidates)
        failed, ignored = self.write_trees(batch, threads=threads), self.ignored
        parses = []
        for sentence, (score, bound) in enumerate(batch.outcomes.tolist()):
            known = bound if bound < np.inf else None
            parse = Parse(batch.heads[batch.rows(sentence)], score, bound=known, exact=score >= bound, ignored=ignored)
            parses.append(failed.get(sentence, parse))
        return parses

    def write_trees(self, batch: TreeBatch, *, threads: Threads) -> dict[int, Parse]:
        """Search the sentences of a batch; where there is no tree, the best one by arcs alone is written.

        Returns
        -------
        dict
            The trees by arcs alone, by the numbers of their sentences.
        """
        path = None if self.ignored & self.decoder.reads else find_fast_path(self.scorer, self.decoder)
        if path is None:
            self.write_plainly(batch, threads=threads)
        else:
            path(self.scorer, self.decoder, batch, single_root=self.single_root, threads=threads)
        failed = {}
        for place in np.flatnonzero(~(batch.outcomes[:, 0] > -np.inf)).tolist():
            sentence = int(batch.sentences[place])
            failed[sentence] = self._fallback(batch.encoded, sentence)
            batch.heads[batch.rows(sentence)] = failed[sentence].heads
        return failed

    def write_plainly(self, batch: TreeBatch, *, threads: Threads) -> None:
        """Search the sentences of a batch by the plain path, one after the other."""

        def work(first: int, stride: int) -> None:
            for place in range(first, len(batch.sentences), stride):
                sentence = int(batch.sentences[place])
                rows = batch.rows(sentence)
                arcs, cost = batch.candidates.candidates(sentence, rows.stop - rows.start - 1), None
                if len(batch.gold):
                    cost = (arcs.heads != batch.gold[rows][arcs.modifiers]).astype(np.float64)
                try:
                    parse = self.decode(batch.encoded, sentence, arcs, cost=cost)
                except ConstraintError:
                    batch.outcomes[place] = -np.inf, np.inf
                    continue
                batch.heads[rows] = parse.heads
                batch.outcomes[place] = parse.score, np.inf if parse.bound is None else parse.bound

        threads.deal(work)

    def _fallback(self, encoded: Encoded, sentence: int) -> Parse:
        """Return the best tree by arcs alone, of all arcs; NaN scores: a chain."""
        length = int(encoded.lengths()[sentence])
        ignored = frozenset(self.scorer.kinds - {Kind.ARC})
        everything = Candidates.all(length)
        try:
            arcs = self.scorer.scores(encoded, sentence, everything, {Kind.ARC})
            decoder = Eisner() if getattr(self.decoder, "projective", False) else _ARCS_ALONE
            parse = decoder.decode(everything, arcs, single_root=self.single_root)
        except UsageError:
            return Parse(np.arange(-1, length, dtype=np.int32), np.nan, ignored=ignored)
        return dataclasses.replace(parse, ignored=ignored)

    def decode(
        self,
        encoded: Encoded,
        sentence: int,
        candidates: Candidates,
        *,
        cost: npt.NDArray[np.float64] | None = None,
    ) -> Parse:
        """Find the tree of one sentence by the plain path; ConstraintError if the candidates hold none."""
        decoder, kinds = self.decoder, self.scorer.kinds - self.ignored
        if isinstance(decoder, SearchesTrees) and not self.ignored and candidates.length <= LONGEST:
            scores = self.scorer.tree_scorer(encoded, sentence, candidates)
            if cost is not None:
                arcs = Candidates(scores.layout.offsets, scores.layout.heads)
                scores = scores._replace(arc=scores.arc + arcs.gather(candidates.dense(cost, 0.0)))
            return decoder.decode_trees(scores, single_root=self.single_root)
        if candidates.length > LONGEST and len(kinds) > 1:
            raise no_tree(candidates.length, single_root=self.single_root)  # parts of so long a sentence have no keys
        tables = self.scorer.scores(encoded, sentence, candidates, kinds)
        parse = decoder.decode(candidates, tables, single_root=self.single_root, cost=cost)
        return dataclasses.replace(parse, ignored=self.ignored | (kinds & {Kind.GLOBAL}))

    def best(
        self,
        encoded: Encoded,
        sentence: int,
        *,
        k: int = 1,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
    ) -> Sequence[Parse]:
        """Find the k best trees of one sentence under constraints.

        Parameters
        ----------
        required : mapping of modifier to head, optional
        forbidden : iterable of (head, modifier), optional

        Raises
        ------
        ConstraintError
            If no tree meets the constraints.
        """
        banned, length = list(forbidden or ()), int(encoded.lengths()[sentence])
        choices, failure = list[Candidates](), ConstraintError("")
        for pruner in filter(None, (self.narrow, self.pruner)):
            with Threads() as pool:
                mask = pruner.prune(encoded.some(np.array([sentence])), threads=pool).mask(0, length + 1)
            for modifier, head in (required or {}).items():
                if 0 <= head <= length and 0 < modifier <= length and head != modifier:
                    mask[head, modifier] = True
            choices.append(Candidates.from_mask(mask))
        choices.append(Candidates.all(length))
        for search in filter(None, (self, self.without_projectivity())):
            for candidates in choices:
                try:
                    fewer = candidates.restrict(required, banned, single_root=self.single_root)
                    return search._list(encoded, sentence, fewer, k)
                except ConstraintError as error:  # what was left out may meet the constraints
                    failure = error
        raise failure

    def _list(self, encoded: Encoded, sentence: int, candidates: Candidates, k: int) -> Sequence[Parse]:
        if k == 1:
            return [self.decode(encoded, sentence, candidates)]
        if not isinstance(self.decoder, ListsTrees):
            raise UsageError(f"{self.decoder.name} finds one tree: to list the best, choose model1 or eisner, say")
        tables = self.scorer.scores(encoded, sentence, candidates, self.scorer.kinds - self.ignored)
        found = self.decoder.k_best(candidates, tables, k=k, single_root=self.single_root)
        return [dataclasses.replace(parse, ignored=self.ignored) for parse in found]

    def without_projectivity(self) -> "Search | None":
        """Return a search among trees with crossing arcs, too; None if this one is."""
        decoder = self.decoder
        if not getattr(decoder, "projective", False):
            return None
        if "projective" in {field.name for field in dataclasses.fields(decoder)}:  # type: ignore[arg-type]
            return dataclasses.replace(self, decoder=dataclasses.replace(decoder, projective=False))  # type: ignore[type-var]
        return dataclasses.replace(self, decoder=_ARCS_ALONE, ignore=self.scorer.kinds)

    def with_seed(self, seed: int) -> "Search":
        """Return the same search with other random numbers, where the decoder has some."""
        if "seed" not in {field.name for field in dataclasses.fields(self.decoder)}:  # type: ignore[arg-type]
            return self
        return dataclasses.replace(self, decoder=dataclasses.replace(self.decoder, seed=seed))  # type: ignore[type-var]

    def probabilities(self, encoded: Encoded, sentence: int, *, heads: IntArray | None = None) -> Table:
        """(n + 1, n + 1) [head, modifier] Return the probability of each arc.

        Over all trees that the decoder chooses from, where it has marginals; else beside the other heads that a word of
        the tree could have, all other words staying; another word may take the place of the one at the root.

        Parameters
        ----------
        heads : (n + 1,) int32, optional
            The tree in question; the best one by default.
        """
        return self.chances(encoded, sentence, heads=heads)(self.temperature).arcs

    def chances(
        self,
        encoded: Encoded,
        sentence: int,
        *,
        heads: IntArray | None = None,
        candidates: CandidateBatch | None = None,
    ) -> Curve:
        """Return the probabilities of arcs as a function of the temperature; see `probabilities`."""
        size = int(encoded.lengths()[sentence]) + 1
        if candidates is None:
            with Threads() as pool:
                some = encoded.some(np.array([sentence]))
                mask = self.candidates(some, threads=pool, narrow=False).mask(0, size)
        else:
            mask = candidates.mask(sentence, size).copy()
        decoder = self.decoder
        if isinstance(decoder, HasMarginals):
            arcs = Candidates.from_mask(mask)
            tables = self.scorer.scores(encoded, sentence, arcs, self.scorer.kinds - self.ignored)

            def marginals(temperature: float) -> Chances:
                scaled = tables.scaled(1.0 / temperature)
                try:
                    found = decoder.marginals(arcs, scaled, single_root=self.single_root)
                except ConstraintError:
                    found = _ARCS_ALONE.marginals(arcs, scaled, single_root=self.single_root, ignore=self.scorer.kinds)
                return Chances(arcs.dense(found.arc, 0.0), found.log_partition)

            return marginals
        if heads is None:
            heads = self.best(encoded, sentence)[0].heads
        mask[heads[1:], np.arange(1, size)] = True
        table = rivals(self.scorer, encoded, sentence, mask, heads, single_root=self.single_root)

        def beside_rivals(temperature: float) -> Chances:
            found = np.zeros_like(table)
            found[:, 1:] = softmax(table[:, 1:] / temperature)
            return Chances(found)

        return beside_rivals


_ARCS_ALONE = SpanningTree()
