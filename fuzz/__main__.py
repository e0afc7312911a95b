"""``python -m fuzz``: try inputs for some time, print the figures, and keep the findings; see `fuzz`."""

import argparse
import os
import sys
from pathlib import Path

from fuzz.corpus_files import CORPUS
from fuzz.driver import Plan, run, table, write_json

NAMES = ("readers", "text", "constraints", "models")


def main() -> int:
    """Run the command; the exit code is 1 if there were findings."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Try generated inputs on Headway.")
    parser.add_argument("--kind", action="append", choices=NAMES, help="only this kind; may be repeated")
    parser.add_argument("--minutes", type=float, default=5.0, help="run for at least this many minutes")
    parser.add_argument("--inputs", type=int, default=1000, help="try at least this many inputs of each kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--checked", type=int, default=1, help="processes that check the bounds of arrays")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which an input counts as hanging")
    parser.add_argument("--findings", type=Path, default=CORPUS, help="a folder for inputs with findings")
    parser.add_argument("--grow", type=int, default=10, help="inputs of each kind to add to the corpus")
    parser.add_argument("--output", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    plan = Plan(
        options.kind or NAMES, options.minutes, options.inputs, options.jobs, min(options.checked, options.jobs),
        options.seed, options.limit, options.findings, options.grow,
    )  # fmt: skip
    result = run(plan)
    print(f"\n{table(result)}\n{result['minutes']} minutes, {plan.jobs} processes")
    if options.output:
        write_json(result, options.output)
    return 1 if any(found["findings"] for found in result["kinds"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
