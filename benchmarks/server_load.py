"""Words a second and latency of ``headway serve`` on loopback, beside ``headway parse --jobs``.

    python benchmarks/server_load.py TEXT --model en --workers 2 --seconds 20

The same text is parsed by the command, then sent to a server in parts, by as many clients as twice its workers; then
single sentences at half of the command's words a second, and at half of the server's, sent at fixed times whether or
not earlier ones have been answered; how long they take is counted from these times. Ratios count: both run on the same
machine, one after the other. Where other work keeps that machine busy, CPU seconds count: those of the command are all
it takes, reading the model included.
"""

import argparse
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PART = 20_000
SENTENCE = "The old man who lived near the harbour saw a small dog with a broken telescope in the garden yesterday."


def post(address: str, text: str, started: float | None = None) -> tuple[float, int]:
    """Parse a text; seconds, by default from now, and words."""
    body = json.dumps({"text": text, "to": "conllu"}).encode()
    started = time.perf_counter() if started is None else started
    with urllib.request.urlopen(f"{address}/v1/parse", body) as answer:
        words = json.loads(answer.read())["words"]
    return time.perf_counter() - started, words


def parts(text: str) -> list[str]:
    """The text in parts of some thousand words, cut between paragraphs."""
    found, current = [], ""
    for paragraph in text.split("\n\n"):
        current += paragraph + "\n\n"
        if len(current) >= PART:
            found, current = [*found, current], ""
    return [*found, current] if current.strip() else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--model", default="en")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20.0, help="of single sentences, at each load")
    given = parser.parse_args()
    command = [sys.executable, "-m", "headway.cli.main"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, "parse", str(given.text), "--text", "-m", given.model, "-j", str(given.workers), "-o", "/dev/null"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rate = float(re.search(r"([\d,]+) words a second", done.stderr)[1].replace(",", ""))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"headway parse --jobs {given.workers}: {rate:,.0f} words a second, {used:.1f} CPU seconds")
    with subprocess.Popen(
        [*command, "serve", "--port", "0", "-m", given.model, "-w", str(given.workers), "-q"],
        stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        try:
            measure(server, given, rate, used)
        finally:
            server.terminate()


def measure(server: "subprocess.Popen[str]", given: argparse.Namespace, rate: float, used: float) -> None:
    address = "http://127.0.0.1:" + port_of(server.pid)
    while metric(address, "headway_workers_ready") < given.workers:
        time.sleep(0.2)
    texts = parts(given.text.read_text(encoding="utf-8"))
    with concurrent.futures.ThreadPoolExecutor(2 * given.workers) as pool:
        list(pool.map(lambda text: post(address, text), [SENTENCE] * 8))
        before, started = cpu_seconds(server.pid), time.perf_counter()
        words = sum(count for _, count in pool.map(lambda text: post(address, text), texts))
        served, spent = words / (time.perf_counter() - started), cpu_seconds(server.pid) - before
        print(f"headway serve --workers {given.workers}: {served:,.0f} words a second, {served / rate:.0%}", end="")
        print(f"; {words:,} words in {spent:.1f} CPU seconds, {used / spent:.0%} of the command's words a CPU second")
    for whose, load in (("the command's", rate), ("the server's", served)):
        send_singly(server.pid, address, load / 2, given.seconds, f"half of {whose} words a second")


def send_singly(server: int, address: str, rate: float, seconds: float, name: str) -> None:
    """Send single sentences, so many words a second, and print how long their answers take."""
    gap = 21 / rate  # the sentence has 20 words and a full stop
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        due, answers, before = time.perf_counter(), [], cpu_seconds(server)
        end = due + seconds
        while due < end:
            time.sleep(max(0.0, due - time.perf_counter()))
            answers.append(pool.submit(post, address, SENTENCE, due))
            due += gap
        delays = sorted(answer.result()[0] for answer in answers)
    median, late = delays[len(delays) // 2], delays[int(len(delays) * 0.99)]
    print(f"{name}: {len(delays)} single sentences, median {1000 * median:.0f} ms, p99 {1000 * late:.0f} ms", end="")
    print(f", {1000 * (cpu_seconds(server) - before) / len(delays):.1f} ms of CPU time each")


def processes(server: int) -> list[int]:
    """The server and its workers."""
    found = [server]
    for thread in Path(f"/proc/{server}/task").iterdir():
        found += map(int, (thread / "children").read_text().split())
    return [one for one in found if one == server or b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def cpu_seconds(server: int) -> float:
    """The CPU time that the server and its workers have used."""
    fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in processes(server)]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def metric(address: str, name: str) -> float:
    try:
        with urllib.request.urlopen(f"{address}/metrics") as answer:
            found = re.search(rf"^{name} (\S+)", answer.read().decode(), re.MULTILINE)
            return float(found[1]) if found else 0.0
    except OSError:
        return 0.0


def port_of(process_id: int) -> str:
    """The port that a process listens on."""
    while True:
        with open("/proc/net/tcp") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        sockets = {f"socket:[{row[9]}]": str(int(row[1].partition(":")[2], 16)) for row in rows if row[3] == "0A"}
        for link in Path(f"/proc/{process_id}/fd").iterdir():
            try:
                if (name := str(link.readlink())) in sockets:
                    return sockets[name]
            except OSError:
                continue
        time.sleep(0.2)


if __name__ == "__main__":
    main()
