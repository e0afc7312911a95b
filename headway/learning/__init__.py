"""Train weights on treebanks; `recipe` has the complete training and is imported only when needed."""

from headway.learning.options import TrainingOptions

__all__ = ["TrainingOptions"]
