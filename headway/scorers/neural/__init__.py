"""Neural networks as scorers: trained with PyTorch (``headway[neural]``), run by ONNX Runtime (``headway[onnx]``).

A network reads the forms of a sentence and fills the table of arc scores, so it works with all decoders, k-best lists,
proofs, constraints and confidences. See docs/neural.md.
"""
