"""One server for all tests of the room, with a small model trained here."""

from pathlib import Path

import pytest
import small_corpus
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
