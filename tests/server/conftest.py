"""One server for all tests of the room, with a small model trained here."""

from pathlib import Path

import pytest
import small_corpus
from browsing import browsing
from explorer_page import Page
from running import serving

from headway import presets
from headway.annotator import Annotator
from headway.learning import TrainingOptions


@pytest.fixture(scope="session")
def small_model(tmp_path_factory) -> Path:
    """A model that reads text, trained on a few sentences."""
    path = tmp_path_factory.mktemp("served") / "small-sample-1.headway"
    trees = small_corpus.sample(75)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "small", small_corpus.SMALL)
        model = Annotator.train(
            trees[:60], dev=trees[60:], preset="small", options=TrainingOptions(epochs=2), crossed=2,
            about="a <b>sample</b> & more",
        )  # fmt: skip
    model.with_facts(licence="CC BY 4.0").save(path)
    return path


@pytest.fixture(scope="session")
def server(small_model):
    """A server with one worker, small limits and two names for one model."""
    pytest.importorskip("fastapi", reason="needs the server's packages: pip install 'headway[server]'")
    pytest.importorskip("uvicorn", reason="needs the server's packages: pip install 'headway[server]'")
    pytest.importorskip("python_multipart", reason="needs the server's packages: pip install 'headway[server]'")
    with serving(
        "-m", small_model, "-m", f"other-<i>one</i>={small_model}", "--max-body", 1, "--max-words", 20_000,
        "--max-sentence", 200, "--max-seconds", 10,
    ) as running:  # fmt: skip
        yield running


@pytest.fixture(scope="session")
def parser_server(small_model, tmp_path_factory):
    """A server of a parser without tokenizer and tagger."""
    pytest.importorskip("fastapi", reason="needs the server's packages: pip install 'headway[server]'")
    pytest.importorskip("uvicorn", reason="needs the server's packages: pip install 'headway[server]'")
    pytest.importorskip("python_multipart", reason="needs the server's packages: pip install 'headway[server]'")
    path = tmp_path_factory.mktemp("served") / "parser.headway"
    Annotator.load(small_model).parser.save(path)
    with serving("-m", path, "--max-body", 1, "--max-words", 20_000, "--max-sentence", 200) as running:
        yield running


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def browser(folder):
    pytest.importorskip("selenium", reason="needs selenium: pip install 'headway[dev]'")
    with browsing(folder, size=(1100, 900)) as driver:
        driver.set_script_timeout(60)
        yield driver


@pytest.fixture
def page(browser, server):
    return Page(browser, server.address)
