"""From raw text to CoNLL-U: words a second, start-up, memory and LAS of several models, in one run.

    python benchmarks/text_speed.py en en-accurate [--treebank UD_English-EWT] [--rounds 3] [--sentences 0]

Models are names or files. The text is that of the dev set, in documents and paragraphs as the treebank has them. Each
round starts a new process for each model in turn; CPU seconds on one thread, medians. The first round is not counted:
it compiles kernels. Start-up is import, loading and a first sentence. Memory is the largest resident set.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))

RUN = """
import json, resource, sys, time
import headway
from headway.corpus import read_sentences
nlp = headway.load(sys.argv[1])
nlp("Dogs bark.")
started = time.process_time()
gold = list(read_sentences(sys.argv[2]))[: int(sys.argv[3]) or None]
texts = []
for sentence in gold:
    if not texts or any(name in sentence.metadata for name in ("newdoc", "newdoc id", "newpar", "newpar id")):
        texts.append([])
    texts[-1].append(sentence.metadata["text"])
text = "\\n\\n".join(" ".join(some) for some in texts)
began = time.process_time()
doc = nlp(text)
written = doc.to_conllu()
seconds = time.process_time() - began
print(json.dumps([
    len(doc) / seconds, started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
]))
"""
SCORE = """
import json, sys
import headway
from headway.corpus import read_sentences
scores = headway.load(sys.argv[1]).evaluate(list(read_sentences(sys.argv[2]))[: int(sys.argv[3]) or None])
print(json.dumps([scores[name].f1 for name in ("UPOS", "UAS", "LAS")]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--treebank", default="UD_English-EWT")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=0, help="the first so many of the dev set; 0 for all")
    options = parser.parse_args()
    rest = [str(TREEBANKS / options.treebank / "dev.conllu.xz"), str(options.sentences)]
    found: dict[str, list[list[float]]] = {model: [] for model in options.models}
    for _ in range(options.rounds + 1):
        for model, rounds in found.items():
            rounds.append(_run(RUN, model, rest))
    print("| model | words/s | start-up, s | MB | UPOS | UAS | LAS |\n" + "| --- " * 7 + "|")
    for model, rounds in found.items():
        speed, start, memory = (statistics.median(values) for values in zip(*rounds[1:], strict=True))
        scores = " | ".join(f"{score:.2f}" for score in _run(SCORE, model, rest))
        print(f"| {Path(model).name} | {speed:,.0f} | {start:.2f} | {memory:.0f} | {scores} |", flush=True)


def _run(code: str, model: str, rest: list[str]) -> list[float]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"OPENBLAS_NUM_THREADS": "1"}
    answer: list[float] = json.loads(
        subprocess.check_output([sys.executable, "-c", code, model, *rest], env=environment)
    )
    return answer


if __name__ == "__main__":
    main()
