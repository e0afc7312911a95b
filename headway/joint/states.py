"""The readings of the words of a sentence, and choices of one reading per word."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from headway.corpus import Sentence
from headway.tagging.words import Reading


@dataclass(frozen=True)
class Lattice:
    """A sentence and the possible readings of its words.

    Parameters
    ----------
    readings : list of list of Reading, (n,)
        The readings of each word; the first one is the tagger's choice.
    """

    sentence: Sentence
    readings: list[list[Reading]]
    forms: list[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Store the forms, which are needed often."""
        object.__setattr__(self, "forms", list(self.sentence.forms))

    @classmethod
    def of_tagged(cls, sentence: Sentence) -> "Lattice":
        """Return a lattice with a single reading per word: that of a tagged sentence."""
        columns = zip(sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas, strict=True)
        return cls(sentence, [[Reading(*values, weight=0.0)] for values in columns])

    def others(self) -> list[tuple[int, int]]:
        """List all readings but the first of each word, as pairs (word, reading)."""
        return [(word, reading) for word, readings in enumerate(self.readings) for reading in range(1, len(readings))]

    def choose(self, chosen: Sequence[int]) -> "Choice":
        """Return the words with these readings."""
        return Choice(self.forms, [readings[number] for readings, number in zip(self.readings, chosen, strict=True)])

    def tagged(self, chosen: Sequence[int]) -> Sentence:
        """Return the sentence with these readings."""
        words = self.choose(chosen)
        return self.sentence.with_tags(upos=words.upos, xpos=words.xpos, feats=words.feats, lemmas=words.lemmas)


@dataclass(frozen=True)
class Choice:
    """Words with one reading each: input for an encoder, see `headway.encoding.encoder.HasColumns`."""

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
    """Return a choice of readings with another reading for one word."""
    return (*chosen[:word], reading, *chosen[word + 1 :])
