"""Join the sentences of pieces into one output: number them throughout, and separate files.

The counts are the state that a resumed run needs to continue in the middle of an output:

================ ==================================================================
sentences        sentences read so far
new document     1 if a text has started and none of its sentences has been written yet
missing newlines newlines to write after the last sentence before another one can follow
carriage returns 1 if the lines of the last sentence end in CRLF
================ ==================================================================
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from headway.bulk.pieces import Piece, bare_name
from headway.corpus import Sentence

Counts = dict[str, int]

_NUMBER = "# sent_id ="


def joined(sentences: Iterable[Sentence], piece: Piece, counts: Counts, *, several: bool) -> Iterator[Sentence]:
    """Yield the sentences of a piece, adapted to their place in the output.

    Parameters
    ----------
    sentences : iterable of Sentence
        The sentences of the piece, if of a text numbered from 1; they are changed in place.
    counts : dict of str to int
        The state, see above; all but ``sentences`` is updated.
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
    """Add the number of earlier sentences to ``sent_id``; several trees of a sentence keep the same number."""
    sentence.comments = [
        f"{_NUMBER} {before + int(comment.removeprefix(_NUMBER))}" if comment.startswith(_NUMBER) else comment
        for comment in sentence.comments
    ]
