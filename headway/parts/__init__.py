"""The contract between scorers and decoders: candidate arcs, kinds of parts, their scores, and parses."""

from headway.parts.candidates import Candidates
from headway.parts.kinds import Kind
from headway.parts.parse import Parse
from headway.parts.scores import Scores, arc_table
from headway.parts.table_scores import restrict_scores, tree_score

__all__ = ["Candidates", "Kind", "Parse", "Scores", "arc_table", "restrict_scores", "tree_score"]
