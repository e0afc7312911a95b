"""The joint distribution of a parser's sentence, for `headway.joint.gibbs`.

With the readings fixed, the joint score is the parser's tree scorer with other scores of arcs, and a constant. Scores
are divided by the weight a of the tree (`headway.joint.scorer`), so a chain at temperature T samples the joint scores
at temperature a · T.
"""

from headway.errors import UsageError
from headway.joint.features import arc_weights
from headway.joint.gibbs import Conditional, JointChain, Readings
from headway.joint.scorer import JointWeights
from headway.joint.states import Lattice
from headway.model import TrainedModel
from headway.parts import Candidates


def joint_chain(
    model: TrainedModel, weights: JointWeights, lattice: Lattice, *, single_root: bool = True
) -> JointChain:
    """Return a chain over the readings and trees of a sentence; all arcs are candidates."""
    if weights.tree <= 0.0:
        raise UsageError("this model does not score tags and trees together")

    def conditional(readings: Readings) -> Conditional:
        choice = lattice.choose(readings)
        encoded, arcs = model.encoder.encode([choice]), Candidates.all(len(choice))
        scores = model.scorer.tree_scorer(encoded, 0, arcs)
        constant, table = arc_weights(encoded.atoms, weights.plan, weights.rows)
        layout = Candidates(scores.layout.offsets, scores.layout.heads)
        scores = scores._replace(arc=scores.arc + layout.gather(table) / weights.tree)
        return Conditional(scores, (constant + weights.reading * choice.weight) / weights.tree)

    return JointChain(
        [len(of_word) for of_word in lattice.readings], conditional, single_root=single_root,
        projective=model.settings.projective,
    )  # fmt: skip
