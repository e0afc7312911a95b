"""Ensembles: bias by the definition of parts, files of trees, members in one model file, learned weights."""

from collections import Counter
from dataclasses import replace

import brute_force
import numpy as np
import part_samples
import pytest
import small_parser
from high_order_samples import slow_parts
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.annotator import load_model
from headway.corpus import write_sentences
from headway.ensemble import Ensemble, TreeFile, learn_gammas, read_gamma
from headway.errors import CorpusError, UsageError
from headway.parser import Parser
from headway.parts import Candidates, Scores, tree_score
from headway.parts.candidate_batch import CandidateBatch, mask_starts
from headway.parts.kinds import KINDS
from headway.parts.scorer import TableScorer
from headway.scorers.biased import Biased, Gamma, Vote
from headway.search.biased import biased_search

SECOND = {"sibling", "grandparent", "head_bigram", "arbitrary_sibling"}


class CaseScorer(TableScorer):
    """The scores of a case, whatever the sentence."""

    name = "case"

    def __init__(self, case: part_samples.Case) -> None:
        self.case, self.kinds = case, frozenset({"arc", *case.kinds})

    def scores(self, encoded, sentence, candidates, kinds=None) -> Scores:
        return self.case.scores


class Chains:
    """A pruner that leaves each word the word before it as its head."""

    def prune(self, encoded, *, threads) -> CandidateBatch:
        lengths = encoded.lengths()
        allowed = [np.eye(length + 1, k=1, dtype=np.bool_).ravel() for length in lengths]
        return CandidateBatch(mask_starts(lengths), np.concatenate(allowed))


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 5))
@settings(max_examples=30)
def test_a_tree_gains_what_it_shares_with_each_other_tree(seed: int, n: int) -> None:
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, n, "normal")
    case = part_samples.Case(generator, table, [kind for kind in KINDS if generator.random() < 0.5])
    trees = brute_force.trees(n).heads
    scored_tree, *others = (np.array([-1, *trees[generator.integers(len(trees))]], dtype=np.int32) for _ in range(3))
    sure = generator.random(n + 1)
    gammas = [Gamma(1.0, 0.5, 0.25), Gamma(0.7)]
    biased = Biased(CaseScorer(case), [[Vote(others[0]), Vote(others[1], sure)]], gammas, None)  # type: ignore[arg-type]
    scores = biased.scores(None, 0, case.candidates)  # type: ignore[arg-type]
    if np.isneginf(tree_score(case.candidates, case.scores, scored_tree)):
        return
    expected = (scored_tree[1:] == others[0][1:]).sum() + 0.7 * sure[1:][scored_tree[1:] == others[1][1:]].sum()
    mine, theirs = (Counter(map(tuple, slow_parts(tree, case.kinds))) for tree in (scored_tree, others[0]))
    for part, count in (mine & theirs).items():
        expected += count * (0.5 if part[0] in SECOND else 0.25)
    gained = tree_score(case.candidates, scores, scored_tree) - tree_score(case.candidates, case.scores, scored_tree)
    assert gained == pytest.approx(expected)


def test_a_strong_bias_makes_the_trees_of_a_file(tmp_path) -> None:
    parser, gold = small_parser.trained(), small_parser.DEV
    path = tmp_path / "gold.conllu"
    write_sentences(path, gold)
    like = TreeFile.read(str(path), gamma=Gamma(1000.0))
    bare = [small_parser.bare(sentence) for sentence in gold]
    for decoder in ("eisner", "spanning-tree", "greedy"):
        found = list(parser.parse(bare, like=like, decoder=decoder))
        hits = sum(a == b for x, y in zip(found, gold, strict=True) for a, b in zip(x.heads, y.heads, strict=True))
        assert hits >= 0.97 * sum(map(len, gold))  # a few trees are not projective
    none = TreeFile.read(str(path), gamma=Gamma(0.0))
    plain = [sentence.heads for sentence in parser.parse(bare)]
    assert [sentence.heads for sentence in parser.parse(bare, like=none)] == plain


@pytest.mark.parametrize(
    ("heads", "message"),
    [([2, 1], "cycle: 1 -> 2"), ([-1, 0], "no head for"), ([0, 5], "HEAD 5 is not a word")],
)
def test_what_is_no_tree_is_refused_with_file_and_line(tmp_path, heads: list[int], message: str) -> None:
    row = "{}\tw\t_\t_\t_\t_\t{}\tdep\t_\t_\n"
    good = row.format(1, 0) + "\n"
    bad = "".join(row.format(number, "_" if head < 0 else head) for number, head in enumerate(heads, 1))
    path = tmp_path / "trees.conllu"
    path.write_text(good + bad + "\n")
    with pytest.raises(CorpusError, match=message) as caught:
        TreeFile.read(str(path))
    assert str(caught.value).startswith((f"{path}:3:", f"{path}:4,"))


def test_a_sentence_that_the_file_lacks_is_named(tmp_path) -> None:
    path = tmp_path / "other.conllu"
    write_sentences(path, small_parser.TRAIN[:1])
    like = TreeFile.read(str(path))
    with pytest.raises(CorpusError, match=rf"other.conllu has no tree for these {len(small_parser.DEV[0])} words"):
        list(small_parser.trained().parse(small_parser.DEV, like=like))


