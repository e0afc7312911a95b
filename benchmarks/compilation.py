"""The cost of compiling: CPU seconds by unit, from an empty cache to the first tree of a text.

    python benchmarks/compilation.py [TASK ...]

A task is one of `headway.warmup.TASKS`; without any, `headway.load("en")` reads a sentence, without confidences. Also
told: the CPU and wall seconds of ``headway warmup``, which compiles in parallel, for an empty cache. Machines
differ: beside it stands how long the same machine takes for a fixed piece of work for Numba.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

RUN = """
import json, sys, time
import numba
from numba.core import event

calibration = time.process_time()
@numba.njit
def fixed(values):
    return sorted(values)[0] + values.sum()
import numpy as np
fixed(np.arange(3.0))
calibration = time.process_time() - calibration

from headway.kernel import units
units_seconds, stack, functions = {}, [], 0

class Listener(event.Listener):
    def on_start(self, event):
        global functions
        functions += 1
    def on_end(self, event):
        pass

def timed(self, function, compile_extra=units._UnitPipeline.compile_extra):
    stack.append(0.0)
    began = time.process_time()
    try:
        return compile_extra(self, function)
    finally:
        spent, inner = time.process_time() - began, stack.pop()
        if stack:
            stack[-1] += spent
        name = f"{function.__module__}.{function.__qualname__}"
        units_seconds[name] = units_seconds.get(name, 0.0) + spent - inner

event.register("numba:compile", Listener())
units._UnitPipeline.compile_extra = timed
from headway import load
from headway.warmup import TASKS
if len(sys.argv) > 1:
    for task in sys.argv[1:]:
        TASKS[task]()
else:
    load("en")("Dogs bark.", confidence=False)
print(json.dumps([calibration, functions, units_seconds]))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HEADWAY_CACHE": folder}
        command = [sys.executable, "-c", RUN, *sys.argv[1:]]
        calibration, functions, units = json.loads(subprocess.check_output(command, env=environment))
    print("| unit | CPU s |\n| --- | --- |")
    for name, seconds in sorted(units.items(), key=lambda item: -item[1]):
        print(f"| {name} | {seconds:.2f} |")
    total = sum(units.values())
    ratio = f"calibration {calibration:.2f} s, ratio {total / calibration:.1f}"
    print(f"\n{total:.1f} CPU s for {functions} functions; {ratio}")
    with tempfile.TemporaryDirectory() as folder:
        began, before = time.monotonic(), os.times()
        command = [sys.executable, "-m", "headway.cli.main", "warmup", "--quiet"]
        subprocess.run(command, check=True, env={**os.environ, "HEADWAY_CACHE": folder})
        after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"headway warmup: {spent:.1f} CPU s, {time.monotonic() - began:.1f} s of wall time")


if __name__ == "__main__":
    main()
