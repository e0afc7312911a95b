"""Joint parsing and tag correction: readings of words and trees, scored and searched together."""
