"""A trained parser as data: encoder, weights, labels, and metadata."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np
import numpy.typing as npt

from headway.decoders import SearchesTrees, find_decoder
from headway.encoding import Encoder
from headway.encoding.atoms import VECTOR
from headway.encoding.vocabulary import FIRST_FREE
from headway.errors import ModelError, UsageError
from headway.features.arc import ROW, ArcPlan, make_arc_plan
from headway.features.global_features import GlobalPlan, make_global_plan
from headway.features.global_templates import FAMILIES
from headway.features.high_order import PART_ROW, PartPlan, make_part_plan
from headway.features.label import LabelPlan, make_label_plan
from headway.features.templates import Template, read_templates
from headway.features.words import SLOTS, WordPlan, make_word_plan
from headway.model_file import read_model_file, read_only, read_text_tensor, text_tensor, write_model_file
from headway.models import find_model
from headway.parts import Kind
from headway.parts.kinds import KINDS
from headway.parts.scorer import Scorer
from headway.parts.styles import InStyle, Styles
from headway.pruning import Pruner, PruningRule, Reach
from headway.pruning.reach import read_reach
from headway.scorers import find_scorer
from headway.scorers.linear_models import ArcModel, LabelModel, PartModel
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.named import NamedScorer
from headway.scorers.rows import Rows, is_packed, row_tensors
from headway.scorers.sum import Sum
from headway.scorers.tensor import ARC_SHAPES, NO_PACKED_TRIPLES, NO_TENSOR, TRIPLE_SHAPES, Tensor, is_packed_tensor
from headway.search import Search, SearchRule
from headway.search.calibrator import UNCALIBRATED as NO_CALIBRATION
from headway.search.calibrator import Calibrator, make_calibrator
from headway.search.labels import LabelSum, NamesArcs
from headway.search.pieces import LONG
from headway.support.schema import Cells, OneOf, Sized, Within, check_array, check_fields, check_json

if TYPE_CHECKING:
    from headway.incremental.transitions import TransitionModel

UNCALIBRATED, UNCALIBRATED_LABELS = 0.6, 0.15
"""The temperatures of a model without a dev set: typical values from treebanks that have one."""

_MOST_RESTARTS = 100_000
"""The maximum number of restarts: more would take hours for a sentence."""

_LARGEST = 1e6
"""The maximum of scales and factors: with larger ones, sums of scores could overflow."""

_Temperature = Annotated[float, Within(1e-6, 1e6)]
_Weight = Annotated[float, Within(-1e6, 1e6)]
_Share = Annotated[float, Within(0.0, 1.0)]
_Labels = Annotated[list[Annotated[str, Cells()]], Sized(1)]


MISFITS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)
"""The errors that can be raised, in addition to those of explicit checks, if a model's parts do not fit together."""


