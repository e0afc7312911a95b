"""Whatever the bytes: the answer is a sentence or a CorpusError, and the quick test hides nothing."""

import pytest
from corpus_samples import ODD, text_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headway.corpus import CONLLU, format_sentence
from headway.corpus.block_parser import block_problems, parse_block
from headway.corpus.blocks import read_blocks
from headway.errors import CorpusError

TEXT = (ODD + text_of(["2", "0", "_"]) + ODD).encode()
BITS = [
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b" ",
    b"#",
    b"\0",
    b"\xff",
    b"1",
    b"0",
    b"-",
    b".",
    b"",
    b"\xef\xbb\xbf",
]
EDITS = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, 12), st.sampled_from(BITS)), min_size=1, max_size=3
)


def edited(edits: list[tuple[int, int, bytes]]) -> bytes:
    data = TEXT
    for start, length, new in edits:
        data = data[:start] + new + data[start + length :]
    return data


@settings(max_examples=1500)
@given(EDITS)
@example([(0, 0, b"\xef\xbb\xbf")])
def test_sentences_or_errors(edits):
    for block in read_blocks([edited(edits)]):
        problems = list(block_problems(block, layout=CONLLU, path="p"))
        if problems:
            with pytest.raises(CorpusError) as caught:
                parse_block(block, layout=CONLLU, path="p")
            assert str(caught.value) == str(problems[0])
        else:
            sentence = parse_block(block, layout=CONLLU, path="p")
            assert format_sentence(sentence).encode() == block.body + block.after
            assert all(-1 <= head <= len(sentence) for head in sentence.heads)
