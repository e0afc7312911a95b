"""Sibling and grandparent scores of networks as low-rank trilinear forms, in PyTorch.

Every word has six vectors of R numbers, its *factors*: as the head, the inner and the outer child of a sibling part,
and as the grandparent, the head and the modifier of a chain. The score of a part is ``Σ_r a_r b_r c_r`` over the
factors of its three words, as in the tensor of three words of linear models (`headway.scorers.tensor`), but over
learned features. A network outputs factors; `headway.scorers.neural.second_order` computes tables from them, over the
candidate arcs.

They are trained by pseudo-likelihood (Besag 1975): each word chooses its head, given the gold heads of all others.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

FACTORS = 6


class Trilinear(nn.Module):
    """The factors of words, and of "none", which stands for a missing child before the first or after the last."""

    def __init__(self, size: int, rank: int) -> None:
        super().__init__()
        self.words = nn.Linear(size, FACTORS * rank)
        self.none = nn.Parameter(torch.zeros(FACTORS * rank))
        self.rank = rank

    def forward(self, values: Tensor) -> Tensor:
        """(B, T + 1, 6, rank) Return the factors of words (B, T, size), with those of "none" at the end."""
        none = self.none[None, None].expand(values.shape[0], 1, -1)
        found = torch.cat([self.words(values), none], dim=1)
        return found.reshape(values.shape[0], -1, FACTORS, self.rank)


class Context(NamedTuple):
    """The neighbours that each word would have as a child of each head, [head, modifier], with other heads unchanged.

    Parameters
    ----------
    children : (B, T, T) bool
        [head, child] The trees.
    inner, outer : (B, T, T) int64
        The children between which the word would be; T for "none".
    below : (B, T, T) bool
        Whether the head is below the word in the tree, so that it cannot be chosen.
    """

    children: npt.NDArray[np.bool_]
    inner: npt.NDArray[np.int64]
    outer: npt.NDArray[np.int64]
    below: npt.NDArray[np.bool_]


def tree_context(heads: npt.NDArray[np.int64]) -> Context:
    """Return the context of every word in trees, given ``heads`` (B, T), which are negative for roots and padding."""
    size = heads.shape[1]
    words = np.arange(size)
    children = heads[:, None, :] == words[None, :, None]
    right, left = words[None, :] > words[:, None], words[None, :] < words[:, None]

    def last(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the last child before each position; `size` for none."""
        found = np.maximum.accumulate(np.where(children & mask, words, -1), axis=2)
        before = np.concatenate([np.full_like(found[:, :, :1], -1), found[:, :, :-1]], axis=2)
        return np.where(before < 0, size, before)

    def next_child(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the first child after each position; `size` for none."""
        found = np.minimum.accumulate(np.where(children & mask, words, size)[:, :, ::-1], axis=2)[:, :, ::-1]
        return np.concatenate([found[:, :, 1:], np.full_like(found[:, :, :1], size)], axis=2)

    reach = children.astype(np.float32)
    for _ in range(max(1, int(size).bit_length())):
        reach = np.minimum(reach + reach @ reach, 1.0)
    inner = np.where(right, last(right), next_child(left))
    outer = np.where(right, next_child(right), last(left))
    return Context(children, inner, outer, reach.transpose(0, 2, 1) > 0.0)


def second_order_gains(factors: Tensor, heads: npt.NDArray[np.int64], context: Context) -> Tensor:
    """(B, T, T) [head, modifier] Return the score in siblings and grandparents that each head of each word would add.

    Parameters
    ----------
    factors : (B, T + 1, 6, rank)
    heads : (B, T)
        As for `tree_context`.
    """
    device, size = factors.device, heads.shape[1]
    above, inner_child, outer_child, grandparent, head, modifier = factors.float().unbind(dim=2)
    rows = torch.arange(len(heads), device=device)[:, None, None]
    inner, outer = (torch.from_numpy(some).to(device) for some in (context.inner, context.outer))
    before, after = inner_child[rows, inner], outer_child[rows, outer]
    change = before * outer_child[:, None, :size] + inner_child[:, None, :size] * after - before * after
    gains = (above[:, :size, None] * change).sum(dim=3)
    children = torch.from_numpy(context.children.astype(np.float32)).to(device)
    upper = grandparent[rows[:, :, 0], torch.from_numpy(np.maximum(heads, 0)).to(device)]
    upper = upper * torch.from_numpy((heads >= 0).astype(np.float32)).to(device)[:, :, None]
    gains = gains + (upper * head[:, :size]) @ modifier[:, :size].transpose(1, 2)
    below = head[:, :size] * (children @ modifier[:, :size])
    return gains + grandparent[:, :size] @ below.transpose(1, 2)
