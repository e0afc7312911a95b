import os
import stat

import pytest
from corpus_samples import ODD, lines_of, text_of

from headway.corpus import Sentence, open_output, parse_sentences, read_sentences, write_sentences
from headway.errors import CorpusError


def sentences():
    return parse_sentences(ODD + text_of(["0"]))


def failing():
    yield from sentences()
    raise RuntimeError("in the middle")


def test_the_file_appears_only_when_it_is_whole(tmp_path):
    target = tmp_path / "out.conllu"
    with open_output(target) as stream:
        stream.write(b"half")
        stream.flush()
        assert not target.exists()
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["out.conllu", "out.conllu.gz", "out.conllu.xz"])
def test_a_failure_leaves_what_was_there(name, tmp_path):
    with pytest.raises(RuntimeError):
        write_sentences(tmp_path / name, failing())
    assert list(tmp_path.iterdir()) == []
    (tmp_path / name).write_text("old")
    with pytest.raises(RuntimeError):
        write_sentences(tmp_path / name, failing())
    assert (tmp_path / name).read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_can_be_rewritten_in_place(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(ODD * 3)
    write_sentences(path, (s.with_tree([0] * 8, ["x"] * 8) for s in read_sentences(path)))
    assert [s.heads for s in read_sentences(path)] == [[0] * 8] * 3


def test_modes(tmp_path):
    path = tmp_path / "a.conllu"
    plain = tmp_path / "plain"
    plain.write_text("")
    write_sentences(path, sentences())
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o640)
    write_sentences(path, sentences())
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_links_stay_links(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link.conllu"
    link.symlink_to(tmp_path / "folder" / "real.conllu")
    for _ in range(2):
        write_sentences(link, sentences())
        assert link.is_symlink()
        assert (tmp_path / "folder" / "real.conllu").read_text() == ODD + text_of(["0"])


def test_devices_stay_devices():
    before = os.stat("/dev/null")
    assert write_sentences("/dev/null", sentences()) == 2
    assert os.stat("/dev/null").st_ino == before.st_ino
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_unwritable_places(tmp_path):
    with pytest.raises(CorpusError, match="is a folder"):
        write_sentences(tmp_path, sentences())
    with pytest.raises(CorpusError, match=f"the folder {tmp_path}/none does not exist") as caught:
        write_sentences(tmp_path / "none" / "a.conllu", sentences())
    assert str(caught.value).startswith(f"{tmp_path}/none/a.conllu: ")


def test_a_full_disk(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with pytest.raises(CorpusError, match="/dev/full: no space left on the disk"):
        write_sentences("/dev/full", sentences())


def test_errors_of_other_files_keep_their_name(tmp_path):
    def from_elsewhere():
        yield from sentences()
        open("/no/such/file")  # noqa: SIM115

    with pytest.raises(FileNotFoundError, match="/no/such/file"):
        write_sentences(tmp_path / "a.conllu", from_elsewhere())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("tail", ["", "\n"])
def test_sentences_from_several_files_stay_apart(ends, tail, tmp_path):
    text = ("\n".join(lines_of(["2", "0"])) + tail).replace("\n", ends)
    [first] = parse_sentences("\ufeff" + text)
    path = tmp_path / "a.conllu"
    assert write_sentences(path, [first, first]) == 2
    blank = ends * (2 - tail.count("\n"))
    assert path.read_bytes().decode() == "\ufeff" + text + blank + text
    assert [s.heads for s in read_sentences(path)] == [[2, 0]] * 2


def test_what_is_not_unicode_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="cannot be written as UTF-8"):
        write_sentences(tmp_path / "a.conllu", [Sentence.from_words(["\ud800"])])
    assert list(tmp_path.iterdir()) == []
