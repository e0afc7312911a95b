"""Predict tags, morphology and lemmas of words with models that are trained together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding import Encoded, Encoder
from headway.encoding.tag_dictionary import TagCounts
from headway.scorers.rows import Rows
from headway.support.schema import Cells, Sized, Within, check_array, check_json
from headway.tagging.lemmatizer import Lemmatizer
from headway.tagging.morphology import Morphology, RankedClass
from headway.tagging.tagger import SHARES, Tagger, TagScores, crossed_options, tag_plan
from headway.tagging.viterbi import Transitions

_IGNORED = ("lemma", "xpos", "feats")
_TRUSTS = (0.5, 0.3, 1.0, 1.5, 2.0)
"""Weights of the tagger's score to try on the dev set; the first is the default."""

_WEIGHT_RANGE = (-1e6, 1e6)
"""The valid range of the weights of two or three successive tags."""


class _Saved(TypedDict):
    """The word model as stored in a model file, except the weights."""

    encoder: Any
    tags: Annotated[list[Annotated[str, Cells()]], Sized(1)]
    temperature: Annotated[float, Within(1e-6, 1e6)]
    trust: Annotated[float, Within(0.0, 1e6)]
    share: NotRequired[Annotated[float, Within(1e-3, 1e3)]]
    morphology: Any
    lemmas: Any


class Reading(NamedTuple):
    """A reading of a word: a tag, its morphology and the lemma.

    Parameters
    ----------
    weight : float
        The score minus that of the word's first reading: 0 or less.
    """

    upos: str
    xpos: str
    feats: str
    lemma: str
    weight: float


