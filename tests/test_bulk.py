"""Files in pieces, shared among processes, in order, and gone on with after a break."""

import gzip
import json
import lzma
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from headway import TrainingOptions, read_sentences
from headway.annotator import Annotator
from headway.bulk import Form, Task, Worker, find_files, parse_files
from headway.bulk.joining import document_names
from headway.bulk.pieces import pieces
from headway.bulk.plan import Plan
from headway.corpus import format_sentence, parse_sentences
from headway.corpus.text import text_parts
from headway.errors import CorpusError, UsageError

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
TEXT = "The pilot saw Clara. Why did it wait?\n\nThe old robot repaired the pump. It waited.\n\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("bulk") / "sample.headway"
    train = list(read_sentences(EXAMPLES / "sample-train.conllu"))[:60]
    Annotator.train(train, preset="first-order", options=TrainingOptions(epochs=2), crossed=2).save(path)
    return str(path)


@pytest.fixture
def small(monkeypatch):
    """Pieces of a few sentences."""
    monkeypatch.setattr("headway.bulk.pieces._SENTENCES", 3)
    monkeypatch.setattr("headway.bulk.pieces.text_parts", lambda chunks: text_parts(chunks, least=30))


@pytest.fixture
def texts(tmp_path):
    paths = []
    for number, times in enumerate((4, 0, 1)):
        paths.append(tmp_path / f"text{number}.txt")
        paths[-1].write_text(TEXT * times)
    return [str(path) for path in paths]


def whole(worker, paths):
    """The files as one, without pieces."""
    text = "".join(Path(path).read_text() for path in paths)
    return "".join(map(format_sentence, worker.annotator.annotate(text)))


def test_pieces_hold_all_of_a_file(small, tmp_path, texts):
    parts = list(pieces(texts[0], text=True))
    assert len(parts) > 2
    assert "".join(part.text for part in parts) == TEXT * 4
    assert [part.offset for part in parts[:2]] == [0, len(parts[0].text)]
    assert [part.first for part in parts] == [True] + [False] * (len(parts) - 1)
    assert sum(part.size for part in parts) == len(TEXT) * 4
    table = EXAMPLES / "sample-dev.conllu"
    parts = list(pieces(str(table), text=False))
    assert len(parts) > 2
    assert b"".join(block.body + block.after for part in parts for block in part.blocks) == table.read_bytes()


