"""The front door: train a parser, load one, parse sentences."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from headway.chunks import full_chunks, ready_chunks
from headway.corpus import Sentence
from headway.decoders import eisner, spanning_tree
from headway.encoding import Encoded
from headway.errors import ConstraintError, HeadwayError
from headway.learning import TrainingOptions, train_model
from headway.marginals import inside_outside, matrix_tree
from headway.model import TrainedModel
from headway.parts import Candidates, Parse, Scores
from headway.pipeline import EVERY_TABLE, IntArray, Threads, arc_scores, find_heads, find_labels
from headway.presets import find_preset
from headway.progress import Progress
from headway.search import SearchRule, climb_heads, climb_one, rivals

_CHUNK = 256
"""Sentences that are encoded and parsed together."""


class Parser:
    """A trained parser.

    Parameters
    ----------
    model : TrainedModel

    Notes
    -----
    A parser may be shared by threads. `Parser.train(...)` makes one from a treebank, `Parser.load(...)` from a file::

        parser = Parser.train(read_sentences("train.conllu"), dev=read_sentences("dev.conllu"))
        for sentence in parser.parse(read_sentences("new.conllu")):
            print(sentence.heads, sentence.labels)
    """

    def __init__(self, model: TrainedModel) -> None:
        self.model = model

    @classmethod
    def train(
        cls,
        train: Iterable[Sentence],
        *,
        dev: Iterable[Sentence] | None = None,
        preset: str = "fast",
        options: TrainingOptions | None = None,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
        about: str = "",
        without: Sequence[str] = (),
        tag_map: Mapping[str, str] | None = None,
    ) -> "Parser":
        """Train on a treebank.

        Parameters
        ----------
        train : iterable of Sentence
            With gold heads and labels.
        dev : iterable of Sentence, optional
            Decides when to stop, which search to use, and how confident to be.
        preset : str
            A recipe of `headway.presets`.
        checkpoint : Path, optional
            A folder for checkpoints: training goes on from what it holds.
        about : str
            Kept in the model for its users: the treebank and its licence, say.
        without : sequence of str
            Columns to be taken for empty, now and in parsing: ``("upos", "xpos", "feats")`` needs no tags.
        tag_map : mapping, optional
            From the treebank's coarse tags to universal ones, for global features.
        """
        model = train_model(
            list(train),
            None if dev is None else list(dev),
            preset=find_preset(preset),
            options=options or TrainingOptions(),
            progress=progress or Progress(),
            checkpoint=checkpoint,
            about=about,
            without=without,
            tag_map=tag_map,
        )
        return cls(model)

    @classmethod
    def load(cls, path: str | Path) -> "Parser":
        """Load a model file."""
        return cls(TrainedModel.load(path))

    def save(self, path: str | Path) -> None:
        """Write a model file."""
        self.model.save(path)

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        single_root: bool = True,
        keep_heads: bool = False,
        confidence: bool = False,
        live: bool = False,
        search: SearchRule | None = None,
        report: Callable[[HeadwayError], None] | None = None,
    ) -> Iterator[Sentence]:
        """Parse sentences, lazily and in order.

        Parameters
        ----------
        threads : int
        single_root : bool
            Whether every tree has exactly one child of the root.
        keep_heads : bool
            Keep the heads that sentences come with (and their labels); find the ones that are ``_``.
        confidence : bool
            Write the probability of every arc into MISC, as ``HeadProb=0.970``.
        live : bool
            Answer as sentences come, instead of waiting for a chunk to fill: for pipes that are written by hand.
        search : SearchRule, optional
            How trees are searched where the model has parts of higher order; the model's own way by default.
        report : callable, optional
            Told of sentences whose heads no tree can have, which are then left out; without it, they raise.
        """
        chunks = (ready_chunks if live else full_chunks)(sentences, _CHUNK)
        with Threads(threads) as pool:
            for chunk in chunks:
                encoded = self.model.encoder.encode(chunk)
                heads = self._find_heads(encoded, pool, single_root=single_root, search=search)
                impossible = set()
                if keep_heads:
                    impossible = self._keep_heads(chunk, encoded, heads, single_root=single_root, report=report)
                labels = self._find_labels(encoded, heads, pool)
                found = heads.tolist()
                for index, sentence in enumerate(chunk):
                    if index in impossible:
                        continue
                    words = slice(encoded.starts[index] + 1, encoded.starts[index + 1])
                    names = _kept_labels(sentence, labels[words]) if keep_heads else labels[words]
                    parsed = sentence.with_tree(found[words], names)
                    if confidence:
                        own = None if keep_heads else heads[encoded.starts[index] : encoded.starts[index + 1]]
                        table = self._probabilities(encoded, index, single_root=single_root, heads=own)
                        chances = table[heads[words], np.arange(1, len(sentence) + 1)]
                        parsed = parsed.with_misc("HeadProb", [f"{chance:.3f}" for chance in chances])
                    yield parsed

    def parse_one(
        self,
        sentence: Sentence,
        *,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
        single_root: bool = True,
    ) -> Parse:
        """Parse one sentence under constraints, and say how good the tree is.

        Parameters
        ----------
        required : mapping, optional
            The head that a word must have: modifier to head, words counted from 1, the root being 0.
        forbidden : iterable of (head, modifier), optional
            Arcs that must not be.

        Returns
        -------
        Parse
            With labels, score, bound and certificate.

        Raises
        ------
        ConstraintError
            If no tree meets the constraints.
        """
        encoded = self.model.encoder.encode([sentence])
        parse = self._search(encoded, 0, required, forbidden, single_root=single_root)
        with Threads() as pool:
            return replace(parse, labels=tuple(self._find_labels(encoded, parse.heads, pool)[1:]))

    def arc_probabilities(self, sentence: Sentence, *, single_root: bool = True) -> npt.NDArray[np.float64]:
        """(n + 1, n + 1) [head, modifier] How probable each arc is.

        Over all trees that the model can build or, with parts of higher order, beside the other heads that a word of
        the best tree could have, all other words staying; the root's only child then has no rival.
        """
        return self._probabilities(self.model.encoder.encode([sentence]), 0, single_root=single_root)

    def _find_heads(
        self, encoded: Encoded, pool: Threads, *, single_root: bool, search: SearchRule | None = None
    ) -> IntArray:
        model = self.model
        arcs = model.pruner.prune(encoded, threads=pool) if model.pruner else None
        projective = model.settings.projective
        if model.parts is None:
            return find_heads(
                encoded, model.arcs, projective=projective, single_root=single_root, threads=pool, arcs=arcs
            )
        return climb_heads(
            encoded, model.trees, arcs or EVERY_TABLE, rule=search or model.search, projective=projective,
            single_root=single_root, threads=pool,
        )  # fmt: skip

    def _find_labels(self, encoded: Encoded, heads: IntArray, pool: Threads) -> list[str]:
        names = self.model.labels
        return [names[label] for label in find_labels(encoded, heads, self.model.namer, threads=pool)]

    def _keep_heads(
        self,
        chunk: Sequence[Sentence],
        encoded: Encoded,
        heads: IntArray,
        *,
        single_root: bool,
        report: Callable[[HeadwayError], None] | None,
    ) -> set[int]:
        """Search again for the sentences that come with heads; the ones for which there is no tree are returned."""
        impossible = set()
        for index, sentence in enumerate(chunk):
            given = {modifier: head for modifier, head in enumerate(sentence.heads, start=1) if head >= 0}
            if not given:
                continue
            try:
                parse = self._search(encoded, index, given, None, single_root=single_root)
            except ConstraintError as error:
                located = ConstraintError(f"{sentence.path}:{sentence.line}: these heads cannot be kept: {error}")
                if report is None:
                    raise located from error
                report(located)
                impossible.add(index)
            else:
                heads[encoded.starts[index] : encoded.starts[index + 1]] = parse.heads
        return impossible

    def _search(
        self,
        encoded: Encoded,
        index: int,
        required: Mapping[int, int] | None,
        forbidden: Iterable[tuple[int, int]] | None,
        *,
        single_root: bool,
    ) -> Parse:
        def search(candidates: Candidates) -> Parse:
            candidates = candidates.restrict(required, forbidden, single_root=single_root)
            return self._search_among(encoded, index, candidates, single_root=single_root)

        if self.model.pruner is not None:
            try:
                return search(self._candidates(encoded, index, required or {}))
            except ConstraintError:  # what was pruned may meet the constraints
                pass
        return search(Candidates.all(int(encoded.lengths()[index])))

    def _search_among(self, encoded: Encoded, index: int, candidates: Candidates, *, single_root: bool) -> Parse:
        if self.model.parts is not None:
            return self._climb(encoded, index, candidates, single_root=single_root)
        scores = Scores(arc=candidates.gather(arc_scores(encoded, index, self.model.arcs)))
        if self.model.settings.projective:
            try:
                return eisner(candidates, scores, single_root=single_root)
            except ConstraintError:  # only trees with crossing arcs meet the constraints, if any do
                pass
        return spanning_tree(candidates, scores, single_root=single_root)

    def _climb(self, encoded: Encoded, index: int, candidates: Candidates, *, single_root: bool) -> Parse:
        model, allowed = self.model, candidates.mask()
        for projective in sorted({model.settings.projective, False}, reverse=True):
            parse = climb_one(
                encoded, index, model.trees, allowed, rule=model.search, projective=projective, single_root=single_root
            )
            if parse is not None:
                return parse
        return spanning_tree(
            candidates, Scores(np.zeros(len(candidates))), single_root=single_root
        )  # says what is wrong

    def _candidates(self, encoded: Encoded, index: int, required: Mapping[int, int]) -> Candidates:
        """The arcs that the model chooses from, and those that are asked for."""
        if self.model.pruner is None:
            return Candidates.all(int(encoded.lengths()[index]))
        with Threads() as pool:
            allowed = self.model.pruner.prune(encoded.some(np.array([index])), threads=pool).of(0)
        for modifier, head in required.items():
            if 0 <= head < len(allowed) and 0 < modifier < len(allowed) and head != modifier:
                allowed[head, modifier] = True
        return Candidates.from_mask(allowed)

    def _probabilities(
        self, encoded: Encoded, index: int, *, single_root: bool, heads: IntArray | None = None
    ) -> npt.NDArray[np.float64]:
        if self.model.parts is not None:
            return self._rival_probabilities(encoded, index, single_root=single_root, heads=heads)
        table = arc_scores(encoded, index, self.model.arcs) / self.model.settings.temperature
        candidates = self._candidates(encoded, index, {})
        infer = inside_outside if self.model.settings.projective else matrix_tree
        marginals = infer(candidates, Scores(arc=candidates.gather(table)), single_root=single_root)
        return candidates.dense(marginals.arc, 0.0)

    def _rival_probabilities(
        self, encoded: Encoded, index: int, *, single_root: bool, heads: IntArray | None
    ) -> npt.NDArray[np.float64]:
        """By how much each head makes a tree, the best one unless it is given, better or worse, as probabilities."""
        candidates = self._candidates(encoded, index, {})
        if heads is None:
            heads = self._climb(encoded, index, candidates, single_root=single_root).heads
        allowed = candidates.mask()
        allowed[heads[1:], np.arange(1, len(heads))] = True
        table = rivals(encoded, index, self.model.trees, allowed, heads)
        chances = np.zeros_like(table)
        chances[:, 1:] = softmax(table[:, 1:] / self.model.settings.temperature, axis=0)
        return chances

    def description(self) -> dict[str, Any]:
        """What is known about the model, ready for JSON."""
        model = self.model
        return {
            **model.facts,
            "labels_known": len(model.labels),
            "projective": model.settings.projective,
            "temperature": round(model.settings.temperature, 4),
            "forms_known": len(model.encoder.vocabularies["form"]),
            "morphology": model.encoder.morph_attributes,
            "arc_rows": len(model.arcs.rows.values),
            "part_rows": 0 if model.parts is None else len(model.parts.rows.values),
            "tensor_rank": model.arcs.tensor.shapes.shape[1],
            "label_rows": len(model.namer.rows.values),
        }


def _kept_labels(sentence: Sentence, labels: list[str]) -> list[str]:
    return [
        old if head >= 0 and old != "_" else new
        for head, old, new in zip(sentence.heads, sentence.labels, labels, strict=True)
    ]
