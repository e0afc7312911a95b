"""Train the correction of tags for a trained parser.

Cross-fitting: each half of the treebank is parsed by a parser trained on the other half, with readings from taggers
that were trained without it, too. So this takes as long as training another parser.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from headway.corpus import Sentence, folds
from headway.joint.correction import Corrector, choose_readings
from headway.joint.examples import collect
from headway.joint.learning import learn
from headway.joint.states import Lattice
from headway.parser import Parser

_PARTS = 2


def train_corrector(
    train: Sequence[Sentence],
    lattices: Sequence[Lattice],
    parser: Parser,
    train_parser: Callable[[Sequence[Sentence]], Parser],
    *,
    seed: int = 1,
) -> Corrector | None:
    """Train a corrector of tags; return None if there are too few sentences.

    Parameters
    ----------
    train : sequence of Sentence
        Sentences with gold tags and trees.
    lattices : sequence of Lattice
        The same sentences, with readings from taggers that were trained without them.
    parser : Parser
        The parser that the corrector will be used with.
    train_parser : callable
        Trains a parser of the same kind on some sentences.
    """
    if len(train) < _PARTS:
        return None
    parts = []
    for part in folds(len(train), number=_PARTS, seed=seed):
        others = np.setdiff1d(np.arange(len(train)), part).tolist()
        unseen = train_parser([lattices[number].sentence for number in others])
        parts.append((unseen.model, [lattices[number] for number in part], [train[number] for number in part]))
    return Corrector(learn(collect(parts, parser.model.encoder), parser.model.encoder, seed=seed))


def pays(
    corrector: Corrector,
    parser: Parser,
    dev: Sequence[Sentence],
    tagged: Sequence[Sentence],
    lattices: Sequence[Lattice],
) -> bool:
    """Return whether the corrector improves both tags and heads on a dev set.

    Parameters
    ----------
    tagged : sequence of Sentence
        The sentences of the dev set, with the tags of the pipeline without the corrector.
    lattices : sequence of Lattice
        The same sentences, with the readings of the tagger.
    """
    chosen = choose_readings(parser.model, corrector.weights, lattices)
    corrected = [lattice.tagged(numbers) for lattice, numbers in zip(lattices, chosen, strict=True)]
    tags, heads = _right(dev, parser.parse(tagged))
    new_tags, new_heads = _right(dev, parser.parse(corrected))
    return new_tags > tags and new_heads > heads


def _right(gold: Sequence[Sentence], found: Iterable[Sentence]) -> tuple[int, int]:
    """Return the numbers of correct tags and correct heads."""
    tags = heads = 0
    for right, parsed in zip(gold, found, strict=True):
        tags += sum(one == other for one, other in zip(right.upos, parsed.upos, strict=True))
        heads += sum(one == other for one, other in zip(right.heads, parsed.heads, strict=True))
    return tags, heads
