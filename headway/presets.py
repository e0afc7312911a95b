"""Named recipes for training."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from headway.errors import UsageError
from headway.features.arc_templates import ARC_TEMPLATES
from headway.features.global_templates import FAMILIES
from headway.features.high_order import TEMPLATES
from headway.features.label import LABEL_TEMPLATES, PLAIN_LABEL_TEMPLATES
from headway.features.pruner import PRUNER_TEMPLATES
from headway.features.words import WORD_TEMPLATES


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
        How arcs alone are learned: ``mira``, ``perceptron`` or ``loglinear``; with a tensor or parts it is MIRA.
    arc_step, label_step : float
        The largest step of an update.
    pruner_templates : str or None
        The features of a pruner, if arcs are to be pruned.
    ratio, most : float, int
        What the pruner keeps.
    word_templates : str or None
        The word features of a low-rank tensor, if there is to be one, of rank `rank`; `rate` as `TreeRule` says.
    part_templates : mapping of str to str, or None
        The features of each kind of part of higher order; None for arcs alone.
    families : tuple of str
        The families of global features, if there are parts of higher order.
    part_slots, part_rows : int
        As for arcs.
    train_restarts, restarts : int
        Of hill climbing, in training and in parsing.
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
    word_templates: str | None = None
    rank: int = 48
    rate: float = 5.0
    part_templates: Mapping[str, str] | None = None
    families: tuple[str, ...] = ()
    part_slots: int = 1 << 21
    part_rows: int = 1_000_000
    train_restarts: int = 2
    restarts: int = 4


_THIRD = (
    "sibling",
    "grandparent",
    "head_bigram",
    "grand_sibling",
    "tri_sibling",
)
_FULL = (*_THIRD, "great_grandparent", "sibling_grandchild")


def _lists(kinds: tuple[str, ...]) -> Mapping[str, str]:
    return {kind: TEMPLATES[kind] for kind in kinds}


_STANDARD = Preset(
    "standard",
    "parts of up to third order and a tensor, by hill climbing",
    word_templates=WORD_TEMPLATES,
    part_templates=_lists(_THIRD),
    pruner_templates=PRUNER_TEMPLATES,
)
_FULL_PRESET = replace(
    _STANDARD,
    name="full",
    about="everything: the most accurate",
    part_templates=_lists(_FULL),
    families=tuple(FAMILIES),
)
_FAST = Preset(
    "fast",
    "arcs and a tensor, by exact search: the fastest",
    label_templates=PLAIN_LABEL_TEMPLATES,
    word_templates=WORD_TEMPLATES,
)
_FIRST_ORDER = Preset("first-order", "arcs alone, by exact search")

PRESETS = {
    preset.name: preset
    for preset in (
        _FAST,
        _STANDARD,
        _FULL_PRESET,
        _FIRST_ORDER,
        replace(
            _FIRST_ORDER,
            name="first-order-pruned",
            about="the same over the arcs that a pruner leaves",
            pruner_templates=PRUNER_TEMPLATES,
        ),
        replace(_STANDARD, name="standard-without-tensor", about="for comparison", word_templates=None),
        replace(_FULL_PRESET, name="full-without-tensor", about="for comparison", word_templates=None),
    )
}
"""Every preset by its name."""


def find_preset(name: str) -> Preset:
    """The preset of that name."""
    if name not in PRESETS:
        raise UsageError(f"no preset {name!r}; there is {', '.join(PRESETS)}")
    return PRESETS[name]
