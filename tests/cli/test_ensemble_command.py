"""``headway ensemble``, ``headway tune``, ``headway analyze greedy`` and ``headway parse --like``."""

import json
from itertools import islice

from cli_samples import TWO, table

from headway.corpus import format_sentence, is_tree, parse_sentences, read_sentences


def test_several_models_become_one_that_parses(run, model, treebank, tmp_path):
    path = tmp_path / "all.headway"
    result = run("ensemble", model, model, "-o", path, "--dev", treebank)
    assert result.exit_code == 0, result.output
    assert "UAS" in result.stderr
    parsed = run("parse", treebank, "-m", path, "-q")
    assert all(is_tree(sentence.heads) for sentence in parse_sentences(parsed.stdout))
    assert run("ensemble", model, "-o", tmp_path / "one.headway").exit_code != 0
    assert "give one" in run("ensemble", model, model, "-o", path, "--weight", 1, "--weight", 2).stderr


def test_trees_of_a_file_bias_the_search(run, model, treebank, tmp_path):
    biased = run("parse", treebank, "-m", model, "--like", treebank, "--like-weight", "100", "-q")
    plain = run("parse", treebank, "-m", model, "-q")
    assert biased.exit_code == 0
    assert biased.stdout != plain.stdout


def test_bad_trees_to_be_like_are_one_line(run, model, tmp_path):
    other = tmp_path / "other.conllu"
    for text, words in ((table(2, 1), "cycle"), (table(0), "has no tree for these"), (table("_", 0), "no head")):
        other.write_text(text)
        result = run("parse", "-m", model, "--like", other, "-q", stdin=TWO.encode())
        assert result.exit_code != 0
        assert words in result.stderr
        assert str(other) in result.stderr
        assert ":1:" in result.stderr  # the line, in the file that is wrong
        assert len(result.stderr.strip().splitlines()) == 1
    assert "--like FILE" in run("parse", "-m", model, "--like-weight", "1", stdin=TWO.encode()).stderr


def test_greedy_inference_is_tuned_and_compared(run, model, treebank, tmp_path):
    path, few = tmp_path / "greedy.headway", tmp_path / "few.conllu"
    few.write_text("".join(map(format_sentence, islice(read_sentences(treebank), 5))))
    result = run("tune", model, few, "-o", path, "--beam", 1, "--swaps", 0)
    assert result.exit_code == 0, result.output
    rows = json.loads(run("analyze", "greedy", path, few, "--json", "-q").stdout)
    assert rows[0]["search"] == "dual decomposition"
    assert all(0 <= row["UAS"] <= row["undirected"] <= 100 for row in rows)
