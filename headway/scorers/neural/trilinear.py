"""Sibling and grandparent scores of networks as low-rank trilinear forms, in PyTorch.

Every word has six vectors of R numbers, its *factors*, one for each role that it can have: the head, the inner child
and the outer child of a sibling part, and the grandparent, the head and the modifier of a grandparent part. The score
of a part is ``Σ_r a_r b_r c_r``, where a, b and c are the factors of its three words in their roles. Linear models have
such a form too (`headway.scorers.tensor`), but over features of templates. The network outputs the factors;
`headway.scorers.neural.second_order` computes from them the tables of scores over the candidate arcs.

The factors are trained by pseudo-likelihood (Besag 1975): each word chooses its head, given the gold heads of all
other words.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

FACTORS = 6


class Trilinear(nn.Module):
    """The layer that computes factors of words; "none", in place of a missing child, has learned factors of its own."""

    def __init__(self, size: int, rank: int) -> None:
        super().__init__()
        self.words = nn.Linear(size, FACTORS * rank)
        self.none = nn.Parameter(torch.zeros(FACTORS * rank))
        self.rank = rank

    def forward(self, values: Tensor) -> Tensor:
        """(B, T + 1, 6, rank) Return the factors of words, given as vectors (B, T, size), and of "none" at the end."""
        none = self.none[None, None].expand(values.shape[0], 1, -1)
        factors = torch.cat([self.words(values), none], dim=1)
        return factors.reshape(values.shape[0], -1, FACTORS, self.rank)


class Context(NamedTuple):
    """The neighbours that each word would have as a child of each head, if all other words keep their heads.

    Parameters
    ----------
    children : (B, T, T) bool
        [head, modifier] Whether the tree has this arc.
    inner, outer : (B, T, T) int64
        [head, modifier] The children of the head between which the modifier would be, `inner` on the side of the head;
        T for "none".
    below : (B, T, T) bool
        [head, modifier] Whether the head is below the modifier in the tree, so that it cannot be chosen.
    """

    children: npt.NDArray[np.bool_]
    inner: npt.NDArray[np.int64]
    outer: npt.NDArray[np.int64]
    below: npt.NDArray[np.bool_]


def tree_context(heads: npt.NDArray[np.int64]) -> Context:
    """Return the context of every word, given ``heads`` (B, T), which are negative for the root and for padding."""
    size = heads.shape[1]
    words = np.arange(size)
    children = heads[:, None, :] == words[None, :, None]
    right, left = words[None, :] > words[:, None], words[None, :] < words[:, None]

    def last(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return each head's last child in `mask` before each position; `size` for none."""
        latest = np.maximum.accumulate(np.where(children & mask, words, -1), axis=2)
        before = np.concatenate([np.full_like(latest[:, :, :1], -1), latest[:, :, :-1]], axis=2)
        return np.where(before < 0, size, before)

    def next_child(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return each head's first child in `mask` after each position; `size` for none."""
        nearest = np.minimum.accumulate(np.where(children & mask, words, size)[:, :, ::-1], axis=2)[:, :, ::-1]
        return np.concatenate([nearest[:, :, 1:], np.full_like(nearest[:, :, :1], size)], axis=2)

    reach = children.astype(np.float32)
    for _ in range(max(1, int(size).bit_length())):
        reach = np.minimum(reach + reach @ reach, 1.0)
    inner = np.where(right, last(right), next_child(left))
    outer = np.where(right, next_child(right), last(left))
    return Context(children, inner, outer, reach.transpose(0, 2, 1) > 0.0)


def second_order_gains(factors: Tensor, heads: npt.NDArray[np.int64], context: Context) -> Tensor:
    """(B, T, T) [head, modifier] Return the sibling and grandparent scores that a tree gains by each arc.

    The gain is the score of the tree with the modifier attached to this head, minus that of the tree without the
    modifier's arc.

    Parameters
    ----------
    factors : (B, T + 1, 6, rank)
        The output of `Trilinear`.
    heads : (B, T)
        As for `tree_context`.
    """
    device, size = factors.device, heads.shape[1]
    sibling_head, inner_child, outer_child, grandparent, head, modifier = factors.float().unbind(dim=2)
    rows = torch.arange(len(heads), device=device)[:, None, None]
    inner, outer = (torch.from_numpy(neighbours).to(device) for neighbours in (context.inner, context.outer))
    before, after = inner_child[rows, inner], outer_child[rows, outer]
    change = before * outer_child[:, None, :size] + inner_child[:, None, :size] * after - before * after
    gains = (sibling_head[:, :size, None] * change).sum(dim=3)
    children = torch.from_numpy(context.children.astype(np.float32)).to(device)
    upper = grandparent[rows[:, :, 0], torch.from_numpy(np.maximum(heads, 0)).to(device)]
    upper = upper * torch.from_numpy((heads >= 0).astype(np.float32)).to(device)[:, :, None]
    gains = gains + (upper * head[:, :size]) @ modifier[:, :size].transpose(1, 2)
    below = head[:, :size] * (children @ modifier[:, :size])
    return gains + grandparent[:, :size] @ below.transpose(1, 2)