@dataclass(frozen=True)
class Settings:
    """The settings with which a model parses; part of the model's description.

    Parameters
    ----------
    arc_templates, label_templates : str
        The feature templates that the model was trained with.
    projective : bool
        Whether the model's trees are projective.
    temperature : float
        The temperature of arc scores, or of scores of rival heads: divided by it, they become log probabilities.
    label_temperature : float
        The same for label scores.
    arc_calibration, tree_calibration : list of float
        Coefficients for calibrating the probabilities of arcs and trees; see `headway.search.calibrator`.
    pruner_templates : str or None
        The pruner's templates, if there is a pruner.
    ratio, most : float, int
        The options of the pruner; see `PruningRule`.
    word_templates : str or None
        The tensor's templates, if there is a tensor.
    part_templates : dict or None
        The templates of each kind of higher-order part, if there are any.
    families : list of str
        The families of global features.
    styles : list of int
        The treebank's styles of coordinations and prepositions; see `headway.parts.styles`.
    tag_map : dict
        Maps the treebank's tags to universal ones, if they differ.
    scorer : str
        The name of the scorer; see `headway.scorers`.
    decoder : str
        The name of the decoder; see `headway.decoders`.
    decoder_options : dict of str to float
        Options of that decoder, such as those that ``headway tune`` found for ``greedy``.
    restarts, search_ratio : int, float
        Restarts of hill climbing, and how improbable a head may be for it to be tried; see `SearchRule`.
    pseudo_projective : bool
        Whether labels encode lifted arcs; see `headway.corpus.pseudo_projective`.
    """

    arc_templates: str
    label_templates: str
    projective: bool
    temperature: _Temperature = UNCALIBRATED
    label_temperature: _Temperature = UNCALIBRATED_LABELS
    arc_calibration: list[_Weight] = field(default_factory=NO_CALIBRATION.arcs.tolist)
    tree_calibration: list[_Weight] = field(default_factory=NO_CALIBRATION.trees.tolist)
    pruner_templates: str | None = None
    ratio: _Share = 0.0
    most: Annotated[int, Within(0, 1 << 30)] = 0
    word_templates: str | None = None
    part_templates: dict[Annotated[str, OneOf(KINDS)], str] | None = None
    families: list[Annotated[str, OneOf(tuple(FAMILIES))]] = field(default_factory=list)
    styles: Annotated[list[int], InStyle()] = field(default_factory=lambda: list(Styles()))
    tag_map: dict[str, str] = field(default_factory=dict)
    scorer: str = "linear"
    decoder: str = "eisner"
    decoder_options: dict[str, _Weight] = field(default_factory=dict)
    restarts: Annotated[int, Within(0, _MOST_RESTARTS)] = 0
    search_ratio: _Share = 0.0
    pseudo_projective: bool = False

    @property
    def calibrator(self) -> Calibrator:
        """The calibrator of probabilities; ValueError for a wrong number of coefficients."""
        return make_calibrator(self.arc_calibration, self.tree_calibration)

    @property
    def pruning(self) -> PruningRule:
        """The pruning rule."""
        return PruningRule(self.ratio, self.most, self.projective)


def arc_plan(encoder: Encoder, templates: str) -> ArcPlan:
    """Compile arc templates for this encoder's atoms."""
    return make_arc_plan(
        templates,
        atoms=encoder.names,
        constant=encoder.constant_atoms(),
        tag_class=encoder.tag_classes(),
        tag_map=encoder.tag_map,
    )


def label_plan(encoder: Encoder, templates: str) -> LabelPlan:
    """Compile label templates for this encoder's atoms."""
    return make_label_plan(templates, atoms=encoder.names, constant=encoder.constant_atoms())


def part_plan(encoder: Encoder, templates: Mapping[str, str]) -> PartPlan:
    """Compile the templates of higher-order parts for this encoder's atoms."""
    return make_part_plan(templates, atoms=encoder.names, constant=encoder.constant_atoms())


def global_plan(encoder: Encoder, settings: Settings) -> GlobalPlan:
    """Compile the templates of global features for this encoder's atoms."""
    coordination, preposition = settings.styles
    return make_global_plan(
        settings.families,
        atoms=encoder.names,
        constant=encoder.constant_atoms(),
        tag_classes=encoder.tag_classes(),
        forms=encoder.vocabularies["form"].ids,
        styles=Styles(coordination, preposition),
        tag_map=settings.tag_map,
    )


def word_plan(
    encoder: Encoder,
    templates: str,
    kept: npt.NDArray[np.int32],
    vectors: tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]] | None = None,
) -> WordPlan:
    """Compile word templates for this encoder's atoms; see `make_word_plan`."""
    return make_word_plan(word_templates(encoder, templates), atoms=encoder.names, kept=kept, vectors=vectors)


def word_templates(encoder: Encoder, templates: str) -> list[Template]:
    """Parse the tensor's templates."""
    return read_templates(templates, roles=("w",), atoms=encoder.names, constant=encoder.constant_atoms())


