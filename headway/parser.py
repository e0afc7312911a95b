"""The front door: train a parser, load one, parse sentences."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from headway.corpus import Sentence
from headway.decoders import DECODERS
from headway.encoding import Encoded
from headway.errors import ConstraintError
from headway.learning import TrainingOptions, train_first_order
from headway.marginals import inside_outside, matrix_tree
from headway.model import FirstOrderModel
from headway.parts import Candidates, Parse, Scores
from headway.pipeline import IntArray, Threads, arc_scores, find_heads, find_labels
from headway.presets import find_preset
from headway.progress import Progress

_CHUNK = 512
"""Sentences that are encoded and parsed together."""


class Parser:
    """A trained parser.

    Parameters
    ----------
    model : FirstOrderModel

    Examples
    --------
    >>> from headway import Parser, read_sentences                                      # doctest: +SKIP
    >>> parser = Parser.train(read_sentences("train.conllu"), dev=read_sentences("dev.conllu"))  # doctest: +SKIP
    >>> for sentence in parser.parse(read_sentences("new.conllu")):                     # doctest: +SKIP
    ...     print(sentence.heads, sentence.labels)
    """

    def __init__(self, model: FirstOrderModel) -> None:
        self.model = model

    @classmethod
    def train(
        cls,
        train: Iterable[Sentence],
        *,
        dev: Iterable[Sentence] | None = None,
        preset: str = "first-order",
        options: TrainingOptions | None = None,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
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
        """
        model = train_first_order(
            list(train),
            None if dev is None else list(dev),
            preset=find_preset(preset),
            options=options or TrainingOptions(),
            progress=progress or Progress(),
            checkpoint=checkpoint,
        )
        return cls(model)

    @classmethod
    def load(cls, path: str | Path) -> "Parser":
        """Load a model file."""
        return cls(FirstOrderModel.load(path))

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
            Write the probability of every arc into MISC, as ``HeadProb=0.97``.
        """
        stream = iter(sentences)
        with Threads(threads) as pool:
            while chunk := list(islice(stream, _CHUNK)):
                yield from self._parse_chunk(
                    chunk, pool, single_root=single_root, keep_heads=keep_heads, confidence=confidence
                )

    def _parse_chunk(
        self,
        chunk: Sequence[Sentence],
        pool: Threads,
        *,
        single_root: bool,
        keep_heads: bool,
        confidence: bool,
    ) -> Iterator[Sentence]:
        model = self.model
        encoded = model.encoder.encode(chunk)
        projective = model.settings.projective
        heads = find_heads(encoded, model.arcs, projective=projective, single_root=single_root, threads=pool)
        if keep_heads:
            for index, sentence in enumerate(chunk):
                self._respect(sentence, encoded, index, heads, single_root=single_root)
        names = [model.labels[label] for label in find_labels(encoded, heads, model.namer, threads=pool)]
        found = heads.tolist()
        for index, sentence in enumerate(chunk):
            start, end = encoded.starts[index] + 1, encoded.starts[index + 1]
            labels = names[start:end]
            if keep_heads:
                labels = _kept_labels(sentence, labels)
            parsed = sentence.with_tree(found[start:end], labels)
            if confidence:
                chances = self._confidence(encoded, index, heads[start - 1 : end], single_root=single_root)
                parsed = parsed.with_misc("HeadProb", [f"{chance:.3f}" for chance in chances])
            yield parsed

    def _respect(self, sentence: Sentence, encoded: Encoded, index: int, heads: IntArray, *, single_root: bool) -> None:
        """Search again for the sentences that have heads already."""
        given = {modifier: head for modifier, head in enumerate(sentence.heads, start=1) if head >= 0}
        if given:
            start, end = encoded.starts[index], encoded.starts[index + 1]
            heads[start:end] = self._search(encoded, index, given, single_root=single_root).heads

    def _search(self, encoded: Encoded, index: int, required: dict[int, int], *, single_root: bool) -> Parse:
        table = arc_scores(encoded, index, self.model.arcs)
        candidates = Candidates.all(len(table) - 1).restrict(required=required, single_root=single_root)
        scores = Scores(arc=candidates.gather(table))
        if self.model.settings.projective:
            try:
                return DECODERS["eisner"](candidates, scores, single_root=single_root)
            except ConstraintError:  # arcs that cross were asked for
                pass
        return DECODERS["spanning-tree"](candidates, scores, single_root=single_root)

    def _confidence(
        self, encoded: Encoded, index: int, heads: IntArray, *, single_root: bool
    ) -> "np.ndarray[Any, np.dtype[np.float64]]":
        table = arc_scores(encoded, index, self.model.arcs) / self.model.settings.temperature
        candidates = Candidates.all(len(heads) - 1)
        infer = inside_outside if self.model.settings.projective else matrix_tree
        marginals = infer(candidates, Scores(arc=candidates.gather(table)), single_root=single_root)
        chances = candidates.dense(marginals.arc, 0.0)
        return chances[heads[1:], np.arange(1, len(heads))]

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
            "label_rows": len(model.namer.rows.values),
        }


def _kept_labels(sentence: Sentence, labels: list[str]) -> list[str]:
    return [
        old if head >= 0 and old != "_" else new
        for head, old, new in zip(sentence.heads, sentence.labels, labels, strict=True)
    ]
