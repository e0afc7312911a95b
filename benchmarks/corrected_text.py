"""Tags corrected by trees: official scores of pipelines with and without ``--correct-tags``, and the speed of both.

    python benchmarks/corrected_text.py --treebank UD_Turkish-IMST --words 20000 --from text --from words

Pipelines with the preset ``fast`` are trained on the first words of each train set, and scored on the first sentences
of its dev set: from raw text, or from its sentences and words; then UAS with the gold tags is told, too. Treebanks are
read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
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
SOURCES = ("text", "words")


def main() -> None:
    """Read the arguments and print a row for each treebank, then the mean differences."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--treebank", action="append", required=True)
    options.add_argument("--words", type=int, default=20_000)
    options.add_argument("--dev-words", type=int, default=8_000)
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--from", action="append", dest="sources", choices=SOURCES, help="default: text")
    options.add_argument("--models", type=Path, help="a folder that keeps the pipelines for another run")
    given = options.parse_args()
    sources = given.sources or ["text"]
    print(f"| treebank | from | {' | '.join(METRICS)} | UAS, gold tags | words/s, corrected | words/s | train CPU s |")
    print("| --- " * (len(METRICS) + 6) + "|", flush=True)
    gains: dict[str, list[np.ndarray]] = {source: [] for source in sources}
    for name in given.treebank:
        train, dev = (
            first_words(list(read_sentences(str(TREEBANKS / name / f"{part}.conllu.xz"))), words)
            for part, words in (("train", given.words), ("dev", given.dev_words))
        )
        begun = time.process_time()
        nlp = pipeline(given.models and given.models / f"{name}.headway", train, dev, given.epochs)
        taken = time.process_time() - begun
        for source in sources:
            scores, speeds = [], []
            for corrected in (False, True):
                score(nlp, dev[:20], corrected, source)  # compiles
                started = time.process_time()
                scores.append(score(nlp, dev, corrected, source))
                speeds.append(sum(map(len, dev)) / (time.process_time() - started))
            gains[source].append(np.subtract(scores[1], scores[0]))
            cells = [f"{one:.2f} → {two:.2f} ({two - one:+.2f})" for one, two in zip(*scores, strict=True)]
            gold = f"{evaluate_text(dev, nlp.parser.parse(dev))['UAS'].f1:.2f}" if source == "words" else ""
            costs = [f"{speeds[1]:,.0f}", f"{speeds[0]:,.0f}", f"{taken:.0f}"]
            print(f"| {' | '.join([name, source, *cells, gold, *costs])} |", flush=True)
    for source, found in gains.items():
        print(f"| mean | {source} | " + " | ".join(f"{gain:+.2f}" for gain in np.mean(found, axis=0)) + " | | | | |")


def pipeline(path: Path | None, train: Sequence[Sentence], dev: Sequence[Sentence], epochs: int) -> Annotator:
    """Return the pipeline of a file, which is trained and written if it is not there."""
    if path is not None and path.exists():
        return Annotator.load(path)
    nlp = Annotator.train(train, dev=dev, options=TrainingOptions(epochs=epochs, patience=epochs), correct_tags=True)
    if path is not None:
        nlp.save(path)
    return nlp


def score(nlp: Annotator, dev: Sequence[Sentence], corrected: bool, source: str) -> list[float]:
    """Return the official scores of a pipeline from raw text, or from the gold sentences and words."""
    if source == "words":
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
