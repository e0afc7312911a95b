"""Properties of words computed from strings: affixes, shape, class, morphological attributes.

Plain functions from strings to strings; vocabularies turn the results into integers.
"""

NONE = "_"


def affix(word: str, length: int) -> str:
    """Return the last `length` letters (the first, if negative), or the whole word with a mark if it is shorter.

    >>> affix("parsing", 3), affix("parsing", -2), affix("a", 2)
    ('ing', 'pa', '^a')
    """
    if len(word) <= abs(length):
        return "^" + word
    return word[-length:] if length > 0 else word[:-length]


def shape(word: str) -> str:
    """Return letters as ``X`` and ``x``, digits as ``d``, runs longer than two cut to two, other characters unchanged.

    >>> shape("Headway"), shape("F-16s"), shape("1,000,000")
    ('Xxx', 'X-ddx', 'd,dd,dd')
    """
    marks: list[str] = []
    for letter in word[:40]:
        mark = _mark(letter)
        if len(marks) >= 2 and marks[-1] == marks[-2] == mark:
            continue
        marks.append(mark)
    return "".join(marks[:12])


def _mark(letter: str) -> str:
    if letter.isalpha():
        return "X" if letter.isupper() else "x"
    return "d" if letter.isdigit() else letter


def word_class(word: str) -> str:
    """Return the class of a rare or unknown word: the kind of its letters, and its ending.

    >>> word_class("2024"), word_class("Oslo"), word_class("well-read"), word_class("tables")
    ('number', 'capital:lo', 'hyphen:ad', 'letters:es')
    """
    if any(letter.isdigit() for letter in word):
        return "number" if not any(letter.isalpha() for letter in word) else "alphanumeric"
    if not any(letter.isalpha() for letter in word):
        return "symbol"
    ending = word[-2:].lower()
    if "-" in word:
        return "hyphen:" + ending
    if word.isupper() and len(word) > 1:
        return "upper:" + ending
    return ("capital:" if word[0].isupper() else "letters:") + ending


def tag_pieces(tag: str) -> tuple[str, str]:
    """Return the first and the last piece of a compound tag.

    >>> tag_pieces("NNG+JKS"), tag_pieces("VB|PRT|AKT"), tag_pieces("NN")
    (('NNG', 'JKS'), ('VB', 'AKT'), ('NN', 'NN'))
    """
    pieces = tag.replace("+", "|").split("|")
    return pieces[0] or NONE, pieces[-1] or NONE


def attributes(feats: str) -> dict[str, str]:
    """Return the FEATS column as a dictionary; a piece without ``=`` (CoNLL-X) is an attribute with the value ``Yes``.

    >>> attributes("Case=Nom|Number=Sing"), attributes("_"), attributes("pl")
    ({'Case': 'Nom', 'Number': 'Sing'}, {}, {'pl': 'Yes'})
    """
    if feats == NONE:
        return {}
    return dict(_attribute(piece) for piece in feats.split("|"))


def _attribute(piece: str) -> tuple[str, str]:
    name, _, value = piece.partition("=")
    return name, value or "Yes"
