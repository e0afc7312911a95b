"""Joint tagging and parsing: score and search readings of words together with trees, to correct tags."""
