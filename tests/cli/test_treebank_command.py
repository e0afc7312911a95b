"""``headway treebank``."""

import gzip
import json
import lzma

import pytest
from cli_samples import BROKEN, CYCLE, SOUND, TWO, table

from headway.corpus import CONLL2009, CONLLX, convert, format_sentence, parse_sentences, read_sentences


@pytest.fixture
def two(tmp_path):
    path = tmp_path / "two.conllu"
    path.write_text(TWO)
    return path


def test_stats_of_a_file(run, two):
    result = run("treebank", "stats", two)
    lines = dict(line.rsplit(maxsplit=1) for line in result.stdout.splitlines())
    assert (lines["sentences"], lines["words"], lines["mean length"]) == ("2", "4", "2.00")
    assert (result.exit_code, result.stderr) == (0, "")


def test_stats_of_several_files_stand_side_by_side(run, two, treebank):
    lines = run("treebank", "stats", two, treebank).stdout.splitlines()
    assert lines[0].split() == [str(two), str(treebank)]
    assert lines[1].split() == ["sentences", "2", "80"]
    assert len(set(map(len, lines))) == 1


def test_stats_as_json(run, two):
    data = json.loads(run("treebank", "stats", "--json", two).stdout)
    assert data[str(two)]["words"] == 4


def test_stats_of_nothing(run):
    assert run("treebank", "stats", "-").exit_code == 0


def test_validate_sound_files(run, two):
    result = run("treebank", "validate", two)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "0 problems\n")


def test_validate_lists_every_problem_and_exits_with_3(run, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text(CYCLE + "1\tword\n\n" + table(0, 0))
    result = run("treebank", "validate", path)
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [
        f"{path}:5: cycle: 1 -> 2 -> 1",
        f"{path}:9: 2 fields instead of the 10 of CoNLL-U",
        f"{path}:11: several roots: words 1, 2",
    ]
    assert result.stderr == "3 problems\n"


def test_validate_may_allow_several_roots_and_keep_quiet(run):
    result = run("treebank", "validate", "--multiple-roots", "--quiet", "-", stdin=table(0, 0).encode())
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("command", ["stats", "convert"])
def test_broken_input_gets_its_place(run, tmp_path, command, kind):
    content, message = BROKEN[kind]
    path = tmp_path / "broken.conllu"
    path.write_bytes(content)
    result = run("treebank", command, path)
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith(f"headway: error: {path}:{message}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files(run, tmp_path, suffix, compress):
    source, target = tmp_path / f"a.conllu{suffix}", tmp_path / f"b.conllu{suffix}"
    source.write_bytes(compress(TWO.encode()))
    assert run("treebank", "convert", source, "-o", target).exit_code == 0
    assert [sentence.heads for sentence in read_sentences(target)] == [[2, 0, 2], [0]]


def test_truncated_archives(run, tmp_path):
    path = tmp_path / "a.conllu.xz"
    path.write_bytes(lzma.compress(TWO.encode())[:-20])
    result = run("treebank", "stats", path)
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == f"headway: error: {path}: the compressed file is truncated\n"


def test_split_deals_everything_out(run, tmp_path, treebank):
    parts = [tmp_path / "a.conllu", tmp_path / "b.conllu.gz"]
    command = ["treebank", "split", treebank, "--part", f"{parts[0]}=0.75", "--part", f"{parts[1]}=0.25"]
    assert run(*command, "--seed", 3).exit_code == 0
    dealt = [[format_sentence(sentence) for sentence in read_sentences(part)] for part in parts]
    assert sorted(map(len, dealt)) == [20, 60]
    assert sorted(dealt[0] + dealt[1]) == sorted(map(format_sentence, read_sentences(treebank)))
    before = parts[0].read_bytes()
    run(*command, "--seed", 3)
    assert parts[0].read_bytes() == before
    run(*command, "--seed", 4)
    assert parts[0].read_bytes() != before


def test_split_leaves_nothing_when_the_input_is_broken(run, tmp_path):
    parts = ["--part", f"{tmp_path / 'a.conllu'}=0.5", "--part", f"{tmp_path / 'b.conllu'}=0.5"]
    result = run("treebank", "split", "-", *parts, stdin=SOUND.encode() * 9 + b"1\tword\n\n")
    assert result.exit_code == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["a", "a=", "=0.5", "a=x", "a=nan", "a=-1", "a=0.5"])
def test_split_into_nonsense(run, two, tmp_path, part, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("treebank", "split", two, "--part", part)
    assert result.exit_code == 2
    assert result.stderr.startswith("headway: error: ")
    assert list(tmp_path.iterdir()) == [two]


def test_split_into_one_file_twice(run, two):
    assert run("treebank", "split", two, "--part", "a=0.5", "--part", "a=0.5").exit_code == 2


@pytest.mark.parametrize(("name", "layout"), [("conllx", CONLLX), ("conll2009", CONLL2009)])
def test_convert_there_and_back(run, name, layout):
    there = run("treebank", "convert", "--to", name, stdin=TWO.encode())
    wanted = "".join(format_sentence(convert(one, layout=layout)) for one in parse_sentences(TWO))
    assert (there.exit_code, there.stdout) == (0, wanted)
    back = run("treebank", "convert", "--from", name, stdin=there.stdout_bytes)
    assert [sentence.heads for sentence in parse_sentences(back.stdout)] == [[2, 0, 2], [0]]


def test_convert_says_what_is_lost(run):
    text = "# one\n" + SOUND.replace("dep\t_\t_\n", "dep\t_\tA=b\n") + "# two\n# three\n" + SOUND
    result = run("treebank", "convert", "--to", "conllx", stdin=text.encode())
    lost = "comments (sentences: 2), column MISC (sentences: 1)"
    assert result.stderr == f"headway: warning: CoNLL-X has no place for {lost}\n"
    assert run("treebank", "convert", "--to", "conllx", "--quiet", stdin=text.encode()).stderr == ""


@pytest.mark.parametrize("text", ["\ufeff" + TWO, TWO.replace("\n", "\r\n"), TWO.rstrip("\n"), ""])
def test_convert_to_the_same_format_changes_no_byte(run, text):
    result = run("treebank", "convert", stdin=text.encode())
    assert (result.exit_code, result.stdout_bytes) == (0, text.encode())
