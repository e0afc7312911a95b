import itertools

from hypothesis import given
from hypothesis import strategies as st

from headway.corpus.blocks import read_blocks

PIECES = st.lists(st.sampled_from([b"a", b"b\t", b"\n", b"\r\n", b" ", b"\r", b"\n\n", b"x\n\n"]), max_size=30)


@given(PIECES, st.booleans())
def test_blocks_hold_every_byte_and_the_right_line(pieces, live):
    data = b"".join(pieces)
    blocks = list(read_blocks([data], live=live))
    assert b"".join(block.body + block.after for block in blocks) == data
    position = 0
    for block in blocks:
        assert block.line == data.count(b"\n", 0, position) + 1
        position += len(block.body + block.after)
        assert not block.after.strip()


@given(PIECES)
def test_blocks_do_not_depend_on_chunks(pieces):
    data = b"".join(pieces)
    assert list(read_blocks(pieces)) == list(read_blocks([data]))
    assert list(read_blocks(bytes([byte]) for byte in data)) == list(read_blocks([data]))


@given(PIECES)
def test_no_body_has_a_blank_line_inside(pieces):
    for block in read_blocks([b"".join(pieces)]):
        lines = block.body.lstrip(b" \r\n").split(b"\n")
        assert all(line.strip(b" \r") for line in lines[:-1])


def test_live_blocks_are_out_once_their_blank_line_is_in():
    sent: list[bytes] = []

    def chunks():
        for chunk in (b"a\nb\n\n", b"\nc\n", b"\n", b"d"):
            sent.append(chunk)
            yield chunk

    pairs = [(block.body, len(sent)) for block in read_blocks(chunks(), live=True)]
    assert pairs == [(b"a\nb", 1), (b"\nc", 3), (b"d", 4)]
    sent.clear()
    assert [(block.body, len(sent)) for block in read_blocks(chunks())] == [
        (b"a\nb", 2),
        (b"c", 4),
        (b"d", 4),
    ]


def test_oversized_blocks_are_cut_and_what_follows_is_found():
    small = b"1\ta\n\n"
    data = small + b"line\n" * 5000 + b"\n" + small + small
    for size in (1, 7, 100, len(data)):
        chunks = [data[start : start + size] for start in range(0, len(data), size)]
        blocks = list(read_blocks(chunks, limit=1000))
        assert [block.oversized for block in blocks] == [False, True, False, False]
        assert [block.line for block in blocks] == [1, 3, 5004, 5006]
        assert len(blocks[1].body) == 1000


def test_endless_input_takes_bounded_memory():
    for piece in (b"\0" * 1000, b"# comment\n" * 100, b"\n" * 1000, b" " * 1000, b"1\tword\n" * 100):
        blocks = list(read_blocks(itertools.repeat(piece, 1000), limit=5000))
        assert [block.oversized for block in blocks] == [True]
        assert len(blocks[0].body) == 5000
