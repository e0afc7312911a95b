"""Exact algorithms for projective trees on charts of spans.

Koo and Collins (2010), "Efficient third-order dependency parsers". A chart lists the items (spans) and how each is made
of smaller items. Maxima, sums, outside passes, samples and k-best lists are one short kernel each, the same for all
factorizations.
"""
