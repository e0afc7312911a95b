"""The constituent parser end to end, on a handful of trees: training, modes, files, commands, rubbish."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_forests import all_trees
from typer.testing import CliRunner

import headway
from headway.analysis.agreement import study_agreement
from headway.annotator import load_model
from headway.cli.app import app
from headway.constituency.agreement import STEPS, agree, agree_exactly, obey
from headway.constituency.brackets import format_tree, parse_trees
from headway.constituency.cky import fill_chart
from headway.constituency.drawing import draw_tree, tree_text
from headway.constituency.forest import best_tree
from headway.constituency.grammar import Grammar
from headway.constituency.head_rules import HeadRules, dependencies
from headway.constituency.lexical_counts import make_table
from headway.constituency.lexical_rules import count_events
from headway.constituency.parser import GRAMMARS, MODES, ConstituentParser, Weights
from headway.constituency.parses import ConstituentParse
from headway.constituency.partners import Arcs, split_sides
from headway.constituency.tree import Tree
from headway.corpus import CONLL2009, Sentence, is_tree, read_sentences, write_sentences
from headway.errors import ModelError, UsageError
from headway.model_file import read_model_file, read_text_tensor, text_tensor, write_model_file
from headway.models import find_model

TEXT = """
(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .)))
(ROOT (S (NP (DT a) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))
(ROOT (S (NP (NNP Kim)) (VP (VBD saw) (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (NNP Lee))))) (. .)))
(ROOT (S (NP (PRP she)) (VP (MD will) (VP (VB see) (NP (PRP it)) (PP (IN with) (NP (NNP Kim))))) (. .)))
(ROOT (S (NP (NNP Lee)) (VP (VP (VBZ sleeps)) (CC and) (VP (VBZ sees) (NP (NNP Kim)))) (. .)))
(ROOT (NP (NP (DT the) (NN mat)) (CC or) (NP (DT the) (NN dog))))
(ROOT (INTJ (UH oh)))
"""
TREES = list(parse_trees(TEXT))


@pytest.fixture(scope="module")
def parser() -> ConstituentParser:
    return ConstituentParser.train(TREES * 6, preset="sibling", epochs=2)


@pytest.fixture(scope="module")
def saved(parser: ConstituentParser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.const.headway"
    parser.save(path)
    return path


@pytest.mark.parametrize("mode", MODES)
def test_what_was_learned_is_parsed_right_in_every_mode(parser: ConstituentParser, mode: str) -> None:
    parses = list(parser.parse([tree.forms for tree in TREES], mode=mode))
    assert [format_tree(parse.tree) for parse in parses] == [format_tree(tree) for tree in TREES]
    assert all(parse.certified and parse.score <= parse.bound + 1e-6 for parse in parses)


@given(
    st.integers(0, 10_000),
    st.sampled_from(["zyx zyx zyx .", "zyx zyx zyx with zyx .", "zyx zyx zyx and zyx zyx .", "zyx zyx zyx zyx zyx ."]),
    st.sampled_from(["dependencies", "all"]),
)
@settings(max_examples=30)
def test_bounds_and_certificates_with_dependencies(parser: ConstituentParser, seed: int, text: str, mode: str) -> None:
    """Unknown words have up to 59 trees; with random scores added, the models disagree, and every tree is scored."""
    parser, forms = replace(parser, weights=Weights(beam=60.0, margin=60.0, narrow=120.0)), text.split()
    leaves, forest = parser.forest(forms)
    assert forest is not None
    generator = np.random.default_rng(seed)
    *others, arcs = parser.partners(forms, None, leaves, forest, mode)
    assert isinstance(arcs, Arcs)
    forest = forest._replace(scores=forest.scores + generator.normal(scale=5.0, size=len(forest.scores)))
    partners = [*others, replace(arcs, scores=arcs.scores + generator.normal(scale=5.0, size=len(arcs.scores)))]
    trees, joined = split_sides(forest, partners)
    every = [np.array(tree, dtype=np.int32) for tree in all_trees(forest)]
    assert len(every) > 5
    best = max(float(forest.scores[tree].sum()) + joined.value(trees.vector(tree)) for tree in every)
    for step in STEPS:
        found = agree(forest, partners, step=step)
        assert found.bound >= best - 1e-6
        assert found.score <= best + 1e-6
        assert not found.certified or found.score == pytest.approx(best)
    exact = agree_exactly(forest, partners)
    assert exact.certified
    assert exact.score == pytest.approx(best)


def test_certified_parses_of_three_models_are_the_best_of_the_forest(parser: ConstituentParser) -> None:
    forms = ["Kim", "saw", "a", "cat", "with", "Lee", "."]
    leaves, forest = parser.forest(forms)
    assert forest is not None
    partners = parser.partners(forms, None, leaves, forest, "all")
    trees, joined = split_sides(forest, partners)
    every = [np.array(tree, dtype=np.int32) for tree in all_trees(forest)]
    best = max(float(forest.scores[tree].sum()) + joined.value(trees.vector(tree)) for tree in every)
    found = agree(forest, partners)
    assert found.bound >= best - 1e-6
    assert not found.certified or found.score == pytest.approx(best)
    arcs = partners[1]
    heads = joined.best(np.zeros(trees.size))[1][partners[0].size :]
    assert (obey(forest, arcs, heads) >= 0).all()


@pytest.mark.parametrize(
    "forms",
    [["zyx"], ["."], ["Qwertz", "12,5", "§", "ÄÖÜ-x"], ["the"] * 40, ["(", "dog", ")"], ["dog"] * 201],
)
def test_any_words_have_a_tree(parser: ConstituentParser, forms: list[str]) -> None:
    for mode in ("alone", "all"):
        [parse] = parser.parse([forms], mode=mode)
        assert parse.tree.forms == forms
        assert is_tree(parse.heads)
        assert parse.certified or parse.bound >= parse.score


def test_150_words_have_their_only_tree() -> None:
    """A grammar of two rules, S → A S and S → B, has one tree for each sentence; coordinations have many."""

    def chain(words: int) -> Tree:
        return next(parse_trees(f"(ROOT {'(S (A a) ' * (words - 1)}(S (B b)){')' * words}"))

    small = ConstituentParser.train([chain(words) for words in range(1, 6)], preset="sibling", epochs=1)
    for mode in MODES:
        [parse] = small.parse([chain(150).forms], mode=mode)
        assert parse.certified
        assert parse.tree == chain(150)
        assert parse.heads == dependencies(chain(150), small.rules)[0]


def test_150_words_of_many_trees(parser: ConstituentParser) -> None:
    forms = f"the dog sleeps and {' and '.join(['sees the dog'] * 36)} and sleeps .".split()
    assert len(forms) == 150
    for mode in ("alone", "all"):
        [parse] = parser.parse([forms], mode=mode)
        assert not parse.fallback
        assert parse.tree.forms == forms
        assert is_tree(parse.heads)
        assert parse.score <= parse.bound + 1e-6


def test_tags_are_kept_where_the_grammar_knows_them(parser: ConstituentParser) -> None:
    forms = ["the", "dog", "sleeps", "."]
    [parse] = parser.parse([forms], tags=[["DT", "NNP", "VBZ", "."]])
    assert parse.tree.tags == ["DT", "NNP", "VBZ", "."]


def test_flat_trees_have_the_labels_of_the_treebank(parser: ConstituentParser) -> None:
    [long] = parser.parse([["dog"] * 201])
    assert long.fallback
    assert long.tree.labels[:2] == ("ROOT", "S")
    assert long.tree.parents[:4] == (-1, 0, 1, 1)
    bare = list(parse_trees("(CP (NP (N a)) (VP (V b)))\n(CP (NP (N a) (N c)) (VP (V b)))\n(CP (VP (V b)))"))
    table = HeadRules.read("english")
    flat = replace(parser, grammar=Grammar.fit(bare, table)).flat_tree(["a", "b"], ["N", "V"])
    assert format_tree(flat) == "(CP (N a) (V b))"


def test_given_tags_are_kept_even_if_the_grammar_must_see_others(parser: ConstituentParser) -> None:
    forms = ["the", "dog", "sleeps", "."]
    sees = [next(parser.parse([forms], tags=[tags])) for tags in (
        ["DT", "NN", "VBZ", "."],
        ["DT", "XYZ", "VBZ", "."],  # the grammar does not know XYZ
        ["DT", "NN", "CC", "."],  # it knows no sentence without a verb
    )]  # fmt: skip
    assert [parse.tree.tags for parse in sees] == [
        ["DT", "NN", "VBZ", "."], ["DT", "XYZ", "VBZ", "."], ["DT", "NN", "CC", "."]
    ]  # fmt: skip
    assert not any(parse.fallback for parse in sees)
    assert {tuple(parse.heads) for parse in sees} == {(2, 3, 0, 3)}
    assert sees[0].score > sees[2].score


def test_a_saved_parser_parses_the_same(parser: ConstituentParser, saved: Path) -> None:
    loaded = headway.load_constituents(str(saved))
    forms = ["Kim", "sees", "the", "dog", "with", "it", "."]
    [one], [other] = (list(some.parse([forms])) for some in (parser, loaded))
    assert one == other
    assert json.loads(json.dumps(one.data()))["certified"] == one.certified


def test_repr_fits_a_line(parser: ConstituentParser) -> None:
    assert repr(parser).startswith("<ConstituentParser with ")
    [parse] = parser.parse([["dog"] * 60])
    for thing in (parser, parse, parse.tree):
        assert len(repr(thing)) < 120
        assert "\n" not in repr(thing)
    assert repr(TREES[6]) == "<Tree of 1 word: (ROOT (INTJ (UH oh)))>"
    assert str(TREES[6]) == "(ROOT (INTJ (UH oh)))"


def test_the_markovised_grammar_scores_the_same_trees(parser: ConstituentParser) -> None:
    forms = ["Kim", "saw", "a", "cat", "with", "Lee", "."]
    leaves, forest = parser.forest(forms, grammar="markovised")
    assert forest is not None
    coarse = fill_chart(leaves, parser.grammar.table, parser.weights.beam)
    assert best_tree(forest)[0] == pytest.approx(best_tree(coarse)[0])
    for grammar in GRAMMARS:
        [parse] = parser.parse([forms], grammar=grammar)
        assert parse.certified
        assert parse.tree.forms == forms
    with pytest.raises(UsageError, match="no grammar"):
        list(parser.parse([forms], grammar="none"))


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ("the dog", "expected an iterable of sentences, each a list of words, got str"),
        (None, "expected an iterable of sentences, each a list of words, got NoneType"),
        (["dog"], "expected a list of words, got str"),
        ([["a", 3]], "expected a word (str), got int"),
    ],
)
def test_wrong_types_are_named(parser: ConstituentParser, sentences: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        list(parser.parse(sentences))
    with pytest.raises(TypeError, match=re.escape("expected most to be a number (int), got str")):
        parser.k_best(["dog"], "2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a word"):
        list(parser.parse([["dog"]], tags=[[1]]))  # type: ignore[list-item]
    for trees, expected in (("dev.ptb", "an iterable of trees"), ([3], "a tree (headway.constituency.tree.Tree)")):
        with pytest.raises(TypeError, match=re.escape(f"expected {expected}")):
            ConstituentParser.train(trees)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tags": [["NN"]]}, "there are tags for 1 sentences only"),
        ({"tags": iter([["NN"]] * 3)}, "there are sentences for 2 sentences only"),
        ({"tags": [["NN", "NN"]] * 2}, "1 words have 2 tags"),
        ({"iterations": 0}, "must be at least 1, not 0"),
        ({"step": "huge"}, "no step 'huge'"),
    ],
)
def test_wrong_values_are_named(parser: ConstituentParser, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(parser.parse((forms for forms in [["dog"], ["cat"]]), **options))
    with pytest.raises(UsageError, match="must be at least 1, not -1"):
        parser.k_best(["dog"], -1)


def test_trees_of_any_words_are_valid_brackets(parser: ConstituentParser) -> None:
    [parse] = parser.parse([["Kim", "saw", "(a)", "b c", "."]])
    [tree] = parse_trees(parse.data()["tree"])
    assert tree.forms == ["Kim", "saw", "-LRB-a-RRB-", "b_c", "."]
    assert parse.data()["words"] == ["Kim", "saw", "(a)", "b c", "."]


def test_the_best_trees_are_different_and_in_order(parser: ConstituentParser) -> None:
    forms = ["zyx", "saw", "Qwertz", "with", "zyx", "."]
    parser = replace(parser, weights=Weights(beam=40.0, margin=40.0, narrow=80.0))
    for mode in MODES:
        parses = parser.k_best(forms, 5, mode=mode)
        assert [parse.rank for parse in parses] == list(range(1, len(parses) + 1))
        assert len({parse.tree for parse in parses}) == len(parses) > 1
        assert all(one.score >= other.score for one, other in itertools.pairwise(parses))
        assert parses[0].tree == next(parser.parse([forms], mode=mode)).tree


def test_f1_over_iterations(parser: ConstituentParser) -> None:
    for step in ("mixed", "ad3"):
        found = study_agreement(parser, TREES, step=step)
        rows = {row["system"]: row for row in found.rows()}
        assert rows["parser + tags + dependencies"]["F1 at 50"] == rows["parser + tags + dependencies"]["F1"] == 100.0
        assert rows["parser"]["searches"] is None
        assert [chart.title for chart in found.charts()] == ["Certificates", "Bracket scores"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("table", 3), ("weights", {"tags": -1.0}), ("symbols", []), ("tags", 10**6), ("tops", {"nothing": 1}),
        ("lexicon", [[], [], 3]), ("tagger", [["NN"], 1.0]), ("encoder", {}),
    ],
)  # fmt: skip
def test_forged_models_are_refused(saved: Path, tmp_path: Path, name: str, value: object) -> None:
    tensors, facts = read_model_file(saved)
    about = {**read_text_tensor(tensors["constituents"]), name: value}
    forged = tmp_path / "forged.const.headway"
    write_model_file(forged, {**tensors, "constituents": text_tensor(about)}, facts)
    with pytest.raises(ModelError, match="forged"):
        headway.load_constituents(str(forged))


def test_counts_are_probabilities(parser: ConstituentParser) -> None:
    keys = np.array([[1, 11], [1, 11], [1, 12], [2, 21]], dtype=np.uint64)
    for chunks in ([keys], [keys[:1], keys[1:]], [keys[:0], keys]):
        table = make_table(chunks)
        counts = {int(key): tuple(row) for key, row in zip(table.keys, table.counts.tolist(), strict=True) if key}
        assert counts == {1: (3, 2), 2: (1, 1), 11: (2, 0), 12: (1, 0), 21: (1, 0)}
    again = count_events([], parser.grammar, parser.lexicon, parser.rules)
    assert not again.keys.any()


def test_a_constituent_model_is_no_dependency_model(saved: Path, tmp_path: Path) -> None:
    table, text = tmp_path / "dev.conllu", tmp_path / "text.txt"
    write_sentences(table, [Sentence.from_words(["the", "dog", "sleeps"], xpos=["DT", "NN", "VBZ"])])
    text.write_text("The dog sleeps.")
    expected = f"{saved}: this is a constituent model: use headway constituents parse, or headway.load_constituents"
    for arguments in (["parse", str(table)], ["parse", str(text)], ["serve"]):
        result = CliRunner().invoke(app, [*arguments, "--model", str(saved), "-q"])
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"headway: error: {expected}\n"
    for load in (headway.load, headway.Parser.load, load_model):
        with pytest.raises(UsageError, match=re.escape(expected)):
            load(str(saved))
    for name in ("en", str(find_model("en"))):
        with pytest.raises(
            ModelError, match=f"^{name}: not a constituent parser: make one with headway constituents t"
        ):
            headway.load_constituents(name)


def test_a_constituent_model_is_inspected(saved: Path) -> None:
    result = CliRunner().invoke(app, ["inspect", str(saved)])
    assert result.exit_code == 0
    assert result.stdout.startswith("head rules: english\ntags: 12\n")
    assert "\ndependencies:\n  preset: sibling\n" in result.stdout


def test_pictures() -> None:
    picture = draw_tree(TREES[:2])
    assert picture.count("<svg") == 1
    assert picture.count("<text") == sum(len(tree.labels) + len(tree) for tree in TREES[:2])
    heads = [dependencies(tree, HeadRules.read("english"))[0] for tree in TREES]
    beside = draw_tree(TREES, heads)
    assert beside.count("<path") - draw_tree(TREES).count("<path") == 2 * sum(len(tree) - 1 for tree in TREES)
    for tree, tree_heads in zip(TREES, heads, strict=True):
        told = [line.rsplit(" ← ")[1] for line in tree_text(tree, tree_heads).splitlines() if "←" in line]
        assert told == [tree.forms[head - 1] if head else "root" for head in tree_heads]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["constituents", *arguments])
    return result.exit_code, result.output


def test_commands(saved: Path, tmp_path: Path) -> None:
    gold, words, parsed = tmp_path / "gold.ptb", tmp_path / "words.txt", tmp_path / "parsed.ptb"
    gold.write_text(TEXT)
    words.write_text("\n".join(" ".join(tree.forms) for tree in TREES) + "\n")
    model = ("--model", str(saved), "-q")
    assert run("parse", str(words), "--format", "words", *model, "-o", str(parsed))[0] == 0
    code, output = run("eval", str(gold), str(parsed), "--json")
    assert (code, json.loads(output)["f1"]) == (0, 100.0)
    for to, expected in (("json", '"certified": true'), ("tree", "└─"), ("svg", "<svg"), ("conllu", "# certified")):
        code, output = run("parse", str(gold), "--gold-tags", "--to", to, *model)
        assert code == 0
        assert expected in output


def test_the_input_is_guessed_from_its_content(saved: Path, tmp_path: Path) -> None:
    model, brackets = ("--model", str(saved), "-q"), "".join(f"{format_tree(tree)}\n" for tree in TREES)
    trees, table, text = tmp_path / "trees.txt", tmp_path / "table", tmp_path / "text"
    trees.write_text(f"\ufeff\n# seven trees\n  {brackets}")
    write_sentences(table, [Sentence.from_words(tree.forms, xpos=tree.tags) for tree in TREES])
    text.write_text("She will see it with Kim.")
    for path in (trees, table):
        for options in ([], ["--gold-tags"]):
            assert run("parse", str(path), *options, *model) == (0, brackets)
    assert run("parse", str(text), *model)[1] == "(ROOT (S (NP (PRP She)) (VP (MD will) " + (
        "(VP (VB see) (NP (PRP it)) (PP (IN with) (NP (NNP Kim))))) (. .)))\n"
    )
    result = CliRunner().invoke(app, ["constituents", "parse", "-", *model], input=brackets)
    assert (result.exit_code, result.stdout) == (0, brackets)
    text.write_text("(Reuters) She will see Kim.")
    result = CliRunner().invoke(app, ["constituents", "parse", str(text), *model])
    assert (result.exit_code, result.stderr.count("\n")) == (3, 1)
    assert "(if this is text that begins with a bracket, add --format text)" in result.stderr
    assert run("parse", str(text), "--format", "text", *model)[0] == 0


def test_gold_tags_are_needed_for_gold_tags(saved: Path, tmp_path: Path) -> None:
    table, text = tmp_path / "dev.conllu", tmp_path / "text.txt"
    text.write_text("the dog")
    write_sentences(table, [Sentence.from_words(["the", "dog"], upos=["DT", "NN"]), Sentence.from_words(["dog"])])
    for path, code, message in ((text, 2, "needs trees or a table"), (table, 3, f"{table}:4: a word without a tag")):
        result = CliRunner().invoke(app, ["constituents", "parse", str(path), "--gold-tags", "-m", str(saved), "-q"])
        assert result.exit_code == code
        assert message in result.stderr


def test_every_format_says_how_a_tree_was_found(saved: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("Kim sees the dog .\n")

    def written(to: str, *options: str) -> str:
        arguments = ("parse", str(words), "--format", "words", "--to", to, "-m", str(saved), "-q", *options)
        code, output = run(*arguments)
        assert code == 0
        return output

    data = json.loads(written("json"))
    assert (data["certified"], data["partners"]) == (True, ["dependencies", "tags"])
    assert {"bound", "iterations"} <= data.keys()
    assert json.loads(written("json", "--agree", "tags"))["partners"] == ["tags"]
    assert json.loads(written("json", "--agree", "alone"))["partners"] == []
    assert written("tree").endswith("\n# certified, agrees with dependencies and tags\n\n")
    assert written("tree", "--agree", "alone").endswith("\n# certified\n\n")
    assert ">certified, agrees with dependencies and tags</text>" in written("svg")
    assert "# partners = dependencies, tags\n" in written("conllu")
    assert "#" not in written("brackets")


def test_trees_that_are_not_certified_say_so() -> None:
    parse = ConstituentParse(TREES[0], [2, 3, 0, 5, 3, 3], -9.0, -8.5, False, 50, partners=("dependencies", "tags"))
    assert parse.note == "not certified: score -9.00, at most -8.50, with dependencies and tags"
    assert replace(parse, partners=()).note == "not certified: score -9.00, at most -8.50"
    assert replace(parse, certified=True, rank=2).note == "certified as tree 2 with dependencies and tags"
    assert replace(parse, fallback=True).note == "flat: the grammar has no tree"


def test_fewer_trees_than_asked_for_are_counted(saved: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("oh\nKim sees the dog with Lee .\noh\n")
    arguments = ["constituents", "parse", str(words), "--format", "words", "-m", str(saved), "--k-best"]
    result = CliRunner().invoke(app, [*arguments, "100"])
    assert result.stdout.count("\n") < 300
    assert result.stderr.splitlines()[-1] == "fewer than 100 trees were found for 3 sentences"
    assert "fewer" not in CliRunner().invoke(app, [*arguments, "1"]).stderr


def test_flat_trees_are_counted(saved: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text(f"oh\n{'dog ' * 201}\nKim sees the dog .\n{'cat ' * 201}\n")
    arguments = ["constituents", "parse", str(words), "--format", "words", "-m", str(saved)]
    for to in ("brackets", "conllu"):
        result = CliRunner().invoke(app, [*arguments, "--to", to])
        expected = "flat trees were written for 2 sentences: the grammar has no tree, or they have more than 200 words"
        assert result.stderr.splitlines()[-1] == expected
        assert result.stderr.count("flat") == 1
        assert CliRunner().invoke(app, [*arguments, "--to", to, "-q"]).stderr == ""
    words.write_text("oh\n")
    assert "flat" not in CliRunner().invoke(app, arguments).stderr


TABLE = """\
# newdoc id = one
# sent_id = s1
# certified = maybe
# fallback = yes
# text = Kim sees the dog.
1-2\tKimsees\t_\t_\t_\t_\t_\t_\t_\t_
1\tKim\tKim\tPROPN\tNNP\tNumber=Sing\t3\tobj\t_\t_
2\tsees\tsee\tVERB\tVBZ\tTense=Pres\t0\troot\t_\t_
3\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_
3.1\tx\t_\t_\t_\t_\t_\t_\t2:dep\t_
4\tdog\tdog\tNOUN\tNN\tNumber=Sing\t2\tobj\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_
"""
HEADS, LABELS = [2, 0, 4, 2, 2], ["dep", "root", "dep", "dep", "dep"]


@pytest.mark.parametrize("options", [[], ["--gold-tags"]])
def test_a_table_keeps_all_but_heads_and_labels(saved: Path, tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "table.conllu"
    path.write_text(f"{TABLE}\n{TABLE}")  # no blank line after the last sentence
    [given, _] = read_sentences(path)
    code, output = run("parse", str(path), "--to", "conllu", *options, "-m", str(saved), "-q")
    assert code == 0
    path.write_text(output)
    for parsed in read_sentences(path):
        assert parsed.comments[:3] == ["# newdoc id = one", "# sent_id = s1", "# text = Kim sees the dog."]
        assert parsed.comments[3] == "# certified = yes"
        assert not any("fallback" in comment for comment in parsed.comments)
        assert parsed.table() == given.with_tree(HEADS, LABELS).table()


def test_documents_begin_once_with_the_best_trees(saved: Path, tmp_path: Path) -> None:
    path, forms = tmp_path / "table.conllu", ["zyx", "saw", "Qwertz", "with", "zyx", "."]
    write_sentences(path, [Sentence.from_words(forms, comments=["# newdoc", "# sent_id = s1"])])
    code, output = run("parse", str(path), "--to", "conllu", "--k-best", "2", "-m", str(saved), "-q")
    assert (code, output.count("# sent_id"), output.count("# newdoc")) == (0, 2, 1)


def test_tags_of_trees_are_xpos(saved: Path, tmp_path: Path) -> None:
    forms, penn, universal = TREES[0].forms, TREES[0].tags, ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    path, nothing = tmp_path / "input", ["_"] * 6

    def tags(*options: str) -> tuple[list[str], list[str]]:
        (tmp_path / "out").write_text(run("parse", str(path), "--to", "conllu", *options, "-m", str(saved), "-q")[1])
        [parsed] = read_sentences(tmp_path / "out")
        return parsed.upos, parsed.xpos

    path.write_text(" ".join(forms))
    assert tags("--format", "words") == (nothing, penn)
    path.write_text(format_tree(TREES[0]))
    assert tags() == tags("--gold-tags") == (nothing, penn)
    write_sentences(path, [Sentence.from_words(forms, upos=universal)])
    assert tags() == (universal, penn)
    assert tags("--gold-tags") == (universal, nothing)
    write_sentences(path, [Sentence.from_words(forms, upos=universal, xpos=["X"] * 6)])
    assert tags() == (universal, ["X"] * 6)
    write_sentences(path, [Sentence.from_words(forms, lemmas=forms, upos=universal, layout=CONLL2009)])
    assert tags() == (universal, penn)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("(S (NN a)", "never closed"), ("()", "without words"), ("(S (NN a)))", "too many"), ("words", "outside")],
)
def test_rubbish_gets_one_line(saved: Path, tmp_path: Path, text: str, expected: str) -> None:
    bad = tmp_path / "bad.ptb"
    bad.write_text(text)
    for arguments in (
        ("eval", str(bad), str(bad)),
        ("parse", str(bad), "--format", "trees", "--model", str(saved), "-q"),
        ("train", str(bad), "-o", str(tmp_path / "x.headway"), "-q"),
    ):
        result = CliRunner().invoke(app, ["constituents", *arguments])
        assert result.exit_code == 3
        assert expected in result.output + result.stderr
        assert f"{bad}:1" in result.output + result.stderr
    assert not (tmp_path / "x.headway").exists()


def test_text_that_is_not_utf8_gets_a_warning(saved: Path, tmp_path: Path) -> None:
    bad = tmp_path / "latin.txt"
    bad.write_bytes("The caf\xe9 sleeps. Kim sees the caf\xe9.".encode("latin-1"))
    result = CliRunner().invoke(app, ["constituents", "parse", str(bad), "--model", str(saved), "-q"])
    assert (result.exit_code, result.stderr.count("\n"), result.stdout.count("\n")) == (0, 1, 2)
    assert f"{bad}: contains invalid bytes" in result.stderr


@pytest.mark.parametrize("data", [b"\xff\xfe", b"", b"\0\0 \x1b[31m", b"((((", "\u202e \u0301".encode()])
@pytest.mark.parametrize("to", ["brackets", "json", "tree", "svg", "conllu"])
def test_words_that_are_rubbish(saved: Path, tmp_path: Path, data: bytes, to: str) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(data)
    arguments = ["constituents", "parse", str(bad), "--format", "words", "--model", str(saved), "-q", "--to", to]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (0, 3)
    if result.exit_code == 3:
        assert f"{bad}:1" in result.stderr
        assert result.stderr.count("\n") == 1


def test_models_that_are_none(tmp_path: Path) -> None:
    bad = tmp_path / "bad.headway"
    bad.write_bytes(b"nonsense")
    with pytest.raises(ModelError):
        headway.load_constituents(str(bad))
    with pytest.raises(UsageError, match="no trees"):
        ConstituentParser.train([])
