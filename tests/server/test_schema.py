"""Requests made up from the server's own description of its interface: none makes it fail, all answers match it.

``HEADWAY_SCHEMA_CASES`` says how many for each operation; docs/results/server.md tells of more.
"""

import os
import re
import subprocess
import sys

import pytest

CASES = os.environ.get("HEADWAY_SCHEMA_CASES", "20")


def send_requests(server, folder, *options):
    """Send requests to a server, and check the statuses and bodies of its answers."""
    pytest.importorskip("schemathesis", reason="needs schemathesis: pip install 'headway[dev]'")
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{server.address}/openapi.json", "--max-examples", CASES,
        "--checks", "not_a_server_error,response_schema_conformance", "--phases", "examples,coverage,fuzzing",
        "--seed", "1", "--warnings", "off",
        "--generation-database", "none", "--suppress-health-check", "all", "--request-timeout", "120", "--no-color",
        *options,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # it writes a cache
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_request_makes_the_server_fail(server, tmp_path):
    answered = server.metric("headway_requests_total")
    send_requests(server, tmp_path)
    answered = server.metric("headway_requests_total") - answered
    print(f"{answered:.0f} requests")
    assert answered >= 5 * int(CASES)
    statuses = re.findall(r'^headway_requests_total\{.*status="(\d+)"', server.ask("/metrics").text, re.MULTILINE)
    assert "500" not in statuses
    assert server.ask("/ready").status == 200


def test_answers_of_a_parser_without_tagger(parser_server, tmp_path):
    send_requests(parser_server, tmp_path, "--include-path", "/v1/parse")
    [sentence] = parser_server.post_json("/v1/parse", tokens=[["Dogs"]]).json["sentences"]
    assert [sentence["words"][0][name] for name in ("lemma", "upos", "xpos")] == [None, None, None]
    assert 'headway_requests_total{route="/v1/parse",status="200"}' in parser_server.ask("/metrics").text
