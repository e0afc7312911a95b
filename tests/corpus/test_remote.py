"""Remote files: read, listed and written by the rules of local ones."""

import gzip
import lzma
import os
import subprocess
import sys

import pytest
import remote_stores
from remote_stores import Bucket, Grid, content, fill, names

from headway.bulk import find_files
from headway.corpus import open_input, open_output, read_sentences, remote
from headway.corpus.files import read_chunks
from headway.corpus.overwriting import check_outputs
from headway.errors import CorpusError, UsageError

LINE = "1\tHark" + "\t_" * 8 + "\n\n"
FILES = ("a.txt", "b/c.txt", "b/d.csv", "b/.e.txt", ".f/g.txt", "b/h/i.txt", "b/j[1].txt")
PATTERNS = ("*.txt", "**/*.txt", "b/*", "*/*.txt", "b/[c-d].*", ".f/*.txt", "**/.e.txt", "b/**/*.txt", "?.txt")


@pytest.fixture(autouse=True)
def stores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with remote_stores.stores():
        yield


@pytest.mark.parametrize("start", ["s3://bucket", "grid://folder", "file://FOLDER", "simplecache::s3://bucket"])
@pytest.mark.parametrize(("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".XZ", lzma.compress)])
def test_sentences_are_read(tmp_path, start, ending, pack):
    url = f"{start}/x.conllu{ending}".replace("FOLDER", str(tmp_path))
    fill(url.removeprefix("simplecache::"), pack((LINE * 3).encode()))
    assert [sentence.forms for sentence in read_sentences(url)] == [["Hark"]] * 3


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_fit_what_they_fit_on_a_disk(tmp_path, pattern):
    for name in FILES:
        path = tmp_path / "disk" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        fill(f"s3://bucket/{name}", name)
    expected = [os.path.relpath(path, "disk") for path in find_files([f"disk/{pattern}"])]
    assert find_files([f"s3://bucket/{pattern}"]) == [f"s3://bucket/{name}" for name in expected]
    assert find_files([f"file://{tmp_path}/disk/{pattern}"]) == [f"file://{tmp_path}/disk/{name}" for name in expected]
    assert find_files([f"file://disk/{pattern}"]) == [f"file://{tmp_path}/disk/{name}" for name in expected]
    found = find_files([f"simplecache::s3://bucket/{pattern}"])
    assert found == [f"simplecache::s3://bucket/{name}" for name in expected]


def test_a_name_with_brackets_is_no_pattern():
    url = fill("s3://bucket/j[1].txt", "x")
    assert find_files([url]) == [url]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://bucket/nowhere.txt", "no such file or folder"),
        ("file:///nowhere/x.txt", "no such file or folder"),
        ("s3://bucket", "is a folder, not a file: name its files, such as 's3://bucket/*'"),
        ("s3://bucket/*.csv", "no file matches this pattern"),
    ],
)
def test_files_that_cannot_be_read(url, words):
    fill("s3://bucket/x.txt", "x")
    with pytest.raises(CorpusError) as caught:
        find_files([url])
    assert str(caught.value) == f"{url}: {words}"


def test_a_file_that_goes_away_is_one_error():
    with (
        pytest.raises(CorpusError, match=r"^s3://bucket/x.txt: no such file or folder$"),
        open_input("s3://bucket/x.txt"),
    ):
        pass


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Access Denied"), "no permission (Access Denied)"),
        (PermissionError("key"), "no permission"),
        (OSError(5, "Reduce your\nrequest rate"), "[Errno 5] Reduce your request rate"),
        (BrokenPipeError(32, "Broken pipe"), "[Errno 32] Broken pipe"),
        (KeyError(), "KeyError"),
    ],
)
def test_whatever_a_store_raises_is_one_line(monkeypatch, error, words):
    def fail(*_):
        raise error

    monkeypatch.setattr(Bucket, "info", fail)
    with pytest.raises(CorpusError) as caught:
        remote.check_readable("s3://bucket/x.txt")
    assert str(caught.value) == f"s3://bucket/x.txt: {words}"


def test_all_that_arrives_is_read():
    fill("s3://bucket/x.txt", "some text")
    Bucket.refused, chunks = "read", []
    with open_input("s3://bucket/x.txt") as file, pytest.raises(CorpusError) as caught:
        chunks.extend(read_chunks(file, "s3://bucket/x.txt"))
    assert str(caught.value) == "s3://bucket/x.txt: connection lost"
    with open_input("s3://bucket/x.txt") as file:
        assert next(read_chunks(file, "")) == b"some text"


