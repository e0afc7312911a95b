"""Encode sentences as integer arrays: vocabularies, atoms, and the encoder."""

from headway.encoding.encoder import Encoded, Encoder
from headway.encoding.vocabulary import END, MIDDLE, ROOT, START, UNKNOWN, Vocabulary

__all__ = ["END", "MIDDLE", "ROOT", "START", "UNKNOWN", "Encoded", "Encoder", "Vocabulary"]
