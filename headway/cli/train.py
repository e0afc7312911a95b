"""``headway train``: train a parser on a treebank."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from headway.cli.guard import INPUT, OUTPUT
from headway.cli.options import Format, FormatOption, QuietOption, SeedOption, ThreadsOption
from headway.cli.progress import reporting, say_if_compiling, training_summary
from headway.errors import UsageError

_NEEDS_CONLLU = "--pipeline needs CoNLL-U, the only format that says where spaces are"


def train(
    treebank: Annotated[str, typer.Argument(metavar="TRAIN", help="Sentences with trees, [b]-[/] for stdin."), INPUT],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write."), OUTPUT],
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Dev set: used for early stopping, choosing the decoder and calibrating confidences.",
        ),
        INPUT,
    ] = None,
    preset: Annotated[
        str,
        typer.Option(metavar="NAME", help="The recipe: [b]fast[/], [b]standard[/], [b]full[/] (the most accurate), …"),
    ] = "fast",
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of epochs.")] = 15,
    patience: Annotated[
        int, typer.Option(min=1, metavar="N", help="Stop after N epochs without improvement on the dev set.")
    ] = 5,
    seed: SeedOption = 1,
    threads: ThreadsOption = 1,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder for checkpoints: continue an interrupted training from there. Removed at the end.",
        ),
    ] = None,
    keep_checkpoints: Annotated[
        bool,
        typer.Option("--keep-checkpoints", help="Keep the checkpoints at the end, to train for more epochs later."),
    ] = False,
    about: Annotated[
        str,
        typer.Option(metavar="TEXT", help="A note to store in the model, such as the treebank and its licence."),
    ] = "",
    without_tags: Annotated[
        bool, typer.Option("--without-tags", help="Ignore UPOS, XPOS and FEATS, in training and in parsing.")
    ] = False,
    tag_map: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=(
                "File that maps tags to universal tags, in lines [b]tag TAB universal tag[/]; default: "
                "built in, or derived from the treebank."
            ),
        ),
        INPUT,
    ] = None,
    pseudo_projective: Annotated[
        bool,
        typer.Option("--pseudo-projective", help="Lift crossing arcs and encode in the labels how to restore them."),
    ] = False,
    vectors: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Word vectors (word2vec format), for presets with a tensor."),
        INPUT,
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="With --preset neural or neural-sum: a pretrained encoder, as a folder or a package."
        ),
    ] = None,
    encoder_layers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="With --encoder: use only its N lowest layers, which is faster."),
    ] = None,
    piece_vectors: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="With --preset neural or neural-sum: static vectors of word pieces, as a folder or a package.",
        ),
    ] = None,
    beam: Annotated[
        float | None,
        typer.Option(
            metavar="RATIO", help="Prune heads less probable than RATIO (such as 0.0001) times the word's best head."
        ),
    ] = None,
    pipeline: Annotated[
        bool,
        typer.Option("--pipeline", help="Also train what parsing plain text needs: segmenter, tagger, lemmatizer."),
    ] = False,
    short_sentences: Annotated[
        bool,
        typer.Option("--short-sentences", help="With --pipeline: also train the tagger on shortened sentences."),
    ] = False,
    correct_tags: Annotated[
        bool,
        typer.Option(
            "--correct-tags", help="With --pipeline: also learn to correct tags after parsing; takes twice as long."
        ),
    ] = False,
    format: FormatOption = Format.auto,
    quiet: QuietOption = False,
) -> None:
    """Train a parser on a treebank.

    [b]headway train train.conllu --dev dev.conllu -o english.headway --threads 4[/]

    [b]headway train train.conllu -o english.headway --preset full --checkpoint english.checkpoints[/]

    [b]headway train train.conllu --dev dev.conllu --pipeline -o english.headway[/]
    """
    from headway import Annotator, Parser, TrainingOptions
    from headway.corpus import CONLLU, read_sentences
    from headway.encoding.tag_map import read_tag_map
    from headway.encoding.vectors import read_vectors
    from headway.evaluation import evaluate
    from headway.learning.checkpoint import remove_checkpoints
    from headway.model_file import check_model_place
    from headway.presets import find_preset

    started = time.monotonic()
    check_model_place(output)
    if pipeline and without_tags:
        raise UsageError("--pipeline and --without-tags exclude each other: choose one")
    if pipeline and format.layout not in (None, CONLLU):
        raise UsageError(_NEEDS_CONLLU)
    if short_sentences and not pipeline:
        raise UsageError("--short-sentences needs --pipeline")
    if correct_tags and not pipeline:
        raise UsageError("--correct-tags needs --pipeline")
    if encoder_layers is not None and encoder is None:
        raise UsageError("--encoder-layers needs --encoder")
    if keep_checkpoints and checkpoint is None:
        raise UsageError("--keep-checkpoints needs --checkpoint FOLDER")
    if treebank == dev == "-":
        raise UsageError("only one of the files can be standard input (-)")
    with reporting(quiet=quiet) as progress:
        sentences = list(read_sentences(treebank, layout=format.layout))
        dev_sentences = None if dev is None else list(read_sentences(dev, layout=format.layout))
        if pipeline and any(sentence.layout is not CONLLU for sentence in (*sentences[:1], *(dev_sentences or ())[:1])):
            raise UsageError(_NEEDS_CONLLU)
        recipe = find_preset(preset, beam=beam)
        if vectors is not None and recipe.tensor is None:
            raise UsageError(f"the preset {preset} has no tensor, so it cannot use word vectors")
        if encoder is not None:
            if recipe.neural is None:
                raise UsageError(f"the preset {preset} has no network, so it cannot use an encoder")
            recipe = replace(recipe, neural=recipe.neural.with_encoder(encoder, layers=encoder_layers or 0))
        if piece_vectors is not None:
            if recipe.neural is None:
                raise UsageError(f"the preset {preset} has no network, so it cannot use vectors of word pieces")
            if encoder is not None:
                raise UsageError("--encoder and --piece-vectors exclude each other: a pretrained encoder has its own")
            recipe = replace(recipe, neural=replace(recipe.neural, vectors=piece_vectors))
        say_if_compiling(progress)
        words = None
        if vectors is not None:
            forms = {form for sentence in sentences for form in sentence.forms}
            words = read_vectors(str(vectors), wanted=forms | {form.lower() for form in forms})
            progress.note(f"{len(words.words):,} word vectors of {len(words.scales)} numbers")
        train_it: Callable[..., Annotator | Parser] = Parser.train
        if pipeline:
            train_it = partial(Annotator.train, short_sentences=short_sentences, correct_tags=correct_tags)
        trained = train_it(
            sentences,
            dev=dev_sentences,
            preset=recipe,
            options=TrainingOptions(epochs=epochs, patience=patience, seed=seed, threads=threads),
            progress=progress,
            checkpoint=checkpoint,
            about=about,
            without=("upos", "xpos", "feats") if without_tags else (),
            tag_map=None if tag_map is None else read_tag_map(tag_map),
            pseudo_projective=pseudo_projective,
            vectors=words,
        )
        trained.save(output)  # before anything that could fail, because training may have taken hours
        scores = None
        if isinstance(trained, Annotator) and dev_sentences is not None:
            scores = {name: score.f1 for name, score in trained.evaluate(dev_sentences).items()}
            progress.note("from raw text: " + ", ".join(f"{name} {score:.2f}" for name, score in scores.items()))
            facts = {name: round(score, 2) for name, score in scores.items()}
            trained.with_facts(raw_text=facts).save(output)
        if checkpoint is not None and not keep_checkpoints:
            remove_checkpoints(checkpoint)
        if scores is None and dev_sentences and isinstance(trained, Parser):
            evaluation = evaluate(dev_sentences, trained.parse(dev_sentences, threads=threads))
            scores = {"UAS": evaluation.uas, "LAS": evaluation.las}
        progress.note(training_summary(output, time.monotonic() - started, scores))
