"""Bracket scores: examples counted by hand, invariants, and PYEVALB where it is installed."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from random_trees import trees

from headway.constituency.bracket_rules import BracketRules
from headway.constituency.bracket_scores import score_tree, score_trees
from headway.constituency.brackets import format_tree, parse_trees, read_trees
from headway.constituency.head_rules import HeadRules
from headway.constituency.tree import Tree, stripped, without_empty
from headway.errors import CorpusError

RULES = HeadRules.read("english")


def tree_of(text: str) -> Tree:
    return next(parse_trees(text))


def test_an_example_counted_by_hand() -> None:
    gold = tree_of("(ROOT (S (NP (DT a) (NN b)) (VP (VBZ c) (PRT (RP d)) (PP (IN e) (NP (NN f)))) (. g)))")
    system = tree_of("(ROOT (S (NP (DT a) (NN b)) (VP (VBD c) (ADVP (RP d)) (PP (IN e))) (NP (NN f)) (. g)))")
    scores = score_trees([gold], [system])
    # gold: S NP VP PRT PP NP; system: S NP VP ADVP PP NP; right: S, the NPs, PRT as ADVP
    assert (scores.precision, scores.recall) == pytest.approx((100 * 4 / 6, 100 * 4 / 6))
    assert scores.tags == pytest.approx(100 * 5 / 6)
    assert scores.crossing == 1  # the system's PP is within the gold VP; its VP crosses the gold PP
    assert scores.exact == 0


@given(trees())
def test_a_tree_is_its_own_best_match(tree: Tree) -> None:
    score = score_tree(tree, tree, head_rules=RULES)
    assert score.exact
    assert score.crossing == 0
    assert score.tags == score.words
    assert score.arcs == len(without_empty(tree))


@given(trees())
def test_functions_and_empty_elements_do_not_count(tree: Tree) -> None:
    score = score_tree(tree, without_empty(tree), head_rules=RULES)
    assert score.exact


def test_files_that_do_not_fit() -> None:
    one, other = tree_of("(S (NN a))"), tree_of("(S (NN b))")
    names = ("gold.mrg", "parsed.mrg")
    with pytest.raises(CorpusError, match=r"parsed\.mrg:1: word 1 of this tree is 'b', but 'a' in gold\.mrg, line 1"):
        score_trees([one], [other], names=names)
    with pytest.raises(
        CorpusError, match=r"gold\.mrg:1: this tree, number 2, has no counterpart: parsed\.mrg has only 1"
    ):
        score_trees([one, one], [one], names=names)
    with pytest.raises(CorpusError, match=r"parsed\.mrg:1: this tree has no counterpart: gold\.mrg has only 1"):
        score_trees([one], [one, one], names=names)


def test_parameter_files_of_evalb(tmp_path: Path) -> None:
    path = tmp_path / "made.prm"
    path.write_text(
        "## made up\nDEBUG 0\nMAX_ERROR 10\n\nCUTOFF_LEN 40\nLABELED 1\nDELETE_LABEL TOP ## the top\n"
        "DELETE_LABEL ,\nDELETE_LABEL_FOR_LENGTH -NONE-\nEQ_LABEL ADVP PRT\nEQ_LABEL PRT X\nEQ_WORD Can can\n"
    )
    rules = BracketRules.read(path)
    assert (rules.deleted, rules.labelled) == ({"TOP", ","}, True)
    assert rules.equal == {frozenset(["ADVP", "PRT", "X"])}
    gold = tree_of("(TOP (S (X-1 (NN Can)) (, ,) (VP (VB a) (NN b))))")
    system = tree_of("(TOP (S (PRT (NN can)) (, ,) (NP (VB a) (NN b))))")
    scores = score_trees([gold, gold], [system, gold], rules=rules)
    assert scores.f1 == pytest.approx(100 * 5 / 6)
    assert scores.up_to(3).f1 == scores.f1
    assert scores.up_to(2).data()["sentences"] == 0
    path.write_text("LABELED 0\n")
    assert score_trees([gold], [gold.with_labels(lambda label: f"{label}X")], rules=BracketRules.read(path)).f1 == 100
    for line in ("DELETE_LABEL", "EQ_LABEL ADVP", "LABELED 2", "NONSENSE 1"):
        path.write_text(f"DEBUG 0\n{line}\n")
        with pytest.raises(CorpusError, match=f"made.prm:2: '{line}'"):
            BracketRules.read(path)
    with pytest.raises(CorpusError):
        BracketRules.read(tmp_path / "none.prm")


def test_functions_of_tags_do_not_count() -> None:
    one, other = tree_of("(S (NN-SB a) (VVFIN-HD b))"), tree_of("(S (NN a) (VVFIN b))")
    assert score_trees([one], [other]).tags == 100


def _mutated(tree: Tree, generator: random.Random) -> Tree:
    """Take phrases out, and rename others."""
    keep = [node == 0 or word is not None or generator.random() > 0.1 for node, word in enumerate(tree.words)]
    import numpy as np

    return tree.kept(np.array(keep)).with_labels(
        lambda label: generator.choice(["NP", "VP", "S"]) if label != "ROOT" and generator.random() < 0.1 else label
    )


def test_scores_of_real_and_mutated_trees_are_those_of_pyevalb(treebanks: Path) -> None:
    pytest.importorskip("PYEVALB", reason="PYEVALB is not installed: pip install PYEVALB")
    from PYEVALB import parser, scorer

    path = treebanks.parent / "constituents" / "GUM" / "dev.ptb.xz"
    if not path.is_file():
        pytest.skip(f"no constituent trees at {path}")
    generator = random.Random(1)
    # It counts every bracket but the top's children's labels as they are: no label is deleted, none equal to another,
    # and of brackets with one label and one span only one counts; so trees are taken without such repetitions.
    rules = BracketRules(deleted=frozenset(), equal=frozenset())
    counted = 0
    for number, tree in enumerate(read_trees(path)):
        if number % 5:
            continue
        gold, system = stripped(tree), stripped(_mutated(stripped(tree), generator))
        texts = format_tree(gold), format_tree(system)
        theirs = scorer.Scorer().score_trees(*map(parser.create_from_bracket_string, texts))
        ours = score_tree(gold, system, rules=rules, head_rules=RULES)
        if any(len(set(brackets)) < len(brackets) for brackets in map(_brackets, (gold, system))):
            continue
        counted += 1
        assert (ours.matched, ours.gold, ours.system) == (
            theirs.matched_brackets, theirs.gold_brackets, theirs.test_brackets
        )  # fmt: skip
        assert ours.crossing == theirs.cross_brackets
        assert ours.tags == theirs.correct_tags
    assert counted > 100


def _brackets(tree: Tree) -> list[tuple[str, int, int]]:
    return [
        (label, int(span[0]), int(span[1]))
        for label, word, span in zip(tree.labels, tree.words, tree.spans, strict=True)
        if word is None
    ]
