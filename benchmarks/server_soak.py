"""Memory of ``headway serve`` under a mixed load for a long time.

    python benchmarks/server_soak.py --minutes 30 --rate 4

Sentences, texts, tables, k-best lists, step-by-step searches, requests that are wrong and clients that go away, in
random order, with words made up anew so that whatever is kept for each word shows. Each minute the memory of the
server's process and of its workers is read: PSS, where pages that processes share are divided among them.
"""

import argparse
import http.client
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, urlencode

from server_load import metric, port_of, processes

WORDS = ("the", "a", "of", "in", "and", "saw", "was", "who", "old", "near", "dog", "report", "surprised", "read", "to")


def sentence(chance: random.Random, length: int = 20) -> list[str]:
    """Words, about half of them new to everybody."""
    made = ["".join(chance.choices("abcdefghijklmnoprstuvwy", k=chance.randint(3, 10))) for _ in range(length)]
    return [*(chance.choice((*WORDS, *made)) for _ in range(length - 1)), "."]


def table(words: list[str]) -> str:
    """One sentence in CoNLL-U."""
    return "".join(f"{place}\t{word}" + "\t_" * 8 + "\n" for place, word in enumerate(words, start=1)) + "\n"


def request(chance: random.Random) -> tuple[str, str, bytes]:
    """Return the kind of a request, its path and its body."""
    words = sentence(chance, chance.randint(4, 40))
    text = " ".join(words)
    long = "\n\n".join(" ".join(sentence(chance)) for _ in range(chance.randint(5, 60)))
    steps = chance.choice(("", "climb", "dual"))
    made: tuple[tuple[str, str, object], ...] = (
        ("sentence", "/v1/parse", {"text": text, "confidence": chance.random() < 0.5}),
        ("k best", "/v1/parse", {"tokens": [words], "k_best": 5}),
        ("text", "/process", {"data": long, "tokenizer": "", "tagger": "", "parser": ""}),
        ("table", "/process", {"data": table(words), "parser": ""}),
        ("picture", "/process", {"data": text, "tokenizer": "", "tagger": "", "parser": "", "output": "svg"}),
        ("explore", "/v1/explore", {"conllu": table(words), "k_best": 3, "steps": steps}),
        ("wrong", "/v1/parse", {"conllu": text}),
        ("wrong", "/process", {"model": text, "data": text}),
        ("left", "/v1/parse", {"text": long}),
    )
    kind, path, given = chance.choices(made, (10, 1, 2, 2, 1, 2, 1, 1, 1))[0]
    return kind, path, urlencode(given, quote_via=quote).encode() if path == "/process" else json.dumps(given).encode()


def send(host: str, made: tuple[str, str, bytes]) -> tuple[str, int]:
    """Send a request; its kind and the status of the answer."""
    kind, path, body = made
    connection = http.client.HTTPConnection(host, timeout=120)
    try:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if path == "/process" else {}
        connection.request("POST", path, body, headers)
        if kind == "left":
            return kind, 0
        answer = connection.getresponse()
        answer.read()
        return kind, answer.status
    finally:
        connection.close()


def memory(process: int) -> float:
    """The proportional set size of a process, in MB."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)[1]) / 1024


def measured(
    server: int, host: str, given: argparse.Namespace, answers: "Counter[tuple[str, int]]"
) -> Iterator[tuple[int, list[float]]]:
    """Yield the minute and the memory of each process, and count the answers."""
    chance, begun = random.Random(given.seed), time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        pending = []
        for minute in range(given.minutes + 1):
            yield minute, [memory(one) for one in processes(server)]
            while time.monotonic() < begun + 60 * (minute + 1) and minute < given.minutes:
                pending.append(pool.submit(send, host, request(chance)))
                time.sleep(chance.expovariate(given.rate))
            answers.update(one.result() for one in pending)
            pending.clear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--rate", type=float, default=4.0, help="requests a second")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    command = [sys.executable, "-m", "headway.cli.main", "serve", "--port", "0", "-m", given.model, "-q"]
    with subprocess.Popen([*command, "-w", str(given.workers)]) as server:
        try:
            host = f"127.0.0.1:{port_of(server.pid)}"
            while metric(f"http://{host}", "headway_workers_ready") < given.workers:
                time.sleep(0.2)
            print("minute  server  workers (PSS, MB)")
            answers = Counter[tuple[str, int]]()
            for minute, (first, *others) in measured(server.pid, host, given, answers):
                print(f"{minute:6}  {first:6.1f}  {'  '.join(f'{other:6.1f}' for other in sorted(others))}", flush=True)
            print(", ".join(f"{count} {kind} {status}" for (kind, status), count in sorted(answers.items())))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
