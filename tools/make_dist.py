"""Build sdist and wheel, install the wheel in clean environments, and try it: ``make dist``.

    python tools/make_dist.py [--to dist]

The wheel is built from the sdist, so that missing files are noticed. It is tried three times: without extras, where
``headway serve`` and the model ``en-accurate`` must say what to install; with ``headway[server]``, where the server
must answer requests; and with ``headway[onnx]``, where ``en-accurate`` must parse. Then both files are put into the
folder.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = "Dogs bark at the pilot."
ACCURATE = ("--model", "en-accurate")


def main() -> None:
    """Build the packages and try them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "dist", metavar="FOLDER", help="folder for the files")
    folder = parser.parse_args().to
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        run(sys.executable, "-m", "build", "--outdir", place / "built", ROOT)
        [wheel] = (place / "built").glob("headway-*-py3-none-any.whl")
        plain = install(place / "plain", str(wheel))
        trees = parse(plain)
        assert re.search(r"\t0\troot\t", trees), trees
        check_refusal([plain / "headway", "serve"], "headway[server]")
        check_refusal([plain / "headway", "parse", ROOT / "examples" / "text.txt", *ACCURATE], "headway[onnx]")
        assert answer(install(place / "served", f"{wheel}[server]")).endswith(trees)
        accurate = parse(install(place / "neural", f"{wheel}[onnx]"), *ACCURATE)
        assert re.search(r"\t0\troot\t", accurate), accurate
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted((place / "built").iterdir()):
            shutil.copy(path, folder)
            print(f"{folder / path.name}: {path.stat().st_size / 1e6:.1f} MB")


def run(*command: object) -> None:
    """Run a command; stop if it fails."""
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def install(place: Path, wheel: str) -> Path:
    """Make an environment with nothing but the wheel; return its folder of commands."""
    run(sys.executable, "-m", "venv", place)
    run(place / "bin" / "python", "-m", "pip", "install", "--quiet", wheel)
    return place / "bin"


def check_refusal(command: list[str | Path], extra: str) -> None:
    """Check that a command without the packages of an extra fails, and says what to install."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())
    assert done.returncode in (2, 5), done.stderr
    assert f"pip install '{extra}'" in done.stderr, done.stderr


def clean_environment() -> dict[str, str]:
    """Return the environment variables without paths to other packages."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def parse(commands: Path, *options: str) -> str:
    """Return the trees of a text."""
    command = [commands / "headway", "parse", "--text", "--quiet", *options]
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