@dataclass(frozen=True, repr=False)
class TrainedModel:
    """A trained model: everything that is needed for parsing.

    Parameters
    ----------
    labels : tuple of str
        The labels, in the order of the label weights' columns.
    facts : dict
        Metadata for users: training data, training options, dev scores.
    transitions : TransitionModel, optional
        The transition model of an incremental model, which finds candidate trees; `scorer` ranks them.
    """

    encoder: Encoder
    labels: tuple[str, ...]
    scorer: Scorer
    namer: LabelModel | NamesArcs
    settings: Settings
    facts: dict[str, Any]
    pruner: Pruner | Reach | None = None
    transitions: "TransitionModel | None" = None

    def __repr__(self) -> str:
        settings = self.settings
        return f"<TrainedModel: {settings.scorer} scorer, {settings.decoder} decoder, {len(self.labels)} labels>"

    @property
    def linear(self) -> LinearScorer:
        """The scorer, if it is a linear model; UsageError otherwise."""
        if not isinstance(self.scorer, LinearScorer):
            raise UsageError(f"this needs a linear model, but this model's scorer is {self.scorer.name}")
        return self.scorer

    @property
    def rule(self) -> SearchRule:
        """The options of hill climbing for this model."""
        return SearchRule(restarts=self.settings.restarts, ratio=self.settings.search_ratio)

    def search(
        self,
        decoder: str | None = None,
        *,
        rule: SearchRule | None = None,
        seconds: float = np.inf,
        single_root: bool = True,
        ignore: Collection[Kind] | None = None,
        longest: int = LONG,
    ) -> Search:
        """Return a search with this model.

        Parameters
        ----------
        decoder : str, optional
            The name of a decoder other than the model's.
        rule : SearchRule, optional
            The options of hill climbing, if the decoder uses it.
        seconds : float
            The time limit for a sentence, for decoders that search for a proof.
        ignore : collection of Kind, optional
            Kinds of parts that may be ignored if the decoder cannot read them; by default, any kind. `Search.ignored`
            lists the kinds that were.
        longest : int
            Longer sentences are cut into parts, which are decoded separately.
        """
        rule, settings = rule or self.rule, self.settings
        if self.transitions is not None:
            return self._beam_search(decoder, single_root=single_root, longest=longest)
        name = decoder or settings.decoder
        tuned = settings.decoder_options if name == settings.decoder else {}
        search_decoder = find_decoder(name, projective=settings.projective, seconds=seconds, **rule.options() | tuned)
        narrow = None
        if isinstance(search_decoder, SearchesTrees) and rule.ratio > 0.0 and isinstance(self.pruner, Pruner):
            narrow = self.pruner.narrowed(rule.ratio)
        allowed = self.scorer.kinds if ignore is None else frozenset(ignore)
        return Search(
            self.scorer, search_decoder, self.pruner, narrow, settings.temperature, single_root, allowed, longest,
            settings.calibrator,
        )  # fmt: skip

    def _beam_search(self, decoder: str | None, *, single_root: bool, longest: int) -> Search:
        from headway.incremental.search import BeamSearch, longest_whole  # imported here: most models do not need it

        if decoder is not None:
            raise UsageError(f"an incremental model has its own search: the decoder {decoder} does not apply")
        if not single_root:
            raise UsageError("an incremental model builds trees with one root: --multiple-roots does not apply")
        assert self.transitions is not None
        return BeamSearch(
            self.scorer, find_decoder(self.settings.decoder), temperature=self.settings.temperature,
            ignore=self.scorer.kinds, calibrator=self.settings.calibrator, transitions=self.transitions,
            names=self.labels, width=self.transitions.settings.beam,
            longest=longest_whole(self.transitions.settings.beam, longest),
        )  # fmt: skip

    def check_bias(self) -> None:
        """Raise UsageError if the search does not use scores of parts, so that it cannot be biased towards trees."""
        if self.transitions is not None:
            raise UsageError("an incremental model cannot be biased towards other trees: name a different model first")

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        write_model_file(path, self.tensors(), self.facts)

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the model as arrays, by their names in the model file."""
        tensors = {
            "encoder": text_tensor(self.encoder.to_json()),
            "settings": text_tensor(vars(self.settings)),
            "labels": text_tensor(self.labels),
            **self.scorer.tensors(),
        }
        namer = self.namer
        if isinstance(namer, LabelSum):
            tensors["label_weight"] = np.array([namer.weight])
            namer = namer.linear
        if isinstance(namer, LabelModel):
            tensors |= row_tensors("label", namer.rows)
            tensors["label_possible"] = namer.possible.view(np.uint8)
        if self.transitions is not None:
            tensors |= self.transitions.tensors()
        if isinstance(self.pruner, Pruner):
            tensors |= row_tensors("pruner", self.pruner.model.rows)
        if isinstance(self.pruner, Reach):
            tensors["reach"] = self.pruner.longest
        return tensors

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the contents of a model file."""
        return _unpickled, (self.tensors(), self.facts)

    @classmethod
    def load(cls, path: str | Path, *, runs: bool = True) -> "TrainedModel":
        """Read a model file; see `read_model_file` for its errors. UsageError for a constituent model.

        Parameters
        ----------
        runs : bool
            If False, scorers that may need other packages are not loaded: such a model can only be described.
        """
        path = find_model(path)
        tensors, facts = read_model_file(path)
        refuse_constituents(path, tensors)
        return cls.from_tensors(path, tensors, facts, runs=runs)

    @classmethod
    def from_tensors(
        cls, path: str | Path, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any], *, runs: bool = True
    ) -> "TrainedModel":
        """Build a model from the arrays and the metadata of a model file; `runs` is as for `load`."""
        try:
            encoder = Encoder.from_json(read_text_tensor(tensors["encoder"]))
            settings = _read_settings(tensors)
            settings.calibrator  # noqa: B018 raises ValueError if it is wrong
            names = read_text_tensor(tensors["labels"])
            check_json(names, _Labels, "labels")
            labels = tuple(names)
            scorer = _scorer(encoder, settings, tensors, runs=runs)
            return cls(
                encoder,
                labels,
                scorer,
                _namer(encoder, settings, scorer, tensors, len(labels)),
                settings,
                facts,
                _pruner(encoder, settings, tensors),
                _transitions(encoder, len(labels), tensors),
            )
        except UsageError as error:
            raise ModelError(f"{path}: {error}") from error
        except MISFITS as error:
            raise ModelError(f"{path}: the parts of this model do not fit together ({reason(error)})") from error


