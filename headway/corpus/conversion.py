"""Convert sentences between the CoNLL table formats, and list what a format cannot hold."""

from headway.corpus.layout import Layout
from headway.corpus.sentence import Sentence
from headway.corpus.word import counted


def convert(sentence: Sentence, *, layout: Layout) -> Sentence:
    """Return the sentence in another table format.

    Parameters
    ----------
    sentence : Sentence
        The sentence to convert.
    layout : Layout
        The target format; a sentence that has this format already is returned unchanged.

    Returns
    -------
    Sentence
        With the form, lemma, tags, features, head and relation of every word. Columns without a counterpart
        are ``_``; `conversion_losses` says what that drops. CoNLL 2009 has one tag: UPOS goes to POS and
        comes back as UPOS. The P-columns of CoNLL 2009 get the same values as the gold ones; they are read if
        the gold ones are empty.
    """
    if layout == sentence.layout:
        return sentence
    converted = Sentence.from_words(
        sentence.forms,
        lemmas=sentence.lemmas,
        upos=sentence.upos,
        xpos=sentence.xpos,
        feats=sentence.feats,
        comments=sentence.comments if layout.has_ranges else (),
        layout=layout,
    )
    converted.line, converted.path = sentence.line, sentence.path
    return converted.with_tree(sentence.heads, sentence.labels)


def conversion_losses(sentence: Sentence, *, layout: Layout) -> list[str]:
    """Name what `convert` would drop from this sentence, such as ``["2 multiword ranges", "column DEPS"]``.

    Only what the sentence has is listed: a column that is ``_`` throughout is no loss.
    """
    if layout == sentence.layout:
        return []
    losses = []
    if sentence.comments and not layout.has_ranges:
        losses.append(counted(len(sentence.comments), "comment"))
    ids = [row[0] for row in sentence.read_rows()[0]]
    for mark, name in (("-", "multiword range"), (".", "empty node")):
        if count := sum(mark in text for text in ids):
            losses.append(counted(count, name))
    losses += [f"column {name}" for name in _lost_columns(sentence, layout)]
    return losses


def _lost_columns(sentence: Sentence, target: Layout) -> list[str]:
    source, words = sentence.layout, sentence.word_rows
    carried = {0, source.form, source.lemma, source.upos, source.feats, source.head, source.deprel}
    if source.xpos is not None and target.xpos is not None:
        carried.add(source.xpos)
    read = {sentence.source(column) for column in (source.lemma, source.upos, source.feats)}
    for first, twin in source.twins:
        if twin in read or all(row[first] == row[twin] for row in words):
            carried.add(twin)
    width = max(map(len, words), default=0)
    names = [*source.names, *(f"APRED{number}" for number in range(1, width - source.columns + 1))]
    filled = {column for row in words for column, field in enumerate(row) if field != "_"}
    return [names[column] for column in sorted(filled - carried)]
