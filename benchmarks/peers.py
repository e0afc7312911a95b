"""From raw text to trees, beside UDPipe 1 and spaCy: all trained on the same treebank and run on the same dev text.

    pip install 'headway[peers]'
    python benchmarks/peers.py --treebank UD_Turkish-IMST --preset full --models models

UDPipe is trained with its default settings (tokenizer, tagger, parser; the dev set is its heldout data), spaCy from
scratch with `spacy train` and the settings that `spacy init config` gives for a CPU (tagger, morphologizer, trainable
lemmatizer, parser; ten sentences a document; multiword tokens as one, but in English, where its rules split them; the
universal tag where the treebank has none of its own that spaCy can read; matrices multiplied by numpy while it learns,
to save time). The scores are the official ones of CoNLL 2018; speed is from text to CoNLL-U on one thread, in this
process, after a first piece of text. Models are kept in the folder and used again. Treebanks are read from
HEADWAY_TREEBANKS, by default ../shared/treebanks.

UDPipe learns for hours on a large treebank. With `--hurried` it passes over the treebank once, and spaCy learns for a
hundred steps: only their speed counts.
"""

import argparse
import gc
import lzma
import os
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))
WITH_TEXT = (
    "English-EWT",
    "English-GUM",
    "Portuguese-Bosque",
    "Korean-GSD",
    "Russian-Taiga",
    "Turkish-IMST",
    "Latin-UDante",
)