@dataclass(frozen=True)
class WordModel:
    """Predicts tags, features and lemmas.

    Parameters
    ----------
    trust : float
        The weight of the tagger's log probabilities when the morphology model chooses between tags.
    share : float
        How much the tagger counts beside another one, such as a network; see `Tagger.options`.
    """

    encoder: Encoder
    tagger: Tagger
    morphology: Morphology
    lemmatizer: Lemmatizer
    trust: float = _TRUSTS[0]
    share: float = SHARES[0]

    @classmethod
    def fit(
        cls,
        sentences: Sequence[Sentence],
        *,
        dev: Sequence[Sentence] | None = None,
        trust: float = _TRUSTS[0],
        seed: int = 1,
        short_sentences: bool = False,
    ) -> "WordModel":
        """Train on tagged sentences.

        Parameters
        ----------
        dev : sequence of Sentence, optional
            Dev set: used for choosing `trust`.
        trust : float
            The weight of the tagger if there is no dev set.
        short_sentences : bool
            Improve the tags of short sentences: the tagger also learns from shortened clauses of the sentences (see
            `headway.corpus.shortening`), and uses a dictionary of tags (`headway.encoding.tag_dictionary`).
        """
        counts = TagCounts(sentences) if short_sentences else None
        dictionary = None if counts is None else counts.dictionary()
        encoder = Encoder.fit(sentences, ignored=_IGNORED, affixes=True, dictionary=dictionary)
        encoded = _encode_unseen(encoder, sentences, counts)
        forms = [form for sentence in sentences for form in sentence.forms]
        classes = [candidate for s in sentences for candidate in zip(s.upos, s.xpos, s.feats, strict=True)]
        lemmas = [lemma for sentence in sentences for lemma in sentence.lemmas]
        upos = [tag for tag, _, _ in classes]
        from headway.corpus.shortening import shortened  # only training needs it

        clauses = list(shortened(sentences, seed=seed)) if short_sentences else []
        tagger = Tagger.fit(
            encoder,
            _encode_unseen(encoder, [*sentences, *clauses], counts) if clauses else encoded,
            [*upos, *(tag for sentence in clauses for tag in sentence.upos)],
            seed=seed,
        )
        predicted, options = crossed_options(encoder, encoded, upos, seed=seed)
        morphology = Morphology.fit(
            encoder, _with_tags(encoder, encoded, predicted), forms, classes, options, seed=seed
        )
        words = [(form, upos, feats) for form, (upos, _, feats) in zip(forms, classes, strict=True)]
        fitted = cls(encoder, tagger, morphology, Lemmatizer.fit(words, lemmas), trust)
        if not dev:
            return fitted
        candidates = (replace(fitted, trust=candidate) for candidate in _TRUSTS)
        return max(candidates, key=lambda model: model._count_correct(dev))

    def fit_share(self, dev: Sequence[Sentence], beside: TagScores) -> "WordModel":
        """Return a copy that counts beside another tagger as is best on a dev set."""
        candidates = (replace(self, share=candidate) for candidate in SHARES)
        return max(candidates, key=lambda model: model._count_correct(dev, beside))

    def _count_correct(self, gold: Sequence[Sentence], beside: TagScores | None = None) -> int:
        """Return the number of words with the correct UPOS plus the number of words with the correct FEATS."""
        return sum(
            (upos == tagged.upos[word]) + (feats == tagged.feats[word])
            for sentence, tagged in zip(gold, self.tag(gold, beside=beside), strict=True)
            for word, (upos, feats) in enumerate(zip(sentence.upos, sentence.feats, strict=True))
        )

    def tag(
        self, sentences: Sequence[Sentence], *, keep: bool = False, beside: TagScores | None = None
    ) -> list[Sentence]:
        """Return the sentences with UPOS, XPOS, FEATS and LEMMA.

        Parameters
        ----------
        keep : bool
            Keep the UPOS of words that have one, and each of the columns XPOS, FEATS and LEMMA if any word of the
            sentence has a value in it. If a sentence has UPOS and LEMMA, empty FEATS are kept, too, because they may be
            correct.
        beside : TagScores, optional
            The scores of UPOS by another tagger; see `Tagger.options`.
        """
        return [sentence for sentence, _ in self._tag(sentences, keep=keep, most=1, margin=0.0, beside=beside)]

    def readings(
        self, sentences: Sequence[Sentence], *, most: int, margin: float
    ) -> list[tuple[Sentence, list[list[Reading]]]]:
        """Tag sentences as `tag` does; also return the most likely readings of each word, the chosen one first.

        Parameters
        ----------
        most, margin
            See `Morphology.rank`.
        """
        return [
            (
                sentence,
                [
                    [
                        Reading(upos, xpos, feats, self.lemmatizer.lemma(form, upos, feats), weight)
                        for (upos, xpos, feats), weight in ranked
                    ]
                    for form, ranked in zip(sentence.forms, ranked_words, strict=True)
                ],
            )
            for sentence, ranked_words in self._tag(sentences, keep=False, most=most, margin=margin)
        ]

    def _tag(
        self,
        sentences: Sequence[Sentence],
        *,
        keep: bool,
        most: int,
        margin: float,
        beside: TagScores | None = None,
    ) -> Iterator[tuple[Sentence, list[list[RankedClass]]]]:
        """Yield each tagged sentence and the ranked classes (UPOS, XPOS and FEATS) of its words."""
        encoded = self.encoder.encode(sentences)
        tags, options = self.tagger.options(encoded, beside, share=self.share)
        if keep:
            given = [tag for sentence in sentences for tag in sentence.upos]
            tags = [old if old != "_" else new for old, new in zip(given, tags, strict=True)]
            options = [[(old, 0.0)] if old != "_" else new for old, new in zip(given, options, strict=True)]
        forms = [form for sentence in sentences for form in sentence.forms]
        tagged = _with_tags(self.encoder, encoded, tags)
        ranked = self.morphology.rank(tagged, forms, options, trust=self.trust, most=most, margin=margin)
        first = 0
        for sentence in sentences:
            ranked_words = ranked[first : first + len(sentence)]
            first += len(sentence)
            columns = {
                "upos": [classes[0][0][0] for classes in ranked_words],
                "xpos": [classes[0][0][1] for classes in ranked_words],
                "feats": [classes[0][0][2] for classes in ranked_words],
            }
            if keep:
                columns |= _kept(sentence)
            if "lemmas" not in columns:
                words = list(zip(sentence.forms, columns["upos"], columns["feats"], strict=True))
                columns["lemmas"] = self.lemmatizer.lemmas(words)
            yield sentence.with_tags(**columns), ranked_words

    def to_json(self) -> dict[str, Any]:
        """Return everything but the weights as JSON."""
        return {
            "encoder": self.encoder.to_json(),
            "tags": self.tagger.names,
            "temperature": self.tagger.temperature,
            "trust": self.trust,
            "share": self.share,
            "morphology": self.morphology.to_json(),
            "lemmas": self.lemmatizer.to_json(),
        }

    @classmethod
    def from_json(
        cls,
        saved: dict[str, Any],
        rows: Callable[[str, int], Rows],
        tensors: Mapping[str, npt.NDArray[Any]],
    ) -> "WordModel":
        """Read the JSON of `to_json`; ValueError if it is not valid.

        Parameters
        ----------
        rows : callable
            Returns the weights with a given name (``tag`` or ``morphology``) and width.
        tensors : mapping of str to array
            The arrays of the model file; ``tag_pairs`` and ``tag_triples`` are read.
        """
        check_json(saved, _Saved, "words")
        encoder, names = Encoder.from_json(saved["encoder"]), tuple(saved["tags"])
        if not encoder.affixes:
            raise ValueError("words: the encoder must have affixes")
        size = len(names) + 1
        transitions = Transitions(
            check_array(tensors, "tag_pairs", np.float32, (size, size), _WEIGHT_RANGE),
            check_array(tensors, "tag_triples", np.float32, (size, size, size), _WEIGHT_RANGE),
        )
        tagger = Tagger(names, tag_plan(encoder), rows("tag", len(names)), transitions, saved["temperature"])
        morphology = Morphology.from_json(saved["morphology"], encoder, rows("morphology", 1))
        lemmatizer, share = Lemmatizer.from_json(saved["lemmas"]), saved.get("share", SHARES[0])
        return cls(encoder, tagger, morphology, lemmatizer, saved["trust"], share)


