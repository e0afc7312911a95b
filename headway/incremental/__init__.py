"""Incremental parsing: transition systems, beam search, and a ranker of the beam's trees (HC-search)."""
