"""Incremental parsing: transition systems, beam search, and a ranker of what the beam found (HC-search)."""
