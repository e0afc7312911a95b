"""Learn weights from treebanks; the whole training is in `recipe`, which is imported when it is needed."""

from headway.learning.options import TrainingOptions

__all__ = ["TrainingOptions"]
