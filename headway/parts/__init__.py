"""What a tree is made of: candidate arcs, the scores of parts, and the parse that a decoder answers with."""

from headway.parts.candidates import Candidates
from headway.parts.parse import Parse, tree_score
from headway.parts.scores import Scores, arc_table

__all__ = ["Candidates", "Parse", "Scores", "arc_table", "tree_score"]
