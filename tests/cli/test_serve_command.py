"""``headway serve`` where it cannot run."""

import socket
import subprocess
import sys

import pytest


def test_without_its_packages_it_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "headway.server.serve", raising=False)
    result = run("serve")
    assert result.exit_code == 2
    assert "pip install 'headway[server]'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_port_that_is_taken(run, model):
    pytest.importorskip("uvicorn", reason="needs the server's packages: pip install 'headway[server]'")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = run("serve", "-m", model, "--port", taken.getsockname()[1])
    assert result.exit_code == 2
    assert "cannot listen" in result.stderr


def test_two_models_of_one_name(run, model):
    pytest.importorskip("uvicorn", reason="needs the server's packages: pip install 'headway[server]'")
    result = run("serve", "-m", model, "-m", model)
    assert result.exit_code == 2
    assert "two models are called small" in result.stderr


def test_parsing_imports_nothing_of_the_server():
    code = "import sys, headway.cli.app, headway.bulk; print([name for name in sys.modules if 'server' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in eval(done.stdout) if name.startswith(("headway", "fastapi", "uvicorn"))] == []
