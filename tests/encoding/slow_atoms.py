"""Every atom of every word, straight from its definition and one word at a time."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headway.corpus import Sentence
from headway.encoding.strings import shape, word_class

UNKNOWN, FIRST_FREE = 4, 5


@dataclass(frozen=True)
class Word:
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str


def words_of(sentences: Sequence[Sentence]) -> list[Word]:
    return [
        Word(*fields)
        for sentence in sentences
        for fields in zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True)
    ]


def _first(word: str, length: int) -> str:
    word = word.lower()
    return word[:length] if len(word) > length else "^" + word


def _last(word: str, length: int) -> str:
    word = word.lower()
    return word[len(word) - length :] if len(word) > length else "^" + word


def _pieces(tag: str) -> list[str]:
    return [piece or "_" for part in tag.split("+") for piece in part.split("|")]


def attribute(feats: str, name: str) -> str:
    for piece in feats.split("|") if feats != "_" else []:
        key, _, value = piece.partition("=")
        if key == name:
            return value or "Yes"
    return "_"


READ: dict[str, Callable[[Word], str]] = {
    "form": lambda word: word.form,
    "lower": lambda word: word.form.lower(),
    "prefix2": lambda word: _first(word.form, 2),
    "prefix3": lambda word: _first(word.form, 3),
    "suffix1": lambda word: _last(word.form, 1),
    "suffix2": lambda word: _last(word.form, 2),
    "suffix3": lambda word: _last(word.form, 3),
    "suffix4": lambda word: _last(word.form, 4),
    "shape": lambda word: shape(word.form),
    "class": lambda word: word_class(word.form),
    "lemma": lambda word: word.lemma,
    "upos": lambda word: word.upos,
    "xpos": lambda word: word.xpos,
    "xpos_first": lambda word: _pieces(word.xpos)[0],
    "xpos_last": lambda word: _pieces(word.xpos)[-1],
    "feats": lambda word: word.feats,
}
CLASS: dict[str, Callable[[Word], str]] = {
    "form": lambda word: word_class(word.form),
    "lower": lambda word: word_class(word.form),
    "lemma": lambda word: word_class(word.lemma),
}
"""The stand-in for a rare string, for each of these atoms."""


def read(name: str, word: Word, morph: Sequence[str]) -> str:
    if name.startswith("morph"):
        return attribute(word.feats, morph[int(name.removeprefix("morph")) - 1])
    return READ[name](word)


def _ranked(counts: Counter[str], cutoff: int) -> list[str]:
    return [string for string in sorted(counts, key=lambda s: (-counts[s], s)) if counts[string] >= cutoff]


class SlowAtom:
    """The ids of one atom, learned from training words."""

    def __init__(self, name: str, training: Sequence[Word], morph: Sequence[str]) -> None:
        if name == "lemma" and all(word.lemma == "_" for word in training):
            name = "lower"  # a treebank without lemmas
        self.name, self.morph = name, morph
        cutoff = 1 if name == "upos" or name.startswith("morph") else 2
        self.known = _ranked(Counter(read(name, word, morph) for word in training), cutoff)
        rare = [word for word in training if read(name, word, morph) not in self.known]
        self.classes = _ranked(Counter(map(CLASS[name], rare)), 2) if name in CLASS else []

    def __call__(self, word: Word) -> int:
        string = read(self.name, word, self.morph)
        if string in self.known:
            return FIRST_FREE + self.known.index(string)
        if self.name in CLASS and CLASS[self.name](word) in self.classes:
            return FIRST_FREE + len(self.known) + self.classes.index(CLASS[self.name](word))
        return UNKNOWN
