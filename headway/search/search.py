"""Search: combine a scorer, a decoder, a pruner and a calibrator.

Parsing, cost-augmented learning, confidence, k-best lists, constraints and analysis all go through `Search`. The plain
path gets the scores of a sentence's candidates from the scorer and passes them to the decoder. For some pairs of scorer
and decoder, batches take a fast path instead, which fuses scoring and search (`headway.search.fast_paths`).
"""

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from headway.decoders import Decoder, HasMarginals, ListsTrees, RunsChains, SearchesTrees
from headway.decoders.decoder import check_k, list_kinds, unread_kinds
from headway.decoders.eisner import Eisner
from headway.decoders.samples import Samples
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoded
from headway.errors import ConstraintError, ScoreError, UsageError
from headway.parts import Candidates, Kind, Parse, Scores
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch, IntArray, TreeBatch
from headway.parts.constraints import no_tree
from headway.parts.kinds import LONGEST
from headway.parts.part_counts import TooManyParts, check_parts
from headway.parts.scorer import Scorer, TableScorer
from headway.parts.table_scores import possible_scores
from headway.parts.tree_scorer import TreeScorer
from headway.search.calibrator import UNCALIBRATED, Calibrator
from headway.search.confidence import Confidence, Curve
from headway.search.fast_paths import find_fast_path
from headway.search.long_sentences import best_in_pieces, chances_in_pieces, trees_in_pieces
from headway.search.pieces import LONG, Joints, long_starts, sentence_starts
from headway.search.whole_sentences import whole_chances
from headway.support.threads import Threads

if TYPE_CHECKING:
    from headway.search.sampling import Sampler

Table = npt.NDArray[np.float64]


class Prunes(Protocol):
    """The interface of pruners, which remove arcs before they are scored."""

    def prune(self, encoded: Encoded, *, threads: Threads) -> CandidateBatch:
        """Return the arcs that are kept in each sentence."""
        ...


