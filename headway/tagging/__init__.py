"""From text to tagged words: segmentation, multiword tokens, tags, morphology, lemmas."""
