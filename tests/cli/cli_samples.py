"""Inputs, sound and broken, for the commands' tests."""

from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def table(*heads: int | str, form: str = "word") -> str:
    """A sentence of CoNLL-U with these heads."""
    rows = [
        f"{number}\t{form}{number}\t{form}\tNOUN\tNN\tNumber=Sing\t{head}\tdep\t_\t_\n"
        for number, head in enumerate(heads, start=1)
    ]
    return "".join(rows) + "\n"


SOUND = table(2, 0, 2)
TWO = SOUND + table(0)
CYCLE = SOUND + table(2, 1, 0)

BROKEN = {
    "truncated line": (b"1\tword\n\n", "1: 2 fields instead of the 10 of CoNLL-U"),
    "NUL": (SOUND.replace("word2", "wo\0rd").encode(), "2, column 2: NUL byte"),
    "not UTF-8": (SOUND.encode().replace(b"word2", b"w\xffrd"), "2, column 2: byte 4 of the line (0xff) is not UTF-8"),
    "head out of range": (SOUND.replace("\t0\t", "\t9\t").encode(), "2, column 7: HEAD 9 is not a word"),
    "binary": (bytes(range(256)) * 8, "2, column 1: byte 118 of the line (0x80) is not UTF-8"),
}
"""Bytes that are no CoNLL-U, and how the message goes on behind the file's name and a colon."""
