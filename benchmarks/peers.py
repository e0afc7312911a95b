"""From raw text to trees, beside UDPipe 1: both trained on the same treebank and run on the same dev text.

    pip install ufal.udpipe
    python benchmarks/peers.py --treebank UD_Turkish-IMST --preset full --models models

UDPipe is trained with its default settings (tokenizer, tagger, parser; the dev set is its heldout data). The scores are
the official ones of CoNLL 2018; speed is from text to CoNLL-U on one thread, in this process, after a first sentence.
Models are kept in the folder and used again. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import lzma
import os
import sys
import time
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
        for system, make in {"UDPipe 1": udpipe, f"Headway, {options.preset}": headway}.items():
            if options.only and not system.lower().startswith(options.only):
                continue
            seconds, annotate = make(folder, options)
            annotate(text[:1000])
            started = time.process_time()
            answer = annotate(text)
            speed = sum(map(len, gold)) / (time.process_time() - started)
            path = options.models / f"{name}-{system.split()[0].lower()}.conllu"
            path.write_text(answer, encoding="utf-8")
            scores = evaluate_text(gold, read_sentences(path))
            cells = [f"{scores[metric].f1:.2f}" for metric in METRICS]
            trained = f"{seconds:.0f}" if seconds else "–"
            print(f"| {name} | {system} | {' | '.join(cells)} | {trained} | {speed:,.0f} |", flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--models", type=Path, required=True, help="the folder of the models")
    parser.add_argument("--preset", default="full")
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--only", choices=("udpipe", "headway"))
    return parser.parse_args()


def udpipe(folder: Path, options: argparse.Namespace):
    from ufal import udpipe as peer

    path, error, seconds = options.models / f"{folder.name}.udpipe", peer.ProcessingError(), 0.0
    if not path.exists():
        started = time.process_time()
        parts = [udpipe_sentences(folder / f"{part}.conllu.xz") for part in ("train", "dev")]
        made = peer.Trainer.train("morphodita_parsito", *parts, "", "", "", error)
        if error.occurred():
            sys.exit(error.message)
        path.write_bytes(made)
        seconds = time.process_time() - started
    model = peer.Model.load(str(path))
    default = peer.Pipeline.DEFAULT
    pipeline = peer.Pipeline(model, "tokenize", default, default, "conllu")
    pipeline.model = model  # which it points to, and would not keep alive
    return seconds, lambda text: pipeline.process(text, error)


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


def headway(folder: Path, options: argparse.Namespace):
    from headway import Annotator, TrainingOptions, read_sentences
    from headway.corpus import format_sentence

    path, seconds = options.models / f"{folder.name}-{options.preset}.headway", 0.0
    if not path.exists():
        started = time.process_time()
        train, dev = (list(read_sentences(folder / f"{part}.conllu.xz")) for part in ("train", "dev"))
        Annotator.train(train, dev=dev, preset=options.preset, options=TrainingOptions(epochs=options.epochs)).save(
            path
        )
        seconds = time.process_time() - started
    annotator = Annotator.load(path)
    return seconds, lambda text: "".join(map(format_sentence, annotator.annotate(text)))


if __name__ == "__main__":
    main()
