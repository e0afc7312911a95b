"""The weights of transitions and the settings of the beam search."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from headway.incremental.beam import Machine
from headway.incremental.features import make_state_plan
from headway.incremental.systems import N0, SYSTEMS, find_system
from headway.model_file import read_text_tensor, text_tensor
from headway.scorers.rows import Rows, is_packed, row_tensors
from headway.support.schema import OneOf, Sized, Within, check_array, check_fields

WIDEST = 1024
"""The maximum width of a beam."""

_MOST_LABELS = 1 << 16


@dataclass(frozen=True)
class TransitionSettings:
    """The settings of an incremental model; part of its description.

    Parameters
    ----------
    system : str
        The name of the transition system.
    templates : str
        The templates that the model was trained with.
    actions : list of [transition, label]
        The possible actions: those that occurred in training. Transitions without an arc have label 0.
    root_label : int
        The label of the root's child.
    beam : int
        The width of the beam.
    share : float
        The weight of the beam's scores, from 0 to 1, in the choice of a tree; the ranker's weight is the rest.
    """

    system: Annotated[str, OneOf(tuple(SYSTEMS))]
    templates: str
    actions: Annotated[list[Annotated[list[Annotated[int, Within(0, _MOST_LABELS)]], Sized(2, 2)]], Sized(1)]
    root_label: Annotated[int, Within(0, _MOST_LABELS)]
    beam: Annotated[int, Within(1, WIDEST)] = 8
    share: Annotated[float, Within(0.0, 1.0)] = 1.0


@dataclass(frozen=True)
class TransitionModel:
    """A transition model: settings and weights."""

    settings: TransitionSettings
    machine: Machine
    rows: Rows

    def with_share(self, share: float) -> "TransitionModel":
        """Return a copy of the model with another share of its scores in the choice of a tree."""
        return replace(self, settings=replace(self.settings, share=share))

    def of_prefixes(self) -> "TransitionModel":
        """Return a copy of the model that stops as soon as all words are on the stack, even without heads."""
        traits = self.machine.traits.copy()
        traits[2] = True
        return replace(self, machine=self.machine._replace(traits=traits))

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the model as arrays of a model file."""
        return {"transitions": text_tensor(vars(self.settings)), **row_tensors("transition", self.rows)}


def make_machine(
    settings: TransitionSettings, *, atoms: Sequence[str], constant: Collection[str], labels: int
) -> Machine:
    """Return the settings of a search for an encoder's atoms and this number of labels."""
    system = find_system(settings.system)
    plan = make_state_plan(settings.templates, atoms=atoms, constant=constant, labels=labels)
    between_stack = not any(some.labelled and N0 in (some.head, some.modifier) for some in system.transitions)
    traits = np.array([system.keeps_modifiers, between_stack, False], dtype=np.int64)
    actions = np.array(settings.actions, dtype=np.int64).reshape(-1, 2)
    if (actions[:, 0] >= len(system.transitions)).any() or (actions[:, 1] >= labels).any():
        raise ValueError("actions that the system does not have")
    if set(range(len(system.transitions))) - set(actions[:, 0].tolist()) or settings.root_label >= labels:
        raise ValueError("actions are missing")
    return Machine(plan, system.table(), actions, traits, settings.root_label)


def read_transitions(
    tensors: Mapping[str, npt.NDArray[Any]], *, atoms: Sequence[str], constant: Collection[str], labels: int
) -> TransitionModel:
    """Read a model from the arrays of `TransitionModel.tensors`; ValueError if it is not valid."""
    saved = read_text_tensor(tensors["transitions"])
    check_fields(saved, TransitionSettings, "transitions")
    settings = TransitionSettings(**saved)
    scale = check_array(dict(tensors), "transition_scale", np.float64, (1,), (0.0, 1e6))
    rows = Rows(tensors["transition_values"], tensors["transition_directory"], float(scale[0]))
    if not is_packed(rows, len(settings.actions)) or rows.scale == 0.0:
        raise ValueError("transition weights")
    machine = make_machine(settings, atoms=atoms, constant=constant, labels=labels)
    return TransitionModel(settings, machine, rows)
