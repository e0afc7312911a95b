"""A trained parser as data: encoder, weights, labels, and what is known about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded, Encoder
from headway.encoding.atoms import VECTOR
from headway.encoding.vocabulary import FIRST_FREE
from headway.errors import ModelError, UsageError
from headway.features.arc import ROW, ArcPlan, make_arc_plan
from headway.features.global_features import GlobalPlan, make_global_plan
from headway.features.high_order import PART_ROW, PartPlan, make_part_plan
from headway.features.label import LabelPlan, make_label_plan
from headway.features.templates import Template, read_templates
from headway.features.words import WordPlan, kept_slots, make_word_plan
from headway.model_file import read_model_file, read_text_tensor, text_tensor, write_model_file
from headway.models import find_model
from headway.parts.styles import Styles
from headway.pipeline import ArcModel, LabelModel, TableOfArcs, Threads
from headway.pruning import Pruner, PruningRule, Reach
from headway.scorers.rows import Rows, is_packed
from headway.scorers.tensor import ARC_SHAPES, NO_PACKED_TRIPLES, NO_TENSOR, TRIPLE_SHAPES, Tensor, is_packed_tensor
from headway.search import PartModel, SearchRule, TreeModel, tree_model

UNCALIBRATED = 0.6
"""The temperature of a model that had no dev set: about what treebanks with one come to."""


@dataclass(frozen=True)
class Settings:
    """How a model parses; part of its description.

    Parameters
    ----------
    arc_templates, label_templates : str
        The lists it was trained with.
    projective : bool
        Whether its trees have no crossing arcs.
    temperature : float
        What scores, of arcs or of rival heads, are divided by before they count as log probabilities.
    tree_power : float
        The power of the product of a tree's arc probabilities that is the tree's own: words are not wrong one by one.
    pruner_templates : str or None
        The pruner's list, where there is a pruner.
    ratio, most : float, int
        What the pruner keeps; see `PruningRule`.
    word_templates : str or None
        The tensor's list, where there is a tensor.
    part_templates : dict or None
        The list of each kind of part of higher order, where there are such parts.
    families : list of str
        The families of global features.
    styles : list of int
        How the treebank attaches coordinations and prepositions; see `headway.parts.styles`.
    tag_map : dict
        From the treebank's tags to universal ones, where they are others.
    restarts, search_ratio : int, float
        How long their trees are searched, and among how many heads of those that the pruner keeps; see `SearchRule`.
    factorization : str
        The exact chart that they are searched with instead; see `headway.charts.factorizations`.
    pseudo_projective : bool
        Whether labels say which arcs were lifted; see `headway.corpus.pseudo_projective`.
    """

    arc_templates: str
    label_templates: str
    projective: bool
    temperature: float = UNCALIBRATED
    tree_power: float = 0.5
    pruner_templates: str | None = None
    ratio: float = 0.0
    most: int = 0
    word_templates: str | None = None
    part_templates: dict[str, str] | None = None
    families: list[str] = field(default_factory=list)
    styles: list[int] = field(default_factory=lambda: list(Styles()))
    tag_map: dict[str, str] = field(default_factory=dict)
    restarts: int = 0
    search_ratio: float = 0.0
    factorization: str = ""
    pseudo_projective: bool = False

    @property
    def pruning(self) -> PruningRule:
        """What the pruner keeps."""
        return PruningRule(self.ratio, self.most, self.projective)


def arc_plan(encoder: Encoder, templates: str) -> ArcPlan:
    """Arc templates as arrays, for this encoder's atoms."""
    return make_arc_plan(
        templates, atoms=encoder.names, constant=encoder.constant_atoms(), tag_class=encoder.tag_classes()
    )


def label_plan(encoder: Encoder, templates: str) -> LabelPlan:
    """Label templates as arrays, for this encoder's atoms."""
    return make_label_plan(templates, atoms=encoder.names, constant=encoder.constant_atoms())


def part_plan(encoder: Encoder, templates: Mapping[str, str]) -> PartPlan:
    """Templates of parts of higher order as arrays, for this encoder's atoms."""
    return make_part_plan(templates, atoms=encoder.names, constant=encoder.constant_atoms())


def global_plan(encoder: Encoder, settings: Settings) -> GlobalPlan:
    """Global features as arrays, for this encoder's atoms."""
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
    """Word templates as arrays, for this encoder's atoms; see `make_word_plan`."""
    return make_word_plan(word_templates(encoder, templates), atoms=encoder.names, kept=kept, vectors=vectors)


def word_templates(encoder: Encoder, templates: str) -> list[Template]:
    """The tensor's list, read."""
    return read_templates(templates, roles=("w",), atoms=encoder.names, constant=encoder.constant_atoms())


