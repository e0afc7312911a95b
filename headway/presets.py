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
        """Return a copy with a pretrained encoder, for which projections to arc and label scores are larger."""
        return replace(self, encoder=encoder, arc=500, label=150)


@dataclass(frozen=True)
class Table:
    """A table of hashed features and their weights.

    Parameters
    ----------
    templates : str
        The list of feature templates, one on each line.
    slots : int
        Rows of the table while it is learned: a power of two.
    rows : int
        Rows that the trained model keeps at most.
    step : float
        The largest step of an update.
    """

    templates: str
    slots: int
    rows: int
    step: float


@dataclass(frozen=True)
class Pruning:
    """A pruner of arcs, learned before the parser.

    Parameters
    ----------
    templates : str
        Its features.
    ratio, most : float, int
        The heads that it keeps; see `headway.pruning.PruningRule`.
    """

    templates: str = PRUNER_TEMPLATES
    ratio: float = 1e-3
    most: int = 12


@dataclass(frozen=True)
class LowRank:
    """A low-rank tensor over features of words; see `headway.scorers.tensor`.

    Parameters
    ----------
    templates : str
        The features of words.
    rank : int
    rate : float
        Of its updates; see `headway.learning.trees.TreeRule`.
    triples : bool
        Whether a second tensor scores siblings and grandparents.
    """

    templates: str = WORD_TEMPLATES
    rank: int = 48
    rate: float = 5.0
    triples: bool = False


@dataclass(frozen=True)
class HighOrder:
    """Parts of order two and three, and structures of the whole tree.

    Parameters
    ----------
    templates : mapping of str to str
        The features of each kind of part.
    families : tuple of str
        The families of global features.
    slots, rows : int
        As in `Table`, one table for all kinds.
    """

    templates: Mapping[str, str]
    families: tuple[str, ...] = ()
    slots: int = 1 << 21
    rows: int = 1_000_000


@dataclass(frozen=True)
class Climbing:
    """Options of hill climbing.

    Parameters
    ----------
    train_restarts, restarts : int
        Restarts in training and in parsing.
    ratio : float
        In parsing, climb only among heads at least this probable beside the word's best one; see `SearchRule`.
    """

    train_restarts: int = 2
    restarts: int = 4
    ratio: float = 0.0


@dataclass(frozen=True)
class DecoderChoice:
    """The decoder that a parser learns and parses with.

    Parameters
    ----------
    name : str
        Empty for hill climbing where there are parts, else for exact search by arcs, among projective trees or all, as
        the dev set decides.
    options : mapping of str to float
        Its options; kept in the model.
    train : str
        The name of another decoder to learn with; empty for the same.
    """

    name: str = ""
    options: Mapping[str, float] = field(default_factory=dict)
    train: str = ""


_ARCS = Table(ARC_TEMPLATES, slots=1 << 21, rows=500_000, step=0.01)
_LABELS = Table(LABEL_TEMPLATES, slots=1 << 18, rows=100_000, step=0.005)


@dataclass(frozen=True)
class Preset:
    """A recipe: features, table sizes, search and learning rule.

    Parameters
    ----------
    name, about : str
    arcs, labels : Table
    pruning : Pruning, optional
        None to keep all arcs.
    reach : bool
        Whether parsing leaves out arcs that are much longer than their like in the treebank; without a pruner.
    tensor : LowRank, optional
    parts : HighOrder, optional
        None for arcs alone.
    climbing : Climbing
    decoder : DecoderChoice
    rule : str
        How it is learned: ``mira``, ``perceptron`` or ``loglinear``, which with parts needs a chart as decoder.
    inference : str
        The competitors from which parts are learned: ``trees``, ``relaxed``, ``fractional`` or ``samples``; see
        `headway.learning.trees`.
    incremental : Incremental, optional
        For a parser that goes from left to right by transitions; the other templates are for labels and for its ranker.
    neural : Neural, optional
        For a network that reads forms alone; nothing else of the preset counts then, unless it has `folds`.
    """

    name: str
    about: str
    arcs: Table = _ARCS
    labels: Table = _LABELS
    pruning: Pruning | None = None
    reach: bool = False
    tensor: LowRank | None = None
    parts: HighOrder | None = None
    climbing: Climbing = Climbing()
    decoder: DecoderChoice = DecoderChoice()
    rule: str = "mira"
    inference: str = "trees"
    incremental: Incremental | None = None
    neural: Neural | None = None

    def decoder_name(self, *, projective: bool) -> str:
        """Return the name of the decoder: without one of its own, hill climbing where there are parts, else exact."""
        if self.decoder.name or self.parts:
            return self.decoder.name or "hill-climbing"
        return "eisner" if projective else "spanning-tree"

    @property
    def is_projective(self) -> bool:
        """Whether the decoder searches among projective trees only."""
        name = self.decoder.name
        return bool(name) and bool(getattr(find_decoder(name), "projective", False))


_NO_LIMIT = 1 << 20

_THIRD = (
    "sibling",
    "grandparent",
    "head_bigram",
    "grand_sibling",
    "tri_sibling",
)
_FULL = (*_THIRD, "great_grandparent", "sibling_grandchild")


def _parts(kinds: tuple[str, ...], families: tuple[str, ...] = (), rows: int = 1_000_000) -> HighOrder:
    return HighOrder({kind: TEMPLATES[kind] for kind in kinds}, families, rows=rows)


_STANDARD = Preset(
    "standard",
    "parts of up to third order and a tensor, by hill climbing",
    pruning=Pruning(),
    tensor=LowRank(),
    parts=_parts(_THIRD),
)
_FULL_PRESET = replace(
    _STANDARD,
    name="full",
    about="everything: the most accurate",
    parts=_parts(_FULL, families=tuple(FAMILIES)),
)
_FAST = Preset(
    "fast",
    "arcs and a tensor, by exact search: the fastest",
    arcs=replace(_ARCS, templates=ARC_TEMPLATES + CLAUSE_ARC_TEMPLATES),
    tensor=LowRank(WORD_TEMPLATES + CLAUSE_WORD_TEMPLATES),
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
        parts=HighOrder({kind: _CHART_TEMPLATES[kind] for kind in kinds}),
        pruning=Pruning(most=16),
        decoder=DecoderChoice(name),
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
            arcs=replace(_ARCS, rows=200_000),
            labels=replace(_LABELS, rows=40_000),
            tensor=LowRank(rank=32),
            parts=_parts(_FULL, families=tuple(FAMILIES), rows=300_000),
            climbing=Climbing(restarts=2, ratio=1e-2),
        ),
        Preset("first-order", "arcs alone, by exact search"),
        replace(
            _STANDARD,
            name="second-order-tight",
            about="siblings and grandparents, learned against fractions of trees: the most proofs with --exact",
            tensor=None,
            parts=_parts(("sibling", "grandparent")),
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
            parts=_parts(_FULL, families=tuple(FAMILIES)),
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
    if preset.pruning is None:
        raise UsageError(f"the preset {preset.name} does not prune: --beam does not apply")
    if not 0.0 <= beam <= 1.0:
        raise UsageError(f"--beam must be from 0 to 1, not {beam:g}")
    return replace(preset, pruning=replace(preset.pruning, ratio=beam, most=_NO_LIMIT))
