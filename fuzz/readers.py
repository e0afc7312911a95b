"""Files as readers get them: tables in three formats, archives, tag maps, word vectors.

The first byte says which: ``u``, ``x`` and ``9`` for CoNLL-U, CoNLL-X and CoNLL 2009, ``g`` and ``z`` for the archives
of such a table, ``m`` for a tag map, ``v`` for word vectors; all others stand for one of these.
"""

import gzip
import json
import lzma
import re
from collections.abc import Callable
from random import Random
from xml.etree import ElementTree

from fuzz import mutation, samples
from fuzz.findings import expect, shape
from headway.bulk.forms import Form
from headway.corpus import (
    CONLL2009,
    CONLLU,
    CONLLX,
    Layout,
    Sentence,
    convert,
    format_sentence,
    is_tree,
    parse_sentences,
    read_sentences,
    statistics,
    tree_problems,
    validate,
)
from headway.corpus.block_parser import block_problems, parse_block
from headway.corpus.blocks import Block, read_blocks
from headway.corpus.reader import block_sentences
from headway.corpus.writer import format_sentences
from headway.encoding.tag_map import read_tag_map
from headway.encoding.vectors import read_vectors
from headway.errors import CorpusError, HeadwayError
from headway.support.printable import printable

LAYOUTS = {b"u": CONLLU, b"x": CONLLX, b"9": CONLL2009}
SELECTORS = (b"u", b"x", b"9", b"g", b"z", b"m", b"v")
TOKENS = (
    b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b" \n", b" ", b"\0", b"\xff", b"\xed\xa0\x80", b"\x0b", b"\x0c", b"\x1b[31m",
    b"\t_", b"_", b"0", b"1-2", b"2.1", b"|", b"=", b"<&>\"'", b"#", b"# text = ", b"# tree_prob = x", b"# score = x",
    b"# tree = x", b"HeadProb=x", b"TokenRange=1:", b"SpaceAfter=No", b"nsubj", b"PUNCT",
    *(text.encode() for text in ("\ufeff", "\u2028", "\x85", "\u0661", "\u00b2", "\U0001f415", "\ufffe")),
)  # fmt: skip
PARSED_WORDS = 30
_PICTURE = re.compile(r"<svg.*?</svg>", re.DOTALL)


class Readers:
    """Bytes that may be a file."""

    lines = ("corpus/", "bulk/forms.py", "plots/", "encoding/tag_map.py", "encoding/vectors.py", "document.py")

    def fresh(self, random: Random) -> bytes:
        """Return a valid table of random words."""
        selector = random.choice(SELECTORS)
        columns = LAYOUTS.get(selector, CONLLU).columns
        lines = []
        for _ in range(random.randint(1, 4)):
            words = random.randint(1, 6)
            for word in range(1, words + 1):
                fields = ["_"] * columns
                fields[0], fields[1] = str(word), random.choice(("a", "Wörter", ".", "x y", "10"))
                fields[8 if columns > 10 else 6] = str(
                    random.choice([head for head in range(words + 1) if head != word])
                )
                lines.append("\t".join(fields))
            lines.append("")
        return selector + "\n".join([*lines, ""]).encode()

    def changed(self, random: Random, data: bytes, other: bytes) -> bytes:
        """Return the same bytes with changes."""
        return mutation.changed(random, data, other, TOKENS)

    def smaller(self, data: bytes) -> list[bytes]:
        """Return the same without some of its bytes."""
        return mutation.smaller(data)

    def check(self, data: bytes) -> str:
        """Read the input in all ways, and check that they agree and that nothing is lost."""
        selector, body = data[:1], data[1:]
        if selector not in SELECTORS:
            selector = SELECTORS[ord(selector or b"u") % len(SELECTORS)]
        if selector in LAYOUTS:
            return f"{selector!r} {_check_table(body, LAYOUTS[selector])}"
        return f"{selector!r} {_check_file(selector, body)}"


def _check_table(body: bytes, layout: Layout) -> str:
    blocks = list(read_blocks([body]))
    expect(b"".join(block.body + block.after for block in blocks) == body, "bytes are lost between blocks")
    step = 1 + sum(body[:7]) % 61
    chunks = [body[start : start + step] for start in range(0, len(body), step)]
    expect(list(read_blocks(chunks)) == blocks, "blocks depend on the chunks that are read")
    sound = sum(_check_block(block, layout) for block in blocks)
    errors: list[CorpusError] = []
    sentences = list(block_sentences(blocks, layout=layout, path="p", complain=errors.append))
    expect(len(sentences) == sound, "a sound sentence is lost")
    text = "".join(format_sentences(sentences))
    if sentences and not errors:
        expect(text.encode() == body, "what was read is not written as it was")
    again = list(parse_sentences(text, layout=layout))
    expect([one.rows for one in again] == [one.rows for one in sentences], "what was written is not read as it was")
    _check_validation(body, layout, sentences, errors)
    for sentence in sentences[:4]:
        _check_sentence(sentence, layout)
    _check_parsing(sentences, layout)
    return " ".join([f"{min(len(sentences), 3)}", *sorted({shape(error) for error in errors})])


