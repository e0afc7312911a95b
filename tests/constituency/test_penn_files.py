"""Files as the Penn Treebank and others write them, through every command: train, parse, eval, analyze agreement."""

import json
import lzma
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import headway
from headway.cli.app import app
from headway.constituency.brackets import read_trees
from headway.constituency.head_rules import ENGLISH, HeadRules
from headway.constituency.tree import stripped
from headway.errors import UsageError

PENN = r"""
# made up, in the manner of the Penn Treebank
( (S
    (NP-SBJ-1 (DT the) (NN dog))
    (VP (VBZ is) (VP=2 (VBN seen) (NP (-NONE- *-1)) (PP-LGS (IN by) (NP (PRP$ my) (NN cat)))))
    (. .) ))

( (S (`` ``) (S-TPC-2 (NP-SBJ (PRP it)) (VP (VBD cost) (NP (QP ($ $) (CD 1\/2) (CD million)) (-NONE- *U*)))) (, ,)
	('' '') (NP-SBJ (PRP she)) (VP (VBD said) (SBAR (-NONE- 0) (S (-NONE- *T*-2)))) (. .)))
( (S (NP-SBJ (NP (NNP Kim)) (PRN (-LRB- -LRB-) (NP (# #) (CD 7)) (-RRB- -RRB-))) (VP (VBZ gives) (ADVP|PRT (RP up)))
     (: --) (FRAG (NP (DT the) (NN dog)))))
( (FRAG (NP (-NONE- *))))
( (NP (NP (NP (NN dog))) (. .)))
( (X (X (SYM x))))
( (S (NP-SBJ (X x)) (VP (VBZ gives) (NP (DT the) (NN cat))) (. .)))
""".replace("\n", "\r\n")


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def penn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("penn")
    (folder / "gold.mrg").write_bytes(PENN.encode())
    (folder / "gold.mrg.xz").write_bytes(lzma.compress(b"\xef\xbb\xbf" + PENN.encode() * 6))
    (folder / "heads.txt").write_text(f"# the English ones\r\n{ENGLISH}")
    code, output = run(
        "constituents", "train", str(folder / "gold.mrg.xz"), "--dev", str(folder / "gold.mrg"), "--preset", "sibling",
        "--epochs", "1", "--head-rules", str(folder / "heads.txt"), "-o", str(folder / "penn.const.headway"),
    )  # fmt: skip
    assert code == 0
    assert re.fullmatch(rf"{folder}/penn.const.headway, \d+\.\d MB, \d+ min \d+ s", output.splitlines()[-1])
    return folder


def test_trees_as_they_are_written(penn: Path) -> None:
    trees = list(read_trees(penn / "gold.mrg"))
    assert [tree.labels[0] for tree in trees] == [""] * 7
    assert [tree.line for tree in trees] == [3, 8, 10, 12, 13, 14, 15]
    assert trees == list(read_trees(penn / "gold.mrg.xz"))[:7]
    assert stripped(trees[0]).labels[:3] == ("", "S", "NP")


def test_head_rules_of_a_file_are_kept_in_the_model(penn: Path) -> None:
    parser = headway.load_constituents(str(penn / "penn.const.headway"))
    assert parser.table.startswith("# the English ones")
    assert parser.rules == HeadRules.read("english")


def test_every_command_works_on_penn_files(penn: Path) -> None:
    gold, parsed, model = (str(penn / name) for name in ("gold.mrg", "parsed.mrg", "penn.const.headway"))
    for options in ([], ["--gold-tags"]):
        arguments = ["constituents", "parse", gold, "-m", model, "-o", parsed, "-q", *options]
        assert run(*arguments) == (0, "")
        assert len(list(read_trees(parsed))) == 7
        code, output = run("constituents", "eval", gold, parsed, "--json")
        scores = json.loads(output)
        assert (code, scores["sentences"]) == (0, 7)
        assert scores["f1"] > 70
    code, output = run("analyze", "agreement", model, gold, "--gold-tags", "-q", "--json")
    assert code == 0
    assert {row["system"] for row in json.loads(output)} > {"parser", "parser + dependencies"}


