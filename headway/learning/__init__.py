"""Learning weights from treebanks."""

from headway.learning.options import TrainingOptions
from headway.learning.recipe import train_model

__all__ = ["TrainingOptions", "train_model"]
