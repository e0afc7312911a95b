"""Time from nothing to the first tree of a text: import, load, parse, each time in a new process.

    python benchmarks/startup.py [MODEL]

A first run, which is not counted, compiles kernels and writes Python's bytecode. CPU seconds, the median of five runs;
also of the whole command ``headway parse`` for one short text.
"""

import json
import os
import statistics
import subprocess
import sys

RUN = """
import json, sys, time
import headway
imported = time.process_time()
nlp = headway.load(sys.argv[1])
loaded = time.process_time()
nlp("Dogs bark.")
print(json.dumps([imported, loaded - imported, time.process_time() - loaded]))
"""


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> None:
    model = sys.argv[1] if len(sys.argv) > 1 else "en"
    command = [sys.executable, "-c", RUN, model]
    runs = [json.loads(subprocess.check_output(command, env=ENVIRONMENT)) for _ in range(6)][1:]
    for name, seconds in zip(("import", "load", "first text"), zip(*runs, strict=True), strict=True):
        print(f"{name}: {statistics.median(seconds):.2f} s")
    print(f"all: {statistics.median(map(sum, runs)):.2f} s")
    print(f"headway parse: {statistics.median(_command(model) for _ in range(5)):.2f} s")


def _command(model: str) -> float:
    before = os.times()
    command = [sys.executable, "-m", "headway.cli.main", "parse", "--text", "--quiet", "--model", model]
    subprocess.run(command, input=b"Dogs bark.\n", stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
