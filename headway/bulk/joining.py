"""Join the sentences of pieces into one output: number them throughout, and separate files.

The counts are the state that a resumed run needs to continue in the middle of an output:

================ ==================================================================
sentences        sentences read so far
new document     1 if a text has started and none of its sentences has been written yet
missing newlines newlines to write after the last sentence before another one can follow
carriage returns 1 if the lines of the last sentence end in CRLF
================ ==================================================================
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath

from headway.bulk.pieces import Piece, bare_name
from headway.corpus import Sentence
from headway.corpus.remote import is_remote

Counts = dict[str, int]

_NUMBER = "# sent_id ="


def document_names(paths: Sequence[str]) -> dict[str, str]:
    """Return a name for each file that shares an output, for its ``newdoc`` comment.

    The name is that of the file without its suffix; where names clash, its path below the folder that all files share
    or, if these clash as well, that path with the suffix. Standard input is ``stdin``.
    """
    paths = list(dict.fromkeys(paths))
    places = {path: PurePath(_absolute(bare_name(path))) for path in paths if path != "-"}
    folder = os.path.commonpath([place.parent for place in places.values()]) if places else ""
    below = {path: place.relative_to(folder) for path, place in places.items()}
    rules: tuple[Callable[[str], str], ...] = (
        lambda path: below[path].stem,
        lambda path: below[path].with_suffix("").as_posix(),
        lambda path: below[path].as_posix(),
        lambda path: path,
    )
    names = dict.fromkeys(paths, "stdin")
    unclear = [path for path in paths if path != "-"]
    for rule in rules:
        names |= {path: rule(path) for path in unclear}
        counts = Counter(names.values())
        unclear = [path for path in unclear if counts[names[path]] > 1]
    return names


def _absolute(path: str) -> str:
    return os.path.normpath(f"/{path.replace('://', '/')}") if is_remote(path) else os.path.abspath(path)


def joined(sentences: Iterable[Sentence], piece: Piece, counts: Counts, *, document: str) -> Iterator[Sentence]:
    """Yield the sentences of a piece, adapted to their place in the output.

    Parameters
    ----------
    sentences : iterable of Sentence
        The sentences of the piece, if of a text numbered from 1; they are changed in place.
    counts : dict of str to int
        The state, see above; all but ``sentences`` is updated.
    document : str
        The name of the piece's file for the ``newdoc`` comment of a text; empty if the output has only one file.
    """
    if piece.first and piece.text is not None:
        counts["new document"] = 1
    for sentence in sentences:
        if piece.text is not None:
            _number_on(sentence, counts.get("sentences", 0))
            sentence.comments = [comment for comment in sentence.comments if comment != "# newdoc"]
            if counts.pop("new document", 0):
                identity = document and f" id = {document}"
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