def refuse_constituents(path: str | Path, tensors: Collection[str]) -> None:
    """Raise UsageError for a constituent model: the dependency parser in it has labels such as NP."""
    if "constituents" in tensors:
        raise UsageError(
            f"{path}: this is a constituent model: use headway constituents parse, or headway.load_constituents"
        )


def reason(error: Exception) -> str:
    """Return the message of an error in `MISFITS` as one line."""
    message = " ".join(str(error).split())
    return f"there is no {message}" if isinstance(error, KeyError) else message


def _read_settings(tensors: dict[str, npt.NDArray[Any]]) -> Settings:
    saved = read_text_tensor(tensors["settings"])
    check_fields(saved, Settings, "settings")
    find_decoder(saved.get("decoder", Settings.decoder))
    return Settings(**saved)


def _scorer(encoder: Encoder, settings: Settings, tensors: dict[str, npt.NDArray[Any]], *, runs: bool) -> Scorer:
    def read(name: str, some: dict[str, npt.NDArray[Any]]) -> Scorer:
        if name == Sum.name:
            return Sum.read(some, read)
        if name == LinearScorer.name:
            return _linear(encoder, settings, some)
        if not runs:
            return NamedScorer(name)
        made: Scorer = find_scorer(name).from_tensors(encoder, some)
        return made

    return read(settings.scorer, tensors)


def _linear(encoder: Encoder, settings: Settings, tensors: dict[str, npt.NDArray[Any]]) -> LinearScorer:
    words = _word_plan(encoder, settings, tensors)
    tensor = NO_TENSOR if words is None else _tensor("tensor", words, tensors, modes=2, shapes=ARC_SHAPES)
    arcs = ArcModel(arc_plan(encoder, settings.arc_templates), rows_of("arc", tensors, ROW), tensor)
    return LinearScorer(arcs, _parts(encoder, settings, words, tensors), decoder_outer(settings.decoder))


def _namer(
    encoder: Encoder, settings: Settings, scorer: Scorer, tensors: dict[str, npt.NDArray[Any]], labels: int
) -> LabelModel | NamesArcs:
    """Return the label scorer: a linear model, the arc scorer if it also scores labels, or their sum."""
    possible = _possible(tensors, labels)
    namers = [some for some in (scorer, *getattr(scorer, "scorers", ())) if hasattr(some, "label_scores")]
    if "label_values" not in tensors or "label_weight" in tensors:
        if not namers:
            raise KeyError("label_values")
        named = cast(NamesArcs, namers[0])
        if getattr(named, "possible", possible).shape != possible.shape:
            raise ValueError("label_possible: the number of labels differs from the scorer's")
        if "label_values" not in tensors:
            return named
    plan = label_plan(encoder, settings.label_templates)
    linear = LabelModel(plan, rows_of("label", tensors, labels), possible)
    if "label_weight" not in tensors:
        return linear
    weight = check_array(tensors, "label_weight", np.float64, (1,), (1e-6, _LARGEST))
    return LabelSum(linear, named, float(weight[0]))


