"""Named recipes for training."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headway.decoders import find_decoder
from headway.errors import UsageError
from headway.features.arc_templates import ARC_TEMPLATES, CLAUSE_ARC_TEMPLATES
from headway.features.global_templates import FAMILIES
from headway.features.high_order import TEMPLATES
from headway.features.high_order_templates import CHART_GRAND_SIBLING_TEMPLATES, CHART_TRI_SIBLING_TEMPLATES
from headway.features.label import LABEL_TEMPLATES
from headway.features.pruner import PRUNER_TEMPLATES
from headway.features.words import CLAUSE_WORD_TEMPLATES, WORD_TEMPLATES


@dataclass(frozen=True)
class Incremental:
    """The learning rule of incremental parsers; see `headway.learning.beam`.

    Parameters
    ----------
    beam : int
        How many states are kept at each step.
    system : str
        The transition system; empty for arc-standard, or swap where many arcs of the treebank cross.
    objective, update : str
        Of `headway.learning.beam.OBJECTIVES` and `UPDATES`.
    slots, rows : int
        Of the weight table, while it is learned and in the model.
    ranking : str
        How a ranker of the beam's trees learns, ``fine`` or ``coarse``, with the arc and part templates of the preset;
        empty for none.
    folds : int
        In how many parts the treebank is parsed for the ranker, each by a parser that learned from the others.
    """

    beam: int = 8
    system: str = ""
    objective: str = "baseline"
    update: str = "violation"
    slots: int = 1 << 20
    rows: int = 500_000
    ranking: str = ""
    folds: int = 20


@dataclass(frozen=True)
class Neural:
    """The sizes of a network, and how it learns; see `headway.scorers.neural.network.Shape`.

    Parameters
    ----------
    encoder : str
        A folder or an installed package with a pretrained BERT-shaped encoder; empty for a BiLSTM.
    batch : int
        Words of a batch at most.
    folds : int
        Into how many parts the treebank is dealt so that a linear model, by the rest of the preset, learns on top of
        the scores of networks that learned from the other parts; 0 for no linear model.
    second : int
        The rank of scores of siblings and grandparents, which trees are then searched by, climbing; 0 for none.
    """

    layers: int = 2
    hidden: int = 200
    word: int = 150
    character: int = 200
    arc: int = 400
    label: int = 100
    encoder: str = ""
    batch: int = 1000
    folds: int = 0
    second: int = 0

    def with_encoder(self, encoder: str) -> "Neural":
        """Return the same with a pretrained encoder, over which scores are made from longer vectors."""
        return replace(self, encoder=encoder, arc=500, label=150)


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
        How it is learned: ``mira``, ``perceptron`` or ``loglinear``, which with parts needs a chart as decoder.
    arc_step, label_step : float
        The largest step of an update.
    pruner_templates : str or None
        The features of a pruner, if arcs are to be pruned.
    ratio, most : float, int
        What the pruner keeps.
    reach : bool
        Whether arcs are left out, in parsing, that are much longer than their like in the treebank; without a pruner.
    word_templates : str or None
        The word features of a low-rank tensor, if there is to be one, of rank `rank`; `rate` as `TreeRule` says.
    triples : bool
        Whether a second tensor scores siblings and grandparents.
    part_templates : mapping of str to str, or None
        The features of each kind of part of higher order; None for arcs alone.
    families : tuple of str
        The families of global features, if there are parts of higher order.
    part_slots, part_rows : int
        As for arcs.
    train_restarts, restarts : int
        Of hill climbing, in training and in parsing.
    search_ratio : float
        What hill climbing chooses from, in parsing, of that which the pruner keeps; see `SearchRule`.
    decoder : str
        The name of the decoder; empty for hill climbing where there are parts, else for exact search by arcs, among
        projective trees or all, as the dev set decides.
    decoder_options : mapping of str to float
        Options of that decoder; kept in the model.
    train_decoder : str
        The name of another decoder to learn with; empty for the same.
    inference : str
        What parts are learned against: ``trees``, ``relaxed``, ``fractional`` or ``samples``; see
        `headway.learning.trees`.
    incremental : Incremental, optional
        For a parser that goes from left to right by transitions; the other
        templates are for labels and for its ranker.
    neural : Neural, optional
        For a network that reads forms alone; nothing else of the preset counts then, unless it has `folds`.
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
    reach: bool = False
    word_templates: str | None = None
    rank: int = 48
    rate: float = 5.0
    triples: bool = False
    part_templates: Mapping[str, str] | None = None
    families: tuple[str, ...] = ()
    part_slots: int = 1 << 21
    part_rows: int = 1_000_000
    train_restarts: int = 2
    restarts: int = 4
    search_ratio: float = 0.0
    decoder: str = ""
    decoder_options: Mapping[str, float] = field(default_factory=dict)
    train_decoder: str = ""
    inference: str = "trees"
    incremental: Incremental | None = None
    neural: Neural | None = None

    def decoder_name(self, *, projective: bool) -> str:
        """Return the name of the decoder: without one of its own, hill climbing where there are parts, else exact."""
        if self.decoder or self.part_templates:
            return self.decoder or "hill-climbing"
        return "eisner" if projective else "spanning-tree"

    @property
    def is_projective(self) -> bool:
        """Whether the decoder searches among projective trees only."""
        return bool(self.decoder) and bool(getattr(find_decoder(self.decoder), "projective", False))


_NO_LIMIT = 1 << 20

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
    arc_templates=ARC_TEMPLATES + CLAUSE_ARC_TEMPLATES,
    word_templates=WORD_TEMPLATES + CLAUSE_WORD_TEMPLATES,
    reach=True,
)

_CHART_TEMPLATES = {
    **TEMPLATES,
    "grand_sibling": CHART_GRAND_SIBLING_TEMPLATES,
    "tri_sibling": CHART_TRI_SIBLING_TEMPLATES,
}


def _chart(name: str, about: str, kinds: tuple[str, ...]) -> Preset:
    """An exact projective parser of Koo and Collins (2010); they prune with a ratio (beam) of 1e-4."""
    return Preset(
        name,
        f"{about}, by exact projective search",
        part_templates={kind: _CHART_TEMPLATES[kind] for kind in kinds},
        pruner_templates=PRUNER_TEMPLATES,
        most=16,
        decoder=name,
    )


_MODEL1 = ("sibling", "grandparent", "grand_sibling")
_CHARTS = (
    _chart("sibling", "siblings", ("sibling",)),
    _chart("model0", "grandparents", ("grandparent",)),
    _chart("carreras", "siblings and outer grandparents", ("sibling", "grandparent")),
    _chart("model1", "grand-siblings", _MODEL1),
    _chart("model2", "outer grand-siblings and tri-siblings", (*_MODEL1, "tri_sibling")),
    _chart("tri-sibling", "tri-siblings", ("sibling", "tri_sibling")),
)

PRESETS = {
    preset.name: preset
    for preset in (
        _FAST,
        _STANDARD,
        _FULL_PRESET,
        replace(
            _FULL_PRESET,
            name="compact",
            about="everything, in a file of less than 20 MB, searched less",
            restarts=2,
            search_ratio=1e-2,
            arc_rows=200_000,
            label_rows=40_000,
            part_rows=300_000,
            rank=32,
        ),
        Preset("first-order", "arcs alone, by exact search"),
        replace(
            _STANDARD,
            name="second-order-tight",
            about="siblings and grandparents, learned against fractions of trees: the most proofs with --exact",
            word_templates=None,
            part_templates=_lists(("sibling", "grandparent")),
            inference="fractional",
        ),
        *_CHARTS,
        Preset("neural", "a BiLSTM, or a pretrained encoder (--encoder), that reads forms alone", neural=Neural()),
        replace(
            _FULL_PRESET,
            name="neural-sum",
            about="a network, and everything of full learned on top of its scores",
            neural=Neural(folds=4),
        ),
        Preset("incremental", "transitions from left to right, by a beam of 8", incremental=Incremental()),
        Preset(
            "incremental-1",
            "transitions from left to right, the best at each step: the fastest",
            incremental=Incremental(beam=1, system="arc-eager", objective="explore"),
        ),
        Preset("incremental-64", "transitions from left to right, by a beam of 64", incremental=Incremental(beam=64)),
        Preset(
            "hc-search",
            "transitions by a beam of 64, whose trees are ranked by all features of trees",
            part_templates=_lists(_FULL),
            families=tuple(FAMILIES),
            incremental=Incremental(beam=64, objective="worst", ranking="fine"),
        ),
    )
}
"""The presets that users choose from, by their names; those of single comparisons are in ``benchmarks/recipes.py``."""


def find_preset(preset: str | Preset, *, beam: float | None = None) -> Preset:
    """Return the preset of that name; one of one's own is taken as it is.

    Parameters
    ----------
    beam : float, optional
        Prune heads that are less probable than this beside the word's best one, and no others.
    """
    if isinstance(preset, str):
        if preset not in PRESETS:
            raise UsageError(f"no preset {preset!r}; there is {', '.join(PRESETS)}")
        preset = PRESETS[preset]
    if beam is None:
        return preset
    if preset.pruner_templates is None:
        raise UsageError(f"the preset {preset.name} does not prune: --beam does not apply")
    if not 0.0 <= beam <= 1.0:
        raise UsageError(f"--beam must be from 0 to 1, not {beam:g}")
    return replace(preset, ratio=beam, most=_NO_LIMIT)
