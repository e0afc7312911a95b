"""Scores from weights: rows found by slot, linear scores of arcs and labels."""
