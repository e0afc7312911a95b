"""Speed and accuracy of several models side by side, from CoNLL-U to CoNLL-U on one thread.

    python benchmarks/models.py dev.conllu one.headway eight.headway eight.headway@64 fast.headway

`MODEL@N` searches with a beam of N, where the model is an incremental one. All models parse the file once to warm up,
then in turn, `--rounds` times. Speeds are words in a second of processor time, as `headway parse` spends it, start-up
left out: the best round, and the median one.
"""

import argparse
import statistics
import tempfile
import time
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
    given = options.parse_args()
    gold = list(read_sentences(given.sentences))
    words = sum(map(len, gold))
    seconds: dict[str, list[float]] = {name: [] for name in given.models}
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "out.conllu")
        workers = {name: make_worker(name) for name in given.models}
        scores = {}
        for name, worker in workers.items():
            parse_files([given.sentences], target, worker)
            scores[name] = evaluate(gold, read_sentences(target))
        for _ in range(given.rounds):
            for name, worker in workers.items():
                begun = time.process_time()
                parse_files([given.sentences], target, worker)
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


def make_worker(name: str) -> Worker:
    """Return what parses with a model, by a beam of another width if the name asks for one."""
    path, _, beam = name.partition("@")
    parser = Parser.load(path)
    transitions = parser.model.transitions
    if beam and transitions is not None:
        settings = replace(transitions.settings, beam=int(beam))
        parser = Parser(replace(parser.model, transitions=replace(transitions, settings=settings)))
    return Worker(Task(path, options={"threads": 1}), parser)


if __name__ == "__main__":
    main()
