"""The main interface: train a parser, load one, parse sentences."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway import corpus
from headway.corpus import Sentence
from headway.corpus.arguments import checked_sentence, checked_sentences
from headway.corpus.word import counted, shorten
from headway.decoders.samples import Samples
from headway.encoding import Encoded
from headway.encoding.vectors import WordVectors
from headway.errors import ConstraintError, HeadwayError, UsageError
from headway.learning import TrainingOptions
from headway.marginals.softmax import softmax
from headway.model import UNCALIBRATED, TrainedModel
from headway.parts import Parse
from headway.parts.candidate_batch import IntArray
from headway.parts.scorer import Scorer
from headway.progress import Progress
from headway.scorers.linear_models import LabelModel
from headway.scorers.linear_scorer import LinearScorer
from headway.search import Search, SearchRule
from headway.search.batches import constrained_trees, ranked_heads, refuse, sentence_rows
from headway.search.constraints import Constraint, constrained_labels
from headway.search.labels import find_labels, label_scores
from headway.search.notes import (
    kept_labels,
    proof_comment,
    unproved,
    with_confidence,
    without_breaks,
    without_judgements,
)
from headway.search.pieces import LONG, joined_words
from headway.support.arguments import check_flag, check_kind, check_whole, checked_arcs
from headway.support.chunks import full_chunks, ready_chunks
from headway.support.threads import Threads

if TYPE_CHECKING:
    from headway.presets import Preset
    from headway.search.biased import Advisor

_RESTARTS = 10
"""The number of restarts of hill climbing for users' scorers."""

_CHUNK = 256
"""The number of sentences encoded and parsed in one batch."""


