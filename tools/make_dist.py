"""Build sdist and wheel, install the wheel in clean environments, and try it: ``make dist``.

    python tools/make_dist.py [--to dist]

The wheel is built from the sdist, so that missing files are noticed. It is tried twice: without extras, where
``headway serve`` must say what to install, and with ``headway[server]``, where it must answer requests.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = "Dogs bark at the pilot."


def main() -> None:
    """Build the packages and try them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "dist", metavar="FOLDER", help="folder for the files")
    folder = parser.parse_args().to
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    [wheel] = folder.glob("headway-*-py3-none-any.whl")
    with tempfile.TemporaryDirectory() as place:
        plain = install(Path(place) / "plain", str(wheel))
        trees = parse(plain)
        assert re.search(r"\t0\troot\t", trees), trees
        refused = subprocess.run([plain / "headway", "serve"], capture_output=True, text=True, check=False)
        assert refused.returncode == 2, refused.stderr
        assert "pip install 'headway[server]'" in refused.stderr, refused.stderr
        assert answer(install(Path(place) / "served", f"{wheel}[server]")).endswith(trees)
    for path in sorted(folder.glob("headway-*")):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def run(*command: object) -> None:
    """Run a command; stop if it fails."""
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def install(place: Path, wheel: str) -> Path:
    """Make an environment with nothing but the wheel; return its folder of commands."""
    run(sys.executable, "-m", "venv", place)
    run(place / "bin" / "python", "-m", "pip", "install", "--quiet", wheel)
    return place / "bin"


def clean_environment() -> dict[str, str]:
    """Return the environment variables without paths to other packages."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def parse(commands: Path) -> str:
    """Return the trees of a text."""
    command = [commands / "headway", "parse", "--text", "--quiet"]
    done = subprocess.run(command, input=TEXT, stdout=subprocess.PIPE, text=True, check=True, env=clean_environment())
    return done.stdout


def answer(commands: Path) -> str:
    """Return the trees of a text from a server, and its page with them."""
    with subprocess.Popen(
        [commands / "headway", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True, env=clean_environment()
    ) as server:
        try:
            assert server.stderr is not None
            address = next(found[1] for line in server.stderr if (found := re.match(r"listening on (\S+)", line)))
            for _ in range(240):
                try:
                    with urllib.request.urlopen(f"{address}/ready"):
                        break
                except OSError:
                    time.sleep(0.5)
            with urllib.request.urlopen(f"{address}/") as page:
                assert b"/page/explorer.js" in page.read()
            with urllib.request.urlopen(f"{address}/page/explorer.js") as script:
                assert script.status == 200
            body = json.dumps({"text": TEXT, "to": "conllu"})
            with urllib.request.urlopen(f"{address}/v1/parse", body.encode()) as told:
                return str(json.loads(told.read())["conllu"])
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
