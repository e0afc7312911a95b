"""Tags corrected by trees, from raw text: official scores with and without ``--correct-tags``, and the speed of both.

    python benchmarks/corrected_text.py --treebank UD_Turkish-IMST --words 20000 [--gold-tokens]

Pipelines with the preset ``fast`` are trained on the first words of each train set, and scored on the first sentences
of its dev set. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from headway import Annotator, TrainingOptions, read_sentences
from headway.corpus import Sentence
from headway.evaluation.raw_text import evaluate_text

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))
METRICS = ("UPOS", "UFeats", "UAS", "LAS")


def main() -> None:
    """Read the arguments and print a row for each treebank, then the mean differences."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--treebank", action="append", required=True)
    options.add_argument("--words", type=int, default=20_000)
    options.add_argument("--dev-words", type=int, default=8_000)
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--gold-tokens", action="store_true", help="read the dev set's sentences and words")
    given = options.parse_args()
    print(f"| treebank | {' | '.join(METRICS)} | words/s, corrected | words/s | train CPU s |")
    print("| --- " * (len(METRICS) + 4) + "|", flush=True)
    gains = []
    for name in given.treebank:
        train, dev = (
            first_words(list(read_sentences(str(TREEBANKS / name / f"{part}.conllu.xz"))), words)
            for part, words in (("train", given.words), ("dev", given.dev_words))
        )
        begun = time.process_time()
        nlp = Annotator.train(
            train, dev=dev, options=TrainingOptions(epochs=given.epochs, patience=given.epochs), correct_tags=True
        )
        taken, scores, speeds = time.process_time() - begun, [], []
        for corrected in (False, True):
            score(nlp, dev[:20], corrected, given.gold_tokens)  # compiles
            started = time.process_time()
            scores.append(score(nlp, dev, corrected, given.gold_tokens))
            speeds.append(sum(map(len, dev)) / (time.process_time() - started))
        gains.append(np.subtract(scores[1], scores[0]))
        cells = [f"{one:.2f} → {two:.2f} ({two - one:+.2f})" for one, two in zip(*scores, strict=True)]
        print(f"| {name} | {' | '.join(cells)} | {speeds[1]:,.0f} | {speeds[0]:,.0f} | {taken:.0f} |", flush=True)
    print("| mean | " + " | ".join(f"{gain:+.2f}" for gain in np.mean(gains, axis=0)) + " | | | |")


def score(nlp: Annotator, dev: Sequence[Sentence], corrected: bool, gold_tokens: bool) -> list[float]:
    """Return the official scores of a pipeline, with its sentences and words or with the gold ones."""
    if gold_tokens:
        found = evaluate_text(dev, nlp.parser.parse(nlp.tag(dev, keep=False, correct_tags=corrected)))
    else:
        found = nlp.evaluate(dev, correct_tags=corrected)
    return [found[metric].f1 for metric in METRICS]


def first_words(sentences: Sequence[Sentence], words: int) -> list[Sentence]:
    """Return the first sentences, with so many words in all."""
    ends = np.cumsum([len(sentence) for sentence in sentences])
    return list(sentences[: int(np.searchsorted(ends, words)) + 1])


if __name__ == "__main__":
    main()
