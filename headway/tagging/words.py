"""Everything about words but their trees: tags, morphology and lemmas, learned together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.scorers.rows import Rows
from headway.tagging.lemmatizer import Lemmatizer
from headway.tagging.morphology import Morphology
from headway.tagging.tagger import Tagger, tag_plan
from headway.tagging.viterbi import Transitions

_IGNORED = ("lemma", "xpos", "feats")


@dataclass(frozen=True)
class WordModel:
    """Gives words their tags, features and lemmas."""

    encoder: Encoder
    tagger: Tagger
    morphology: Morphology
    lemmatizer: Lemmatizer

    @classmethod
    def fit(
        cls, sentences: Sequence[Sentence], *, seed: int = 1, tell: Callable[[str], None] = lambda name: None
    ) -> "WordModel":
        """Learn from tagged sentences.

        Parameters
        ----------
        tell : callable
            Told the name of each stage.
        """
        encoder = Encoder.fit(sentences, ignored=_IGNORED, affixes=True)
        encoded = encoder.encode(sentences)
        forms = [form for sentence in sentences for form in sentence.forms]
        classes = [one for s in sentences for one in zip(s.upos, s.xpos, s.feats, strict=True)]
        lemmas = [lemma for sentence in sentences for lemma in sentence.lemmas]
        tell("tags")
        tagger = Tagger.fit(encoder, encoded, [upos for upos, _, _ in classes], seed=seed)
        tell("morphology")
        morphology = Morphology.fit(encoder, encoded, forms, classes, seed=seed)
        tell("lemmas")
        words = [(form, upos, feats) for form, (upos, _, feats) in zip(forms, classes, strict=True)]
        return cls(encoder, tagger, morphology, Lemmatizer.fit(words, lemmas))

    def tag(self, sentences: Sequence[Sentence], *, keep: bool = False) -> list[Sentence]:
        """The sentences with UPOS, XPOS, FEATS and LEMMA.

        Parameters
        ----------
        keep : bool
            Leave columns alone that a sentence has something in.
        """
        encoded = self.encoder.encode(sentences)
        tags = self.tagger.tag(encoded)
        if keep:
            given = [tag for sentence in sentences for tag in sentence.upos]
            tags = [old if old != "_" else new for old, new in zip(given, tags, strict=True)]
        upos = self.encoder.vocabularies["upos"]
        words = np.ones(len(encoded.atoms), dtype=np.bool_)
        words[encoded.starts[:-1]] = False
        encoded.atoms[words, self.encoder.names.index("upos")] = [upos[tag] for tag in tags]
        forms = [form for sentence in sentences for form in sentence.forms]
        classes = self.morphology.analyse(encoded, forms, tags)
        found, first = [], 0
        for sentence in sentences:
            own = classes[first : first + len(sentence)]
            first += len(sentence)
            columns = {
                "upos": [one[0] for one in own],
                "xpos": [one[1] for one in own],
                "feats": [one[2] for one in own],
            }
            if keep:
                columns = {name: _kept(getattr(sentence, name), values) for name, values in columns.items()}
            triples = list(zip(sentence.forms, columns["upos"], columns["feats"], strict=True))
            lemmas = self.lemmatizer.lemmas(triples)
            if keep:
                lemmas = _kept(sentence.lemmas, lemmas)
            found.append(sentence.with_tags(**columns, lemmas=lemmas))
        return found

    def to_json(self) -> dict[str, Any]:
        """All but the weights."""
        return {
            "encoder": self.encoder.to_json(),
            "tags": self.tagger.names,
            "temperature": self.tagger.temperature,
            "morphology": self.morphology.to_json(),
            "lemmas": self.lemmatizer.to_json(),
        }

    @classmethod
    def from_json(
        cls,
        saved: dict[str, Any],
        rows: Callable[[str, int], Rows],
        transitions: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]],
    ) -> "WordModel":
        """What `to_json` described.

        Parameters
        ----------
        rows : callable
            From a name, ``tag`` or ``morphology``, and a width to the weights.
        """
        encoder, names = Encoder.from_json(saved["encoder"]), tuple(saved["tags"])
        size = len(names) + 1
        if transitions[0].shape != (size, size) or transitions[1].shape != (size, size, size):
            raise ValueError("transitions of tags")
        tagger = Tagger(
            names, tag_plan(encoder), rows("tag", len(names)), Transitions(*transitions), saved["temperature"]
        )
        morphology = Morphology.from_json(saved["morphology"], encoder, rows("morphology", 1))
        return cls(encoder, tagger, morphology, Lemmatizer.from_json(saved["lemmas"]))


def _kept(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The old values, and new ones where there is none; a column that is all empty was never filled."""
    if all(value == "_" for value in old):
        return list(new)
    return list(old)
