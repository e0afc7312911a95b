"""A server in a process of its own, on a free port, and requests to it."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Running:
    """A server that listens."""

    process: "subprocess.Popen[str]"
    address: str = ""
    log: list[str] = field(default_factory=list)

    def ask(
        self, path: str, body: bytes | None = None, *, kind: str | None = None, method: str | None = None, **headers
    ):
        if kind:
            headers["Content-Type"] = kind
        request = urllib.request.Request(self.address + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return Answer(
                    answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()
                )
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, {name.lower(): value for name, value in error.headers.items()}, error.read())

    def post_json(self, path: str, **body) -> Answer:
        return self.ask(path, json.dumps(body).encode(), kind="application/json")

    @property
    def host(self) -> tuple[str, int]:
        name, port = self.address.removeprefix("http://").split(":")
        return name, int(port)

    def metric(self, name: str) -> float:
        lines = self.ask("/metrics").text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if re.match(rf"{name}[ {{]", line))

    def entries(self) -> list[dict]:
        return [json.loads(line) for line in self.log if line.startswith("{")]


def children(process_id: int) -> list[int]:
    """The worker processes of a server."""
    with open(f"/proc/{process_id}/task/{process_id}/children") as file:
        found = [int(child) for child in file.read().split()]
    for thread in os.listdir(f"/proc/{process_id}/task"):
        with open(f"/proc/{process_id}/task/{thread}/children") as file:
            found += [int(child) for child in file.read().split()]
    return [child for child in set(found) if b"spawn_main" in open(f"/proc/{child}/cmdline", "rb").read()]


@contextmanager
def serving(*options: object) -> Iterator[Running]:
    """Start a server, wait until it is ready, and end it in the end."""
    command = [sys.executable, "-m", "headway.cli.main", "serve", "--port", "0", *map(str, options)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    server = Running(process)
    listens = threading.Event()

    def read() -> None:
        for line in process.stderr:
            server.log.append(line)
            if found := re.match(r"listening on (\S+)", line):
                server.address = found[1]
                listens.set()
        listens.set()

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        assert listens.wait(300), "the server does not listen"
        assert server.address, "".join(server.log)
        for _ in range(1200):
            if server.ask("/ready").status == 200:
                break
            time.sleep(0.25)
        else:
            raise AssertionError("no worker is ready")
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        thread.join(10)
        process.stderr.close()
