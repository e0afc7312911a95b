"""Brackets in and out, trees as arrays, binarisation, head rules."""

import lzma
from pathlib import Path

import pytest
from hypothesis import given
from random_trees import brackets, trees

from headway.constituency.binarisation import MARKER, binarised, unbinarised
from headway.constituency.brackets import format_tree, parse_trees, read_trees, write_trees
from headway.constituency.head_rules import TABLES, HeadRules, dependencies, head_children
from headway.constituency.tree import EMPTY, Tree, stripped
from headway.corpus import is_projective, is_tree
from headway.errors import CorpusError, UsageError

RULES = HeadRules.read("english")


def tree_of(text: str) -> Tree:
    return next(parse_trees(text))


@pytest.fixture(scope="module")
def gum(treebanks: Path) -> Path:
    folder = treebanks.parent / "constituents" / "GUM"
    if not folder.is_dir():
        pytest.skip(f"no constituent trees at {folder}")
    return folder


@given(brackets())
def test_brackets_come_out_as_they_went_in(text: str) -> None:
    assert format_tree(tree_of(text)) == text
    assert format_tree(tree_of(text.replace(" (", "\n\t("))) == text


@pytest.mark.parametrize("part", ["dev", "train"])
def test_real_trees_come_out_as_they_went_in_and_binarise(gum: Path, part: str) -> None:
    path = gum / f"{part}.ptb.xz"
    text = lzma.decompress(path.read_bytes()).decode()
    bare = " ".join(line for line in text.split("\n") if not line.startswith("#"))
    found = list(read_trees(path))
    assert " ".join(map(format_tree, found)) == " ".join(bare.split()).replace("( ", "(")
    for tree in found:
        binary = binarised(tree, head_children(tree, RULES))
        assert max(map(len, binary.children)) <= 2
        assert unbinarised(binary) == tree


@given(trees())
def test_binarisation_and_back_is_the_identity(tree: Tree) -> None:
    binary = binarised(tree, head_children(tree, RULES))
    assert max(map(len, binary.children)) <= 2
    assert unbinarised(binary) == tree
    assert binary.forms == tree.forms


def test_binarisation_goes_outward_from_the_head() -> None:
    tree = tree_of("(NP (DT a) (JJ b) (NN c) (PP (IN d)))")
    text = format_tree(binarised(tree, head_children(tree, RULES))).replace(MARKER, "/")
    assert text == "(NP (NP/NN/<DT (DT a) (NP/NN/<JJ (JJ b) (NP/NN/>PP (NN c) (PP (IN d))))))"


@given(trees())
def test_stripped_trees_have_words_and_no_functions(tree: Tree) -> None:
    bare = stripped(tree)
    if set(tree.tags) != {EMPTY}:
        assert EMPTY not in bare.tags
        assert bare.forms == [form for form, tag in zip(tree.forms, tree.tags, strict=True) if tag != EMPTY]
    assert not any("-" in label for label, word in zip(bare.labels, bare.words, strict=True) if word is None)
    assert stripped(bare) == bare


def test_stripping_an_example() -> None:
    tree = tree_of("(S (NP-SBJ-1 (-NONE- *)) (VP=2 (VP (VB go) (NP (NP (NN home))) (ADVP (-NONE- *T*)))))")
    assert format_tree(stripped(tree)) == "(S (VP (VB go) (NP (NN home))))"


@given(trees())
def test_dependencies_of_trees_are_projective_trees(tree: Tree) -> None:
    heads, labels = dependencies(tree, RULES)
    assert is_tree(heads)
    assert is_projective(heads)
    assert [label == "root" for label in labels] == [head == 0 for head in heads]


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("(S (NP (DT a) (NN b)) (VP (VBZ c) (NP (NN d))) (. e))", [2, 3, 0, 3, 3]),
        ("(NP (NN a) (CC b) (NN c))", [0, 1, 1]),  # the first conjunct
        ("(NP (NP (NN a) (POS b)) (NN c))", [2, 3, 0]),
        ("(PP (IN a) (NP (JJ b) (NNS c)))", [0, 3, 1]),
        ("(VP (MD a) (RB b) (VP (VB c)))", [0, 1, 1]),
        ("(X (, a) (NN b))", [2, 0]),  # no line for X: the first that is no punctuation
    ],
)
def test_english_heads(text: str, heads: list[int]) -> None:
    assert dependencies(tree_of(text), RULES)[0] == heads


def test_tables_for_other_languages() -> None:
    german = HeadRules.read("german")
    assert german.head("S", ["NP", "VVFIN", "NP"]) == 1
    assert german.head("PP", ["APPR", "ART", "NN"]) == 0
    assert all(HeadRules.read(name).lines for name in TABLES)
    assert HeadRules.read("NP right NN").head("NP", ["NN", "NN"]) == 1
    with pytest.raises(UsageError, match="line 1"):
        HeadRules.read("NP sideways NN")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("(S (NN a)\n", 1, "never closed"),
        ("(S (NN a)))", 1, "too many"),
        ("(S (NN a))\n()\n", 2, "without words"),
        ("(S\n (NP))", 2, "without words"),
        ("\n(S (NN a b))", 2, "beside other"),
        ("(S (NN a) b)", 1, "beside other"),
        ("(S (NN a (B c)))", 1, "after a word"),
        ("hello", 1, "outside"),
        (f"(S\n (NP{MARKER} (DT a) (NN b)))", 2, "reserved"),
        ("(())", 1, "without words"),
        ("(S (NN a))\r\n\r\n(S\r\n(NN))\r\n", 4, "without words"),
    ],
)
def test_bad_brackets_have_a_line_and_a_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(CorpusError, match=reason) as caught:
        list(parse_trees(text, path="x.ptb"))
    assert caught.value.line == line
    assert "x.ptb" in str(caught.value)


def test_files_of_trees(tmp_path: Path) -> None:
    made = [tree_of("( (S (NN a)))"), tree_of("(S (NN b))")]
    write_trees(tmp_path / "x.ptb.gz", made)
    assert list(read_trees(tmp_path / "x.ptb.gz")) == made
    assert made[0].labels[0] == ""
    (tmp_path / "bad").write_bytes(b"(S (NN a))\n(S (NN \xff))")
    with pytest.raises(CorpusError, match="bad:2: not UTF-8"):
        list(read_trees(tmp_path / "bad"))


def test_very_deep_trees() -> None:
    text = "(X " * 50_000 + "(A b)" + ")" * 50_000
    assert format_tree(tree_of(text)) == text
