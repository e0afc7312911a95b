"""Make the English model that comes with Headway: train on UD English-EWT, and thin its tables to fit 20 MB.

    python tools/make_english.py TRAIN DEV --version 2.16
    python tools/make_english.py TRAIN DEV --version 2.16 --trained english.headway
    python tools/make_english.py TRAIN DEV --version 2.16 --parser headway/models/en.headway

The same treebank and the same code give the same file. With `--trained`, the model that the first half makes is
read from a file instead of training it again: that half is
`headway train TRAIN --dev DEV --pipeline --short-sentences --preset compact --epochs 7`.
With `--parser`, only tags, morphology and lemmas are trained, and the rest is copied from a model. Probabilities are
calibrated at the end, on the dev set, with tags predicted by the thinned model.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from headway import Annotator, Parser, Sentence, TrainingOptions, read_sentences
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.rows import thin
from headway.tagging.words import WordModel

OUTPUT = Path(__file__).resolve().parent.parent / "headway" / "models" / "en.headway"
LARGEST = 20_000_000

SEGMENTS, TAGS, MORPHOLOGY, PRUNER, ARCS, PARTS = 60_000, 108_000, 800_000, 100_000, 180_000, 265_000
"""The numbers of rows that are kept."""


def main() -> None:
    """Train, thin, score and write the model."""
    options = read_arguments()
    dev = list(read_sentences(options.dev))
    train = list(read_sentences(options.train))
    command = f"python tools/make_english.py TRAIN DEV --version {options.version}"
    if options.trained:
        annotator = Annotator.load(options.trained)
    elif options.parser:
        annotator = replace(Annotator.load(options.parser), words=WordModel.fit(train, dev=dev, short_sentences=True))
        command += " --parser en.headway"
    else:
        annotator = Annotator.train(
            train, dev=dev, preset="compact", options=TrainingOptions(epochs=7), short_sentences=True
        )
    thinned = calibrate(thin_tables(annotator), dev)
    scores = {name: round(score.f1, 2) for name, score in thinned.evaluate(dev).items()}
    thinned.with_facts(
        about="English, trained on Universal Dependencies English-EWT",
        licence="CC BY-SA 4.0, as the treebank",
        data=f"UD {options.version}",
        command=command,
        raw_text=scores,
    ).save(options.output)
    size = options.output.stat().st_size
    print(
        f"{options.output.name}: {size / 1e6:.2f} MB; {', '.join(f'{name} {score}' for name, score in scores.items())}"
    )
    if size > LARGEST:
        raise SystemExit(f"larger than {LARGEST / 1e6:.0f} MB: thin the tables more")


def read_arguments() -> argparse.Namespace:
    """Read the arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--version", required=True, help="the version of the treebank")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--trained", help="a model to thin instead of training one")
    given.add_argument("--parser", help="a model to copy the parser and the segmenter from")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    return parser.parse_args()


def thin_tables(annotator: Annotator) -> Annotator:
    """Return the model with fewer rows."""
    words, model = annotator.words, annotator.parser.model
    segmenter = replace(annotator.segmenter, rows=thin(annotator.segmenter.rows, most=SEGMENTS))
    tagger = replace(words.tagger, rows=thin(words.tagger.rows, most=TAGS))
    morphology = replace(words.morphology, rows=thin(words.morphology.rows, most=MORPHOLOGY))
    pruner = model.pruner
    pruner = replace(pruner, model=replace(pruner.model, rows=thin(pruner.model.rows, most=PRUNER)))
    scorer = model.linear
    parts = replace(scorer.parts, rows=thin(scorer.parts.rows, most=PARTS))
    arcs = replace(scorer.arcs, rows=thin(scorer.arcs.rows, most=ARCS))
    return replace(
        annotator,
        segmenter=segmenter,
        words=replace(words, tagger=tagger, morphology=morphology),
        parser=Parser(replace(model, pruner=pruner, scorer=LinearScorer(arcs, parts, scorer.outer))),
    )


def calibrate(annotator: Annotator, dev: Sequence[Sentence]) -> Annotator:
    """Return the model with probabilities calibrated on the dev set, with predicted tags."""
    return replace(annotator, parser=annotator.parser.calibrated(annotator.words.tag(dev)))


if __name__ == "__main__":
    main()