def test_scores_of_agreement_are_those_of_the_command(penn: Path) -> None:
    gold, parsed, model = (str(penn / name) for name in ("full.mrg", "again.mrg", "penn.const.headway"))
    lines = [line for line in PENN.split("\r\n") if "(FRAG (NP (-NONE- *)))" not in line]
    Path(gold).write_text("\n".join(lines))
    run("constituents", "parse", gold, "-m", model, "-o", parsed, "-q")
    scores = json.loads(run("constituents", "eval", gold, parsed, "--json")[1])
    rows = {row["system"]: row for row in json.loads(run("analyze", "agreement", model, gold, "-q", "--json")[1])}
    study = rows["parser + tags + dependencies"]
    assert (study["F1"], study["tags"], study["arcs"]) == (scores["f1"], scores["tags"], scores["arcs"])


def test_raw_words_are_looked_up_as_the_treebank_spells_them(penn: Path) -> None:
    parser = headway.load_constituents(str(penn / "penn.const.headway"))
    raw = ["Kim", "(", "#", "7", ")", "gives", "up", "–", '"', "the", "dog", '"', "1/2"]
    spelled = ["Kim", "-LRB-", "#", "7", "-RRB-", "gives", "up", "--", "``", "the", "dog", "''", r"1\/2"]
    one, other = parser.parse([raw, spelled])
    assert one.tree.forms == raw
    assert one.tree.labels == other.tree.labels
    assert one.tree.tags[1] == "-LRB-"
    with pytest.raises(UsageError, match="13 words have 1 tags"):
        list(parser.parse([raw], tags=[["NN"]]))


def test_a_label_may_be_a_tag_and_a_phrase(penn: Path) -> None:
    parser = headway.load_constituents(str(penn / "penn.const.headway"))
    trees = [stripped(tree) for tree in read_trees(penn / "gold.mrg")][5:]
    found = [parse.tree for parse in parser.parse([tree.forms for tree in trees], tags=[tree.tags for tree in trees])]
    assert found == trees
    assert {"X", "SYM"} <= {label for tree in found for label in tree.labels}


def test_without_a_tree_in_the_grammar_trees_are_flat_and_counted(penn: Path) -> None:
    long = penn / "long.mrg"
    long.write_text("( (NP" + " (NN dog)" * 201 + "))\n( (S (NP (PRP it)) (VP (VBD cost)) (. .)))\n")
    code, output = run("analyze", "agreement", str(penn / "penn.const.headway"), str(long), "--json", "-q")
    rows = {row["system"]: row for row in json.loads(output)}
    assert code == 0
    assert rows["parser + dependencies"]["none"] == 50.0
    assert rows["parser + dependencies"]["within 5"] == 50.0
    assert rows["parser"]["F1"] is not None


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("train", "# nothing\n( (S (NP (-NONE- *))))\n", "no trees with words"),
        ("train", "( (S (NN a))\r\n\r\n", ":1: this tree is never closed"),
        ("train", "( (S (NN a)))\n( (S (NN␟ a)))\n", ":2: the label"),
        ("eval", "( (S (NN a)))\n\n( (S (NN b)))\n", ":3: word 1 of this tree is 'b', but 'a'"),
        ("eval", "( (S (NN a)))\n", ": this tree, number 2, has no counterpart"),
        ("eval", "( (S (NN a)))\n" * 3, ":3: this tree has no counterpart"),
    ],
)
def test_bad_files_have_one_clear_line(tmp_path: Path, command: str, text: str, expected: str) -> None:
    bad, gold = tmp_path / "bad.mrg", tmp_path / "gold.mrg"
    bad.write_bytes(text.encode())
    gold.write_text("( (S (NN a)))\n" * 2)
    rest = ["-o", str(tmp_path / "x.headway"), "-q"] if command == "train" else []
    code, output = run("constituents", command, *([] if rest else [str(gold)]), str(bad), *rest)
    assert code == 3
    assert expected in output
    assert output.count("\n") == 1


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    gold, table = tmp_path / "gold.mrg", tmp_path / "heads.txt"
    gold.write_text("(S (NN a))\n")
    table.write_text("# my own rules\n\nS right NN\nNP sideways\n")
    model = ["-o", str(tmp_path / "x.headway"), "-q"]
    for arguments, expected in (
        (["train", str(gold), *model, "--head-rules", "klingon"], "no head rules 'klingon'; there are english"),
        (["train", str(gold), *model, "--head-rules", str(table)], f"{table}: head rules, line 4"),
        (["train", str(gold), *model, "--preset", "fast"], "choose one of sibling"),
        (["eval", str(gold), str(gold), "--equal", "NP"], "--equal NP"),
    ):
        code, output = run("constituents", *arguments)
        assert code == 2
        assert expected in output
        assert output.count("\n") == 1
