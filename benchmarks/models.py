"""Speed and accuracy of several models side by side, from CoNLL-U to CoNLL-U on one thread.

    python benchmarks/models.py dev.conllu one.headway eight.headway eight.headway@64 fast.headway

`MODEL@N` searches with a beam of N, where the model is an incremental one. `MODEL.udpipe` is a model of UDPipe 1, whose
parser reads the file's tags (it needs `pip install 'headway[peers]'`); if there is no such file, a parser is trained on
`--train`, with UDPipe's own settings but for `--iterations`. All models parse the file once to warm up, then in turn,
`--rounds` times. Speeds are words in a second of processor time, as `headway parse` spends it, start-up left out: the
best round, and the median one.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from headway import read_sentences
from headway.analysis.rows import Row, rows_table
from headway.bulk import Task, Worker, parse_files
from headway.evaluation import evaluate
from headway.parser import Parser


def main() -> None:
    """Print a table with a row for each model."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sentences", help="a CoNLL-U file with gold trees")
    options.add_argument("models", nargs="+", metavar="MODEL[@BEAM]")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--train", type=Path, help="a CoNLL-U file to train UDPipe's parser on")
    options.add_argument("--iterations", type=int, default=1, help="passes over it; UDPipe's own number is 10")
    given = options.parse_args()
    gold = list(read_sentences(given.sentences))
    words = sum(map(len, gold))
    seconds: dict[str, list[float]] = {name: [] for name in given.models}
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "out.conllu")
        parsers = {name: make_parser(name, given) for name in given.models}
        scores = {}
        for name, parse in parsers.items():
            parse(given.sentences, target)
            scores[name] = evaluate(gold, read_sentences(target))
        for _ in range(given.rounds):
            for name, parse in parsers.items():
                begun = time.process_time()
                parse(given.sentences, target)
                seconds[name].append(time.process_time() - begun)
    rows: list[Row] = [
        {
            "model": name, "UAS": scores[name].uas, "LAS": scores[name].las,
            "words/s, best": round(words / min(spent)), "words/s, median": round(words / statistics.median(spent)),
        }
        for name, spent in seconds.items()
    ]  # fmt: skip
    print(f"{len(gold):,} sentences, {words:,} words, {given.rounds} rounds\n")
    print(rows_table(rows))


def make_parser(name: str, given: argparse.Namespace) -> Callable[[str, str], None]:
    """Return a function that parses a file into another with a model of Headway or UDPipe."""
    if name.endswith(".udpipe"):
        return udpipe_parser(Path(name), given)
    worker = make_worker(name)

    def parse(source: str, target: str) -> None:
        parse_files([source], target, worker)

    return parse


def make_worker(name: str) -> Worker:
    """Return what parses with a model, by a beam of another width if the name asks for one."""
    path, _, beam = name.partition("@")
    parser = Parser.load(path)
    transitions = parser.model.transitions
    if beam and transitions is not None:
        settings = replace(transitions.settings, beam=int(beam))
        parser = Parser(replace(parser.model, transitions=replace(transitions, settings=settings)))
    return Worker(Task(path, options={"threads": 1}), parser)


def udpipe_parser(path: Path, given: argparse.Namespace) -> Callable[[str, str], None]:
    """Return a function that parses with UDPipe 1; train its parser first if there is none."""
    from ufal import udpipe  # only this needs it

    error = udpipe.ProcessingError()
    if not path.exists():
        if given.train is None:
            sys.exit(f"there is no {path}: name the sentences to train it on with --train")
        reader, sentences, sentence = udpipe.InputFormat.newConlluInputFormat(), udpipe.Sentences(), udpipe.Sentence()
        reader.setText(given.train.read_text(encoding="utf-8"))
        while reader.nextSentence(sentence, error):
            sentences.push_back(sentence)
            sentence = udpipe.Sentence()
        steps = ("none", "none", f"iterations={given.iterations}")
        made = udpipe.Trainer.train("morphodita_parsito", sentences, udpipe.Sentences(), *steps, error)
        if error.occurred():
            sys.exit(error.message)
        path.write_bytes(made)
    model = udpipe.Model.load(str(path))
    pipeline = udpipe.Pipeline(model, "conllu", udpipe.Pipeline.NONE, udpipe.Pipeline.DEFAULT, "conllu")

    def parse(source: str, target: str, model: object = model) -> None:  # the pipeline does not keep its model alive
        answer = pipeline.process(Path(source).read_text(encoding="utf-8"), error)
        Path(target).write_text(answer, encoding="utf-8")

    return parse


if __name__ == "__main__":
    main()
