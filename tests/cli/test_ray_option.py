"""``headway parse --ray`` where there is no Ray."""

import sys


def test_without_ray_it_says_what_to_install(run, model, treebank, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    result = run("parse", treebank, "-m", model, "--ray", "auto", "-o", tmp_path / "out.conllu", "-q")
    assert result.exit_code == 2
    assert "pip install 'headway[ray]'" in result.stderr
    assert not (tmp_path / "out.conllu").exists()