def _encode_unseen(encoder: Encoder, sentences: Sequence[Sentence], counts: TagCounts | None) -> Encoded:
    """Encode training sentences so that each word's own occurrence does not count in the dictionary."""
    encoded = encoder.encode(sentences)
    if counts is None or encoder.dictionary is None:
        return encoded
    forms = (form for sentence in sentences for form in sentence.forms)
    tags = (tag for sentence in sentences for tag in sentence.upos)
    return _with_atoms(encoder, encoded, "known", encoder.dictionary.ids(counts.unseen(forms, tags)))


def _with_tags(encoder: Encoder, encoded: Encoded, tags: Sequence[str]) -> Encoded:
    """Return encoded sentences with these UPOS tags of all words."""
    upos = encoder.vocabularies["upos"]
    return _with_atoms(encoder, encoded, "upos", [upos[tag] for tag in tags])


def _with_atoms(encoder: Encoder, encoded: Encoded, name: str, values: Sequence[int]) -> Encoded:
    """Return encoded sentences with these values of the atom `name` of all words."""
    atoms = encoded.atoms.copy()
    words = np.ones(len(atoms), dtype=np.bool_)
    words[encoded.starts[:-1]] = False
    atoms[words, encoder.names.index(name)] = values
    return replace(encoded, atoms=atoms)


def _kept(sentence: Sentence) -> dict[str, list[str]]:
    """Return the columns except UPOS that `WordModel.tag` keeps with ``keep=True``."""
    columns = {name: list(getattr(sentence, name)) for name in ("upos", "xpos", "feats", "lemmas")}
    filled = {name for name, values in columns.items() if any(value != "_" for value in values)}
    if {"upos", "lemmas"} <= filled:
        filled.add("feats")
    return {name: columns[name] for name in filled - {"upos"}}
