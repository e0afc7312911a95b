"""Scores that are NaN, from a scorer of one's own: a chain, or any tree that meets the constraints; never an error."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pytest
import small_parser
from small_parser import DEV, bare, partial

from headway.corpus import check_tree
from headway.encoding import Encoded
from headway.parser import Parser
from headway.parts import Candidates, Kind, Scores
from headway.parts.scorer import TableScorer


@dataclass(frozen=True)
class NoScores(TableScorer):
    """Arcs, one or all of them NaN."""

    everything: bool
    name = "no-scores"
    kinds = frozenset({Kind.ARC})

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        arc = np.zeros(len(candidates))
        arc[:: 1 if self.everything else len(arc)] = np.nan
        return Scores(arc=arc)


@pytest.fixture(scope="module", params=[True, False], ids=["all", "one"])
def parser(request: pytest.FixtureRequest) -> Parser:
    return small_parser.trained().with_scorer(NoScores(request.param))


@pytest.mark.parametrize("decoder", ["hill-climbing", "eisner", "spanning-tree", "model1", "exact", "integer-program"])
@pytest.mark.parametrize("confidence", [False, True], ids=["trees", "confidence"])
def test_no_scores_give_a_chain(parser: Parser, decoder: str, confidence: bool) -> None:
    for sentence in parser.parse(map(bare, DEV[:3]), decoder=decoder, confidence=confidence):
        assert sentence.heads == list(range(len(sentence)))
        assert "tree_prob" not in sentence.metadata
        assert set(sentence.misc("HeadProb")) == {None}
        assert sentence.metadata.get("optimal") is None


def test_no_scores_keep_constraints(parser: Parser) -> None:
    [found] = parser.parse([partial(DEV[0], {1: 3, 2: 1})], keep_heads=True)
    check_tree(found.heads)
    assert found.heads[:2] == [3, 1]
    assert len(list(parser.parse([DEV[0]], decoder="eisner", k_best=3))) == 1


def test_a_proof_is_not_told_of_a_tree_that_was_changed() -> None:
    """Pseudo-projective parsing puts lifted arcs back: what was proved is about another tree."""
    model = small_parser.trained().model
    marked = tuple(f"{label}|{label}" if label not in ("root", "punct") else label for label in model.labels)
    lifting = Parser(replace(model, labels=marked, settings=replace(model.settings, pseudo_projective=True)))
    plain = list(Parser(model).parse(map(bare, DEV), decoder="exact"))
    changed = 0
    for sentence, found in zip(plain, lifting.parse(map(bare, DEV), decoder="exact"), strict=True):
        assert sentence.metadata["optimal"] == "yes"
        changed += sentence.heads != found.heads
        assert ("optimal" in found.metadata) == (sentence.heads == found.heads)
        assert found.metadata.get("gap", "inf") == "inf"
    assert changed > 0