def main() -> None:
    from headway import read_sentences
    from headway.corpus.text import treebank_text
    from headway.evaluation.raw_text import METRICS, evaluate_text

    options = read_arguments()
    options.models.mkdir(parents=True, exist_ok=True)
    print(f"| treebank | system | {' | '.join(METRICS)} | train CPU s | tokens/s |")
    print(f"| --- | --- | {' | '.join('---' for _ in METRICS)} | --- | --- |", flush=True)
    for name in options.treebank or [f"UD_{name}" for name in WITH_TEXT]:
        folder = TREEBANKS / name
        gold = list(read_sentences(folder / "dev.conllu.xz"))
        text = treebank_text(gold).text
        how = " hurried" if options.hurried else ""
        ours = {f"Headway {preset}": partial(headway, preset) for preset in options.preset or ["full"]}
        for system, make in {f"UDPipe 1{how}": udpipe, f"spaCy{how}": spacy, **ours}.items():
            if options.only and not system.lower().startswith(tuple(options.only)):
                continue
            seconds, annotate = make(folder, options)
            annotate(text[:1000])
            gc.collect()
            gc.freeze()  # the gold trees are nothing that a system should have to look after
            started = time.process_time()
            answer = annotate(text)
            speed = sum(map(len, gold)) / (time.process_time() - started)
            path = options.models / f"{name}-{system.replace(' ', '-').lower()}.conllu"
            path.write_text(answer, encoding="utf-8")
            scores = evaluate_text(gold, read_sentences(path))
            hurried = system.endswith("hurried")
            cells = ["–" if hurried else f"{scores[metric].f1:.2f}" for metric in METRICS]
            trained = f"{seconds:.0f}" if seconds and not hurried else "–"
            print(f"| {name} | {system} | {' | '.join(cells)} | {trained} | {speed:,.0f} |", flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--models", type=Path, required=True, help="the folder of the models")
    parser.add_argument("--preset", action="append", help="of Headway; may be given several times; default: full")
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--hurried", action="store_true", help="UDPipe and spaCy learn little: for their speed alone")
    parser.add_argument("--only", action="append", choices=("udpipe", "spacy", "headway"), help="may be given twice")
    return parser.parse_args()


def udpipe(folder: Path, options: argparse.Namespace):
    """Its three parts are learned one after the other, as in one go, and kept: they take hours on a large treebank."""
    from ufal import udpipe as peer

    name = f"{folder.name}.hurried" if options.hurried else folder.name
    path, error, seconds = options.models / f"{name}.udpipe", peer.ProcessingError(), 0.0
    parts, steps = None, list[str]()
    for step, passes in {"tokenizer": "epochs", "tagger": "iterations", "parser": "iterations"}.items():
        step_path = path if step == "parser" else path.with_suffix(f".{step}.udpipe")
        if not step_path.exists():
            started = time.process_time()
            parts = parts or [udpipe_sentences(folder / f"{part}.conllu.xz") for part in ("train", "dev")]
            others, settings = ["none"] * (2 - len(steps)), f"{passes}=1" if options.hurried else ""
            made = peer.Trainer.train("morphodita_parsito", *parts, *steps, settings, *others, error)
            if error.occurred():
                sys.exit(error.message)
            note_of(step_path).write_text(f"{time.process_time() - started:.0f}")
            step_path.write_bytes(made)
        steps.append(f"from_model=file:{step_path}")
        seconds += kept_seconds(step_path)
    model = peer.Model.load(str(path))
    default = peer.Pipeline.DEFAULT
    pipeline = peer.Pipeline(model, "tokenize", default, default, "conllu")
    pipeline.model = model  # which it points to, and would not keep alive
    return seconds, lambda text: pipeline.process(text, error)


def kept_seconds(model: Path) -> float:
    """Return the seconds that training took, from the notes of the run that trained the model."""
    return float(note_of(model).read_text()) if note_of(model).exists() else 0.0


def note_of(model: Path) -> Path:
    """Where it is noted."""
    return model.with_name(f"{model.name}.seconds")


def udpipe_sentences(path: Path):
    from ufal import udpipe as peer

    reader, error, found = peer.InputFormat.newConlluInputFormat(), peer.ProcessingError(), peer.Sentences()
    with lzma.open(path, "rt", encoding="utf-8") as file:
        reader.setText(file.read())
    sentence = peer.Sentence()
    while reader.nextSentence(sentence, error):
        found.push_back(sentence)
        sentence = peer.Sentence()
    return found


LANGUAGES = {"English": "en", "Portuguese": "pt", "Russian": "ru", "Turkish": "tr", "Latin": "la"}
"""spaCy's names; others get its rules for any language (its Korean ones need a program of their own)."""


def spacy(folder: Path, options: argparse.Namespace):
    import spacy as peer
    from spacy.cli.init_config import init_config
    from spacy.tokens import DocBin
    from spacy.training.converters import conllu_to_docs

    from headway import read_sentences

    target = options.models / f"{folder.name}{'.hurried' if options.hurried else ''}.spacy"
    if not note_of(target).exists():  # which is written when the training is over
        target.mkdir(exist_ok=True)
        language = LANGUAGES.get(folder.name.removeprefix("UD_").split("-")[0], "xx")
        whole = language != "en"  # its English rules split what the treebanks split
        for part in ("train", "dev"):
            with lzma.open(folder / f"{part}.conllu.xz", "rt", encoding="utf-8") as file:
                lines = "".join(map(with_own_tag, file))
            docs = conllu_to_docs(lines, n_sents=10, merge_subtokens=whole, no_print=True)
            DocBin(docs=docs, store_user_data=True).to_disk(target / f"{part}.spacy")
        steps = ["tagger", "morphologizer", "trainable_lemmatizer", "parser"]
        init_config(lang=language, pipeline=steps, gpu=False, silent=True).to_disk(target / "config.cfg")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        paths = [f"--paths.{part}={target / part}.spacy" for part in ("train", "dev")]
        command = [sys.executable, "-m", "spacy", "train", target / "config.cfg", "--output", target, *paths]
        command += ["--code", HERE / "spacy_products.py"]
        command += ["--training.max_steps=100", "--training.eval_frequency=50"] if options.hurried else []
        subprocess.run(command, check=True, stdout=sys.stderr, env={**os.environ, "OMP_NUM_THREADS": "1"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        note_of(target).write_text(f"{used:.0f}")
    nlp = peer.load(target / "model-best")
    tagged = any(set(sentence.xpos) != {"_"} for sentence in read_sentences(folder / "dev.conllu.xz"))
    return kept_seconds(target), lambda text: "".join(spacy_lines(nlp.pipe(text.split("\n\n")), tagged=tagged))


def with_own_tag(line: str) -> str:
    """A line of CoNLL-U with the universal tag where the treebank's own is missing, or begins with "!".

    spaCy's tagger cannot learn nothing, and takes such a mark for "not".
    """
    columns = line.split("\t")
    if len(columns) > 4 and (columns[4] == "_" or columns[4].startswith("!")):
        columns[4] = columns[3]
    return "\t".join(columns)


def spacy_lines(docs, *, tagged: bool):
    """CoNLL-U; without XPOS where the treebank has none."""
    for doc in docs:
        for sentence in doc.sents:
            words = [token for token in sentence if not token.is_space]
            numbers = {token.i: number for number, token in enumerate(words, start=1)}
            for token in words:
                head = 0 if token.head.i == token.i else numbers.get(token.head.i, 0)
                space = "_" if token.whitespace_ else "SpaceAfter=No"
                columns = (
                    numbers[token.i], token.text, token.lemma_ or "_", token.pos_ or "_",
                    (tagged and token.tag_) or "_", token.morph or "_",
                    head, "root" if head == 0 else token.dep_ or "dep", "_", space,
                )  # fmt: skip
                yield "\t".join(map(str, columns)) + "\n"
            if words:
                yield "\n"


def headway(preset: str, folder: Path, options: argparse.Namespace):
    from headway import Annotator, TrainingOptions, read_sentences
    from headway.corpus import format_sentence

    path = options.models / f"{folder.name}-{preset}.headway"
    if not path.exists():
        started = time.process_time()
        train, dev = (list(read_sentences(folder / f"{part}.conllu.xz")) for part in ("train", "dev"))
        Annotator.train(train, dev=dev, preset=preset, options=TrainingOptions(epochs=options.epochs)).save(path)
        note_of(path).write_text(f"{time.process_time() - started:.0f}")
    annotator = Annotator.load(path)
    return kept_seconds(path), lambda text: "".join(map(format_sentence, annotator.annotate(text)))


if __name__ == "__main__":
    main()
