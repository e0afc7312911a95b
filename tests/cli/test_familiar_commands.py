"""The habits of other parsers' commands: text on standard input, formats told by content, errors in one line."""

import io
import re
import shlex
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from cli_samples import EXAMPLES

from headway.bulk.pieces import is_text
from headway.corpus import CONLL2009, CONLLU, CONLLX, Sentence, format_sentence, read_sentences, write_sentences
from headway.corpus.guessing import guess_layout, looks_like_text
from headway.corpus.text import treebank_text

TABLE = "1\tDogs\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def test_text_on_standard_input(run):
    result = run("parse", stdin=b"Dogs bark.\n\nCats sleep.")
    assert result.exit_code == 0, result.stderr
    assert "\n2 sentences, 6 words, " in result.stderr
    assert "\n1 sentence, 1 word, " in run("parse", stdin=b"Go").stderr
    lines = result.stdout.splitlines()
    assert lines[:4] == ["# newdoc", "# newpar", "# sent_id = 1", "# text = Dogs bark."]
    assert lines.count("# newpar") == 2
    assert lines.count("# newdoc") == 1


def test_k_best_trees_begin_one_document(run):
    lines = run("parse", "--quiet", "--k-best", "2", stdin=b"Dogs bark.\n\nCats sleep.").stdout.splitlines()
    assert [line for line in lines if line.startswith("# tree")] == ["# tree = 1", "# tree = 2"] * 2
    assert lines.count("# newpar") == 2
    assert lines.count("# newdoc") == 1


def test_unknown_formats_are_one_line():
    done = subprocess.run(
        [sys.executable, "-m", "headway", "parse", "--format", "json"], capture_output=True, text=True, check=False
    )
    reason = "invalid value for '--format': 'json' is not one of 'auto', 'conllu', 'conllx', 'conll2009'"
    assert done.stderr == f"headway: error: {reason} (headway parse --help lists all options)\n"


def test_a_table_on_standard_input(run):
    found = run("parse", "--quiet", stdin=TABLE.encode()).stdout
    assert [line.split("\t")[1] for line in found.splitlines() if line] == ["Dogs", "bark"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (TABLE, False), ("# sent_id = 1\n" + TABLE, False), ("# a remark\n" + TABLE, False), ("# sent_id = 1\n", False),
        ("", False), ("\n\n", False), ("Dogs bark.", True), ("# A title\n\nDogs bark.", True),
        ("Name\tAge\nJo\t7\n", True), ("1984 was a year.", True), ("x\t" * 9, False),
    ],
)  # fmt: skip
def test_what_is_text(tmp_path: Path, content: str, text: bool) -> None:
    path = tmp_path / "some.file"
    path.write_text(content)
    assert looks_like_text(str(path)) is text
    assert is_text(str(path)) is text


def test_names_decide_first(tmp_path: Path) -> None:
    for name, content, text in (("a.txt", TABLE, True), ("a.conllu", "Dogs bark.", False)):
        (tmp_path / name).write_text(content)
        assert looks_like_text(str(tmp_path / name)) is text


def test_formats_are_told_by_their_content(tmp_path: Path) -> None:
    rows = {
        CONLLU: "1\tGo\tgo\tVERB\t_\t_\t0\troot\t0:root\tSpaceAfter=No",
        CONLLX: "1\tGo\tgo\tV\tVB\t_\t0\troot\t0\troot",
        CONLL2009: "1\tGo\tgo\tgo\tVB\tVB\t_\t_\t0\t0\troot\troot\t_\t_",
    }
    for layout, row in rows.items():
        path = tmp_path / "a.table"
        path.write_text(f"{row}\n\n")
        assert guess_layout(str(path)) is layout
        assert [sentence.layout for sentence in read_sentences(path)] == [layout]


