"""Find the readings of words, by a tagger or by cross-fitted taggers."""

from collections.abc import Sequence

from headway import corpus
from headway.corpus import Sentence
from headway.joint.states import Lattice
from headway.progress import Progress
from headway.tagging.words import WordModel

MOST_READINGS, MARGIN = 3, 0.5
"""The maximum number of readings of a word, and the maximum difference to the best reading's score."""


def read_lattices(words: WordModel, sentences: Sequence[Sentence], *, most: int = MOST_READINGS) -> list[Lattice]:
    """Tag sentences and find the possible readings of their words, at most `most` per word."""
    return [Lattice(*one) for one in words.readings(sentences, most=most, margin=MARGIN)]


def cross_read(
    sentences: Sequence[Sentence],
    parts: int,
    *,
    trust: float = 0.5,
    seed: int = 1,
    short_sentences: bool = False,
    progress: Progress | None = None,
    most: int = MOST_READINGS,
) -> list[Lattice]:
    """Find the readings of sentences by cross-fitting: each sentence is read by a tagger trained without it.

    Parameters
    ----------
    parts : int
        The number of folds: each is read by a tagger trained on the others.
    trust, seed, short_sentences
        See `WordModel.fit`.
    most : int
        See `read_lattices`.
    """
    if len(sentences) < 2:
        return [Lattice.of_tagged(sentence) for sentence in sentences]
    found: dict[int, Lattice] = {}
    for part in corpus.folds(len(sentences), number=min(parts, len(sentences)), seed=seed):
        held_out = set(part.tolist())
        others = [sentence for number, sentence in enumerate(sentences) if number not in held_out]
        model = WordModel.fit(others, trust=trust, seed=seed, short_sentences=short_sentences)
        unseen = [sentences[number] for number in sorted(held_out)]
        found |= zip(sorted(held_out), read_lattices(model, unseen, most=most), strict=True)
        if progress is not None:
            progress.advance()
    return [found[number] for number in range(len(sentences))]
