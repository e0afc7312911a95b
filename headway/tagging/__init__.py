"""Turn text into tagged words: segmentation, multiword tokens, tags, morphology, lemmas."""
