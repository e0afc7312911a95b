"""The sentences of many pieces as one stream: numbered on from piece to piece, files kept apart.

The counts are what a run has to know to go on in the middle of an output:

================ ==================================================================
sentences        sentences read so far
new document     1 where a text has begun and none of its sentences was written yet
missing newlines line ends that the last sentence lacks to be followed by another
carriage returns 1 where its lines end in CRLF
================ ==================================================================
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from headway.bulk.pieces import Piece, bare_name
from headway.corpus import Sentence

Counts = dict[str, int]

_NUMBER = "# sent_id ="


def joined(sentences: Iterable[Sentence], piece: Piece, counts: Counts, *, several: bool) -> Iterator[Sentence]:
    """Yield the sentences of a piece as the output has them.

    Parameters
    ----------
    sentences : iterable of Sentence
        Those of a text are numbered from 1; they are changed in place.
    counts : dict of str to int
        Kept up to date, except for ``sentences``.
    several : bool
        Whether several files share the output: the ``newdoc`` comment of each text then has its name.
    """
    if piece.first and piece.text is not None:
        counts["new document"] = 1
    for sentence in sentences:
        if piece.text is not None:
            _number_on(sentence, counts.get("sentences", 0))
            sentence.comments = [comment for comment in sentence.comments if comment != "# newdoc"]
            if counts.pop("new document", 0):
                identity = f" id = {Path(bare_name(piece.path)).stem}" if several else ""
                sentence.comments = [f"# newdoc{identity}", *sentence.comments]
        if "missing newlines" in counts:
            newline = "\r\n" if counts["carriage returns"] else "\n"
            sentence.before = newline * counts["missing newlines"] + sentence.before.removeprefix("\ufeff")
        counts["missing newlines"] = max(0, 2 - sentence.after.count("\n"))
        counts["carriage returns"] = int(sentence.newline == "\r\n")
        yield sentence


def _number_on(sentence: Sentence, before: int) -> None:
    """Count the sentences of earlier pieces in; trees of the same sentence keep the same number."""
    sentence.comments = [
        f"{_NUMBER} {before + int(comment.removeprefix(_NUMBER))}" if comment.startswith(_NUMBER) else comment
        for comment in sentence.comments
    ]
