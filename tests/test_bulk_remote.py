"""Parsing from and into remote file systems: the bytes, and the rules, of local files."""

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import remote_stores
from remote_stores import Bucket, Grid, content, fill, names
from typer.testing import CliRunner

from headway import TrainingOptions, read_sentences
from headway.annotator import Annotator
from headway.bulk import Task, Worker, find_files, is_folder, parse_files
from headway.cli.app import app
from headway.corpus import remote
from headway.corpus.text import text_parts
from headway.errors import CorpusError, UsageError

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
TEXT = "The pilot saw Clara. Why did it wait?\n\nThe old robot repaired the pump. It waited.\n\n"
INPUTS = {"a/x.txt": TEXT * 4, "a/b/y.txt": "", "c/x.txt.gz": TEXT}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("bulk") / "sample.headway"
    train = list(read_sentences(EXAMPLES / "sample-train.conllu"))[:60]
    Annotator.train(train, preset="first-order", options=TrainingOptions(epochs=2), crossed=2).save(path)
    return str(path)


@pytest.fixture(scope="module")
def worker(model):
    return Worker(Task(model))


@pytest.fixture(autouse=True)
def stores(tmp_path, monkeypatch):
    """The same files on the disk and in two stores, and pieces of a few sentences."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("headway.bulk.pieces.text_parts", lambda chunks: text_parts(chunks, least=30))
    with remote_stores.stores():
        for name, text in INPUTS.items():
            data = gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text.encode()
            path = tmp_path / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            fill(f"s3://bucket/in/{name}", data)
            fill(f"grid://bucket/in/{name}", data)
        yield


@pytest.fixture
def expected(tmp_path, worker):
    """Parsed from the disk to the disk: a file, and a folder."""
    paths = find_files(["in/**/*.txt", "in/**/*.gz"])
    parse_files(paths, str(tmp_path / "expected.conllu"), worker)
    parse_files(paths, f"{tmp_path}/expected/", worker)
    return tmp_path / "expected.conllu", tmp_path / "expected"


def inputs(start):
    return find_files([f"{start}/in/**/*.txt", f"{start}/in/**/*.gz"])


def tree(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def stored(url):
    """All files below a URL."""
    protocol, _, start = url.partition("://")
    found = (name for name in names(protocol) if name.startswith(f"/{start}/"))
    return {name.removeprefix(f"/{start}/"): content(f"{protocol}:/{name}") for name in found}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("start", ["s3://bucket", "grid://bucket"])
def test_the_bytes_are_those_of_local_files(tmp_path, worker, expected, start, jobs):
    before = set(tmp_path.iterdir())
    paths = inputs(start)
    assert parse_files(paths, f"{start}/out.conllu", worker, jobs=jobs) == (20, 100)
    assert content(f"{start}/out.conllu") == expected[0].read_bytes()
    parse_files(paths, f"{start}/out/", worker, jobs=jobs)
    assert stored(f"{start}/out") == tree(expected[1])
    assert set(tree(expected[1])) == {"a/x.conllu", "a/b/y.conllu", "c/x.conllu"}
    assert set(tmp_path.iterdir()) == before


def test_compression_goes_by_the_ending(worker, expected):
    parse_files(inputs("s3://bucket"), "s3://bucket/out.conllu.gz", worker)
    assert gzip.decompress(content("s3://bucket/out.conllu.gz")) == expected[0].read_bytes()


def test_local_and_remote_files_mix(worker, expected, tmp_path):
    parse_files(["in/a/x.txt", "s3://bucket/in/a/b/y.txt", "grid://bucket/in/c/x.txt.gz"], "s3://bucket/mix", worker)
    assert content("s3://bucket/mix").decode().count("# sent_id") == 20
    parse_files([f"{tmp_path}/in/a/x.txt", "s3://bucket/in/a/x.txt"], "grid://mix/", worker)
    place = tmp_path.relative_to("/").as_posix()
    assert set(stored("grid://mix")) == {f"{place}/in/a/x.conllu", "s3/bucket/in/a/x.conllu"}
    parse_files(inputs("s3://bucket"), f"{tmp_path}/local/", worker)
    assert tree(tmp_path / "local") == tree(expected[1])


def test_folders():
    assert is_folder("s3://bucket/in")
    assert is_folder("s3://bucket/new/")
    assert not is_folder("s3://bucket/new")
    assert not is_folder("s3://bucket/in/a/x.txt")


@pytest.mark.parametrize("to", ["html", "svg", "json"])
def test_other_forms(tmp_path, model, to):
    before = set(tmp_path.iterdir())
    parse_files(["s3://bucket/in/a/x.txt"], "s3://bucket/out", Worker(Task(model, to=to)))
    assert content("s3://bucket/out").decode().count("pilot") >= 4
    assert set(tmp_path.iterdir()) == before


def test_what_is_read_is_not_written_over(worker):
    before = stored("s3://bucket")
    for paths, output in (
        (["s3://bucket/in/a/x.txt"], "s3a://bucket/in/a/x.txt"),
        (["simplecache::s3://bucket/in/a/x.txt"], "s3://bucket/in/a/x.txt"),
        (["in/a/x.txt"], f"file://{os.getcwd()}/in/a/x.txt"),
    ):
        with pytest.raises(UsageError, match="would be overwritten"):
            parse_files(paths, output, worker)
    with pytest.raises(UsageError, match="chained URLs can only be read"):
        parse_files(["in/a/x.txt"], "simplecache::s3://bucket/out", worker)
    assert stored("s3://bucket") == before


class Stop(KeyboardInterrupt):
    """As if the user had lost patience."""


@pytest.fixture
def parsed(monkeypatch):
    """The pieces that are parsed; ``parsed.stop`` may be the number after which the run is interrupted."""

    class Parsed(list):
        stop = None

    answer, record = Worker.__call__, Parsed()

    def noted(self, piece):
        if piece.text:
            if len(record) == record.stop:
                raise Stop
            record.append((piece.path, piece.offset))
        return answer(self, piece)

    monkeypatch.setattr(Worker, "__call__", noted)
    return record


@pytest.mark.parametrize("output", ["s3://bucket/out.conllu", "s3://bucket/out/", "grid://out/"])
@pytest.mark.parametrize("after", [1, 3])
def test_an_interrupted_run_goes_on(tmp_path, worker, expected, parsed, output, after):
    before = set(tmp_path.iterdir())
    paths, parsed[:], parsed.stop = inputs("s3://bucket"), [], after
    with pytest.raises(Stop):
        parse_files(paths, output, worker)
    assert {path.rpartition("/")[2] for protocol in ("s3", "grid") for path in names(protocol) if "out" in path} <= {
        "y.conllu"  # of an empty file
    }
    left = {path.name for path in set(tmp_path.iterdir()) - before}
    assert any(name.endswith(".part") for name in left)
    assert any(name.endswith(".part.json") for name in left)
    parsed.stop = None
    parse_files(paths, output, worker, resume=True)
    assert len(parsed) == len(set(parsed))
    if output.endswith("/"):
        assert stored(output.rstrip("/")) == tree(expected[1])
    else:
        assert content(output) == expected[0].read_bytes()
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("protocol", "step"), [("s3", "put"), ("grid", "put"), ("grid", "mv")])
def test_after_an_upload_that_failed_nothing_is_parsed_again(tmp_path, worker, expected, parsed, protocol, step):
    before = set(tmp_path.iterdir())
    store, url = remote_stores.STORES[protocol], f"{protocol}://bucket/out.conllu"
    paths, parsed[:], store.refused = inputs(f"{protocol}://bucket"), [], step
    with pytest.raises(CorpusError) as caught:
        parse_files(paths, url, worker)
    left = set(tmp_path.iterdir()) - before
    [part] = (path for path in left if path.suffix == ".part")
    assert {path.name for path in left} == {part.name, f"{part.name}.json"}
    advice = f"all of it is in {part.name}, and --resume puts it there"
    assert str(caught.value) == f"{url}: the store refuses to {step}; {advice}"
    assert part.read_bytes() == expected[0].read_bytes()
    assert all("/in/" in name for name in names(protocol))
    count = len(parsed)
    store.refused = ""
    parse_files(paths, url, worker, resume=True)
    assert len(parsed) == count
    assert content(url) == expected[0].read_bytes()
    assert set(tmp_path.iterdir()) == before


def test_only_the_files_that_are_missing_are_parsed_and_put(worker, expected, parsed, monkeypatch):
    paths, parsed[:] = inputs("s3://bucket"), []
    put = Bucket.put_file

    def refuse(self, path, target, **options):
        if target.endswith("out/c/x.conllu"):
            Bucket.refused = "put"
        put(self, path, target, **options)

    monkeypatch.setattr(Bucket, "put_file", refuse)
    with pytest.raises(CorpusError, match="the store refuses to put"):
        parse_files(paths, "s3://bucket/out/", worker)
    assert set(stored("s3://bucket/out")) == {"a/x.conllu", "a/b/y.conllu"}
    monkeypatch.setattr(Bucket, "put_file", put)
    Bucket.refused, count, puts = "", len(parsed), len(Bucket.done)
    parse_files(paths, "s3://bucket/out", worker, resume=True)
    assert (len(parsed) - count, len(Bucket.done) - puts) == (0, 1)
    assert stored("s3://bucket/out") == tree(expected[1])


def test_a_file_that_was_put_and_noted_is_not_put_again(worker, expected, parsed, monkeypatch):
    """The run ends between the removal of the part and the note about it."""
    paths, parsed[:] = inputs("s3://bucket"), []
    noted = "headway.bulk.plan.append_line"

    def stop(*_):
        raise Stop

    with monkeypatch.context() as patch:
        patch.setattr(noted, stop)
        with pytest.raises(Stop):
            parse_files(paths, "s3://bucket/out/", worker)
    count, puts = len(parsed), len(Bucket.done)
    assert puts == 1
    parse_files(paths, "s3://bucket/out/", worker, resume=True)
    assert len(Bucket.done) - puts == 2
    assert len(parsed) == len(set(parsed)) > count
    assert stored("s3://bucket/out") == tree(expected[1])


def test_a_run_that_ends_right_after_an_upload_puts_the_same_again(tmp_path, worker, expected, parsed, monkeypatch):
    before = set(tmp_path.iterdir())
    paths, parsed[:], upload = inputs("s3://bucket"), [], remote.upload

    def stop(*arguments):
        upload(*arguments)
        raise Stop

    with monkeypatch.context() as patch:
        patch.setattr(remote, "upload", stop)
        with pytest.raises(Stop):
            parse_files(paths, "s3://bucket/out.conllu", worker)
    assert content("s3://bucket/out.conllu") == expected[0].read_bytes()
    count = len(parsed)
    parse_files(paths, "s3://bucket/out.conllu", worker, resume=True)
    assert (len(parsed), len(Bucket.done)) == (count, 2)
    assert content("s3://bucket/out.conllu") == expected[0].read_bytes()
    assert set(tmp_path.iterdir()) == before


def test_other_input_is_other_work(worker, parsed):
    parsed.stop = 2
    with pytest.raises(Stop):
        parse_files(["s3://bucket/in/a/x.txt"], "s3://bucket/out.conllu", worker)
    fill("s3://bucket/in/a/x.txt", TEXT.replace("Clara", "Klara") * 4)
    parsed.stop = None
    with pytest.raises(UsageError, match=r"^out.conllu.[0-9a-f]{8}.part: begun with other input or options; remove it"):
        parse_files(["s3://bucket/in/a/x.txt"], "s3://bucket/out.conllu", worker, resume=True)
    parse_files(["s3://bucket/in/a/x.txt"], "s3://bucket/out.conllu", worker)
    assert content("s3://bucket/out.conllu").decode().count("= The pilot saw Klara.") == 4


def test_a_local_failure_names_the_local_file(worker, monkeypatch):
    monkeypatch.setattr("headway.corpus.remote.local_name", lambda url: "missing/out")
    with pytest.raises(CorpusError, match=r"^missing/out.part: the folder .*missing does not exist$"):
        parse_files(["s3://bucket/in/a/x.txt"], "s3://bucket/out.conllu", worker)


def run(*words, stdin=None):
    return CliRunner().invoke(app, [*map(str, words)], input=stdin, prog_name="headway")


def test_the_command(tmp_path, model, expected):
    result = run("parse", "s3://bucket/in/**/*.txt", "grid://bucket/in/c/*", "-m", model, "-o", "grid://out/", "-q")
    assert (result.exit_code, result.stderr) == (0, "")
    assert set(stored("grid://out")) == {
        "s3/bucket/in/a/x.conllu",
        "s3/bucket/in/a/b/y.conllu",
        "grid/bucket/in/c/x.conllu",
    }
    result = run("parse", "-m", model, "-o", "s3://bucket/stdin.conllu", "-q", stdin=TEXT)
    assert result.exit_code == 0, result.stderr
    assert content("s3://bucket/stdin.conllu") == (tmp_path / "expected" / "c" / "x.conllu").read_bytes()


def test_the_command_says_what_is_wrong_in_one_line(tmp_path, model, monkeypatch):
    Grid.refused = "mv"
    result = run("parse", "in/a/x.txt", "-m", model, "-o", "grid://bucket/out.conllu", "-q")
    assert result.exit_code == 3
    [line] = result.stderr.splitlines()
    assert line.startswith(
        "headway: error: grid://bucket/out.conllu: the store refuses to mv; all of it is in out.conllu."
    )
    for words, code, message in (
        (("s3://bucket/no.txt", "-o", "out"), 3, "s3://bucket/no.txt: no such file or folder"),
        (("s3://bucket/*.no", "-o", "out"), 3, "s3://bucket/*.no: no file matches this pattern"),
        (("in/a/x.txt", "-o", "nope://x"), 2, "nope://x: Protocol not known: nope; is the package installed"),
        (("s3://bucket/in/a/x.txt", "-o", "s3://bucket/in/a/x.txt"), 2, "s3://bucket/in/a/x.txt: is also an input"),
    ):
        result = run("parse", *words, "-m", model, "-q")
        [line] = result.stderr.splitlines()
        assert (result.exit_code, line.startswith(f"headway: error: {message}")) == (code, True), line
    for module in ("fsspec", "fsspec.core"):
        monkeypatch.setitem(sys.modules, module, None)
    result = run("parse", "s3://bucket/in/a/x.txt", "-m", model, "-o", "out", "-q")
    needed = "s3://bucket/in/a/x.txt: paths with :// need fsspec: pip install 'headway[remote]'"
    assert (result.exit_code, result.stderr) == (2, f"headway: error: {needed}\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_command_goes_on(model, tmp_path, number):
    (tmp_path / "long.txt").write_text(TEXT * 3000)
    command = [sys.executable, "-m", "headway.cli.main", "parse", f"file://{tmp_path}/long.txt", "-m", model, "-q"]
    command += ["-o", f"file://{tmp_path}/out/x.conllu", "--jobs", "2"]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # ignored in background jobs
    )
    until = time.monotonic() + 300
    while not list(tmp_path.glob("*.part.json")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0
    assert not (tmp_path / "out").exists()
    subprocess.run([*command, "--resume"], check=True)
    assert (tmp_path / "out" / "x.conllu").read_text().count("# sent_id") == 12_000
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["x.conllu"]
    assert not list(tmp_path.glob("*.part*"))
