"""Make the sample treebank: English sentences from a small grammar, in the style of Universal Dependencies.

``python examples/make_sample.py`` writes ``sample-train.conllu`` and ``sample-dev.conllu`` next to itself, the
same at every run. No sentence comes twice.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from sample_grammar.sentences import Sentences
from sample_grammar.words import Word

from headway.corpus import Sentence, write_sentences

TRAIN, DEV = 300, 60
SEED = 1
GLUED = frozenset(("'s", ",", ".", "?", "!"))


def sentences(seed: int) -> Iterator[Sentence]:
    """Yield sentences without end, none of them twice."""
    grammar = Sentences(seed)
    seen: set[str] = set()
    while True:
        sentence = finished(grammar.sentence(), number=len(seen) + 1)
        if (text := sentence.metadata["text"]) not in seen:
            seen.add(text)
            yield sentence


def finished(root: Word, *, number: int) -> Sentence:
    """Put the words of a tree in order, and write them as a sentence is written."""
    words = list(in_order(root))
    places = {id(word): place for place, word in enumerate(words, start=1)}
    heads = {id(child): places[id(child.governor or word)] for word in words for child in (*word.before, *word.after)}
    forms = spelled([word.form for word in words])
    spaces = [*("" if following in GLUED else " " for following in forms[1:]), ""]
    sentence = Sentence.from_words(
        forms,
        lemmas=[word.lemma for word in words],
        upos=[word.upos for word in words],
        xpos=[word.xpos for word in words],
        feats=[word.feats for word in words],
        heads=[heads.get(id(word), 0) for word in words],
        labels=[word.relation for word in words],
        comments=[
            f"# sent_id = sample-{number}",
            "# text = " + "".join(form + space for form, space in zip(forms, spaces, strict=True)),
        ],
    )
    for row, space in zip(sentence.rows[:-1], spaces, strict=False):
        row[9] = "_" if space else "SpaceAfter=No"
    return sentence


def in_order(root: Word) -> Iterator[Word]:
    """Yield the words of a tree from left to right."""
    for child in root.before:
        yield from in_order(child)
    yield root
    for child in root.after:
        yield from in_order(child)


def spelled(forms: list[str]) -> list[str]:
    """Write "an" for "a" before a vowel, and the first letter of the sentence large."""
    pairs = zip(forms, [*forms[1:], "."], strict=True)
    forms = ["an" if form == "a" and after[0] in "aeiou" else form for form, after in pairs]
    return [forms[0][0].upper() + forms[0][1:], *forms[1:]]


def main() -> None:
    """Write both files."""
    folder, drawn = Path(__file__).parent, sentences(SEED)
    write_sentences(folder / "sample-train.conllu", islice(drawn, TRAIN))
    write_sentences(folder / "sample-dev.conllu", islice(drawn, DEV))


if __name__ == "__main__":
    main()
