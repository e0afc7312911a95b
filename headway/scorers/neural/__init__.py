"""Neural networks as scorers: trained with PyTorch (``headway[neural]``), run by ONNX Runtime (``headway[onnx]``).

A network reads the forms of a sentence and fills the table of arcs; so every decoder, k-best list, proof, constraint
and confidence works with it. See docs/neural.md.
"""
