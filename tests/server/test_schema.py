"""Requests made up from the server's own description of its interface: none makes it fail.

``HEADWAY_SCHEMA_CASES`` says how many for each operation; docs/results/server.md tells of more.
"""

import os
import re
import subprocess
import sys

import pytest

CASES = os.environ.get("HEADWAY_SCHEMA_CASES", "20")


def test_no_request_makes_the_server_fail(server, tmp_path):
    pytest.importorskip("schemathesis", reason="needs schemathesis: pip install 'headway[dev]'")
    answered = server.metric("headway_requests_total")
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{server.address}/openapi.json", "--max-examples", CASES,
        "--checks", "not_a_server_error", "--phases", "examples,coverage,fuzzing", "--seed", "1", "--warnings", "off",
        "--generation-database", "none", "--suppress-health-check", "all", "--request-timeout", "120", "--no-color",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # it writes a cache
    assert done.returncode == 0, done.stdout + done.stderr
    answered = server.metric("headway_requests_total") - answered
    print(f"{answered:.0f} requests")
    assert answered >= 5 * int(CASES)
    statuses = re.findall(r'^headway_requests_total\{.*status="(\d+)"', server.ask("/metrics").text, re.MULTILINE)
    assert "500" not in statuses
    assert server.ask("/ready").status == 200
