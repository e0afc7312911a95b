"""Learning weights from treebanks."""

from headway.learning.first_order import train_first_order
from headway.learning.options import TrainingOptions

__all__ = ["TrainingOptions", "train_first_order"]