@dataclass(frozen=True)
class Search:
    """A scorer, a decoder, and their options.

    Parameters
    ----------
    pruner : optional
        Without one, all arcs are candidates.
    narrow : optional
        A pruner that removes more arcs, for finding trees; confidences consider all arcs that `pruner` keeps.
    temperature : float
        Scores are divided by this to become log probabilities.
    single_root : bool
        Whether the root has exactly one child in every tree.
    ignore : frozenset of Kind
        Kinds of parts that may be ignored if the decoder cannot read them.
    longest : int
        Sentences with more words are searched in pieces; see `headway.search.pieces`.
    calibrator : Calibrator
        Calibrates the probabilities of trees and their arcs.

    Raises
    ------
    UsageError
        If the scorer has a kind of parts that the decoder cannot read and that is not in `ignore`.
    """

    scorer: Scorer
    decoder: Decoder
    pruner: Prunes | None = None
    narrow: Prunes | None = None
    temperature: float = 1.0
    single_root: bool = True
    ignore: frozenset[Kind] = frozenset()
    longest: int = LONG
    calibrator: Calibrator = UNCALIBRATED

    def __post_init__(self) -> None:
        if missing := self.ignored - self.ignore:
            raise UsageError(
                f"{self.decoder.name} cannot read {list_kinds(missing)} parts, which the model scores: "
                "choose another decoder, or tell it to ignore them"
            )

    @property
    def ignored(self) -> frozenset[Kind]:
        """The kinds of parts that the scorer has but the decoder cannot read."""
        return unread_kinds(self.decoder, self.scorer.kinds, self.scorer.outer)

    @property
    def _first_order(self) -> Eisner | SpanningTree:
        """The exact first-order decoder for the same trees, projective or not."""
        return Eisner() if getattr(self.decoder, "projective", False) else _ARCS_ALONE

    def candidates(self, encoded: Encoded, *, threads: Threads, narrow: bool = True) -> CandidateBatch:
        """Return the candidate arcs for finding trees or, with ``narrow=False``, those that get probabilities."""
        pruner = (self.narrow if narrow else None) or self.pruner
        return ALL_ARCS if pruner is None else pruner.prune(encoded, threads=threads)

    def trees(
        self, encoded: Encoded, candidates: CandidateBatch | None = None, *, threads: Threads | None = None
    ) -> list[Parse]:
        """Find the tree of every sentence.

        If no tree can be built from the candidates, the fallback is the best first-order tree over all arcs. Long
        sentences are searched in pieces.

        Parameters
        ----------
        candidates : CandidateBatch, optional
            The arcs to search; by default, the arcs that the pruner keeps.
        """
        threads = threads or Threads()
        starts = long_starts(encoded, self.longest) if candidates is None else None
        if starts is not None:
            return trees_in_pieces(self, encoded, starts, threads=threads)
        candidates = self.candidates(encoded, threads=threads) if candidates is None else candidates
        batch = TreeBatch.of(encoded, np.arange(len(encoded)), candidates)
        fallbacks, ignored = self.write_trees(batch, threads=threads), self.ignored
        parses = []
        for sentence, ((score, bound), exact) in enumerate(
            zip(batch.outcomes.tolist(), batch.exact.tolist(), strict=True)
        ):
            finite_bound = bound if bound < np.inf else None
            parse = Parse(batch.heads[batch.rows(sentence)], score, bound=finite_bound, exact=exact, ignored=ignored)
            parses.append(fallbacks.get(sentence, parse))
        return parses

    def write_trees(self, batch: TreeBatch, *, threads: Threads) -> dict[int, Parse]:
        """Search the sentences of a batch; if there is no tree, fall back to the best first-order tree.

        Returns
        -------
        dict
            The fallback trees, by the index of the sentence.
        """
        fast_path = None if self.ignored & self.decoder.reads else find_fast_path(self.scorer, self.decoder)
        if fast_path is None:
            self.write_plainly(batch, threads=threads)
        else:
            fast_path(self.scorer, self.decoder, batch, single_root=self.single_root, threads=threads)
        fallbacks = {}
        for place in np.flatnonzero(~(batch.outcomes[:, 0] > -np.inf)).tolist():
            sentence = int(batch.sentences[place])
            fallbacks[sentence] = self._fallback(batch.encoded, sentence)
            batch.heads[batch.rows(sentence)] = fallbacks[sentence].heads
        return fallbacks

    def write_plainly(self, batch: TreeBatch, *, threads: Threads) -> None:
        """Search the sentences of a batch on the plain path, one at a time.

        Threads share the sentences; if there are fewer sentences than threads, and the decoder runs Markov chains, they
        share the chains of each sentence instead.
        """
        share_chains = isinstance(self.decoder, RunsChains) and len(batch.sentences) < threads.number
        decoder_threads = threads if share_chains else None

        def work(first: int, stride: int) -> None:
            for place in range(first, len(batch.sentences), stride):
                sentence = int(batch.sentences[place])
                rows = batch.rows(sentence)
                arcs, cost = batch.candidates.candidates(sentence, rows.stop - rows.start - 1), None
                if len(batch.gold):
                    cost = (arcs.heads != batch.gold[rows][arcs.modifiers]).astype(np.float64)
                try:
                    parse = self.decode(batch.encoded, sentence, arcs, cost=cost, threads=decoder_threads)
                except (ConstraintError, ScoreError):
                    batch.outcomes[place] = -np.inf, np.inf
                    continue
                batch.heads[rows] = parse.heads
                batch.outcomes[place] = parse.score, np.inf if parse.bound is None else parse.bound
                batch.exact[place] = parse.exact

        if share_chains:
            work(0, 1)
        else:
            threads.deal(work)

    def _fallback(self, encoded: Encoded, sentence: int) -> Parse:
        """Return the best first-order tree over all arcs, or a chain if scores are NaN."""
        all_arcs = Candidates.all(int(encoded.lengths()[sentence]))
        try:
            arcs = self.scorer.scores(encoded, sentence, all_arcs, {Kind.ARC})
            parse = self._first_order.decode(all_arcs, arcs, single_root=self.single_root)
        except ScoreError:
            return self._any_tree(all_arcs)
        return dataclasses.replace(parse, ignored=frozenset(self.scorer.kinds - {Kind.ARC}))

    def decode(
        self,
        encoded: Encoded,
        sentence: int,
        candidates: Candidates,
        *,
        cost: npt.NDArray[np.float64] | None = None,
        threads: Threads | None = None,
    ) -> Parse:
        """Find the tree of one sentence on the plain path.

        Parameters
        ----------
        threads : Threads, optional
            Threads to share the decoder's Markov chains, if it runs any.

        Raises
        ------
        ConstraintError
            If no tree can be built from the candidates, or their parts do not fit in memory (`TooManyParts`).
        ScoreError
            If scores are NaN.
        """
        decoder, kinds = self.decoder, self.scorer.kinds - self.ignored
        if isinstance(decoder, SearchesTrees) and not self.ignored and candidates.length <= LONGEST:
            if isinstance(self.scorer, TableScorer):
                check_parts(candidates.mask(), kinds)

            def scorer() -> TreeScorer:
                scores = self.scorer.tree_scorer(encoded, sentence, candidates)
                if cost is None:
                    return scores
                arcs = Candidates(scores.layout.offsets, scores.layout.heads)
                return scores._replace(arc=scores.arc + arcs.gather(candidates.dense(cost, 0.0)))

            if threads is not None and isinstance(decoder, RunsChains):
                from headway.search.sampling import anneal_chains  # imported here: it is slow to import

                return anneal_chains(decoder, scorer, single_root=self.single_root, threads=threads)
            return decoder.decode_trees(scorer(), single_root=self.single_root)
        if candidates.length > LONGEST and len(kinds) > 1:
            raise no_tree(candidates.length, single_root=self.single_root)  # too long for part keys
        tables = self.tables(encoded, sentence, candidates)
        parse = decoder.decode(candidates, tables, single_root=self.single_root, cost=cost)
        return dataclasses.replace(parse, ignored=self.ignored | (kinds & {Kind.GLOBAL}))

    def tables(self, encoded: Encoded, sentence: int, candidates: Candidates) -> Scores:
        """Return the scores of all parts that the decoder reads; raise TooManyParts if they do not fit in memory."""
        kinds = self.scorer.kinds - self.ignored
        check_parts(candidates.mask(), kinds)
        return self.scorer.scores(encoded, sentence, candidates, kinds)

    def best(
        self,
        encoded: Encoded,
        sentence: int,
        *,
        k: int = 1,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
        leaves: Collection[int] = (),
    ) -> Sequence[Parse]:
        """Find the k best trees of one sentence under constraints.

        Long sentences, and sentences whose parts do not fit in memory, are searched in pieces.

        Parameters
        ----------
        required : mapping of modifier to head, optional
        forbidden : iterable of (head, modifier), optional
        leaves : collection of int
            Words that must not have children.

        Raises
        ------
        ConstraintError
            If no tree satisfies the constraints.
        """
        self.check_k(k)
        length = int(encoded.lengths()[sentence])
        joints = Joints(dict(required or {}), frozenset(forbidden or ()), frozenset(leaves))
        if length > self.longest:
            starts = sentence_starts(encoded, sentence, self.longest)
            return best_in_pieces(self, encoded, sentence, starts, k=k, joints=joints)
        failure = ConstraintError("")
        candidate_sets = [*self._pruned(encoded, sentence, joints.required), Candidates.all(length)]
        for search in filter(None, (self, self.without_projectivity())):
            for candidates in candidate_sets:
                try:
                    restricted = candidates.restrict(
                        joints.required, joints.forbidden, leaves=joints.leaves, single_root=self.single_root
                    )
                    return search._list(encoded, sentence, restricted, k)
                except TooManyParts:
                    starts = sentence_starts(encoded, sentence, length // 2)
                    return best_in_pieces(self, encoded, sentence, starts, k=k, joints=joints)
                except ConstraintError as error:  # perhaps pruned arcs satisfy the constraints
                    failure = error
        raise failure

    def check_k(self, k: int) -> None:
        """Raise UsageError unless `k` is at least 1, and 1 if the decoder proves its tree but lists no others."""
        check_k(k)
        if k > 1 and getattr(self.decoder, "proves", False) and not isinstance(self.decoder, ListsTrees):
            raise UsageError(
                f"{self.decoder.name} finds only one tree: for a list, choose another decoder, such as model1 or eisner"
            )

    def _pruned(self, encoded: Encoded, sentence: int, required: Mapping[int, int]) -> Iterator[Candidates]:
        """Yield the arcs of a sentence that each pruner keeps, with the required arcs added."""
        size = int(encoded.lengths()[sentence]) + 1
        for pruner in filter(None, (self.narrow, self.pruner)):
            with Threads() as pool:
                mask = pruner.prune(encoded.some(np.array([sentence])), threads=pool).mask(0, size)
            for modifier, head in required.items():
                if 0 <= head < size and 0 < modifier < size and head != modifier:
                    mask[head, modifier] = True
            yield Candidates.from_mask(mask)

    def _list(self, encoded: Encoded, sentence: int, candidates: Candidates, k: int) -> Sequence[Parse]:
        try:
            if k > 1 and not isinstance(self.decoder, ListsTrees):
                return self._reranked(encoded, sentence, candidates, k)
            if k == 1:
                return [self.decode(encoded, sentence, candidates)]
            tables = self.tables(encoded, sentence, candidates)
            parses = self.decoder.k_best(candidates, tables, k=k, single_root=self.single_root)  # type: ignore[attr-defined]
        except ScoreError:
            return [self._any_tree(candidates)]
        return [dataclasses.replace(parse, ignored=self.ignored) for parse in parses]

    def _reranked(self, encoded: Encoded, sentence: int, candidates: Candidates, k: int) -> Sequence[Parse]:
        """List trees if the decoder finds only one: rerank its tree and the best first-order trees.

        They are ranked by all scores that the decoder reads.

        Only the best `_RERANKED` * k first-order trees are considered, so the list may miss some of the k best trees.
        """
        from headway.search.tree_lists import TreeList, score_trees  # imported here: most searches list no trees

        arcs = self.scorer.scores(encoded, sentence, candidates, frozenset({Kind.ARC}))
        best = self.decode(encoded, sentence, candidates)
        listed = self._first_order.k_best(candidates, arcs, k=_RERANKED * k, single_root=self.single_root)
        heads = np.unique(np.array([parse.heads for parse in (best, *listed)], dtype=np.int32), axis=0)
        trees, totals = TreeList(heads, np.zeros(len(heads))), np.empty(len(heads))
        score_trees(self._tree_scorer(encoded, sentence, trees.candidates()), heads, totals)
        order = np.argsort(-totals, kind="stable")[:k]
        return [Parse(heads[place], float(totals[place]), ignored=best.ignored) for place in order]

    def _tree_scorer(self, encoded: Encoded, sentence: int, candidates: Candidates) -> TreeScorer:
        """Return a tree scorer without the kinds of parts that the decoder cannot read."""
        if not self.ignored:
            return self.scorer.tree_scorer(encoded, sentence, candidates)
        kinds = self.scorer.kinds - self.ignored
        return possible_scores(candidates, self.scorer.scores(encoded, sentence, candidates, kinds))

    def _any_tree(self, candidates: Candidates) -> Parse:
        """Return a tree of the candidates regardless of scores, which are NaN: a chain if the candidates have it."""
        scores = Scores(arc=(candidates.heads == candidates.modifiers - 1).astype(np.float64))
        parse = _ARCS_ALONE.decode(candidates, scores, single_root=self.single_root)
        return Parse(parse.heads, np.nan, ignored=self.scorer.kinds)

    def without_projectivity(self) -> "Search | None":
        """Return a copy of this search that also finds non-projective trees; None if it already does."""
        decoder = self.decoder
        if not getattr(decoder, "projective", False):
            return None
        if "projective" in {field.name for field in dataclasses.fields(decoder)}:  # type: ignore[arg-type]
            return dataclasses.replace(self, decoder=dataclasses.replace(decoder, projective=False))  # type: ignore[type-var]
        return dataclasses.replace(self, decoder=_ARCS_ALONE, ignore=self.scorer.kinds)

    def with_seed(self, seed: int) -> "Search":
        """Return a copy of this search with another seed, if its decoder has one."""
        if "seed" not in {field.name for field in dataclasses.fields(self.decoder)}:  # type: ignore[arg-type]
            return self
        return dataclasses.replace(self, decoder=dataclasses.replace(self.decoder, seed=seed))  # type: ignore[type-var]

    def probabilities(self, encoded: Encoded, sentence: int, *, heads: IntArray | None = None) -> Table:
        """(n + 1, n + 1) [head, modifier] Return the calibrated probability of each arc.

        Computed from marginals, if the decoder has them, or from samples, if it runs Markov chains. Otherwise, the tree
        is compared with the trees that differ from it in the head of one word, or in which word is the root's child.

        Parameters
        ----------
        heads : (n + 1,) int32, optional
            The tree to compare with; by default, the best tree.
        """
        best = self.best(encoded, sentence)[0] if heads is None else Parse(heads, np.nan)
        return self.confidence(encoded, sentence, best, heads=best.heads).arcs

    def confidence(
        self,
        encoded: Encoded,
        sentence: int,
        best: Parse,
        *,
        heads: IntArray | None = None,
        candidates: CandidateBatch | None = None,
    ) -> Confidence:
        """Return the calibrated probabilities of arcs and trees.

        Parameters
        ----------
        best : Parse
            The best tree of the sentence.
        heads : (n + 1,) int32, optional
            See `probabilities`.
        """
        chances = self.chances(encoded, sentence, heads=heads, candidates=candidates, pieces=best.pieces)
        tags = encoded.tags[encoded.starts[sentence] : encoded.starts[sentence + 1]]
        return Confidence(chances(self.temperature), best, tags, self.calibrator, self.temperature)

    def chances(
        self,
        encoded: Encoded,
        sentence: int,
        *,
        heads: IntArray | None = None,
        candidates: CandidateBatch | None = None,
        pieces: Sequence[int] = (),
    ) -> Curve:
        """Return the uncalibrated probabilities of arcs as a function of the temperature; see `probabilities`.

        Parameters
        ----------
        pieces : sequence of int
            If the tree was searched in pieces, the number of words before each piece: `Parse.pieces`.
        """
        length = int(encoded.lengths()[sentence])
        if pieces := pieces or (sentence_starts(encoded, sentence, self.longest) if length > self.longest else ()):
            if heads is None and not isinstance(self.decoder, HasMarginals):
                heads = self.best(encoded, sentence)[0].heads
            return chances_in_pieces(self, encoded, sentence, pieces, heads)
        try:
            return whole_chances(self, encoded, sentence, heads=heads, candidates=candidates)
        except TooManyParts:
            starts = sentence_starts(encoded, sentence, length // 2)
            return self.chances(encoded, sentence, heads=heads, pieces=starts)

    def sample(
        self, encoded: Encoded, sentence: int, count: int, *, seed: int = 0, threads: Threads | None = None
    ) -> Samples:
        """Draw trees of one sentence, each with probability proportional to exp(score / temperature).

        Samples are independent if the decoder can draw such samples; otherwise they come from Markov chains
        (`headway.decoders.sampling`), with a `MixingWarning` if these have not mixed. The same seed gives the same
        trees on any number of threads.

        Parameters
        ----------
        count : int
            The number of trees.

        Returns
        -------
        Samples
            The trees, with the probabilities of arcs and other events, and their standard errors.
        """
        size = int(encoded.lengths()[sentence]) + 1
        if size > self.longest + 1:
            raise UsageError(f"a sentence of {size - 1:,} words is too long to sample (limit: {self.longest:,})")
        with Threads() as pool:
            mask = self.candidates(encoded.some(np.array([sentence])), threads=pool, narrow=False).mask(0, size)
        return self.sampler(encoded, sentence, mask, seed=seed, threads=threads).draw(count, self.temperature)

    def sampler(
        self,
        encoded: Encoded,
        sentence: int,
        allowed: npt.NDArray[np.bool_],
        *,
        seed: int = 0,
        threads: Threads | None = None,
    ) -> "Sampler":
        """Return a sampler of the trees of one sentence over the allowed arcs, at any temperature."""
        from headway.search.sampling import Sampler  # imported here: it is slow to import

        def tables(arcs: Candidates) -> Scores:
            return self.scorer.scores(encoded, sentence, arcs, self.scorer.kinds - self.ignored)

        def scorer(arcs: Candidates) -> TreeScorer:
            return self._tree_scorer(encoded, sentence, arcs)

        single_root, threads = self.single_root, threads or Threads()
        return Sampler(self.decoder, allowed, tables, scorer, single_root=single_root, seed=seed, threads=threads)


_ARCS_ALONE = SpanningTree()

_RERANKED = 4
"""For decoders that find only one tree: the number of first-order trees that are reranked per requested tree."""
