"""Build a wheel for this platform with compiled kernels for the usual commands: ``make wheel``.

    python tools/build_wheel.py [--to dist]

Runs every task of `headway.warmup` in processes that compile for a CPU level (x86-64-v3; on ARM the baseline of 64-bit
processors) instead of for this machine, into ``headway/compiled``; then the wheel is built, and the folder removed, so
that a checkout compiles for its own machine. A plain ``pip wheel .`` builds a wheel without kernels, for any platform.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from headway.cli.progress import reporting
from headway.errors import UsageError
from headway.kernel.levels import platform_level
from headway.kernel.store import SHIPPED
from headway.warmup import TASKS, warm_up

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Compile, build, clean up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "dist", metavar="FOLDER", help="folder for the wheel")
    folder = parser.parse_args().to
    level = platform_level()
    if level is None:
        raise UsageError("no level of CPU is known for this platform: build a pure wheel with pip wheel .")
    compile_kernels(level)
    try:
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(folder), str(ROOT)]
        subprocess.run(command, check=True)
    finally:
        shutil.rmtree(SHIPPED)
    for wheel in sorted(folder.glob("headway-*.whl")):
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


def compile_kernels(level: str) -> None:
    """Run every task, with its kernels stored in the package, for processors of that level."""
    shutil.rmtree(SHIPPED, ignore_errors=True)
    (SHIPPED / level).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as empty, reporting() as progress:
        os.environ |= {
            "HEADWAY_BUILD_LEVEL": level,
            "HEADWAY_CACHE": empty,  # so that no kernels compiled for this machine are used
            "NUMBA_CPU_NAME": level,
            "NUMBA_CPU_FEATURES": "",
        }
        warm_up(list(TASKS), progress)


if __name__ == "__main__":
    main()