def test_one_sentence_per_line(run, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("Dogs bark. Cats sleep.\n\nNo\n")
    found = run("parse", path, "--presegmented", "--quiet").stdout
    assert [line for line in found.splitlines() if line.startswith("# text")] == [
        "# text = Dogs bark. Cats sleep.", "# text = No",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        (
            ("--presegmented",),
            TABLE,
            "--presegmented is about plain text, and the input is a table; to read it as text",
        ),
        (("--presegmented", "--table"), "Dogs bark.", "--presegmented is about plain text, and the input is a table"),
        (("--format", "conllu"), "Dogs bark.", "plain text always becomes CoNLL-U, and --format is about tables; to"),
        (("--format", "conllx"), "Dogs bark.", "plain text always becomes CoNLL-U, and --format is about tables; to"),
    ],
)
def test_options_without_effect_are_refused(run, options, text, message):
    result = run("parse", *options, stdin=text.encode())
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"headway: error: {message}")


def test_options_about_one_of_two_files_have_an_effect(run, tmp_path):
    (tmp_path / "a.txt").write_text("Dogs bark.\nNo\n")
    (tmp_path / "a.conllu").write_text(TABLE)
    files = [tmp_path / "a.txt", tmp_path / "a.conllu"]
    assert run("parse", *files, "--presegmented", "--format", "conllu", "-q").stdout.count("# sent_id") == 2
    assert run("parse", "--presegmented", "-q", stdin=b"").exit_code == 0


def test_lists_with_a_proof_are_refused_without_a_warning(run):
    result = run("parse", "--k-best", "2", "--exact", "-q", stdin=b"Dogs bark.")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("headway: error: exact finds only one tree: for a list, choose another decoder")


def test_folders_keep_their_structure(run, tmp_path):
    for name in ("a", "b", "b/c"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "x.txt").write_text(f"Dogs bark {name[-1]}.")
    result = run("parse", tmp_path / "in" / "**" / "*.txt", "-o", f"{tmp_path}/out/", "--quiet")
    assert result.exit_code == 0, result.stderr
    made = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*"))
    assert made == ["a/x.conllu", "b/c/x.conllu", "b/x.conllu"]
    assert "Dogs bark c." in (tmp_path / "out" / "b" / "c" / "x.conllu").read_text()


def test_the_best_trees_of_any_model(run):
    found = run("parse", "--k-best", "3", "--quiet", stdin=b"I saw the man with the telescope.").stdout
    scores = [float(line.split("=")[1]) for line in found.splitlines() if line.startswith("# score")]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)


def test_scores_of_raw_text(run, tmp_path):
    gold = list(read_sentences(EXAMPLES / "sample-dev.conllu"))[:20]
    (tmp_path / "gold.conllu").write_text("".join(map(format_sentence, gold)))
    (tmp_path / "text.txt").write_text(treebank_text(gold).text)
    assert run("parse", tmp_path / "text.txt", "-o", tmp_path / "found.conllu", "--quiet").exit_code == 0
    shown = run("eval", tmp_path / "gold.conllu", tmp_path / "found.conllu", "--raw-text")
    assert shown.exit_code == 0, shown.stderr
    assert [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("| ")][2:] == [
        "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS",
        "BLEX",
    ]  # fmt: skip


def test_printed_scores_of_raw_text_are_the_official_ones(run, tmp_path):
    """The trees of `en` from raw text, with other tokens and sentences than gold, scored by both scorers."""
    udeval = pytest.importorskip("udtools.udeval", reason="udtools, the official scorer, is not installed")
    gold, text, system = (tmp_path / name for name in ("gold.conllu", "text.txt", "system.conllu"))
    sentences = [
        *read_sentences(EXAMPLES / "sample-dev.conllu"),
        Sentence.from_words(["a", "well-known", "cat", "don't", "sleep"], heads=[3, 3, 5, 5, 0], labels=["dep"] * 5),
        Sentence.from_words(["dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"]),
    ]
    gold.write_text("".join(map(format_sentence, sentences)))
    text.write_text(treebank_text(sentences).text)
    assert run("parse", text, "-o", system, "--quiet").exit_code == 0
    shown = run("eval", gold, system).stdout
    assert run("eval", gold, "-", stdin=system.read_bytes()).stdout == shown
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if line.startswith("| ")][
        2:
    ]
    printed = udeval.build_evaluation_table(
        udeval.evaluate(*(udeval.load_conllu(io.StringIO(path.read_text()), str(path), {}) for path in (gold, system)))
    )
    assert rows == [[cell.strip() for cell in line.split("|")] for line in printed.splitlines()[2:]]
    assert all(float(row[3]) < 100 for row in rows)