class IncomingWord(NamedTuple):
    """A word of a sentence that is still being written: the input of `Parser.parse_incrementally`."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"


class Parser:
    """A trained parser.

    Parameters
    ----------
    model : TrainedModel

    Notes
    -----
    Threads can share a parser. `Parser.train(...)` makes one from a treebank, `Parser.load(...)` from a file::

        parser = Parser.train(read_sentences("train.conllu"), dev=read_sentences("dev.conllu"))
        for sentence in parser.parse(read_sentences("new.conllu")):
            print(sentence.heads, sentence.labels)
    """

    advisor: "Advisor | None" = None

    def __init__(self, model: TrainedModel) -> None:
        self.model = model

    def __repr__(self) -> str:
        about = shorten(str(self.model.facts.get("about", "")))
        return f"<{type(self).__name__} with {counted(len(self.model.labels), 'label')}{about and ': '}{about}>"

    def with_scorer(self, scorer: Scorer) -> "Parser":
        """Return a copy of this parser with another scorer of trees; encoding and labelling stay the same.

        Its default decoder is hill climbing. To save it, the scorer must be
        registered (`headway.scorers.register_scorer`, or an entry point), so that it can be found by name on loading.
        """
        settings = replace(
            self.model.settings, scorer=scorer.name, decoder="hill-climbing", restarts=_RESTARTS, projective=False,
            pruner_templates=None, search_ratio=0.0, temperature=UNCALIBRATED,
        )  # fmt: skip
        facts = {**self.model.facts, "calibrated": False}
        return Parser(replace(self.model, scorer=scorer, settings=settings, facts=facts, pruner=None))

    @classmethod
    def train(
        cls,
        train: Iterable[Sentence],
        *,
        dev: Iterable[Sentence] | None = None,
        preset: "str | Preset" = "fast",
        options: TrainingOptions | None = None,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
        about: str = "",
        without: Sequence[str] = (),
        tag_map: Mapping[str, str] | None = None,
        beam: float | None = None,
        pseudo_projective: bool = False,
        vectors: WordVectors | None = None,
    ) -> "Parser":
        """Train on a treebank.

        Parameters
        ----------
        train : iterable of Sentence
            Sentences with gold heads and labels.
        dev : iterable of Sentence, optional
            Dev set: used for early stopping, choosing the decoder and calibrating confidences.
        preset : str or Preset
            The name of one of `headway.presets.PRESETS`, or a `Preset`.
        checkpoint : Path, optional
            A folder for checkpoints: if it has any, training continues from them.
        about : str
            A note to store in the model, such as the treebank and its licence.
        without : sequence of str
            Columns to ignore, in training and in parsing: ``("upos", "xpos", "feats")`` makes a parser without tags.
        tag_map : mapping, optional
            Maps the treebank's coarse tags to universal ones. By default, tags that are not universal are looked up in
            built-in tables or derived from the treebank; an empty map switches this off.
        beam : float, optional
            The pruner drops heads whose probability, relative to the best head's, is below this; see `find_preset`.
        pseudo_projective : bool
            Train on projective trees whose labels encode lifted arcs, so that crossing arcs can be restored.
        vectors : WordVectors, optional
            Word vectors, as returned by `headway.encoding.vectors.read_vectors`, for presets with a tensor.
        """
        from headway.learning.recipe import train_model  # imported here: parsing does not need it
        from headway.presets import Preset, find_preset

        check_kind("preset", preset, (str, Preset), "the name of a preset, or a Preset")
        model = train_model(
            list(checked_sentences(train)),
            None if dev is None else list(checked_sentences(dev)),
            preset=find_preset(preset, beam=beam),
            options=options or TrainingOptions(),
            progress=progress or Progress(),
            checkpoint=checkpoint,
            about=about,
            without=without,
            tag_map=tag_map,
            pseudo_projective=pseudo_projective,
            vectors=vectors,
        )
        return cls(model)

    def calibrated(self, dev: Iterable[Sentence], *, threads: int = 1) -> "Parser":
        """Return a copy of this parser with confidences calibrated on other sentences than its training data.

        Parameters
        ----------
        dev : iterable of Sentence
            Sentences with gold trees, and with tags like those in later input (usually predicted ones).
        """
        from headway.learning.calibration import calibrate
        from headway.learning.gold import check_gold, gold_trees

        sentences = list(checked_sentences(dev))
        check_gold(sentences, "calibrate with")
        with Threads(threads) as pool:
            gold = gold_trees(sentences, self.model.encoder, self.model.labels)
            return Parser(calibrate(self.model, gold, threads=pool))

    @classmethod
    def load(cls, path: str | Path) -> "Parser":
        """Load a model file with a single parser; `headway.annotator.load_model` also loads ensembles."""
        return cls(_single(path, TrainedModel.load(path)))

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
        decoder: str | None = None,
        seconds: float = np.inf,
        k_best: int = 1,
        constraints: Sequence[Constraint] = (),
        longest: int = LONG,
        like: "Advisor | None" = None,
        report: Callable[[HeadwayError], None] | None = None,
    ) -> Iterator[Sentence]:
        """Parse sentences, lazily and in order.

        Parameters
        ----------
        threads : int
        single_root : bool
            Whether every tree has exactly one child of the root.
        keep_heads : bool
            Keep the heads (and labels) of the sentences and predict only heads that are ``_``.
        confidence : bool
            Add probabilities. In MISC, each word gets that of its head, ``HeadProb=0.970``, its second-best head,
            ``SecondHead=3|SecondProb=0.021``, and the probability of its label given the head, ``LabelProb=0.992``. A
            comment has the probability of the whole tree, ``# tree_prob = 0.412``.
        live : bool
            Parse sentences as they arrive instead of waiting for a full batch: for interactive input.
        search : SearchRule, optional
            The options of hill climbing, for models with higher-order parts; the model's by default.
        decoder : str, optional
            One of `headway.decoders.decoder_names`; the model's by default. Kinds of parts that it cannot read are
            ignored. Decoders that search for a proof add a comment to every sentence: ``# optimal = yes``, or
            ``# gap = 0.25``, an upper bound of the difference to the best score. If kinds were ignored, they are
            listed, as in ``# optimal = yes, ignoring: head_bigram``.
        seconds : float
            The time limit of ``exact`` for a sentence.
        k_best : int
            The number of trees per sentence, best first (fewer if the model's pruner leaves not so many); comments give
            the rank and the score of each tree.
        constraints : sequence of Constraint
            Rules that every tree must obey; see `headway.search.constraints`.
        longest : int
            Longer sentences are cut into pieces, whose trees are joined (`headway.search.pieces`). They get a comment
            such as ``# parsed_in_pieces = 13``; arcs between pieces have no ``HeadProb``, and the tree has no
            ``tree_prob``.
        like : Advisor, optional
            Trees that the search is biased towards, from a file or from other parsers; see `headway.ensemble`. By
            default, the parser's `advisor`, which only ensembles have.
        report : callable, optional
            Called with the error if no tree satisfies the constraints on a sentence, or its heads; the sentence is then
            skipped. By default, the error is raised.
        """
        checked = checked_sentences(sentences)
        check_whole("k_best", k_best)
        for name, value in (("keep_heads", keep_heads), ("confidence", confidence), ("single_root", single_root)):
            check_flag(name, value)
        if longest < 1:
            raise UsageError(f"the length of pieces must be at least 1, not {longest}")
        searcher = self.model.search(decoder, rule=search, seconds=seconds, single_root=single_root, longest=longest)
        searcher.check_k(k_best)
        proves, forbids = getattr(searcher.decoder, "proves", False), any(rule.leaves for rule in constraints)
        chunks = (ready_chunks if live else full_chunks)(checked, _CHUNK)
        plain, like = searcher, like or self.advisor
        if like is not None:
            self.model.check_bias()
        with Threads(threads) as pool:
            for chunk in chunks:
                encoded = self.model.encoder.encode(chunk)
                if like is not None:
                    from headway.search.biased import biased_search  # imported here: most searches have no bias

                    votes = like.votes(chunk, threads=pool)
                    searcher = biased_search(plain, encoded, votes, like.gammas, alone=like.alone)
                trees: list[Sequence[Parse]] = []
                if k_best == 1 and not proves:
                    trees = [[parse] for parse in searcher.trees(encoded, threads=pool)]
                if not trees or keep_heads or forbids:
                    trees = constrained_trees(
                        searcher,
                        chunk,
                        encoded,
                        trees,
                        k_best,
                        pool,
                        keep_heads=keep_heads,
                        constraints=constraints,
                        tag_map=self.model.settings.tag_map,
                        report=report,
                    )
                yield from self._finish(
                    chunk, encoded, trees, searcher, pool, constraints,
                    keep_labels=keep_heads, confidence=confidence, ranked=k_best > 1, proved=proves, report=report,
                )  # fmt: skip

    def _finish(
        self,
        chunk: Sequence[Sentence],
        encoded: Encoded,
        trees: Sequence[Sequence[Parse]],
        search: Search,
        pool: Threads,
        constraints: Sequence[Constraint],
        *,
        keep_labels: bool,
        confidence: bool,
        ranked: bool,
        proved: bool,
        report: Callable[[HeadwayError], None] | None,
    ) -> Iterator[Sentence]:
        """Yield the sentences with their trees and, if requested, confidences, ranks or proofs."""
        labels = self._all_labels(encoded, trees, pool)
        known = self._with_given_labels(chunk) if keep_labels else self.model.labels
        groups = [rule.labels(known) for rule in constraints if rule.one_of]
        for index, (sentence, rows) in enumerate(zip(chunk, sentence_rows(encoded), strict=True)):
            sentence, judge = without_judgements(sentence), None
            for rank, parse in enumerate(trees[index]):
                sentence = without_breaks(sentence) if rank == 1 else sentence
                heads = parse.heads[1:].tolist()
                names: Sequence[str] = labels[rank][rows][1:] if parse.labels is None else parse.labels
                if groups or confidence:
                    scores = label_scores(encoded, index, parse.heads, self.model.namer)
                    fixed = {} if groups or parse.labels is None else _label_numbers(heads, parse.labels, known)
                    fixed |= _label_numbers(sentence.heads, sentence.labels, known) if keep_labels else {}
                    try:
                        numbers, label_chances = self._judged_labels(scores, parse.heads, groups, fixed, len(known))
                    except ConstraintError as error:
                        refuse(sentence, "the constraints", error, report)
                        break
                    names = [known[number] for number in numbers]
                if self.model.settings.pseudo_projective:
                    kept = {word for word, head in enumerate(sentence.heads, start=1) if keep_labels and head >= 0}
                    heads, names = corpus.decode_crossing(heads, names, kept=kept | joined_words(parse))
                    parse = unproved(parse, heads)
                parsed = sentence.with_tree(heads, kept_labels(sentence, names) if keep_labels else names)
                if ranked:
                    parsed = parsed.with_comments(f"# tree = {rank + 1}", f"# score = {parse.score:.4f}")
                if proved:
                    parsed = parsed.with_comments(proof_comment(parse))
                if parse.pieces:
                    parsed = parsed.with_comments(f"# parsed_in_pieces = {len(parse.pieces)}")
                if confidence:
                    if judge is None:
                        judge = search.confidence(encoded, index, parse, heads=None if keep_labels else parse.heads)
                    parsed = with_confidence(parsed, judge.judge(parse.heads), judge.tree(parse))
                    parsed = parsed.with_misc("LabelProb", [f"{chance:.3f}" for chance in label_chances])
                yield parsed

    def _all_labels(self, encoded: Encoded, trees: Sequence[Sequence[Parse]], pool: Threads) -> list[list[str]]:
        """Label the best trees of all sentences, then the second best, and so on; empty if the trees have labels."""
        if all(parse.labels is not None for some in trees for parse in some):
            return []
        return [self._find_labels(encoded, heads, pool) for heads in ranked_heads(encoded, trees)]

    def _with_given_labels(self, sentences: Sequence[Sentence]) -> tuple[str, ...]:
        """Return the model's labels, then those that the sentences give to words with heads and the model lacks."""
        pairs = (pair for sentence in sentences for pair in zip(sentence.heads, sentence.labels, strict=True))
        given = [label for head, label in pairs if head >= 0 and label != "_"]
        return tuple(dict.fromkeys([*self.model.labels, *given]))

    def _judged_labels(
        self,
        scores: npt.NDArray[np.float64],
        heads: IntArray,
        groups: Sequence[npt.NDArray[np.bool_]],
        given: Mapping[int, int],
        known: int,
    ) -> tuple[IntArray, npt.NDArray[np.float64]]:
        """Return the best labels of a tree that satisfy all constraints, and their probabilities given the heads.

        There are `known` labels: the model's, and labels of the input, whose probability is 0.
        """
        scores = np.pad(scores, ((0, 0), (0, known - scores.shape[1])), constant_values=-np.inf)
        chances = softmax(scores[1:].T / self.model.settings.label_temperature)
        for word, label in given.items():
            scores[word] = np.where(np.arange(scores.shape[1]) == label, 0.0, -np.inf)
        labels = constrained_labels(scores, heads, groups)[1:]
        return labels, chances[labels, np.arange(len(labels))]

    def parse_one(
        self,
        sentence: Sentence,
        *,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
        single_root: bool = True,
        decoder: str | None = None,
    ) -> Parse:
        """Parse one sentence under constraints; the result includes score, bound and certificate.

        Parameters
        ----------
        required : mapping, optional
            Maps words to the heads that they must have; words are counted from 1, and 0 is the root.
        forbidden : iterable of (head, modifier), optional
            Arcs that the tree must not contain.
        decoder : str, optional
            As for `parse`.

        Returns
        -------
        Parse
            With labels, score, bound and certificate.

        Raises
        ------
        ConstraintError
            If no tree satisfies the constraints.
        """
        return self.parse_best(
            sentence, 1, required=required, forbidden=forbidden, single_root=single_root, decoder=decoder
        )[0]

    def parse_best(
        self,
        sentence: Sentence,
        k: int,
        *,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
        single_root: bool = True,
        decoder: str | None = None,
        seconds: float = np.inf,
    ) -> list[Parse]:
        """Find the k best trees of one sentence under constraints, best first; fewer if there are not so many.

        Parameters
        ----------
        required, forbidden, decoder
            As for `parse_one`.
        seconds : float
            As for `parse`.
        """
        check_whole("k", k)
        if required is not None:
            check_kind("required", required, Mapping, "a mapping of words to heads")
        if forbidden is not None:
            forbidden = checked_arcs("forbidden", forbidden)
        encoded = self.model.encoder.encode([checked_sentence(sentence)])
        search = self.model.search(decoder, single_root=single_root, seconds=seconds)
        found = search.best(encoded, 0, k=k, required=required, forbidden=forbidden)
        return [self._labelled(parse, encoded, kept=set(required or ())) for parse in found]

    def _labelled(self, parse: Parse, encoded: Encoded, *, kept: set[int]) -> Parse:
        """Label the tree of a single sentence; lifted arcs are restored except for words in `kept`."""
        labels = list(parse.labels or ())
        if parse.labels is None:
            with Threads() as pool:
                labels = self._find_labels(encoded, parse.heads, pool)[1:]
        if self.model.settings.pseudo_projective:
            heads, labels = corpus.decode_crossing(parse.heads[1:].tolist(), labels, kept=kept | joined_words(parse))
            parse = replace(unproved(parse, heads), heads=np.array([-1, *heads], dtype=np.int32))
        return replace(parse, labels=tuple(labels))

    def parse_incrementally(self, words: Iterable[IncomingWord]) -> Iterator[Parse]:
        """Parse a sentence while it is being written: after each word, yield the best forest of the words so far.

        Parameters
        ----------
        words : iterable of IncomingWord
            May be infinite; each word is requested only after the forest of the words before it has been consumed.

        Yields
        ------
        Parse
            Words without a head so far have the head -1 and the label ``_``.

        Raises
        ------
        UsageError
            If the model is not an incremental one.
        """
        from headway.incremental.search import BeamSearch  # imported here: most models do not need it

        search = self.model.search()
        if not isinstance(search, BeamSearch):
            raise UsageError("this model needs the whole sentence: train one with --preset incremental")
        prefixes = search.prefixes()
        for form, lemma, upos, xpos, feats in words:
            word = Sentence.from_words([form], lemmas=[lemma], upos=[upos], xpos=[xpos], feats=[feats])
            yield prefixes.add(self.model.encoder.encode([word]).atoms)

    def arc_probabilities(
        self, sentence: Sentence, *, single_root: bool = True, decoder: str | None = None
    ) -> npt.NDArray[np.float64]:
        """(n + 1, n + 1) [head, modifier] The probability of each arc.

        Chart and spanning-tree decoders compute marginals over all trees, and ``sampling`` estimates them from samples.
        With hill climbing, the best tree is compared with the trees that differ from it in the head of one word (or,
        for the root's child, in which word it is).
        """
        search = self.model.search(decoder, single_root=single_root)
        return search.probabilities(self.model.encoder.encode([checked_sentence(sentence)]), 0)

    def sample(
        self,
        sentence: Sentence,
        count: int,
        *,
        seed: int = 0,
        threads: int = 1,
        single_root: bool = True,
        decoder: str | None = None,
    ) -> Samples:
        """Draw trees of a sentence from the model's distribution, at the temperature calibrated on the dev set.

        Samples are independent if the decoder can draw such samples (``spanning-tree``, ``eisner``, the charts);
        otherwise they come from Markov chains, with a `MixingWarning` if the chains have not mixed.

        Parameters
        ----------
        count : int
            The number of trees.
        seed : int
            The same seed gives the same trees on any number of threads.
        decoder : str, optional
            As for `parse`; kinds of parts that it cannot read are ignored.

        Returns
        -------
        Samples
            ``heads`` (count, n + 1); ``arcs``, the probability of each arc, with ``errors``; and the probability of any
            other event::

                samples = parser.sample(sentence, 1000)
                samples.probability(lambda heads: heads[3] == heads[4])
        """
        check_whole("count", count)
        encoded = self.model.encoder.encode([checked_sentence(sentence)])
        search = self.model.search(decoder, single_root=single_root)
        with Threads(threads) as pool:
            return search.sample(encoded, 0, count, seed=seed, threads=pool)

    def _find_labels(self, encoded: Encoded, heads: IntArray, pool: Threads) -> list[str]:
        names = self.model.labels
        return [names[label] for label in find_labels(encoded, heads, self.model.namer, threads=pool)]

    def description(self) -> dict[str, Any]:
        """Describe the model as a dictionary for JSON."""
        model, scorer = self.model, self.model.scorer
        weights: dict[str, Any] = {"scorer": scorer.name}
        if isinstance(scorer, LinearScorer):
            weights |= {
                "arc_rows": len(scorer.arcs.rows.values),
                "part_rows": 0 if scorer.parts is None else len(scorer.parts.rows.values),
                "tensor_rank": scorer.arcs.tensor.shapes.shape[1],
            }
        return {
            **model.facts,
            "labels_known": len(model.labels),
            "projective": model.settings.projective,
            "temperature": round(model.settings.temperature, 4),
            "forms_known": len(model.encoder.vocabularies["form"]),
            "morphology": model.encoder.morph_attributes,
            **({"tag_map": _by_universal_tag(model.settings.tag_map)} if model.settings.tag_map else {}),
            "decoder": model.settings.decoder,
            **weights,
            **({"label_rows": len(model.namer.rows.values)} if isinstance(model.namer, LabelModel) else {}),
        }


def describe_model(path: str | Path) -> dict[str, Any]:
    """Return the `Parser.description` of a model file, without the packages that parsing with it may need."""
    return Parser(_single(path, TrainedModel.load(path, runs=False))).description()


def _single(path: str | Path, model: TrainedModel) -> TrainedModel:
    """Return the model; UsageError for an ensemble."""
    if "members" in model.facts:
        count = model.facts["members"]
        raise UsageError(f"{path}: this is an ensemble of {count} parsers; a single parser is needed here")
    return model


def _by_universal_tag(tag_map: Mapping[str, str]) -> dict[str, list[str]]:
    """Group the treebank's tags by universal tag."""
    return {tag: sorted(name for name in tag_map if tag_map[name] == tag) for tag in sorted(set(tag_map.values()))}


def _label_numbers(heads: Sequence[int], labels: Sequence[str], known: Sequence[str]) -> dict[int, int]:
    """Return the indices of labels by word, for words with a head and a known label."""
    numbers = {label: number for number, label in enumerate(known)}
    pairs = enumerate(zip(heads, labels, strict=True), start=1)
    return {word: numbers[label] for word, (head, label) in pairs if head >= 0 and label in numbers}
