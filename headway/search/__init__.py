"""Search: combine scorers and decoders, for parsing, training and analysis."""

from headway.search.climbing import SearchRule
from headway.search.fast_paths import FastPath, register_fast_path
from headway.search.search import Search

__all__ = ["FastPath", "Search", "SearchRule", "register_fast_path"]