def test_another_segmentation_needs_no_option(run, tmp_path):
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(TABLE)
    system.write_text("1\tDogsbark\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert "from raw text" in run("eval", gold, system).stdout


def test_option_errors_are_one_line():
    for arguments, reason in (
        (["parse", "--bogus"], "no such option: --bogus"),
        (["parse", "--threads", "many"], "invalid value for '--threads': it should be a valid integer (headway"),
        (
            ["parse", "--threads", "0"],
            "invalid value for '--threads': it should be greater than or equal to 1 (",
        ),
        (["pars"], "no such command 'pars'"),
        (["train"], "missing argument 'TRAIN'"),
        (["parse", "--model"], "option '--model' requires an argument (headway parse --help lists all options)"),
        (["treebank", "stats", "--format"], "option '--format' requires an argument (headway treebank stats --help"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "headway", *arguments], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert done.stderr.startswith(f"headway: error: {reason}")


def test_a_model_without_lemmas_does_not_ask_for_them(run, tmp_path):
    bare = [
        sentence.with_tags(lemmas=["_"] * len(sentence))
        for sentence in read_sentences(EXAMPLES / "sample-train.conllu")
    ]
    path, model = tmp_path / "bare.conllu", tmp_path / "bare.headway"
    path.write_text("".join(map(format_sentence, bare[:80])))
    trained = run("train", path, "--dev", path, "-o", model, "--epochs", "1")
    assert trained.exit_code == 0, trained.stderr
    last = trained.stderr.splitlines()[-1]
    assert last.startswith("dev set: UAS ")
    assert f"{model}, " in last
    assert " MB, " in last
    assert "LEMMA" not in run("parse", path, "-m", model).stderr


def test_every_command_of_the_migration_page(run, tmp_path, monkeypatch):
    page = (EXAMPLES.parent / "docs" / "migration.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `.*` \| `((?:[^`]*\| )?headway [^`]*)` \|$", page, re.MULTILINE)
    assert len(rows) == page[page.index("On the command line:") :].count("\n|") - 2
    monkeypatch.chdir(tmp_path)
    gold = list(islice(read_sentences(EXAMPLES / "sample-train.conllu"), 12))
    for name in ("train", "dev", "gold", "system"):
        write_sentences(f"{name}.conllu", gold)
    (tmp_path / "text.txt").write_text("Dogs bark.\nCats sleep.\n")
    for row in rows:
        echoed, _, command = row.rpartition("\\| ")
        done = run(*shlex.split(command)[1:], stdin=" ".join(shlex.split(echoed)[1:]).encode())
        assert done.exit_code == 0, (command, done.stderr)
        assert "headway eval" not in command or done.stdout.startswith("## Scores from raw text"), "as conll18_ud_eval"
    assert (tmp_path / "model.headway").is_file()


@pytest.mark.parametrize("command", ["parse -q -o", "treebank convert --to conllx -o", "parse -q --to html -o"])
def test_a_missing_folder_is_named(run, tmp_path, command):
    place = tmp_path / "nowhere" / "x"
    result = run(*command.split(), place, stdin=TABLE.encode())
    expected = f"headway: error: {place}: the folder {place.parent} does not exist\n"
    assert (result.exit_code, result.stderr) == (3, expected)
