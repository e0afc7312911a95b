"""A spaCy pipeline component: ``nlp.add_pipe("headway")``, after ``pip install 'headway[spacy]'``.

spaCy's tokens are kept; tags, lemmas and trees come from Headway, and sentence boundaries unless they are already set.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, Token

from headway.annotator import Annotator, load_model
from headway.corpus import Sentence
from headway.errors import UsageError
from headway.parser import Parser
from headway.support.chunks import full_chunks

_FILE = "model.headway"
_SPACE = ("SPACE", "_SP", "dep")
"""Coarse tag, fine tag and relation of white-space tokens, as in spaCy's own pipelines."""


@Language.factory(
    "headway",
    assigns=[
        "token.head", "token.dep", "token.pos", "token.tag", "token.lemma", "token.morph", "token.is_sent_start",
        "doc.sents",
    ],
    default_config={"model": "en", "keep_tags": False, "confidence": False},
)  # fmt: skip
def make_component(nlp: Language, name: str, model: str, keep_tags: bool, confidence: bool) -> "HeadwayComponent":
    """Create the component that ``nlp.add_pipe("headway", config={...})`` adds.

    Parameters
    ----------
    model : str
        A model file, or ``en`` or ``en-accurate``, which come with Headway.
    keep_tags : bool
        Parse with the tags and lemmas that other components have set, if there are any.
    confidence : bool
        Set ``token._.head_prob``, the probability of the head.
    """
    return HeadwayComponent(model, name, keep_tags=keep_tags, confidence=confidence)


class HeadwayComponent:
    """See `make_component`; the model is loaded on first use, unless it is stored with the pipeline."""

    def __init__(self, path: str, name: str, *, keep_tags: bool, confidence: bool) -> None:
        self.path, self.name, self.keep_tags, self.confidence = path, name, keep_tags, confidence
        if confidence and not Token.has_extension("head_prob"):
            Token.set_extension("head_prob", default=None)

    @cached_property
    def loaded(self) -> Annotator | Parser:
        """The annotator or parser; not named ``model``, as spaCy reads that attribute, which would load it at once."""
        return load_model(self.path)

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one text."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Annotate many texts in batches."""
        for docs in full_chunks(stream, batch_size):
            parts = [(doc, tokens) for doc in docs for tokens in self._sentences(doc)]
            trees = self._parse([self._sentence(tokens) for _, tokens in parts])
            trees_by_doc: dict[int, list[tuple[list[Token], Sentence]]] = {id(doc): [] for doc in docs}
            for (doc, tokens), tree in zip(parts, trees, strict=True):
                trees_by_doc[id(doc)].append((tokens, tree))
            for doc in docs:
                self._set(doc, trees_by_doc[id(doc)])
                yield doc

    def _sentences(self, doc: Doc) -> Iterator[list[Token]]:
        """Yield the tokens of every sentence, without white space."""
        if doc.has_annotation("SENT_START"):
            pieces = [list(sentence) for sentence in doc.sents]
        elif isinstance(self.loaded, Annotator):
            starts = iter([*(spans[0][0] for spans in self.loaded.segmenter.segment(doc.text)), len(doc.text)])
            pieces, until = [], next(starts)
            for token in doc:
                if token.idx >= until or not pieces:
                    pieces.append([])
                    while token.idx >= until:
                        until = next(starts, len(doc.text) + 1)
                pieces[-1].append(token)
        else:
            raise UsageError(
                "this model cannot find sentences: add a component that sets sentence boundaries before it"
            )
        for piece in pieces:
            if words := [token for token in piece if not token.is_space]:
                yield words

    def _sentence(self, tokens: list[Token]) -> Sentence:
        forms = ["".join(letter if letter.isprintable() else " " for letter in token.text) for token in tokens]
        if isinstance(self.loaded, Annotator) and not self.keep_tags:
            return Sentence.from_words(forms)
        return Sentence.from_words(
            forms,
            lemmas=[token.lemma_ or "_" for token in tokens],
            upos=[token.pos_ or "_" for token in tokens],
            xpos=[token.tag_ or "_" for token in tokens],
            feats=[str(token.morph) or "_" for token in tokens],
        )

    def _parse(self, sentences: list[Sentence]) -> list[Sentence]:
        if isinstance(self.loaded, Annotator):
            return list(self.loaded.parser.parse(self.loaded.tag(sentences), confidence=self.confidence))
        return list(self.loaded.parse(sentences, confidence=self.confidence))

    def _set(self, doc: Doc, trees: list[tuple[list[Token], Sentence]]) -> None:
        """Write trees into a text; white space is attached to the word before it, or after it at the start."""
        strings, morphology = doc.vocab.strings, doc.vocab.morphology
        coarse, fine, relation = _SPACE
        table: Any = np.zeros((len(doc), 6), dtype=np.uint64)
        heads = np.arange(len(doc), dtype=np.int64)
        table[:, 1:] = strings.add(relation), IDS[coarse], strings.add(fine), 0, morphology.add("")
        words = np.array([token.i for tokens, _ in trees for token in tokens], dtype=np.int64)
        if len(words):
            heads = words[np.maximum(np.searchsorted(words, heads, side="right") - 1, 0)]
        for token in doc:
            table[token.i, 4] = token.norm if token.is_space else 0
        for tokens, tree in trees:
            columns = zip(tokens, tree.heads, tree.labels, tree.upos, tree.xpos, tree.lemmas, tree.feats, strict=True)
            for token, head, label, upos, xpos, lemma, feats in columns:
                heads[token.i] = tokens[head - 1].i if head > 0 else token.i
                table[token.i, 1:] = (
                    strings.add(label if head > 0 else "ROOT"), IDS.get(upos, 0), strings.add(_said(xpos)),
                    strings.add(_said(lemma)), morphology.add(_said(feats)),
                )  # fmt: skip
            if self.confidence:
                for token, chance in zip(tokens, tree.misc("HeadProb"), strict=True):
                    token._.head_prob = float(chance or 0)
        table[:, 0] = (heads - np.arange(len(doc))).astype(np.uint64)
        doc.from_array([HEAD, DEP, POS, TAG, LEMMA, MORPH], table)

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Store the model with the pipeline."""
        Path(path).mkdir(parents=True, exist_ok=True)
        self.loaded.save(Path(path) / _FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "HeadwayComponent":
        """Load the model that is stored with the pipeline."""
        self.loaded = load_model(Path(path) / _FILE)
        return self


def _said(value: str) -> str:
    """Convert a value for spaCy: CoNLL-U's underscore becomes an empty string."""
    return "" if value == "_" else value
