"""``headway eval``."""

import json

import pytest
from cli_samples import BROKEN, SOUND, table

from headway.corpus import read_sentences
from headway.evaluation import evaluate, evaluation_data

GOLD = SOUND + table(0) + table(2, 3, 0)
SYSTEM = SOUND + table(0) + table(3, 3, 0)
WORSE = table(0, 1, 1) + table(0) + table(0, 1, 1)


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, text in (("gold", GOLD), ("system", SYSTEM), ("worse", WORSE)):
        paths.append(tmp_path / f"{name}.conllu")
        paths[-1].write_text(text)
    return paths


def test_the_summary(run, files):
    result = run("eval", *files[:2])
    assert result.exit_code == 0
    assert "3 sentences, 7 words" in result.stdout
    assert "| head (UAS)                      |     85.71 |" in result.stdout
    assert result.stdout.count("## ") == 1


@pytest.mark.parametrize(
    ("by", "title"),
    [
        ("relation", "By relation\n"),
        ("universal-relation", "By relation, no subtypes"),
        ("arc-length", "By arc length"),
        ("sentence-length", "By sentence length"),
        ("projectivity", "By projectivity"),
    ],
)
def test_breakdowns(run, files, by, title):
    assert f"\n## {title}" in run("eval", *files[:2], "--by", by).stdout


def test_several_breakdowns_in_the_order_asked_for(run, files):
    shown = run("eval", *files[:2], "--by", "projectivity", "--by", "relation").stdout
    assert shown.index("By projectivity") < shown.index("By relation")


def test_json(run, files):
    data = json.loads(run("eval", *files[:2], "--json").stdout)
    assert data == evaluation_data(evaluate(*map(read_sentences, files[:2])))


def test_both_files_are_named_if_their_texts_differ(run, tmp_path):
    gold, other = tmp_path / "gold.conllu", tmp_path / "other.conllu"
    gold.write_text(SOUND)
    other.write_text(table(0))
    result = run("eval", gold, other, "--raw-text")
    assert result.exit_code == 3
    assert result.stderr.startswith(f"headway: error: {other}: not the same text as {gold}: after ")


def test_against_another_system(run, files):
    result = run("eval", *files[:2], "--against", files[2])
    assert f"first is {files[2]}, second is {files[1]}\n" in result.stdout
    assert "| LAS    | 14.29 |  85.71 |     +71.43 |" in result.stdout
    assert "| UAS " in run("eval", *files[:2], "--against", files[2], "--metric", "UAS").stdout


def test_against_another_system_as_json(run, files):
    data = json.loads(run("eval", *files[:2], "--against", files[2], "--json").stdout)
    assert data["comparison"]["metric"] == "LAS"
    assert data["comparison"]["difference"] == pytest.approx(500 / 7)


def test_an_unknown_metric_prints_no_half_report(run, files):
    result = run("eval", *files[:2], "--against", files[2], "--metric", "BLEU")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'BLEU'" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--raw-text", "--by", "relation"), "--raw-text excludes --by, which compares trees of the same words"),
        (("--raw-text", "--against", "{2}"), "--raw-text excludes --against, which compares trees of the same words"),
        (("--metric", "UAS"), "--metric needs --against FILE"),
        (("--raw-text", "--metric", "UAS"), "--metric needs --against FILE"),
    ],
)
def test_options_without_effect_are_refused(run, files, options, message):
    result = run("eval", *files[:2], *(option.format(*files) for option in options))
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"headway: error: {message}\n")


@pytest.mark.parametrize("options", [("{0}", "{1}", "--by", "relation"), ("{0}", "{0}", "--against", "{1}")])
def test_systems_with_other_words_are_compared_by_words_alone(run, files, tmp_path, options):
    other = tmp_path / "other.conllu"
    joined = table(0, 1).replace("\tword1\t", "\tword1word2\t").replace("\tword2\t", "\tword3\t")
    other.write_text(joined + table(0) + table(2, 3, 0))
    result = run("eval", *(option.format(files[0], other) for option in options))
    message = f"{other} splits the text of {files[0]} into other words or sentences: leave out {options[2]}, which com"
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_one_side_may_come_from_standard_input(run, files):
    assert run("eval", "-", files[1], stdin=GOLD.encode()).stdout == run("eval", *files[:2]).stdout
    assert run("eval", "-", "-", stdin=GOLD.encode()).exit_code == 2


def test_other_words_are_refused(run, files):
    result = run("eval", files[0], "-", stdin=GOLD.replace("word2", "other").encode())
    assert (result.exit_code, result.stdout) == (1, "")
    assert "sentence 1" in result.stderr


def test_missing_files(run, files):
    result = run("eval", files[0], "nowhere.conllu")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "headway: error: nowhere.conllu: no such file or folder\n"


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_input_gets_its_place(run, files, tmp_path, kind):
    content, message = BROKEN[kind]
    path = tmp_path / "broken.conllu"
    path.write_bytes(content)
    result = run("eval", path, files[1])
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith(f"headway: error: {path}:{message}")


def test_a_thousand_words(run, tmp_path):
    path = tmp_path / "long.conllu"
    path.write_text(table(0, *range(1, 1000)))
    assert "1 sentence, 1,000 words\n" in run("eval", path, path).stdout