def _check_block(block: Block, layout: Layout) -> bool:
    """Return whether a block is a valid sentence; the quick test and the list of problems must agree."""
    problems = list(block_problems(block, layout=layout, path="p"))
    try:
        sentence = parse_block(block, layout=layout, path="p")
    except CorpusError as error:
        expect(problems and str(error) == str(problems[0]), "an error that is not the first of the problems")
        return False
    expect(not problems, "a problem that reading hides")
    expect(format_sentence(sentence).encode() == block.body + block.after, "a sentence is not written as it was read")
    expect(all(-1 <= head <= len(sentence) for head in sentence.heads), "a head outside the sentence")
    return bool(sentence.rows)


def _check_validation(body: bytes, layout: Layout, sentences: list[Sentence], errors: list[CorpusError]) -> None:
    path = samples.place("table")
    path.write_bytes(body)
    found = list(validate(path, layout=layout))
    trees = all(not list(tree_problems(sentence.heads)) for sentence in sentences)
    expect(bool(found) >= bool(errors), "validation finds nothing where reading does")
    expect(not found or errors or not trees or b"#" in body, "validation finds a problem where there is none")
    told: list[CorpusError] = []
    read = list(read_sentences(path, layout=layout, on_error="skip", report=told.append))
    expect(read == sentences and len(told) == len(errors), "a file is read in another way than its bytes")


def _check_sentence(sentence: Sentence, layout: Layout) -> None:
    for target in LAYOUTS.values():
        written = format_sentence(convert(sentence, layout=target))
        [again] = parse_sentences(written, layout=target)
        expect(again.forms == sentence.forms and again.heads == sentence.heads, "lost in conversion")
    if is_tree(sentence.heads):
        expect(statistics([sentence]).words == len(sentence), "words are not counted")


def _check_parsing(sentences: list[Sentence], layout: Layout) -> None:
    """Parse small inputs, and write them in every format."""
    parser = samples.annotator().parser
    some = [sentence for sentence in sentences if len(sentence) <= PARSED_WORDS][:2]
    parsed = list(parser.parse(some, confidence=layout is CONLLU))
    expect(len(parsed) == len(some), "a sentence is lost in parsing")
    expect(all(is_tree(sentence.heads) for sentence in parsed), "a tree that is none")
    expect([one.forms for one in parsed] == [one.forms for one in some], "words are lost in parsing")
    check_forms(parsed if layout is CONLLU else [])


def check_forms(sentences: list[Sentence]) -> None:
    """Write sentences in every format, and read the output by other means."""

    def written(to: str) -> str:
        form = Form(to)
        return form.add(sentences) + form.end()

    lines = written("json").split("\n")[:-1]
    expect([len(json.loads(line)["words"]) for line in lines] == list(map(len, sentences)), "words are lost in JSON")
    drawn = written("tree").split("\n")
    expect(all(printable(line) == line for line in drawn), "a control character in a drawing")
    pictures = _PICTURE.findall(written("html"))
    expect(len(pictures) == len(sentences), "a tree is lost on a page")
    for picture in [written("svg"), *pictures]:
        try:
            ElementTree.fromstring(picture.encode())
        except ElementTree.ParseError as error:
            expect(False, f"a picture is not well-formed: {str(error).partition(':')[0]}")


def _check_file(selector: bytes, body: bytes) -> str:
    readers: dict[bytes, tuple[str, Callable[[], object]]] = {
        b"g": ("a.gz", lambda: len(list(read_sentences(samples.place("a.gz"))))),
        b"z": ("a.xz", lambda: len(list(read_sentences(samples.place("a.xz"))))),
        b"m": ("map", lambda: len(read_tag_map(samples.place("map")))),
        b"v": ("vectors", lambda: len(read_vectors(str(samples.place("vectors")), most=100).words)),
    }
    name, read = readers[selector]
    if name.endswith("z") and sum(body[:3]) % 2:  # an archive of the input, with a byte of it changed
        body = bytearray(gzip.compress(body, mtime=0) if name == "a.gz" else lzma.compress(body))
        body[sum(body) % len(body)] ^= 1 << sum(body) % 8
    samples.place(name).write_bytes(body)
    try:
        return f"{min(int(str(read())), 3)}"
    except HeadwayError as error:
        return shape(error)
