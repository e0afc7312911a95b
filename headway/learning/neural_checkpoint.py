"""Checkpoints of networks after every epoch: the weights, the best weights so far and Adam's state.

The order of sentences and dropout depend only on seed and epoch, and the learning rate on the number of steps; so, on a
CPU, resumed training ends in the same network as uninterrupted training.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn, optim

from headway.learning.checkpoint import FolderCheckpoint


class NetworkCheckpoint:
    """Stores the training state of one network in a folder.

    Parameters
    ----------
    name : str
        The name of the network: a folder can have several.
    """

    def __init__(self, folder: FolderCheckpoint, name: str) -> None:
        self.folder, self.name = folder, name

    def restore(
        self, network: nn.Module, optimizer: optim.Optimizer
    ) -> tuple[list[dict[str, float]], dict[str, Tensor]] | None:
        """Restore a network and its optimizer; return the scores of finished epochs and the best weights.

        Return None if nothing is stored.
        """
        stored = self.folder.load(self.name)
        if stored is None:
            return None
        groups: dict[str, dict[str, Tensor]] = {"now": {}, "best": {}, "adam": {}}
        for key, array in stored[0].items():
            group, _, name = key.partition(".")
            groups[group][name] = torch.from_numpy(array.copy())
        network.load_state_dict(groups["now"])
        sums: dict[int, dict[str, Tensor]] = {}
        for key, value in groups["adam"].items():
            number, _, name = key.partition(".")
            sums.setdefault(int(number), {})[name] = value.reshape(()) if name == "step" else value
        optimizer.load_state_dict({"state": sums, "param_groups": optimizer.state_dict()["param_groups"]})
        return stored[1]["history"], groups["best"]

    def write(
        self,
        network: nn.Module,
        optimizer: optim.Optimizer,
        history: list[dict[str, float]],
        best: dict[str, Tensor],
    ) -> None:
        """Replace the stored state."""
        tensors = {f"now.{name}": _array(value) for name, value in network.state_dict().items()}
        tensors |= {f"best.{name}": _array(value) for name, value in best.items()}
        for number, sums in optimizer.state_dict()["state"].items():
            tensors |= {f"adam.{number}.{name}": _array(value) for name, value in sums.items()}
        self.folder.store(self.name, tensors, {"history": history})


def _array(value: Tensor) -> npt.NDArray[Any]:
    return np.atleast_1d(value.detach().cpu().numpy())
