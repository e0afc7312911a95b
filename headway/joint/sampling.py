"""The joint distribution over readings and trees of a sentence, for `headway.joint.gibbs`.

With fixed readings, the joint score is that of the parser's tree scorer with changed arc scores, plus a constant.
Scores are divided by a, the weight of the tree in `headway.joint.scorer`, so a chain at temperature T samples from the
joint score at temperature a · T.
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
        raise UsageError("cannot sample: this model's joint score gives no positive weight to trees")

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
