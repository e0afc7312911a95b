"""Output piece by piece, and after a break."""

import gzip
import lzma

import pytest

from headway.corpus.resumable import PieceOutput, ResumableOutput, is_resumable
from headway.errors import CorpusError, UsageError

MARK = "of a.txt"


def break_off(path, error):
    """Write a piece, and fail."""
    with ResumableOutput(str(path), MARK) as output:
        output.write(b"one", sentences=2)
        raise error


def test_the_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "out.conllu"
    with ResumableOutput(str(path), MARK) as output:
        output.write(b"one", sentences=2)
        assert not path.exists()
        output.write(b"two", sentences=3)
        assert (output.pieces, output.counts) == (2, {"sentences": 3})
    assert path.read_bytes() == b"onetwo"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("ending", "read"), [("", bytes), (".gz", gzip.decompress), (".xz", lzma.decompress)])
def test_an_interrupted_run_is_resumed(tmp_path, ending, read):
    path = tmp_path / f"out{ending}"
    with pytest.raises(KeyboardInterrupt):
        break_off(path, KeyboardInterrupt())
    with open(f"{path}.part", "ab") as file:
        file.write(b"half a piece that was never finished")
    again = ResumableOutput(str(path), MARK, resume=True)
    assert (again.pieces, again.counts) == (1, {"sentences": 2})
    with again as output:
        output.write(b"two")
    assert read(path.read_bytes()) == b"onetwo"
    assert list(tmp_path.iterdir()) == [path]


def test_all_pieces_are_kept_when_a_run_is_broken_off(tmp_path):
    path = tmp_path / "out"
    output = ResumableOutput(str(path), MARK)
    output.open()
    for number in range(5):
        output.write(b"piece", sentences=number)
    output.abandon()
    again = ResumableOutput(str(path), MARK, resume=True)
    assert (again.pieces, again.counts) == (5, {"sentences": 4})


def test_a_killed_run_goes_on_from_what_was_safe(tmp_path):
    path, large = tmp_path / "out", b"x" * (1 << 20)
    output = ResumableOutput(str(path), MARK)
    output.open()
    for safe in (1, 1, 3, 3, 5):
        output.write(large)
        assert ResumableOutput(str(path), MARK, resume=True).pieces == safe
    output.write(b"lost")
    output._file.close()  # as if it was killed
    with ResumableOutput(str(path), MARK, resume=True) as again:
        assert again.pieces == 5
        again.write(b"end")
    assert path.read_bytes() == large * 5 + b"end"


def test_pieces_that_the_disk_refused_do_not_count(tmp_path, monkeypatch):
    path, large = tmp_path / "out", b"x" * (3 << 20)

    def refuse(file):
        raise OSError(5, "bad disk")

    output = ResumableOutput(str(path), MARK)
    output.open()
    output.write(b"one")
    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(CorpusError, match="bad disk"):
        output.write(large)
    monkeypatch.undo()
    output.abandon()
    assert ResumableOutput(str(path), MARK, resume=True).pieces == 1


def test_without_asking_it_begins_anew(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        break_off(path, KeyboardInterrupt())
    with ResumableOutput(str(path), "of b.txt") as output:
        output.write(b"two")
    assert path.read_bytes() == b"two"


def test_it_goes_on_only_from_the_same_work(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        break_off(path, KeyboardInterrupt())
    with pytest.raises(UsageError, match="other input or options"):
        ResumableOutput(str(path), "of b.txt", resume=True)
    (tmp_path / "out.part").write_bytes(b"o")
    with pytest.raises(UsageError, match="shorter"):
        ResumableOutput(str(path), MARK, resume=True)
    (tmp_path / "out.part.json").write_text("{")
    with pytest.raises(UsageError, match="damaged"):
        ResumableOutput(str(path), MARK, resume=True)


def test_before_the_first_piece_nothing_is_left(tmp_path):
    with pytest.raises(CorpusError), ResumableOutput(str(tmp_path / "out"), MARK):
        raise CorpusError("broken")
    assert list(tmp_path.iterdir()) == []
    with (
        pytest.raises(CorpusError, match=r"the folder .*no does not exist"),
        ResumableOutput(str(tmp_path / "no" / "out"), MARK),
    ):
        pass


def test_two_runs_do_not_share_a_file(tmp_path):
    pytest.importorskip("fcntl")
    path = str(tmp_path / "out")
    with ResumableOutput(path, MARK) as output:
        output.write(b"one")
        with pytest.raises(UsageError, match="another run"):
            ResumableOutput(path, MARK).open()
        output.write(b"two")
    assert (tmp_path / "out").read_bytes() == b"onetwo"


def test_a_file_that_was_finished_while_it_was_opened_is_left_alone(tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    path = tmp_path / "out"
    first, second = ResumableOutput(str(path), MARK), ResumableOutput(str(path), MARK)
    first.open()
    first.write(b"one")
    monkeypatch.setattr(second, "_lock", first.finish)  # it gets its name just before the lock is had
    with pytest.raises(UsageError, match="just finished"):
        second.open()
    assert path.read_bytes() == b"one"


def test_links_and_rights_stay(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with ResumableOutput(str(link), MARK) as output:
        output.write(b"new")
        assert (tmp_path / "elsewhere" / "real.part").exists()  # perhaps another disk
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_streams_are_written_straight(capsysbinary):
    assert not is_resumable("-")
    assert not is_resumable("/dev/null")
    assert not is_resumable("/dev/stdout")
    with PieceOutput("-") as output:
        output.write(b"one", sentences=1)
        output.write(b"two", sentences=2)
    assert capsysbinary.readouterr().out == b"onetwo"
    assert (output.pieces, output.counts) == (2, {"sentences": 2})
