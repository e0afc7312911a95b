"""Plain text on the command line: ``headway train --pipeline`` and ``headway parse text.txt``."""

import gzip

import pytest
from cli_samples import EXAMPLES

from headway import Annotator
from headway.corpus import parse_sentences
from headway.errors import CorpusError


@pytest.fixture(scope="module")
def pipeline(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pipeline")
    path, head = folder / "sample.headway", folder / "train.conllu"
    head.write_text("\n\n".join((EXAMPLES / "sample-train.conllu").read_text().split("\n\n")[:40]) + "\n\n")
    result = run("train", head, "--dev", head, "--pipeline", "--correct-tags", "-o", path, "--epochs", "2")
    assert result.exit_code == 0, result.stderr
    assert "training the corrector of tags" in result.stderr
    assert "from raw text: Tokens" in result.stderr
    return path


def test_a_model_is_saved_before_it_is_scored(run, tmp_path, monkeypatch):
    path, head = tmp_path / "sample.headway", tmp_path / "train.conllu"
    head.write_text("\n\n".join((EXAMPLES / "sample-train.conllu").read_text().split("\n\n")[:4]) + "\n\n")

    def fail(self, gold):
        raise CorpusError("not of the same text")

    monkeypatch.setattr(Annotator, "evaluate", fail)
    result = run("train", head, "--dev", head, "--pipeline", "-o", path, "--epochs", "1")
    assert "not of the same text" in result.stderr
    assert Annotator.load(path).parser.model.facts["preset"] == "fast"


def test_text_in_and_trees_out(run, pipeline, tmp_path):
    text = tmp_path / "some.txt"
    text.write_text("The pilot saw Clara. Why did it wait?\n")
    result = run("parse", text, "-m", pipeline, "-q")
    first, second = parse_sentences(result.stdout)
    assert first.forms == ["The", "pilot", "saw", "Clara", "."]
    assert second.metadata["text"] == "Why did it wait?"
    assert sorted(first.heads)[0] == 0
    assert "_" not in first.upos
    same = run("parse", "-m", pipeline, "-q", "--text", stdin=text.read_bytes())
    assert same.stdout == result.stdout


def test_a_table_gets_what_it_lacks(run, pipeline):
    result = run("parse", "-m", pipeline, "-q", stdin=b"1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    [tagged] = parse_sentences(result.stdout)
    assert tagged.upos != ["_"]
    assert tagged.heads == [0]


def test_a_pipe_is_answered_sentence_by_sentence(start, pipeline):
    process = start("parse", "-m", pipeline, "-q")
    process.stdin.write(b"1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"1\tDogs")  # while the pipe is still open
    assert process.communicate()[1] == b""


def test_what_the_model_has_is_told(run, pipeline):
    assert '"LAS"' in run("inspect", pipeline, "--json").stdout


def test_clear_words_where_it_cannot_be(run, model, tmp_path):
    text = tmp_path / "some.txt"
    text.write_text("Dogs bark.")
    result = run("parse", text, "-m", model, "-q")
    assert result.exit_code != 0
    assert "train one with --pipeline" in result.stderr
    both = run("train", text, "--pipeline", "--without-tags", "-o", tmp_path / "m.headway")
    assert "choose one" in both.stderr
    other = run("train", text, "--pipeline", "--format", "conllx", "-o", tmp_path / "m.headway")
    assert "CoNLL-U" in other.stderr
    guessed = tmp_path / "guessed.conllx"
    guessed.write_text("1\tDogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n")
    assert "--pipeline needs CoNLL-U" in run("train", guessed, "--pipeline", "-o", tmp_path / "m.headway").stderr


@pytest.mark.parametrize(("form", "sign"), [("json", '"form"'), ("tree", "pilot"), ("html", "<section")])
def test_forms_of_output(run, pipeline, form, sign):
    result = run("parse", "-m", pipeline, "-q", "--text", "--to", form, stdin=b"The pilot saw Clara.")
    assert result.exit_code == 0, result.stderr
    assert sign in result.stdout


@pytest.mark.parametrize("form", ["conllu", "html"])
def test_text_that_is_not_utf8_or_broken_off(run, pipeline, tmp_path, form):
    latin, cut = tmp_path / "latin.txt", tmp_path / "cut.txt.gz"
    latin.write_bytes("The café waits. Clara saw it.".encode("latin-1"))
    warned = run("parse", latin, "-m", pipeline, "-q", "--to", form)
    assert warned.exit_code == 0
    assert warned.stderr.count("is it UTF-8?") == 1
    cut.write_bytes(gzip.compress(b"The pilot saw Clara. " * 500)[:-20])
    command = ("parse", cut, "-m", pipeline, "-q", "--to", form)
    assert "truncated" in run(*command).stderr
    skipped = run(*command, "--on-error", "skip")
    assert (skipped.exit_code, skipped.stderr.count("\n")) == (0, 1)
    assert "pilot" in skipped.stdout


def test_text_has_no_other_format(run, pipeline):
    result = run("parse", "-m", pipeline, "--text", "--format", "conllx", stdin=b"Dogs bark.")
    assert result.exit_code != 0
    assert "becomes CoNLL-U" in result.stderr


def test_plain_text_where_a_table_is_expected(run, pipeline):
    assert "--text" in run("parse", "-m", pipeline, "--table", stdin=b"Dogs bark.\n").stderr
    assert "# text = Dogs bark." in run("parse", "-m", pipeline, stdin=b"Dogs bark.\n").stdout


def test_models_by_name(run):
    result = run("parse", "-m", "nonsense", "-q", "--text", stdin=b"Dogs bark.")
    assert result.exit_code != 0
    assert "no built-in model has that name" in result.stderr


@pytest.mark.parametrize("option", ["--short-sentences", "--correct-tags"])
def test_options_about_tags_are_of_pipelines_alone(run, treebank, tmp_path, option):
    result = run("train", treebank, option, "-o", tmp_path / "m.headway")
    assert result.exit_code != 0
    assert "--pipeline" in result.stderr


def test_tags_are_corrected_or_not(run, pipeline):
    annotator, text = Annotator.load(pipeline), "The pilot saw Clara. Why did it wait?"
    for option, wanted in (("--correct-tags", True), ("--no-correct-tags", False)):
        result = run("parse", "-m", pipeline, "-q", "--text", option, stdin=text.encode())
        assert list(parse_sentences(result.stdout)) == list(annotator.annotate(text, correct_tags=wanted))


def test_a_model_that_cannot_correct_tags_says_so(run):
    result = run("parse", "-m", "en", "-q", "--text", "--correct-tags", stdin=b"Dogs bark.")
    assert result.exit_code != 0
    assert "train it with --pipeline --correct-tags" in result.stderr
    assert run("parse", "-m", "en", "-q", "--text", "--no-correct-tags", stdin=b"Dogs bark.").exit_code == 0
