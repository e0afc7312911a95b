"""Time and memory for a sentence of 100,000 words, as a table and as text: alone, and between others with confidences.

    python benchmarks/long_sentences.py

Runs ``headway parse`` in a process of its own for each case, and checks that no word is lost and that every sentence
has a tree. The words are those of the sample treebank, one sentence after the other, without punctuation, so that
nothing says where to cut; every tenth is a word that no model has seen. With ``--shuffled`` they are in random order:
nothing that anybody wrote, and hill climbing takes longer to find a tree. Models are ``en``, and `fast` and `full`
after two epochs on the sample treebank. Before that, a few words are parsed, uncounted, which compiles kernels.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from headway.corpus import Sentence, format_sentence, is_tree, read_sentences

TREEBANK = Path(__file__).resolve().parent.parent / "examples" / "sample-train.conllu"
HEADWAY = (sys.executable, "-m", "headway.cli.main")
LAUNCH = """
import json, os, sys, time
began = time.monotonic()
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(json.dumps([time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024]))
sys.exit(status != 0)
"""
"""A small process that starts another one: the memory of the process that starts it counts for its peak, too."""

MOST_SECONDS, MOST_BYTES = 60.0, 2e9
OTHERS = 3
"""Sentences before the long one, and after it."""


@dataclass(frozen=True)
class Cost:
    """Time and memory of a command."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Case:
    """A file to parse."""

    form: str
    among: str
    path: Path
    sentences: int | None


def main() -> None:
    """Print a table, and exit with 1 if a bound is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000, help="of the long sentence")
    parser.add_argument("--model", action="append", choices=("en", "fast", "full"), help="may be given several times")
    parser.add_argument("--input", choices=("table", "text"), help="only this one")
    parser.add_argument("--shuffled", action="store_true", help="words in random order")
    options = parser.parse_args()
    print(
        "| model | input | the sentence is | options | sentences | longest | seconds | CPU seconds | peak memory, MB |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    kept = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large = (_cases(folder, words, shuffled=options.shuffled) for words in (500, options.words))
        for preset in options.model or ("en", "fast", "full"):
            model = preset if preset == "en" else _train(folder, preset)
            for first, case in zip(small, large, strict=True):
                if options.input not in (None, case.form) or (case.form == "text" and preset != "en"):
                    continue  # `fast` and `full` read tables
                switches = () if case.among == "alone" else ("--confidence",)
                _parse(first, model, switches)
                cost, lengths = _parse(case, model, switches)
                kept &= cost.seconds <= MOST_SECONDS and cost.peak_bytes <= MOST_BYTES
                cells = (
                    preset, case.form, case.among, " ".join(switches), f"{len(lengths):,}", f"{max(lengths):,}",
                    f"{cost.seconds:.1f}", f"{cost.cpu_seconds:.1f}", f"{cost.peak_bytes / 1e6:,.0f}",
                )  # fmt: skip
                print(f"| {' | '.join(cells)} |", flush=True)
    sys.exit(not kept)


def _cases(folder: Path, length: int, *, shuffled: bool) -> list[Case]:
    """The long sentence as a table and as text, alone and among others."""
    long, *others = (
        _sentence(words, Random(seed), shuffled=shuffled) for seed, words in enumerate([length] + [8] * 2 * OTHERS)
    )
    cases = []
    for among, some in (("alone", [long]), ("among others", [*others[:OTHERS], long, *others[OTHERS:]])):
        table, text = (folder / f"{len(some)}-{length}.{end}" for end in ("conllu", "txt"))
        table.write_text("".join(map(format_sentence, some)), encoding="utf-8")
        text.write_text("\n\n".join(" ".join(sentence.forms) for sentence in some), encoding="utf-8")
        cases.append(Case("table", among, table, len(some)))
        cases.append(Case("text", among, text, None))
    return sorted(cases, key=lambda case: case.form)


def _sentence(length: int, random: Random, *, shuffled: bool) -> Sentence:
    words = [
        (form, tag)
        for sentence in read_sentences(TREEBANK)
        for form, tag in zip(sentence.forms, sentence.upos, strict=True)
        if form.isalpha()
    ]
    start = random.randrange(len(words))
    order = (random.randrange(len(words)) if shuffled else (start + place) % len(words) for place in range(length))
    drawn = [_unseen(random) if random.random() < 0.1 else words[place] for place in order]
    return Sentence.from_words([form for form, _ in drawn], upos=[tag for _, tag in drawn])


def _unseen(random: Random) -> tuple[str, str]:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=9)), "NOUN"


def _train(folder: Path, preset: str) -> str:
    path = str(folder / f"{preset}.headway")
    _run("train", str(TREEBANK), "--preset", preset, "--epochs", "2", "--quiet", "-o", path)
    return path


def _parse(case: Case, model: str, switches: Sequence[str]) -> tuple[Cost, list[int]]:
    """Parse, check that all words are there and all trees are trees, and return the lengths of the sentences."""
    output = case.path.with_name("parsed.conllu")
    cost = _run("parse", str(case.path), "--model", model, *switches, "-o", str(output))
    parsed = list(read_sentences(output))
    assert all(is_tree(sentence.heads) for sentence in parsed), "a tree that is none"
    assert case.sentences in (None, len(parsed)), f"{len(parsed)} sentences instead of {case.sentences}"
    if case.form == "table":
        assert _forms(parsed) == _forms(read_sentences(case.path)), "words are lost"
    else:  # the model may split words otherwise than at spaces, but every letter must be there
        assert "".join(_forms(parsed)) == "".join(case.path.read_text(encoding="utf-8").split()), "letters are lost"
    return cost, list(map(len, parsed))


def _forms(sentences: Iterable[Sentence]) -> list[str]:
    """The tokens as they are written: words, and multiword tokens instead of their words."""
    return list(_tokens(sentences))


def _tokens(sentences: Iterable[Sentence]) -> Iterator[str]:
    for sentence in sentences:
        last = 0
        for number, form, *_ in sentence.rows:
            first, _, end = number.partition("-")
            if end:
                last = int(end)
            if end or ("." not in first and int(first) > last):
                yield form


def _run(*arguments: str) -> Cost:
    """Run Headway in a process of its own, and return what it took."""
    done = subprocess.run([sys.executable, "-c", LAUNCH, *HEADWAY, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"headway {' '.join(arguments)}: {done.stderr}")
    return Cost(*json.loads(done.stdout))


if __name__ == "__main__":
    main()
