"""Presets: named recipes for training."""

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
        The number of states that are kept at each step.
    system : str
        The transition system; empty for arc-standard, or swap if many arcs of the treebank cross.
    objective, update : str
        Names from `headway.learning.beam.OBJECTIVES` and `UPDATES`.
    slots, rows : int
        The size of the weight table in training, and in the model.
    ranking : str
        The learning rule of a ranker of the beam's trees, ``fine`` or ``coarse``, with the arc and part templates of
        the preset; empty for no ranker.
    folds : int
        The number of folds: each is parsed, for training the ranker, by a parser that was trained on the others.
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
    """The sizes of a network, and its training; see `headway.scorers.neural.network.Shape`.

    Parameters
    ----------
    encoder : str
        A folder or an installed package with a pretrained encoder of BERT's architecture; empty for a BiLSTM.
    batch : int
        The most words of a batch.
    """

    layers: int = 2
    hidden: int = 200
    word: int = 150
    character: int = 200
    arc: int = 400
    label: int = 100
    encoder: str = ""
    batch: int = 1000

    def with_encoder(self, encoder: str) -> "Neural":
        """Return a copy with a pretrained encoder, for which projections to arc and label scores are larger."""
        return replace(self, encoder=encoder, arc=500, label=150)


@dataclass(frozen=True)
class Preset:
    """A recipe for training: features, table sizes and learning rule.

    Parameters
    ----------
    arc_slots, label_slots : int
        The number of rows of the weight tables in training: powers of two.
    arc_rows, label_rows : int
        The most rows that the trained model keeps.
    rule : str
        The learning rule: ``mira``, ``perceptron`` or ``loglinear``; with parts, the last needs a chart decoder.
    arc_step, label_step : float
        The largest step size of an update.
    pruner_templates : str or None
        The templates of a pruner; None for no pruner.
    ratio, most : float, int
        The options of the pruner; see `PruningRule`.
    reach : bool
        Whether parsing excludes arcs that are much longer than similar arcs in the treebank; without a pruner.
    word_templates : str or None
        The word templates of a low-rank tensor of rank `rank`; None for no tensor. `rate` as in `TreeRule`.
    triples : bool
        Whether a second tensor scores siblings and grandparents.
    part_templates : mapping of str to str, or None
        The templates of each kind of higher-order part; None for arcs alone.
    families : tuple of str
        The families of global features; they need parts of higher order.
    part_slots, part_rows : int
        As for arcs.
    train_restarts, restarts : int
        Restarts of hill climbing, in training and in parsing.
    search_ratio : float
        Of the heads that the pruner keeps, those that hill climbing tries in parsing; see `SearchRule`.
    decoder : str
        The name of the decoder; empty for hill climbing if there are parts, else for exact search by arcs. The dev set
        decides whether only projective trees are searched.
    decoder_options : mapping of str to float
        Options of that decoder; stored in the model.
    train_decoder : str
        The name of the decoder in training; empty for the same decoder.
    inference : str
        The competitors from which parts are learned: ``trees``, ``relaxed``, ``fractional`` or ``samples``; see
        `headway.learning.trees`.
    incremental : Incremental, optional
        The options of a left-to-right parser with transitions; all other
        templates are then for labels and for its ranker.
    neural : Neural, optional
        The options of a network that reads only forms; the rest of the preset is then ignored.
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
        """Return the name of the decoder; by default, hill climbing if there are parts, else exact search."""
        if self.decoder or self.part_templates:
            return self.decoder or "hill-climbing"
        return "eisner" if projective else "spanning-tree"

    @property
    def is_projective(self) -> bool:
        """Whether the decoder searches only projective trees."""
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
    """Return an exact projective parser of Koo and Collins (2010); they prune with a ratio (beam) of 1e-4."""
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
"""The presets for users, by name; presets for single comparisons are in ``benchmarks/recipes.py``."""


def find_preset(preset: str | Preset, *, beam: float | None = None) -> Preset:
    """Return the preset of that name; a `Preset` is returned as it is.

    Parameters
    ----------
    beam : float, optional
        Prune all heads whose probability, relative to the word's best head, is below this, and no others.
    """
    if isinstance(preset, str):
        if preset not in PRESETS:
            raise UsageError(f"no preset {preset!r}; choose from {', '.join(PRESETS)}")
        preset = PRESETS[preset]
    if beam is None:
        return preset
    if preset.pruner_templates is None:
        raise UsageError(f"the preset {preset.name} does not prune: --beam does not apply")
    if not 0.0 <= beam <= 1.0:
        raise UsageError(f"--beam must be from 0 to 1, not {beam:g}")
    return replace(preset, ratio=beam, most=_NO_LIMIT)
