"""Any bytes as plain text: decoded, split into parts, sentences and words, tagged and parsed; no character may be lost.

The first byte holds switches: small parts, small chunks, confidences, all output formats.
"""

from itertools import chain
from random import Random

from fuzz import mutation, samples
from fuzz.findings import expect, shape
from fuzz.readers import check_forms
from headway.bulk.joining import joined
from headway.bulk.pieces import Piece
from headway.corpus import Sentence, parse_sentences, tree_problems
from headway.corpus.text import rebuild_text, text_parts
from headway.corpus.writer import format_sentences

SMALL_PARTS, SMALL_CHUNKS, CONFIDENCE, FORMS = 1, 2, 4, 8
PART = 40
LONGEST = 400
"""The largest number of bytes used: time grows with the number of words."""

MARKS = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
TOKENS = (
    b"\0", b"\x1b[0m", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\xed\xa0\x80",
    *(
        text.encode()
        for text in (
            " ", "\n", "\n\n", "\r\n", "\t", ". ", "! ", "?", "...", "…", "。", "'", '"', "don't ", "10,000.00 ", "_",
            "https://a.b/(c)?d=e|f ", "www.a ", "a@b.c ", "\x7f", "\x85", "\xa0", "\xad", "\u200b", "\u2028", "\u2029",
            "\ufeff", "\ufffd", "\ufffe", "\U0010ffff", "\U0001f469\u200d", "e\u0301", "של", "عر", "中文", "กิ", "İ",
            "ß", "|", "\\s", "\\u0041", "# text", "<b>&amp;", "The pilot saw ",
        )
    ),
)  # fmt: skip
WORDS = ("The", "old", "robot", "did", "not", "repair", "Clara's", "pump", ",", "and", "10", "(", ")", "Why", "?", ".")


class Text:
    """Bytes that are text."""

    lines = ("corpus/text.py", "tagging/", "annotator.py", "bulk/", "document.py")

    def fresh(self, random: Random) -> bytes:
        """Return random words."""
        words = random.choices(WORDS, k=random.randint(1, 30))
        text = "".join(word + random.choice(("", " ", " ", " ", "\n", "\n\n")) for word in words)
        return random.randbytes(1) + text.encode(random.choice(("utf-8", "utf-8", "utf-16", "utf-32")))

    def changed(self, random: Random, data: bytes, other: bytes) -> bytes:
        """Return the same bytes with changes."""
        return mutation.changed(random, data, other, TOKENS)[:LONGEST]

    def smaller(self, data: bytes) -> list[bytes]:
        """Return the same without some of its bytes."""
        return mutation.smaller(data)

    def check(self, data: bytes) -> str:
        """Parse the text; nothing may be lost, and the output must be valid."""
        switches, body = ord(data[:1] or b"\0"), data[1:LONGEST]
        step = 3 if switches & SMALL_CHUNKS else LONGEST
        chunks = [body[start : start + step] for start in range(0, len(body), step)]
        parts = list(text_parts(chunks, least=PART if switches & SMALL_PARTS else LONGEST))
        expect("".join(parts) == _decoded(body), "text is lost in reading")
        annotator, counts, parsed = samples.annotator(), dict[str, int](), list[Sentence]()
        pieces, read = list[Piece](), list[list[Sentence]]()
        for index, part in enumerate(parts):
            offset = sum(map(len, parts[:index]))
            read.append(list(annotator.read(part, offset=offset)))
            _check_part(part, read[-1], offset)
            pieces.append(Piece("p.txt", text=part, offset=offset, first=index == 0))
        tagged = annotator.tag(list(chain.from_iterable(read)))  # in one call, because each call costs time
        trees = list(annotator.parser.parse(tagged, confidence=bool(switches & CONFIDENCE)))
        expect(len(trees) == sum(map(len, read)), "a sentence is lost in parsing")
        for piece, sentences in zip(pieces, read, strict=True):
            some, trees = trees[: len(sentences)], trees[len(sentences) :]
            parsed += joined(some, piece, counts, document="text" if switches & FORMS else "")
            counts["sentences"] = counts.get("sentences", 0) + len(sentences)
        _check_output(parsed)
        if switches & FORMS:
            check_forms(parsed)
        letters = {min(ord(letter).bit_length(), 17) for part in parts for letter in part}
        return f"{min(len(parts), 3)} {min(len(parsed), 4)} {sorted(letters)}"


def _decoded(body: bytes) -> str:
    """Decode bytes by a second implementation."""
    encoding = next((name for mark, name in MARKS.items() if body.startswith(mark)), "utf-8-sig")
    return body.decode(encoding, "replace")


def _check_part(part: str, read: list[Sentence], offset: int) -> None:
    if read:
        expect(rebuild_text(read) == part, "text is lost in sentences")
    rest = list(part)
    for sentence in read:
        for row in sentence.rows:
            notes = dict(note.partition("=")[::2] for note in row[-1].split("|"))
            if "TokenRange" in notes:
                start, end = (int(number) - offset for number in notes["TokenRange"].split(":"))
                said = "SpacesInToken" in notes or part[start:end] == row[1]
                expect(0 <= start < end <= len(part) and said, "a token is not where it is said to be")
                rest[start:end] = " " * (end - start)
    expect(all(letter.isspace() or not letter.isprintable() for letter in rest), "a word is in no sentence")


def _check_output(parsed: list[Sentence]) -> None:
    text = "".join(format_sentences(parsed))
    try:
        again = list(parse_sentences(text.encode().decode()))
    except Exception as error:
        expect(False, f"the output cannot be read: {shape(error)}")
    expect([one.rows for one in again] == [one.rows for one in parsed], "the output is not read as it was written")
    expect(all(not list(tree_problems(one.heads)) for one in again), "a tree that is none")
    expect(all("_" not in (*one.upos, *one.labels) for one in again), "a word without a tag or a relation")
    numbers = [one.metadata["sent_id"] for one in again]
    expect(numbers == [str(number) for number in range(1, len(again) + 1)], "sentences are not numbered")
