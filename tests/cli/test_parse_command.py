"""``headway parse``, and the whole way from a treebank to a score."""

import gzip
import json
import lzma
import re
import subprocess
import sys

import pytest
from cli_samples import BROKEN, SOUND, TWO, table

from headway import Parser
from headway.corpus import CONLLX, Sentence, convert, format_sentence, is_tree, parse_sentences, read_sentences
from headway.search.constraints import CONSTRAINTS, Constraint


def headless(sentence: str) -> str:
    return re.sub(r"\t[0-9_]+\tdep\t", "\t_\t_\t", sentence)


def test_from_file_to_file(run, model, treebank, tmp_path):
    path = tmp_path / "parsed.conllu"
    result = run("parse", treebank, "--model", model, "-o", path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "80 sentences" in result.stderr
    expected = Parser.load(model).parse(read_sentences(treebank))
    assert path.read_text() == "".join(map(format_sentence, expected))


def test_from_standard_input_to_standard_output(run, model):
    result = run("parse", "--model", model, stdin=headless(TWO).encode())
    assert [is_tree(sentence.heads) for sentence in parse_sentences(result.stdout)] == [True, True]
    assert run("parse", "-", "-m", model, "-o", "-", "-q", stdin=TWO.encode()).stdout == result.stdout


def test_quiet_says_nothing(run, model, tmp_path):
    result = run("parse", "-", "-m", model, "-o", tmp_path / "out.conllu", "--quiet", stdin=SOUND.encode())
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize(("suffix", "module"), [(".gz", gzip), (".xz", lzma)])
def test_compressed_by_name(run, model, tmp_path, suffix, module):
    source, target = tmp_path / f"in{suffix}", tmp_path / f"out{suffix}"
    source.write_bytes(module.compress(TWO.encode()))
    assert run("parse", source, "-m", model, "-o", target).exit_code == 0
    plain = run("parse", "-m", model, stdin=TWO.encode())
    assert module.decompress(target.read_bytes()) == plain.stdout_bytes


def test_any_number_of_threads_gives_the_same(run, model, treebank):
    one, three = (run("parse", treebank, "-m", model, "--threads", number) for number in (1, 3))
    assert one.stdout == three.stdout != ""


def test_heads_can_be_kept(run, model):
    text = table(3, "_", 0, "_")
    [sentence] = parse_sentences(run("parse", "-m", model, "--keep-heads", stdin=text.encode()).stdout)
    assert (sentence.heads[0], sentence.heads[2]) == (3, 0)
    assert (sentence.labels[0], is_tree(sentence.heads)) == ("dep", True)


@pytest.mark.parametrize("options", [["--exact"], ["--decoder", "spanning-tree"], []])
def test_restarts_without_hill_climbing_are_refused(run, model, options):
    result = run("parse", "-m", model, "--restarts", 5, *options, stdin=SOUND.encode())
    name = (options or ["eisner"])[-1].removeprefix("--")
    assert (result.exit_code, result.stdout) == (2, "")
    error = f"headway: error: --restarts is for hill climbing, and the decoder {name} does not climb"
    assert result.stderr.splitlines() == [error]
    assert run("parse", "-m", model, "--restarts", 5, "--decoder", "hill-climbing", stdin=SOUND.encode()).exit_code == 0


def test_heads_that_no_tree_can_have(run, model):
    result = run("parse", "-m", model, "--keep-heads", stdin=table(2, 1, "_").encode())
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.splitlines()[-1].startswith("headway: error: ")


def test_confidence(run, model):
    text = SOUND.replace("dep\t_\t_\n", "dep\t_\tGloss=x\n")
    [sentence] = parse_sentences(run("parse", "-m", model, "--confidence", stdin=text.encode()).stdout)
    for row in sentence.word_rows:
        number = r"([01]\.[0-9]+)"
        told = rf"Gloss=x\|HeadProb={number}\|SecondHead=[0-3]\|SecondProb={number}\|LabelProb={number}"
        match = re.fullmatch(told, row[9])
        assert match
        assert 0 <= float(match[2]) <= float(match[1]) + float(match[2]) <= 1.001
    assert 0 <= float(sentence.metadata["tree_prob"]) <= 1


def test_several_roots_only_on_request(run, model, treebank):
    single = parse_sentences(run("parse", treebank, "-m", model).stdout)
    several = parse_sentences(run("parse", treebank, "-m", model, "--multiple-roots").stdout)
    assert {sentence.heads.count(0) for sentence in single} == {1}
    assert all(is_tree(sentence.heads, single_root=False) for sentence in several)


def test_other_formats(run, model):
    text = "".join(format_sentence(convert(one, layout=CONLLX)) for one in parse_sentences(TWO))
    result = run("parse", "-m", model, "--format", "conllx", stdin=text.encode())
    trees = [one.heads for one in parse_sentences(result.stdout, layout=CONLLX)]
    assert trees == [one.heads for one in parse_sentences(run("parse", "-m", model, stdin=TWO.encode()).stdout)]
    unsure = run("parse", "-m", model, "--format", "conllx", "--confidence", stdin=text.encode())
    assert (unsure.exit_code, unsure.stdout) == (2, "")


@pytest.mark.parametrize("text", ["\ufeff" + TWO, TWO.replace("\n", "\r\n"), TWO.rstrip("\n"), ""])
def test_what_is_no_head_or_relation_stays_byte_for_byte(run, model, text):
    result = run("parse", "-m", model, stdin=text.encode())
    assert result.exit_code == 0
    blank = re.compile(r"\t[0-9_]+\t[a-z:_]+(?=\t_\t_)")
    assert blank.sub("", result.stdout_bytes.decode()) == blank.sub("", text)


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_input_gets_its_place_and_leaves_no_file(run, model, tmp_path, kind):
    content, message = BROKEN[kind]
    source, target = tmp_path / "broken.conllu", tmp_path / "out.conllu"
    source.write_bytes(SOUND.encode() + content)
    result = run("parse", source, "-m", model, "-o", target, "-q")
    assert (result.exit_code, result.stdout) == (3, "")
    line, _, reason = message.partition(",") if "," in message else message.partition(":")
    assert result.stderr.startswith(f"headway: error: {source}:{int(line) + 4}")
    assert reason.strip() in result.stderr
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("kind", ["truncated line", "NUL", "not UTF-8", "head out of range"])
def test_broken_sentences_can_be_left_out(run, model, kind):
    content = SOUND.encode() + BROKEN[kind][0] + table(0).encode()
    result = run("parse", "-m", model, "--on-error", "skip", "--quiet", stdin=content)
    assert result.exit_code == 0
    assert [len(sentence) for sentence in parse_sentences(result.stdout)] == [3, 1]
    assert result.stderr.startswith("headway: warning: left out: -:")
    assert result.stderr.count("\n") == 1


def test_files_that_cannot_be_read_or_written(run, model, tmp_path):
    missing = run("parse", "nowhere.conllu", "-m", model)
    assert (missing.exit_code, missing.stdout) == (3, "")
    assert missing.stderr == "headway: error: nowhere.conllu: no such file or folder\n"
    target = tmp_path / "nowhere" / "out.conllu"
    unwritable = run("parse", "-", "-m", model, "-o", target, stdin=SOUND.encode())
    assert unwritable.exit_code == 3
    assert unwritable.stderr.splitlines()[-1].startswith(f"headway: error: {target}: ")
    assert run("parse", "-", "-m", "nowhere.headway").exit_code == 5


def test_sentences_are_parsed_in_pieces_from_the_length_asked_for(run, model):
    text = headless(table(*[0] * 8)) + headless(table(*[0] * 9))
    whole = run("parse", "-m", model, stdin=text.encode()).stdout
    assert "parsed_in_pieces" not in whole
    short, long = parse_sentences(run("parse", "-m", model, "--pieces-above", 8, stdin=text.encode()).stdout)
    assert "parsed_in_pieces" not in short.metadata
    assert long.metadata["parsed_in_pieces"] == "2"
    assert is_tree(long.heads)
    assert run("parse", "-m", model, "--pieces-above", 0, stdin=text.encode()).exit_code == 2


@pytest.mark.parametrize("options", [[], ["--confidence"], ["--multiple-roots"]])
@pytest.mark.parametrize("length", [1, 1000])
def test_short_and_long_sentences(run, model, length, options):
    text = headless(table(*[0] * length))
    [sentence] = parse_sentences(run("parse", "-m", model, *options, stdin=text.encode()).stdout)
    assert len(sentence) == length
    assert is_tree(sentence.heads, single_root="--multiple-roots" not in options)


def test_all_steps_of_a_user(treebank, tmp_path):
    def headway(*arguments: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "headway.cli.main", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)

    headway("train", treebank, "--dev", treebank, "-o", "m.headway", "--epochs", 3)
    parsed = headway("parse", treebank, "--model", "m.headway", "--confidence", "-o", "parsed.conllu")
    assert parsed.stdout == ""
    report = headway("eval", treebank, "parsed.conllu", "--by", "relation")
    score = re.search(r"head and relation \(LAS\) +\| +([0-9.]+)", report.stdout)
    assert score
    assert float(score[1]) > 90
    assert report.stderr == ""
    assert headway("treebank", "validate", "parsed.conllu").stderr == "0 problems\n"


def test_input_without_tags_gets_a_warning(run, model, treebank):
    bare = [Sentence.from_words(sentence.forms) for sentence in read_sentences(treebank)]
    for count in (2, 30):
        result = run("parse", "-m", model, "-q", stdin="".join(map(format_sentence, bare[:count])).encode())
        assert result.exit_code == 0
        assert result.stderr.count("\n") == 1
        assert "the input has no FEATS, LEMMA, UPOS, XPOS" in result.stderr
    assert run("parse", treebank, "-m", model, "-q").stderr == ""


def test_rules_about_labels_that_the_model_has_not_get_a_warning(run, model, treebank, monkeypatch):
    monkeypatch.setitem(CONSTRAINTS, "one-object", Constraint(one_of=("OBJ",)))
    result = run("parse", treebank, "-m", model, "--constraint", "one-object", "--constraint", "one-subject")
    assert result.exit_code == 0
    assert "one-object has no effect" in result.stderr
    assert "one-subject" not in result.stderr


def test_confidences_without_a_dev_set_get_a_warning(run, treebank, tmp_path):
    path = tmp_path / "m.headway"
    assert run("train", treebank, "-o", path, "--epochs", 1, "-q").exit_code == 0
    assert "without a dev set" in run("parse", treebank, "-m", path, "--confidence", "-q").stderr


def test_confidence_needs_a_misc_column(run, model, treebank):
    result = run("parse", treebank, "-m", model, "--confidence", "--format", "conllx")
    assert result.exit_code == 2
    assert "MISC" in result.stderr


def test_no_model_is_written_under_a_compressed_name(run, treebank, tmp_path):
    result = run("train", treebank, "-o", tmp_path / "m.headway.xz")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "cannot be compressed" in result.stderr


def test_the_best_trees_of_another_decoder(run, model):
    result = run("parse", "-m", model, "--decoder", "model1", "--k-best", 3, "--confidence", stdin=TWO.encode())
    trees = list(parse_sentences(result.stdout))
    assert [tree.metadata["tree"] for tree in trees] == ["1", "2", "3", "1"]  # one word has one tree
    assert all(is_tree(tree.heads) and None not in tree.misc("HeadProb") for tree in trees)


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--decoder", "magic"), "no decoder 'magic'; choose from"), (("--k-best", 0), "--k-best")],
)
def test_decoders_that_cannot_parse_are_refused(run, model, options, message):
    result = run("parse", "-m", model, *options, stdin=SOUND.encode())
    assert result.exit_code != 0
    assert message in result.stderr


def test_exact_trees_say_so(run, model):
    result = run("parse", "-m", model, "--exact", stdin=TWO.encode())
    assert [tree.metadata["optimal"] for tree in parse_sentences(result.stdout)] == ["yes", "yes"]
    result = run("parse", "-m", model, "--exact", "--to", "json", stdin=TWO.encode())
    assert [json.loads(line)["optimal"] for line in result.stdout.splitlines()] == [True, True]
    assert "exclude each other" in run("parse", "-m", model, "--exact", "--decoder", "eisner").stderr