def test_missing_packages(monkeypatch):
    with pytest.raises(UsageError, match=r"^nope://x/y: Protocol not known: nope; is the package installed"):
        find_files(["nope://x/y"])
    del sys.modules["fsspec.registry"]._registry["s3"]
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(UsageError, match=r"^s3://x/y: its protocol needs another package: Install s3fs to access S3$"):
        find_files(["s3://x/y"])
    for module in ("fsspec", "fsspec.core"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=r"^s3://x/y: paths with :// need fsspec: pip install 'headway\[remote\]'$"):
        find_files(["s3://x/y"])


def test_local_files_do_without_it(tmp_path):
    (tmp_path / "x.conllu").write_text(LINE)
    program = (
        "import sys; sys.modules['fsspec'] = None\n"
        "from headway.bulk import find_files\nfrom headway.corpus import read_sentences, write_sentences\n"
        "write_sentences('y.conllu', read_sentences(*find_files(['*.conllu'])))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert (tmp_path / "y.conllu").read_text() == LINE


def test_the_version_is_that_of_the_content():
    url = fill("s3://bucket/x.txt", "one")
    before = remote.version(url)
    assert remote.version(url) == before
    fill(url, "two")
    assert remote.version(url) != before


@pytest.mark.parametrize("protocol", ["s3", "grid"])
@pytest.mark.parametrize(("ending", "unpack"), [("", bytes), (".gz", gzip.decompress), (".xz", lzma.decompress)])
def test_outputs_appear_whole(tmp_path, protocol, ending, unpack):
    url = f"{protocol}://bucket/deep/x.conllu{ending}"
    with open_output(url) as file:
        file.write(b"one")
        assert names(protocol) == []
    assert unpack(content(url)) == b"one"
    with open_output(url) as file:
        file.write(b"two")
        assert unpack(content(url)) == b"one"
    assert unpack(content(url)) == b"two"
    assert names(protocol) == [f"/bucket/deep/x.conllu{ending}"]
    assert list(tmp_path.iterdir()) == []


def test_outputs_of_other_file_systems_are_moved_when_they_are_whole():
    with open_output("grid://folder/x.conllu") as file:
        file.write(b"one")
    assert [step.split()[0] for step in Grid.done] == ["put", "mv"]
    assert not any("x.conllu" in step for step in Grid.done)
    with open_output("s3://bucket/x.conllu") as file:
        file.write(b"one")
    assert len(Bucket.done) == 1


@pytest.mark.parametrize(("protocol", "step"), [("s3", "put"), ("grid", "put"), ("grid", "mv")])
def test_an_upload_that_fails_changes_nothing(tmp_path, protocol, step):
    url = fill(f"{protocol}://bucket/x.conllu", "old")
    remote_stores.STORES[protocol].refused = step
    with pytest.raises(CorpusError) as caught, open_output(url) as file:
        file.write(b"new")
    assert str(caught.value) == f"{url}: the store refuses to {step}"
    assert names(protocol) == ["/bucket/x.conllu"]
    assert content(url) == b"old"
    assert list(tmp_path.iterdir()) == []


def test_an_error_before_the_end_writes_nothing(tmp_path):
    def fail(file):
        file.write(b"half")
        raise KeyError

    with pytest.raises(KeyError), open_output("s3://bucket/x.conllu") as file:
        fail(file)
    assert (names("s3"), list(tmp_path.iterdir())) == ([], [])


def test_no_output_is_an_input(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(LINE)
    url = f"file://{path}"
    for output, source in (
        (url, path),
        (path, url),
        (f"local://{path}", url),
        ("s3://bucket/x", "s3a://bucket/x"),
        ("s3://bucket/x", "simplecache::s3://bucket/x"),
        (path, f"zip://x.txt::{path}"),
    ):
        with pytest.raises(UsageError, match="is also an input"):
            check_outputs([output], [source])
    check_outputs(["s3://bucket/x", "grid://bucket/x", "s3://bucket/y"], ["s3://bucket/z", url])
    with pytest.raises(UsageError, match="are the same file"):
        check_outputs(["s3://bucket/x", "s3a://bucket/x"], [])
    with pytest.raises(UsageError, match="chained URLs can only be read"):
        check_outputs(["simplecache::s3://bucket/x"], [])