def decoder_outer(name: str) -> int:
    """Return the number of outermost children that a decoder reads in grandparent parts; see `headway.parts.Scores`."""
    return int(getattr(find_decoder(name), "outer", 0))


def _unpickled(tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> TrainedModel:
    return TrainedModel.from_tensors("<pickle>", read_only(tensors), facts)


def _pruner(encoder: Encoder, settings: Settings, tensors: dict[str, npt.NDArray[Any]]) -> Pruner | Reach | None:
    if settings.pruner_templates is None:
        return read_reach(tensors) if "reach" in tensors else None
    model = ArcModel(arc_plan(encoder, settings.pruner_templates), rows_of("pruner", tensors, ROW))
    return Pruner(model, settings.pruning)


def _transitions(encoder: Encoder, labels: int, tensors: dict[str, npt.NDArray[Any]]) -> "TransitionModel | None":
    if "transitions" not in tensors:
        return None
    from headway.incremental.transitions import read_transitions  # imported here: most models do not need it

    return read_transitions(tensors, atoms=encoder.names, constant=encoder.constant_atoms(), labels=labels)


def _parts(
    encoder: Encoder, settings: Settings, words: WordPlan | None, tensors: dict[str, npt.NDArray[Any]]
) -> PartModel | None:
    if settings.part_templates is None:
        return None
    plan, structures = part_plan(encoder, settings.part_templates), global_plan(encoder, settings)
    triples = NO_PACKED_TRIPLES
    if words is not None and "triple_words" in tensors:
        triples = _tensor("triple", words, tensors, modes=3, shapes=TRIPLE_SHAPES)
    return PartModel(plan, rows_of("part", tensors, PART_ROW), structures, triples)


def _word_plan(encoder: Encoder, settings: Settings, tensors: dict[str, npt.NDArray[Any]]) -> WordPlan | None:
    """Return the word features of the tensors, if there are any."""
    if settings.word_templates is None:
        return None
    vectors = None
    if "vectors" in tensors:
        size = len(encoder.vocabularies[VECTOR]) + FIRST_FREE
        scales = check_array(tensors, "vector_scales", np.float32, (None,), (-_LARGEST, _LARGEST))
        vectors = check_array(tensors, "vectors", np.int8, (size, len(scales))), scales
    rows = check_array(tensors, "tensor_kept", np.int32, (None,), (0, SLOTS - 1))
    return word_plan(encoder, settings.word_templates, rows, vectors)


def _tensor(name: str, plan: WordPlan, tensors: dict[str, npt.NDArray[Any]], *, modes: int, shapes: int) -> Tensor:
    tensor = Tensor(plan, *(tensors[f"{name}_{factor}"] for factor in ("words", "scales", "shapes")))
    if not is_packed_tensor(tensor, modes=modes, shapes=shapes):
        raise ValueError(f"{name}: the factors")
    for factor in ("scales", "shapes"):
        check_array(tensors, f"{name}_{factor}", np.float32, (None, None), (-_LARGEST, _LARGEST))
    return tensor


def rows_of(name: str, tensors: dict[str, npt.NDArray[Any]], width: int) -> Rows:
    """Read the table of weights that `row_tensors` wrote; ValueError if it is wrong."""
    scale = check_array(tensors, f"{name}_scale", np.float64, (1,), (0.0, _LARGEST))
    rows = Rows(tensors[f"{name}_values"], tensors[f"{name}_directory"], float(scale[0]))
    if not is_packed(rows, width) or rows.scale == 0.0:
        raise ValueError(f"{name} weights")
    return rows


def _possible(tensors: dict[str, npt.NDArray[Any]], labels: int) -> npt.NDArray[np.bool_]:
    possible = check_array(tensors, "label_possible", np.uint8, (2, labels), (0, 1))
    if not possible.any(axis=1).all():
        raise ValueError("label_possible: no label is")
    return possible.astype(np.bool_)