@dataclass(frozen=True)
class TrainedModel:
    """Everything that parsing needs.

    Parameters
    ----------
    labels : tuple of str
        In the order of the label weights' columns.
    facts : dict
        What a user may want to know: where it comes from, how it was trained, what it scored.
    """

    encoder: Encoder
    labels: tuple[str, ...]
    arcs: ArcModel
    namer: LabelModel
    settings: Settings
    facts: dict[str, Any]
    pruner: Pruner | Reach | None = None
    parts: PartModel | None = None

    @cached_property
    def trees(self) -> TreeModel:
        """Everything that scores trees, for kernels."""
        return tree_model(self.arcs, self.parts)

    @property
    def search(self) -> SearchRule:
        """How trees are searched where there are parts of higher order."""
        return SearchRule(restarts=self.settings.restarts, ratio=self.settings.search_ratio)

    def prune(self, encoded: Encoded, *, threads: Threads, ratio: float = 0.0) -> TableOfArcs | None:
        """The arcs of every sentence that are still possible; None for all.

        Parameters
        ----------
        ratio : float
            Leave out heads less probable than this beside the word's best one, where there are probabilities.
        """
        if self.pruner is None:
            return None
        pruner = self.pruner.narrowed(ratio) if isinstance(self.pruner, Pruner) else self.pruner
        return pruner.prune(encoded, threads=threads)

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        write_model_file(path, self.tensors(), self.facts)

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """All of it as arrays, by their names in the file."""
        tensors = {
            "encoder": text_tensor(self.encoder.to_json()),
            "settings": text_tensor(vars(self.settings)),
            "labels": text_tensor(self.labels),
            **row_tensors("arc", self.arcs.rows),
            **row_tensors("label", self.namer.rows),
            "label_possible": self.namer.possible.view(np.uint8),
        }
        if isinstance(self.pruner, Pruner):
            tensors |= row_tensors("pruner", self.pruner.model.rows)
        if isinstance(self.pruner, Reach):
            tensors["reach"] = self.pruner.longest
        if self.parts is not None:
            tensors |= row_tensors("part", self.parts.rows)
            if self.parts.triples.shapes.shape[1] > 0:
                tensors |= tensor_arrays("triple", self.parts.triples)
        if self.settings.word_templates is not None:
            tensor = self.arcs.tensor
            tensors |= {"tensor_kept": kept_slots(tensor.plan), **tensor_arrays("tensor", tensor)}
            if len(tensor.plan.scales):
                tensors |= {"vectors": tensor.plan.vectors, "vector_scales": tensor.plan.scales}
        return tensors

    @classmethod
    def load(cls, path: str | Path) -> "TrainedModel":
        """Read a model file; see `read_model_file` for what can be wrong with it."""
        path = find_model(path)
        tensors, facts = read_model_file(path)
        return cls.from_tensors(path, tensors, facts)

    @classmethod
    def from_tensors(
        cls, path: str | Path, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]
    ) -> "TrainedModel":
        """The model that these arrays of a file describe."""
        try:
            encoder = Encoder.from_json(read_text_tensor(tensors["encoder"]))
            settings = Settings(**read_text_tensor(tensors["settings"]))
            namer = label_plan(encoder, settings.label_templates)
            labels = tuple(read_text_tensor(tensors["labels"]))
            words = _word_plan(encoder, settings, tensors)
            tensor = NO_TENSOR if words is None else _tensor("tensor", words, tensors, modes=2, shapes=ARC_SHAPES)
            return cls(
                encoder,
                labels,
                ArcModel(arc_plan(encoder, settings.arc_templates), rows_of("arc", tensors, ROW), tensor),
                LabelModel(namer, rows_of("label", tensors, len(labels)), _possible(tensors, len(labels))),
                settings,
                facts,
                _pruner(encoder, settings, tensors),
                _parts(encoder, settings, words, tensors),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, UsageError) as error:
            raise ModelError(f"{path}: the parts of this model do not fit together ({error})") from error


def _pruner(encoder: Encoder, settings: Settings, tensors: dict[str, npt.NDArray[Any]]) -> Pruner | Reach | None:
    if settings.pruner_templates is None:
        return Reach(tensors["reach"]) if "reach" in tensors else None
    model = ArcModel(arc_plan(encoder, settings.pruner_templates), rows_of("pruner", tensors, ROW))
    return Pruner(model, settings.pruning)


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
    """The features of the words of tensors, if there are such."""
    if settings.word_templates is None:
        return None
    vectors = None
    if "vectors" in tensors:
        vectors = tensors["vectors"], tensors["vector_scales"]
        sound = vectors[0].dtype == np.int8 and vectors[1].dtype == np.float32 and np.isfinite(vectors[1]).all()
        if not sound or vectors[0].shape != (len(encoder.vocabularies[VECTOR]) + FIRST_FREE, len(vectors[1])):
            raise ValueError("vectors")
    return word_plan(encoder, settings.word_templates, tensors["tensor_kept"], vectors)


def tensor_arrays(name: str, tensor: Tensor) -> dict[str, npt.NDArray[Any]]:
    """A tensor's factors as arrays of a file."""
    return {f"{name}_words": tensor.words, f"{name}_scales": tensor.scales, f"{name}_shapes": tensor.shapes}


def _tensor(name: str, plan: WordPlan, tensors: dict[str, npt.NDArray[Any]], *, modes: int, shapes: int) -> Tensor:
    tensor = Tensor(plan, *(tensors[f"{name}_{factor}"] for factor in ("words", "scales", "shapes")))
    if not is_packed_tensor(tensor, modes=modes, shapes=shapes):
        raise ValueError(name)
    return tensor


def row_tensors(name: str, rows: Rows) -> dict[str, npt.NDArray[Any]]:
    """A table of weights as arrays of a file."""
    return {
        f"{name}_values": rows.values,
        f"{name}_directory": rows.directory,
        f"{name}_scale": np.array([rows.scale]),
    }


def rows_of(name: str, tensors: dict[str, npt.NDArray[Any]], width: int) -> Rows:
    """The table of weights that `row_tensors` wrote; ValueError if it is not sound."""
    rows = Rows(tensors[f"{name}_values"], tensors[f"{name}_directory"], float(tensors[f"{name}_scale"][0]))
    if not is_packed(rows, width) or not np.isfinite(rows.scale):
        raise ValueError(f"{name} weights")
    return rows


def _possible(tensors: dict[str, npt.NDArray[Any]], labels: int) -> npt.NDArray[np.bool_]:
    possible = tensors["label_possible"]
    if possible.shape != (2, labels) or not possible.any(axis=1).all():
        raise ValueError("labels")
    return possible.astype(np.bool_)
