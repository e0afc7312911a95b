"""Joint scores of the readings of a sentence's words and a tree.

Zhang et al. (2014), "Steps to excellence", section 3.4. With readings r and tree y,

    score(r, y) = a · tree(r, y) + b · Σ_i weight(r_i) + θ · φ(r, y)

tree(r, y) is the parser's score of the tree if the words are encoded with these readings; weight(r_i) is the score of a
reading by tagger and morphology, minus that of the word's first reading; φ are the features of
`headway.joint.features`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.joint.features import JointPlan, joint_totals
from headway.joint.states import Choice
from headway.model import TrainedModel
from headway.parts import Parse
from headway.scorers.rows import Rows
from headway.support.threads import Threads


@dataclass(frozen=True)
class JointWeights:
    """The weights of a joint score, except for the parser's.

    Parameters
    ----------
    tree, reading : float
        The weights a and b.
    plan, rows
        The features φ and their weights θ.
    """

    tree: float
    reading: float
    plan: JointPlan
    rows: Rows


def best_trees(
    model: TrainedModel, choices: Sequence[Choice], *, threads: Threads | None = None
) -> tuple[Encoded, list[Parse]]:
    """Encode words with their readings, and find the parser's tree for each choice of readings."""
    encoded = model.encoder.encode(choices)
    return encoded, model.search().trees(encoded, threads=threads)


def joint_scores(
    weights: JointWeights, choices: Sequence[Choice], encoded: Encoded, parses: Sequence[Parse]
) -> npt.NDArray[np.float64]:
    """(choices,) Score choices of readings, each with its tree."""
    heads = np.concatenate([parse.heads for parse in parses])
    trees = np.array([parse.score for parse in parses])
    readings = np.array([choice.weight for choice in choices])
    totals = joint_totals(encoded.atoms, encoded.starts, heads, weights.plan, weights.rows)
    return weights.tree * trees + weights.reading * readings + totals
