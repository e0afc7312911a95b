"""Checks of arguments that should be sentences: a wrong type is a TypeError that says what is expected."""

from collections.abc import Iterable, Iterator

from headway.corpus.sentence import Sentence
from headway.corpus.word import Word
from headway.support.arguments import check_iterable

_SENTENCES = "an iterable of sentences (headway.Sentence; headway.read_sentences reads files, headway.load plain text)"


def checked_sentence(sentence: object) -> Sentence:
    """Return the argument if it is a sentence; TypeError otherwise."""
    if isinstance(sentence, Sentence):
        return sentence
    hint = ""
    if isinstance(sentence, str | list | tuple):
        hint = ": headway.load reads plain text, Sentence.from_words takes a list of words"
    elif isinstance(sentence, Word):
        hint = ": a single sentence goes into a list, [sentence]"
    raise TypeError(f"expected a sentence (headway.Sentence), got {type(sentence).__name__}{hint}")


def checked_sentences(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Return an iterator over sentences, which checks each; TypeError at once if it is not an iterable."""
    check_iterable(sentences, _SENTENCES)
    return map(checked_sentence, sentences)