def test_comments_alone_stay_with_what_follows(small, tmp_path):
    path = tmp_path / "loose.conllu"
    path.write_text(("1\tHark" + "\t_" * 8 + "\n\n") * 2 + "# alone\n\n" + ("1\tHark" + "\t_" * 8 + "\n\n") * 2)
    assert [len(part.blocks) for part in pieces(str(path), text=False)] == [4, 1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_files_into_one(small, model, texts, tmp_path, jobs):
    worker, output = Worker(Task(model)), tmp_path / "out.conllu"
    assert parse_files(texts, str(output), worker, jobs=jobs) == (20, 100)
    found = list(read_sentences(output))
    assert [sentence.metadata["sent_id"] for sentence in found] == [str(number) for number in range(1, 21)]
    assert [sentence.metadata.get("newdoc id") for sentence in found].count("text2") == 1
    expected = [one for path in texts for one in parse_sentences(whole(worker, [path]))]
    assert [(one.forms, one.heads, one.misc("TokenRange")) for one in found] == [
        (one.forms, one.heads, one.misc("TokenRange")) for one in expected
    ]
    assert not list(tmp_path.glob("*.part*"))


def test_a_file_for_each_in_a_folder(small, model, texts, tmp_path):
    worker, folder = Worker(Task(model)), tmp_path / "parsed"
    parse_files(texts, f"{folder}/", worker)
    assert sorted(path.name for path in folder.iterdir()) == ["text0.conllu", "text1.conllu", "text2.conllu"]
    assert (folder / "text0.conllu").read_text() == whole(worker, texts[:1])
    assert (folder / "text1.conllu").read_text() == ""
    with pytest.raises(UsageError, match="both be written to"):
        parse_files([texts[0], texts[0]], str(folder), worker)


def test_a_table_stays_byte_for_byte(small, model, tmp_path):
    source, output = EXAMPLES / "sample-dev.conllu", tmp_path / "out.conllu"
    worker = Worker(Task(model, options={"keep_heads": True}))
    parse_files([str(source)], str(output), worker)
    assert output.read_bytes() == source.read_bytes()


LINE = "1\tHark" + "\t_" * 8


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tables_that_share_an_output_are_kept_apart(small, model, tmp_path, newline):
    first, second, third = (tmp_path / f"{name}.conllu" for name in "abc")
    first.write_bytes(("\ufeff" + (LINE + newline * 2) * 4 + LINE).encode())  # no line end at all
    second.write_bytes(("\ufeff" + LINE + newline * 2).encode())
    third.write_bytes((LINE + newline).encode())  # and no blank line
    output = tmp_path / "out.conllu"
    parse_files([str(first), str(second), str(third)], str(output), Worker(Task(model)))
    found = output.read_bytes().decode().replace("\t0\troot", "\t_\t_").replace("\tX", "\t_")
    assert found.count("\ufeff") == 1
    assert found.count("Hark") == 7
    assert found.endswith(newline)
    assert not found.endswith(newline * 2)
    assert len(list(read_sentences(output))) == 7
    assert (newline * 3) not in found


def test_json_is_a_line_for_each_sentence(small, model, texts, tmp_path):
    output = tmp_path / "out.json"
    parse_files(texts, str(output), Worker(Task(model, to="json")))
    assert [len(json.loads(line)["words"]) for line in output.read_text().splitlines()] == [5, 5, 7, 3] * 5


def ids(path):
    return [json.loads(line)["id"] for line in path.read_text().splitlines()]


@pytest.mark.parametrize("jobs", [1, 2])
def test_numbers_of_json_run_on_through_a_file(small, model, texts, tmp_path, jobs):
    output = tmp_path / "out.json"
    parse_files(texts, str(output), Worker(Task(model, to="json")), jobs=jobs)
    assert ids(output) == [str(number) for number in range(1, 21)]
    parse_files(texts, f"{tmp_path}/each/", Worker(Task(model, to="json")), jobs=jobs)
    assert ids(tmp_path / "each" / "text0.json") == [str(number) for number in range(1, 17)]
    assert ids(tmp_path / "each" / "text2.json") == ["1", "2", "3", "4"]


def test_trees_of_a_sentence_have_the_same_number(small, model, texts, tmp_path):
    output = tmp_path / "out.json"
    parse_files(texts[:1], str(output), Worker(Task(model, to="json", options={"k_best": 2})))
    assert ids(output) == [str(number) for number in range(1, 17) for _ in range(2)]


def test_numbers_run_on_after_a_break(small, model, texts, tmp_path, monkeypatch):
    output, answer, count = tmp_path / "out.json", Worker.__call__, []

    def interrupted(self, piece):
        count.append(piece)
        if len(count) == 3:
            raise Stop
        return answer(self, piece)

    monkeypatch.setattr(Worker, "__call__", interrupted)
    worker = Worker(Task(model, to="json"))
    with pytest.raises(Stop):
        parse_files(texts, str(output), worker)
    parse_files(texts, str(output), worker, resume=True)
    assert ids(output) == [str(number) for number in range(1, 21)]


def test_a_text_that_begins_with_a_piece_without_sentences_has_its_name(small, model, texts, tmp_path):
    output, late = tmp_path / "out.conllu", tmp_path / "late.txt"
    late.write_text(" \n" * 200 + TEXT)
    parse_files([texts[2], str(late)], str(output), Worker(Task(model)))
    assert [one.metadata.get("newdoc id") for one in read_sentences(output)].count("late") == 1


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.txt", "b.txt.gz"], ["a", "b"]),
        (["a/x.txt", "b/x.txt", "b/y.txt"], ["a/x", "b/x", "y"]),
        (["x.txt", "a/x.md.xz"], ["x", "a/x"]),
        (["x.txt", "x.md", "-", "stdin.txt"], ["x.txt", "x.md", "stdin", "stdin.txt"]),
        (["x.txt", "x.txt.gz", "x.txt"], ["x.txt", "x.txt.gz", "x.txt"]),
        (["s3://one/a/x.txt", "s3://one/b/x.txt", "/c/d/x.txt"], ["s3/one/a/x", "s3/one/b/x", "c/d/x"]),
        (["-"], ["stdin"]),
    ],
)
def test_documents_have_names_of_their_own(paths, names):
    found = document_names(paths)
    assert [found[path] for path in paths] == names


