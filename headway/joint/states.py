"""The states that are scored jointly: the words of a sentence with one reading each, and a tree."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from headway.corpus import Sentence
from headway.tagging.words import Reading


@dataclass(frozen=True)
class Lattice:
    """A sentence and the readings that its words may have.

    Parameters
    ----------
    readings : list of list of Reading, (n,)
        The first of each word is what the tagger says.
    """

    sentence: Sentence
    readings: list[list[Reading]]
    forms: list[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Keep the forms, which are asked for often."""
        object.__setattr__(self, "forms", list(self.sentence.forms))

    @classmethod
    def of_tagged(cls, sentence: Sentence) -> "Lattice":
        """Return a sentence whose words have the one reading that it comes with."""
        columns = zip(sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas, strict=True)
        return cls(sentence, [[Reading(*values, weight=0.0)] for values in columns])

    def others(self) -> list[tuple[int, int]]:
        """List the readings that are not the first of their word, as (word, reading)."""
        return [(word, reading) for word, own in enumerate(self.readings) for reading in range(1, len(own))]

    def choose(self, chosen: Sequence[int]) -> "Choice":
        """Return the words with these readings."""
        return Choice(self.forms, [own[number] for own, number in zip(self.readings, chosen, strict=True)])

    def tagged(self, chosen: Sequence[int]) -> Sentence:
        """Return the sentence with these readings."""
        words = self.choose(chosen)
        return self.sentence.with_tags(upos=words.upos, xpos=words.xpos, feats=words.feats, lemmas=words.lemmas)


@dataclass(frozen=True)
class Choice:
    """Words with one reading each, as an encoder takes them; see `headway.encoding.encoder.HasColumns`."""

    forms: list[str]
    readings: list[Reading]

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def upos(self) -> list[str]:
        """The coarse tags."""
        return [reading.upos for reading in self.readings]

    @property
    def xpos(self) -> list[str]:
        """The fine tags."""
        return [reading.xpos for reading in self.readings]

    @property
    def feats(self) -> list[str]:
        """The morphological features."""
        return [reading.feats for reading in self.readings]

    @property
    def lemmas(self) -> list[str]:
        """The lemmas."""
        return [reading.lemma for reading in self.readings]

    @property
    def weight(self) -> float:
        """The sum of the tagger's scores of the readings."""
        return sum(reading.weight for reading in self.readings)


def change(chosen: Sequence[int], word: int, reading: int) -> tuple[int, ...]:
    """Return a choice of readings with another one for a word."""
    return (*chosen[:word], reading, *chosen[word + 1 :])
