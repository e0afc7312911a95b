"""Exact search among projective trees: the spans they are made of, and what can be computed over them.

Koo and Collins (2010), "Efficient third-order dependency parsers". A chart knows which items (spans) there are and how
each is made of smaller ones; maxima, sums, outside passes, samples and lists of the best trees are one short kernel
each, the same for all factorizations.
"""