@pytest.mark.parametrize("reparse", [False, True])
def test_one_file_holds_all_members(tmp_path, reparse: bool) -> None:
    parser = small_parser.trained()
    other = small_parser.search(parser, projective=False)
    made = Ensemble(parser.model, [other, parser], [Gamma(0.3), Gamma(0.1, 0.2, 0.3), Gamma()][: 2 + reparse],
                    confident=True, reparse=reparse)  # fmt: skip
    path = tmp_path / "all.headway"
    made.save(path)
    with pytest.raises(UsageError, match="an ensemble of 3 parsers"):
        Parser.load(path)
    again = load_model(path)
    assert isinstance(again, Ensemble)
    assert (again.gammas, again.confident, again.reparse) == (made.gammas, True, reparse)
    bare = [small_parser.bare(sentence) for sentence in small_parser.DEV]
    assert [one.heads for one in again.parse(bare)] == [one.heads for one in made.parse(bare)]


def test_learned_weights_are_no_worse_on_the_dev_set() -> None:
    parser, dev = small_parser.trained(), small_parser.DEV
    other = small_parser.search(parser, projective=False)
    made = Ensemble(parser.model, [other], [Gamma(0.0)])
    told: list[str] = []
    tuned = made.tuned(dev, report=told.append)

    def hits(ensemble: Parser) -> int:
        found = ensemble.parse([small_parser.bare(sentence) for sentence in dev])
        return sum(a == b for x, y in zip(found, dev, strict=True) for a, b in zip(x.heads, y.heads, strict=True))

    assert hits(tuned) >= hits(made) == hits(parser)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("goal", "expected"), [((0.35, 0.35), (0.35, 0.35)), ((0.35, 0.0), (0.35, 0.0)), ((0.0, 0.0), (0.0, 0.0))]
)
def test_weights_are_learned_together_and_then_one_by_one(
    goal: tuple[float, float], expected: tuple[float, float]
) -> None:
    tried = []

    def right(gammas) -> int:
        tried.append(gammas)
        return int(1000 - 100 * sum(abs(gamma.arc - want) for gamma, want in zip(gammas, goal, strict=True)))

    told: list[tuple] = []
    found = learn_gammas(right, [Gamma(1.0), Gamma(1.0)], report=lambda *line: told.append(line))
    assert [gamma.arc for gamma in found] == pytest.approx(expected)
    assert right(found) == max(map(right, list(tried))) == told[-1][2]
    assert [place for place, _, _ in told] == [0, 1]


def test_weights_of_parts_are_shares_of_those_of_arcs() -> None:
    def right(gammas) -> int:
        return int(1000 * (gammas[0].arc <= 0.6) * gammas[0].arc + 100 * gammas[0].third - 10 * gammas[0].second)

    assert learn_gammas(right, [Gamma(0.0)], parts=True) == [Gamma(0.6, 0.0, 0.6 * 0.3)]
    assert learn_gammas(right, [Gamma(0.0)]) == [Gamma(0.6)]


def test_refuses_ensembles_of_one_and_weights_of_none() -> None:
    model = small_parser.trained().model
    with pytest.raises(UsageError, match="two parsers"):
        Ensemble(model, [], [])
    with pytest.raises(UsageError, match="2 weights for 1"):
        Ensemble(model, [Parser(model)], [Gamma(), Gamma()])
    for text in ("", "a", "1,2,3,4", "nan"):
        with pytest.raises(UsageError, match="one to three numbers"):
            read_gamma(text)
    assert read_gamma("1,0.5") == Gamma(1.0, 0.5)


def test_refuses_a_first_parser_that_reads_no_scores_of_parts() -> None:
    model = small_parser.trained().model
    by_transitions = replace(model, transitions=object())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cannot be biased"):
        Ensemble(by_transitions, [Parser(model)], [Gamma()])


def test_a_pruner_keeps_the_arcs_of_other_trees() -> None:
    parser, gold = small_parser.trained(), small_parser.DEV
    encoded, search = parser.model.encoder.encode(gold), replace(parser.model.search("spanning-tree"), pruner=Chains())
    votes = [[Vote(np.array([-1, *sentence.heads], dtype=np.int32))] for sentence in gold]
    found = biased_search(search, encoded, votes, [Gamma(1000.0)]).trees(encoded)
    assert [parse.heads[1:].tolist() for parse in found] == [list(sentence.heads) for sentence in gold]
    alone = search.trees(encoded)
    assert all((parse.heads[1:] == np.arange(len(parse.heads) - 1)).all() for parse in alone)


def test_arcs_of_other_trees_that_are_no_candidates_do_no_harm() -> None:
    candidates = Candidates.all(3).restrict({}, [(0, 1)])
    case = part_samples.Case(np.random.default_rng(0), np.where(candidates.mask(), 0.0, -np.inf), KINDS)
    vote = Vote(np.array([-1, 0, 1, 2], dtype=np.int32))
    biased = Biased(CaseScorer(case), [[vote]], [Gamma(1.0, 1.0, 1.0)], None)  # type: ignore[arg-type]
    scores = biased.scores(None, 0, case.candidates)  # type: ignore[arg-type]
    assert all(np.isfinite(scores.table(kind)).all() for kind in KINDS)
