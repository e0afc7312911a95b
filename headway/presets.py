"""Named recipes for training."""

from dataclasses import dataclass

from headway.errors import UsageError
from headway.features.arc_templates import ARC_TEMPLATES
from headway.features.label import LABEL_TEMPLATES
from headway.features.pruner import PRUNER_TEMPLATES


@dataclass(frozen=True)
class Preset:
    """A recipe: features, table sizes and learning rule.

    Parameters
    ----------
    arc_slots, label_slots : int
        Rows of the weight tables while they are learned: powers of two.
    arc_rows, label_rows : int
        Rows that the trained model keeps at most.
    rule : str
        How arcs are learned: ``mira``, ``perceptron`` or ``loglinear``.
    arc_step, label_step : float
        The largest step of an update.
    pruner_templates : str or None
        The features of a pruner, if arcs are to be pruned.
    ratio, most : float, int
        What the pruner keeps.
    """

    name: str
    about: str
    arc_templates: str = ARC_TEMPLATES
    label_templates: str = LABEL_TEMPLATES
    arc_slots: int = 1 << 21
    label_slots: int = 1 << 18
    arc_rows: int = 500_000
    label_rows: int = 100_000
    rule: str = "mira"
    arc_step: float = 0.01
    label_step: float = 0.005
    pruner_templates: str | None = None
    ratio: float = 1e-3
    most: int = 12


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("first-order", "labelled first-order parsing by exact search; fast to train and to run"),
        Preset(
            "first-order-pruned",
            "the same over the arcs that a pruner leaves, some seven heads a word; the ground for higher orders",
            pruner_templates=PRUNER_TEMPLATES,
        ),
    )
}


def find_preset(name: str) -> Preset:
    """The preset of that name."""
    if name not in PRESETS:
        raise UsageError(f"no preset {name!r}; there is {', '.join(PRESETS)}")
    return PRESETS[name]
