"""Learning weights from treebanks; `recipe` has all of it in one, and is imported when it is needed."""

from headway.learning.options import TrainingOptions

__all__ = ["TrainingOptions"]
