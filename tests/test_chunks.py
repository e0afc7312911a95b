"""Chunks of a stream that is still being written."""

from queue import Queue

import pytest

from headway.support.chunks import full_chunks, ready_chunks


@pytest.mark.parametrize("chunks", [full_chunks, ready_chunks])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 10])
def test_everything_comes_in_order(chunks, count):
    found = list(chunks(range(count), 3))
    assert [item for chunk in found for item in chunk] == list(range(count))
    assert all(1 <= len(chunk) <= 3 for chunk in found)


def test_what_is_there_does_not_wait_for_the_rest():
    source: Queue[int | None] = Queue()
    chunks = ready_chunks(iter(source.get, None), 100)
    source.put(1)
    assert next(chunks) == [1]
    source.put(2)
    assert next(chunks) == [2]
    source.put(None)
    assert list(chunks) == []


def test_an_error_comes_after_what_came_before_it():
    def broken():
        yield 1
        raise ValueError("broken")

    chunks = ready_chunks(broken(), 1)
    assert next(chunks) == [1]
    with pytest.raises(ValueError, match="broken"):
        next(chunks)
