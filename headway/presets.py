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


def default_decoder(*, parts: bool, projective: bool) -> str:
    """Return the name of the decoder for models with or without parts of higher order, unless they name another."""
    if parts:
        return "hill-climbing"
    return "eisner" if projective else "spanning-tree"


@dataclass(frozen=True)
class Incremental:
    """The learning rule of incremental parsers; see `headway.learning.beam`.

    Parameters
    ----------
    beam : int
        The beam width: the number of states kept at each step.
    system : str
        The name of the transition system; empty to choose ``arc-standard``, or ``swap`` if many arcs of the treebank
        cross.
    objective, update : str
        Names from `headway.learning.beam.OBJECTIVES` and `UPDATES`.
    slots, rows : int
        The rows of the weight table in training, and the maximum number stored in the model.
    ranking : str
        The learning rule of a ranker of the beam's trees, ``fine`` or ``coarse``; empty for no ranker. The ranker uses
        the arc and part templates of the preset.
    folds : int
        The number of folds for training the ranker: each fold is parsed by a parser trained on the others.
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
    """The sizes and the training of a network; for the sizes see `headway.scorers.neural.network.Shape`.

    Parameters
    ----------
    encoder : str
        A folder or an installed package with a pretrained encoder (BERT architecture); empty for a BiLSTM.
    encoder_layers : int
        Use only so many of the encoder's layers, the lowest: faster, less accurate. 0 for all.
    batch : int
        The maximum number of words in a batch; 0 to choose it by the size of the treebank: small ones need small
        batches, because they have few of them in an epoch.
    folds : int
        If not 0, a linear model is trained on top of the network's scores, with the rest of the preset. Its training
        scores come from this many folds: each is scored by a network trained on the others (jackknifing).
    second : int
        The rank of the sibling and grandparent scores, which are decoded by hill climbing; 0 for arc scores only.
    vectors : str
        A folder or an installed package with static vectors of word pieces, as additional input of a BiLSTM; see
        `headway.scorers.neural.piece_vectors`. Empty for none.
    loss : str
        The loss of arcs: ``heads``, the cross-entropy of each word's head, or ``trees``, the negative log likelihood of
        the gold tree.
    """

    layers: int = 2
    hidden: int = 200
    word: int = 150
    character: int = 200
    arc: int = 400
    label: int = 100
    encoder: str = ""
    encoder_layers: int = 0
    batch: int = 0
    folds: int = 0
    second: int = 0
    vectors: str = ""
    loss: str = "heads"

    def with_encoder(self, encoder: str, *, layers: int = 0) -> "Neural":
        """Return a copy with a pretrained encoder and larger arc and label projections."""
        return replace(self, encoder=encoder, encoder_layers=layers, arc=500, label=150)


@dataclass(frozen=True)
class Table:
    """A table of hashed features and their weights.

    Parameters
    ----------
    templates : str
        The list of feature templates, one on each line.
    slots : int
        Rows of the table in training; must be a power of two.
    rows : int
        The maximum number of rows kept in the trained model.
    step : float
        The maximum step size of an update (C in MIRA).
    """

    templates: str
    slots: int
    rows: int
    step: float


@dataclass(frozen=True)
class Pruning:
    """An arc pruner, trained before the parser.

    Parameters
    ----------
    templates : str
        The feature templates of the pruner.
    ratio, most : float, int
        Which heads are kept; see `headway.pruning.PruningRule`.
    """

    templates: str = PRUNER_TEMPLATES
    ratio: float = 1e-3
    most: int = 12


@dataclass(frozen=True)
class LowRank:
    """A low-rank tensor over word features; see `headway.scorers.tensor`.

    Parameters
    ----------
    templates : str
        The templates of the word features.
    rank : int
    rate : float
        The factor of its updates; see `headway.learning.trees.TreeRule`.
    triples : bool
        Whether to add a second tensor for siblings and grandparents.
    """

    templates: str = WORD_TEMPLATES
    rank: int = 48
    rate: float = 5.0
    triples: bool = False


@dataclass(frozen=True)
class HighOrder:
    """Second- and third-order parts, and global features of whole trees.

    Parameters
    ----------
    templates : mapping of str to str
        The feature templates of each kind of part.
    families : tuple of str
        The families of global features.
    slots, rows : int
        As in `Table`; all kinds share one table.
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
        The number of restarts in training and in parsing.
    ratio : float
        In parsing, consider only heads whose probability is at least this fraction of the best head's; see
        `SearchRule`.
    """

    train_restarts: int = 2
    restarts: int = 4
    ratio: float = 0.0


@dataclass(frozen=True)
class DecoderChoice:
    """The decoder for training and parsing.

    Parameters
    ----------
    name : str
        Empty to choose it: hill climbing if there are higher-order parts, otherwise an exact first-order decoder,
        projective or not, whichever is better on the dev set.
    options : mapping of str to float
        Its options, which are stored in the model.
    train : str
        The decoder for training, if it is a different one; empty for the same.
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
        Whether to drop arcs that are much longer than similar arcs of the treebank; for presets without a pruner.
    tensor : LowRank, optional
    parts : HighOrder, optional
        None for a first-order parser.
    climbing : Climbing
    decoder : DecoderChoice
    rule : str
        The learning rule: ``mira``, ``perceptron`` or ``loglinear``. With parts, ``loglinear`` needs a chart decoder.
    inference : str
        The inference that finds competitors of the gold tree when parts are trained: ``trees``, ``relaxed``,
        ``fractional`` or ``samples``; see `headway.learning.trees`.
    incremental : Incremental, optional
        For a transition-based parser; the preset's other templates are then only for labels and the ranker.
    neural : Neural, optional
        For a neural parser, which reads only forms; the rest of the preset is then ignored unless `folds` is set.
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
        """Return the name of the decoder: the preset's, or else hill climbing with parts, or else an exact one."""
        return self.decoder.name or default_decoder(parts=self.parts is not None, projective=projective)

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
    "parts up to third order and a low-rank tensor, decoded by hill climbing",
    pruning=Pruning(),
    tensor=LowRank(),
    parts=_parts(_THIRD),
)
_WHOLE_TREES = replace(_STANDARD, parts=_parts(_FULL, families=tuple(FAMILIES)))
_FULL_PRESET = replace(
    _WHOLE_TREES,
    name="full",
    about="all parts, a tensor and global features, trained by SampleRank: the most accurate",
    inference="samples",
    decoder=DecoderChoice(train="sampling"),
)
_FAST = Preset(
    "fast",
    "arcs and a tensor, decoded exactly: the fastest",
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
    """Return a preset for an exact projective parser of Koo and Collins (2010), who prune with a beam of 1e-4."""
    return Preset(
        name,
        f"{about}, decoded exactly among projective trees",
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
            _WHOLE_TREES,
            name="compact",
            about="like full, but in a file of less than 20 MB and with less search",
            arcs=replace(_ARCS, rows=200_000),
            labels=replace(_LABELS, rows=40_000),
            tensor=LowRank(rank=32),
            parts=_parts(_FULL, families=tuple(FAMILIES), rows=300_000),
            climbing=Climbing(restarts=2, ratio=1e-2),
        ),
        Preset("first-order", "only arcs, decoded exactly"),
        replace(
            _STANDARD,
            name="second-order-tight",
            about="siblings and grandparents, trained with fractional trees: the most proofs with --exact",
            tensor=None,
            parts=_parts(("sibling", "grandparent")),
            inference="fractional",
        ),
        *_CHARTS,
        Preset("neural", "a BiLSTM, or a pretrained encoder (--encoder), that reads only forms", neural=Neural()),
        replace(
            _WHOLE_TREES,
            name="neural-sum",
            about="a network, and the linear model of full trained on top of its scores",
            neural=Neural(folds=4),
        ),
        Preset("incremental", "transition-based, with a beam of 8", incremental=Incremental()),
        Preset(
            "incremental-1",
            "transition-based and greedy: the fastest",
            incremental=Incremental(beam=1, system="arc-eager", objective="explore"),
        ),
        Preset("incremental-64", "transition-based, with a beam of 64", incremental=Incremental(beam=64)),
        Preset(
            "hc-search",
            "transition-based with a beam of 64, whose trees are ranked by the model of full",
            parts=_parts(_FULL, families=tuple(FAMILIES)),
            incremental=Incremental(beam=64, objective="worst", ranking="fine"),
        ),
    )
}
"""The presets for users, by name; presets that only a benchmark needs are in ``benchmarks/recipes.py``."""


def find_preset(preset: str | Preset, *, beam: float | None = None) -> Preset:
    """Return the preset of that name; a `Preset` is returned as it is.

    Parameters
    ----------
    beam : float, optional
        Prune exactly those heads whose probability, relative to the word's best head, is below this.
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
