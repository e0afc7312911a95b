"""Make the English model that comes with Headway: train on UD English-EWT, and thin its tables to fit 20 MB.

    python tools/make_english.py TRAIN DEV --version 2.16
    python tools/make_english.py TRAIN DEV --version 2.16 --trained english.headway

The same treebank and the same code give the same file. With `--trained`, the model that the first half made is
taken instead of training it again: `headway train TRAIN --dev DEV --pipeline --preset compact --epochs 7` is that half.
"""

import argparse
from dataclasses import replace
from pathlib import Path

from headway import Annotator, Parser, TrainingOptions, read_sentences
from headway.scorers.rows import thin

OUTPUT = Path(__file__).resolve().parent.parent / "headway" / "models" / "en.headway"
LARGEST = 20_000_000

SEGMENTS, TAGS, MORPHOLOGY, PRUNER, ARCS, PARTS = 60_000, 108_000, 800_000, 100_000, 180_000, 265_000
"""Rows that are kept."""


def main() -> None:
    """Train, thin, score, write."""
    options = read_arguments()
    dev = list(read_sentences(options.dev))
    train = list(read_sentences(options.train))
    if options.trained:
        annotator = Annotator.load(options.trained)
    else:
        annotator = Annotator.train(train, dev=dev, preset="compact", options=TrainingOptions(epochs=7))
    thinned = thin_tables(annotator)
    scores = {name: round(score.f1, 2) for name, score in thinned.evaluate(dev).items()}
    thinned.with_facts(
        about="English, trained on Universal Dependencies English-EWT",
        licence="CC BY-SA 4.0, as the treebank",
        data=f"UD {options.version}",
        command=f"python tools/make_english.py TRAIN DEV --version {options.version}",
        raw_text=scores,
    ).save(OUTPUT)
    size = OUTPUT.stat().st_size
    print(f"{OUTPUT.name}: {size / 1e6:.2f} MB; {', '.join(f'{name} {score}' for name, score in scores.items())}")
    if size > LARGEST:
        raise SystemExit(f"larger than {LARGEST / 1e6:.0f} MB: thin the tables more")


def read_arguments() -> argparse.Namespace:
    """What the command was given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--version", required=True, help="of the treebank")
    parser.add_argument("--trained", help="a model to thin instead of training one")
    return parser.parse_args()


def thin_tables(annotator: Annotator) -> Annotator:
    """The same with fewer rows."""
    words, model = annotator.words, annotator.parser.model
    segmenter = replace(annotator.segmenter, rows=thin(annotator.segmenter.rows, most=SEGMENTS))
    tagger = replace(words.tagger, rows=thin(words.tagger.rows, most=TAGS))
    morphology = replace(words.morphology, rows=thin(words.morphology.rows, most=MORPHOLOGY))
    pruner = model.pruner
    pruner = replace(pruner, model=replace(pruner.model, rows=thin(pruner.model.rows, most=PRUNER)))
    parts = replace(model.linear.parts, rows=thin(model.linear.parts.rows, most=PARTS))
    arcs = replace(model.linear.arcs, rows=thin(model.linear.arcs.rows, most=ARCS))
    return replace(
        annotator,
        segmenter=segmenter,
        words=replace(words, tagger=tagger, morphology=morphology),
        parser=Parser(replace(model, pruner=pruner, parts=parts, arcs=arcs)),
    )


if __name__ == "__main__":
    main()