def test_documents_of_two_folders(small, model, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("Dogs bark.")
    parse_files([str(tmp_path / name / "x.txt") for name in "ab"], str(tmp_path / "out"), Worker(Task(model)))
    found = [one.metadata.get("newdoc id") for one in read_sentences(tmp_path / "out")]
    assert list(filter(None, found)) == ["a/x", "b/x"]


@pytest.mark.parametrize("to", ["html", "svg"])
def test_pages_of_many_files(small, model, texts, tmp_path, to):
    worker, output = Worker(Task(model, to=to)), tmp_path / f"out.{to}"
    parse_files(texts, str(output), worker, jobs=2)
    assert output.read_text().count(">pilot<") == 5
    parse_files(texts, f"{tmp_path}/each/", worker)
    assert [path.read_text().count(">pilot<") for path in sorted((tmp_path / "each").iterdir())] == [4, 0, 1]
    assert not list(tmp_path.glob("**/*.part*"))


def test_forms_that_there_are_not():
    with pytest.raises(UsageError, match="unknown output format"):
        Form("pdf")


@pytest.mark.parametrize(("ending", "opened"), [(".gz", gzip.open), (".xz", lzma.open)])
def test_compressed_output_can_be_read_even_if_there_is_none(small, model, texts, tmp_path, ending, opened):
    worker = Worker(Task(model))
    for paths, sentences in (([texts[0]], 16), ([texts[1]], 0)):
        output = tmp_path / f"out.conllu{ending}"
        parse_files(paths, str(output), worker)
        with opened(output, "rt") as file:
            assert file.read().count("sent_id") == sentences


def test_an_error_leaves_the_files_before_it(small, model, tmp_path):
    good, bad = tmp_path / "good.conllu", tmp_path / "later.conllu"
    good.write_text((LINE + "\n\n") * 7)
    bad.write_text("1\tHark\n\n")
    for jobs in (1, 2):
        folder = tmp_path / f"out{jobs}"
        with pytest.raises(CorpusError, match="later"):
            parse_files([str(good), str(bad)], f"{folder}/", Worker(Task(model)), jobs=jobs)
        assert len(list(read_sentences(folder / "good.conllu"))) == 7
        assert not (folder / "later.conllu").exists()


def test_what_can_be_read_of_a_broken_archive_is(small, model, tmp_path):
    path, output = tmp_path / "cut.conllu.gz", tmp_path / "out.conllu"
    whole = gzip.compress("".join(f"1\tword{number}" + "\t_" * 8 + "\n\n" for number in range(2000)).encode())
    path.write_bytes(whole[: len(whole) * 9 // 10])
    worker = Worker(Task(model, skip=True))
    expected = len(list(read_sentences(path, on_error="skip")))
    told = []
    assert parse_files([str(path)], str(output), worker, tell=told.append) == (expected, expected)
    assert expected > 1000
    assert "truncated" in str(told[-1])
    text = tmp_path / "cut.txt.gz"
    text.write_bytes(gzip.compress((TEXT * 200).encode())[:-30])
    assert parse_files([str(text)], str(output), worker, tell=told.append)[0] > 100


def test_a_folder_is_gone_on_with_only_by_what_made_it(small, model, texts, tmp_path, monkeypatch):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "text2.conllu").write_text("of another day")
    worker = Worker(Task(model))
    answer, count = Worker.__call__, []

    def interrupted(self, piece):
        if piece.path == texts[1]:
            raise Stop
        return noted(self, piece)

    def noted(self, piece):
        count.append((piece.path, piece.offset, piece.last))
        return answer(self, piece)

    monkeypatch.setattr(Worker, "__call__", interrupted)
    with pytest.raises(Stop):
        parse_files(texts, str(folder), worker)
    monkeypatch.setattr(Worker, "__call__", noted)
    parse_files(texts, str(folder), worker, resume=True)
    assert (folder / "text2.conllu").read_text().startswith("# newdoc\n# newpar\n# sent_id = 1")
    assert {path for path, _, _ in count} == set(texts)
    assert len(set(count)) == len(count)
    assert sorted(path.name for path in folder.iterdir()) == ["text0.conllu", "text1.conllu", "text2.conllu"]


def test_a_line_of_the_journal_that_was_broken_off_does_not_count(small, model, texts, tmp_path, monkeypatch):
    worker = Worker(Task(model))
    answer = Worker.__call__

    def interrupted(self, piece):
        if piece.path == texts[2]:
            raise Stop
        return answer(self, piece)

    monkeypatch.setattr(Worker, "__call__", interrupted)
    with pytest.raises(Stop):
        parse_files(texts, f"{tmp_path}/", worker)
    journal = tmp_path / ".headway-resume.jsonl"
    assert len(journal.read_text().splitlines()) == 2
    with open(journal, "a") as file:
        file.write('["text2.con')
    with pytest.raises(Stop):
        parse_files(texts, str(tmp_path), worker, resume=True)
    assert len(journal.read_text().splitlines()) == 2
    journal.write_text("nonsense\n")
    with pytest.raises(UsageError, match="damaged"):
        parse_files(texts, str(tmp_path), worker, resume=True)


def test_a_second_run_does_no_harm(small, model, texts, tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    output, worker = tmp_path / "out.conllu", Worker(Task(model))
    answer, refused = Worker.__call__, []

    def twice(self, piece):
        if (tmp_path / "out.conllu.part").exists() and not refused:
            refused.append(True)
            with pytest.raises(UsageError, match="another run"):
                parse_files(texts[:1], str(output), worker)
        return answer(self, piece)

    monkeypatch.setattr(Worker, "__call__", twice)
    parse_files(texts[:1], str(output), worker)
    assert refused
    assert output.read_text() == whole(worker, texts[:1])


def test_a_place_where_nothing_can_be_written(model, texts, tmp_path):
    with pytest.raises(CorpusError, match=r"the folder .*nowhere does not exist"):
        parse_files(texts[:1], str(tmp_path / "nowhere" / "out.conllu"), Worker(Task(model)))


def test_output_over_input_is_refused(model, tmp_path):
    path = tmp_path / "gold.conllu"
    path.write_text(LINE + "\n\n")
    for output in (str(tmp_path), str(path)):
        with pytest.raises(UsageError, match="overwritten"):
            parse_files([str(path)], output, Worker(Task(model)))


def test_other_options_are_other_work(small, model, texts, tmp_path, monkeypatch):
    output = str(tmp_path / "out.conllu")
    answer, count = Worker.__call__, []
    climbing = {"decoder": "hill-climbing"}
    first = Task(model, options=climbing)

    def interrupted(self, piece):
        if len(count) == 2:
            raise Stop
        count.append(piece)
        return answer(self, piece)

    monkeypatch.setattr(Worker, "__call__", interrupted)
    with pytest.raises(Stop):
        parse_files(texts[:1], output, Worker(first))
    monkeypatch.setattr(Worker, "__call__", answer)
    others = {
        "options": climbing | {"k_best": 2},
        "to": "json",
        "restarts": 1,
        "correct_tags": False,
        "presegmented": True,
    }
    for name, value in others.items():
        other = replace(first, **{name: value})
        with pytest.raises(UsageError, match="other input or options"):
            parse_files(texts[:1], output, Worker(other), resume=True)
    with pytest.raises(UsageError, match="other input or options"):
        parse_files(texts[:1], output, Worker(first), text=True, resume=True)
    same = replace(first, skip=True, options=climbing | {"threads": 2})
    parse_files(texts[:1], output, Worker(same), resume=True)
    assert Path(output).read_text() == whole(Worker(first), texts[:1])


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_run_that_is_killed_leaves_nobody_behind_and_goes_on(model, tmp_path):
    source, output = tmp_path / "long.txt", tmp_path / "out.conllu"
    source.write_text(TEXT * 3000)
    command = [sys.executable, "-m", "headway.cli.main", "parse", source, "-m", model, "-o", output, "-j", "2", "-q"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    journal = Path(f"{output}.part.json")
    until = time.monotonic() + 300
    while not journal.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.communicate()
    for _ in range(600):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("processes that outlive the one that began them")
    assert journal.exists()
    subprocess.run([*command, "--resume"], check=True)
    assert not journal.exists()
    found = output.read_text()
    assert found.count("# sent_id") == 12_000
    assert "# sent_id = 12000\n" in found


class Stop(KeyboardInterrupt):
    """As if the user had lost patience."""


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_run_that_was_broken_off_goes_on(small, model, texts, tmp_path, monkeypatch, folder, after):
    worker, straight = Worker(Task(model)), tmp_path / ("straight/" if folder else "straight.conllu")
    output = tmp_path / ("out" if folder else "out.conllu")
    target = f"{output}/" if folder else str(output)
    parse_files(texts, f"{straight}/" if folder else str(straight), worker)
    read = []

    def interrupted(self, piece):
        if len(read) > after:
            raise Stop
        read.append(piece)
        return answer(self, piece)

    answer = Worker.__call__
    monkeypatch.setattr(Worker, "__call__", interrupted)
    with pytest.raises(Stop):
        parse_files(texts, target, worker)
    monkeypatch.setattr(Worker, "__call__", lambda self, piece: (read.append(piece), answer(self, piece))[1])
    parse_files(texts, target, worker, resume=True)
    names = ("text0.conllu", "text1.conllu", "text2.conllu") if folder else ("",)
    for name in names:
        assert (output / name).read_bytes() == (straight / name).read_bytes()
    done = [(piece.path, piece.offset) for piece in read if piece.text]
    assert len(done) == len(set(done)), "a piece was parsed twice"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_file_that_has_its_name_is_not_written_again(small, model, texts, tmp_path, monkeypatch, when):
    worker, note = Worker(Task(model)), Plan.note

    def broken_off(self, target):
        if when == "after":
            note(self, target)
        if target.name.endswith("text0.conllu"):
            raise Stop

    monkeypatch.setattr(Plan, "note", broken_off)
    with pytest.raises(Stop):
        parse_files(texts, f"{tmp_path}/out/", worker)
    monkeypatch.setattr(Plan, "note", note)
    written = (tmp_path / "out" / "text0.conllu").stat()
    parse_files(texts, f"{tmp_path}/out/", worker, resume=True)
    assert (tmp_path / "out" / "text0.conllu").stat() == written
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"text0.conllu", "text1.conllu", "text2.conllu"}


def test_what_cannot_be_resumed(model, texts, tmp_path):
    worker = Worker(Task(model))
    for paths, output in ((["-"], str(tmp_path / "out")), (texts, "-")):
        with pytest.raises(UsageError, match="cannot be resumed"):
            parse_files(paths, output, worker, resume=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_of_other_processes_arrive_whole(small, model, tmp_path, jobs):
    path, output = tmp_path / "broken.conllu", tmp_path / "out.conllu"
    path.write_text((LINE + "\n\n") * 7 + "1\tHark\n\n" + LINE + "\n\n")
    with pytest.raises(CorpusError, match=r"broken.conllu:15") as caught:
        parse_files([str(path)], str(output), Worker(Task(model)), jobs=jobs)
    assert (caught.value.path, caught.value.line) == (str(path), 15)
    assert not output.exists()
    assert Path(f"{output}.part").exists()  # two pieces were good
    told = []
    skipping = Worker(Task(model, skip=True))
    assert parse_files([str(path)], str(output), skipping, jobs=jobs, tell=told.append) == (8, 8)
    assert [error.line for error in told] == [15]


def test_errors_survive_the_way_between_processes():
    error = pickle.loads(pickle.dumps(CorpusError("odd", path="a", line=2, column=3)))
    assert (str(error), error.path, error.line, error.column) == ("a:2, column 3: odd", "a", 2, 3)


def test_files_by_pattern(tmp_path, texts):
    assert find_files([str(tmp_path / "**/*.txt"), texts[0]]) == [*texts, texts[0]]
    with pytest.raises(CorpusError, match="no file matches"):
        find_files([str(tmp_path / "*.csv")])
    with pytest.raises(CorpusError, match="no such file"):
        find_files(["nowhere.txt"])


def test_endings_are_compared_without_case(model, tmp_path):
    text, packed = tmp_path / "A.TXT", tmp_path / "B.Txt.GZ"
    text.write_text(TEXT)
    packed.write_bytes(gzip.compress(TEXT.encode()))
    output = tmp_path / "OUT.CONLLU.XZ"
    parse_files([str(text), str(packed)], str(output), Worker(Task(model)))
    found = list(parse_sentences(lzma.decompress(output.read_bytes()).decode()))
    assert [one.metadata.get("newdoc id") for one in found] == ["A", None, None, None, "B", None, None, None]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_texts_in_other_encodings(model, tmp_path, encoding):
    path, output, damaged = tmp_path / "a.txt", tmp_path / "out.conllu", []
    path.write_text(TEXT, encoding=encoding)
    worker = Worker(Task(model))
    parse_files([str(path)], str(output), worker, unread=damaged.append)
    assert (damaged, output.read_text()) == ([], "".join(map(format_sentence, worker.annotator.annotate(TEXT))))
    path.write_text(TEXT, encoding="utf-16-le")  # no mark: nobody can tell, but somebody should
    parse_files([str(path)], str(output), worker, unread=damaged.append)
    assert damaged == [str(path)]
