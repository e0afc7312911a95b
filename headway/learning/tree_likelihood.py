"""The log likelihood of gold trees under a network's arc scores, in PyTorch: the matrix-tree theorem.

The log partition over all trees, crossing arcs allowed, is the logarithm of the determinant of a Laplacian matrix. For
trees with exactly one child of the root, the root's scores replace its first row (Koo, Globerson, Carreras and Collins
2007, "Structured prediction models via the matrix-tree theorem", Section 3.2). `headway.marginals.matrix_tree` is the
same for parsing. O(n³) for a sentence of n words.
"""

import torch
from torch import Tensor


def tree_loss(arcs: Tensor, heads: Tensor) -> Tensor:
    """Return the mean over words of log Z minus the score of the gold tree.

    Sentences whose gold tree has several children of the root are compared with all such trees.

    Parameters
    ----------
    arcs : (B, T, T) float [head, modifier]
        Scores; very low for arcs from padding, and for arcs from a word to itself.
    heads : (B, T) int64
        Gold heads; negative for the root and for padding.
    """
    words, arcs = heads >= 0, arcs.double()
    gold = arcs.gather(1, heads.clamp(min=0)[:, None])[:, 0]
    largest = arcs.amax(dim=1)  # added again below: it scales a column of the matrix
    weights = (arcs - largest[:, None]).exp() * words[:, None]
    root, inner = weights[:, 0, 1:], weights[:, 1:, 1:]
    single = (heads == 0).sum(dim=1) == 1
    sums = inner.sum(dim=1) + root.masked_fill(single[:, None], 0.0)
    laplacian = torch.diag_embed(sums + ~words[:, 1:]) - inner  # 1 on the diagonal at padding
    first = torch.where(single[:, None], root, laplacian[:, 0])
    laplacian = torch.cat([first[:, None], laplacian[:, 1:]], dim=1)
    log_partition = torch.linalg.slogdet(laplacian)[1] + (largest * words).sum(dim=1)
    loss: Tensor = (log_partition - (gold * words).sum(dim=1)).sum() / words.sum()
    return loss.float()
