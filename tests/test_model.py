from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_corpus

from headway.errors import ModelError
from headway.learning import TrainingOptions
from headway.learning.recipe import train_model
from headway.model import TrainedModel
from headway.model_file import read_model_file, text_tensor, write_model_file
from headway.progress import Progress


@pytest.fixture(scope="module")
def model() -> TrainedModel:
    options = TrainingOptions(epochs=1)
    sentences = small_corpus.sample(8)
    return train_model(sentences, None, preset=small_corpus.SMALL, options=options, progress=Progress())


def test_a_model_saved_and_loaded_is_the_same(model: TrainedModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = TrainedModel.load(tmp_path / "model")
    assert again.settings == model.settings
    assert again.facts == model.facts
    assert again.labels == model.labels
    assert again.encoder.to_json() == model.encoder.to_json()
    np.testing.assert_array_equal(again.namer.possible, model.namer.possible)
    for one, other in [(again.linear.arcs, model.linear.arcs), (again.namer, model.namer)]:
        np.testing.assert_array_equal(one.rows.values, other.rows.values)
        np.testing.assert_array_equal(one.rows.directory, other.rows.directory)
        assert one.rows.scale == other.rows.scale
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def changed(tensors: dict[str, Any], name: str) -> dict[str, Any]:
    """Tensors of which one does not fit the others."""
    if name.startswith("without "):
        return {key: array for key, array in tensors.items() if key != name.removeprefix("without ")}
    directory = tensors["arc_directory"].copy()
    directory[-1, 1] += 1000
    wrong = {
        "narrow rows": {"arc_values": tensors["arc_values"][:, :5]},
        "flat rows": {"arc_values": tensors["arc_values"].reshape(-1)},
        "too few rows": {"arc_values": tensors["arc_values"][:-1]},
        "rows of doubles": {"arc_values": tensors["arc_values"].astype(np.float64)},
        "a directory out of bounds": {"arc_directory": directory},
        "no power of two": {"arc_directory": tensors["arc_directory"][:-1]},
        "a directory of other things": {"label_directory": tensors["label_directory"].astype(np.float64)},
        "other labels": {"labels": text_tensor(["a", "b"])},
        "labels that are none": {"labels": text_tensor(3)},
        "few label columns": {"label_values": tensors["label_values"][:, :2]},
        "few possible labels": {"label_possible": tensors["label_possible"][:, :2]},
        "no scale": {"arc_scale": np.empty(0)},
        "no settings": {"settings": text_tensor([])},
        "a strange template": {
            "settings": text_tensor({"arc_templates": "h.nose", "label_templates": "", "projective": True})
        },
        "no vocabularies": {"encoder": text_tensor({"morph_attributes": [], "vocabularies": []})},
        "no JSON": {"encoder": np.zeros(5, dtype=np.uint8)},
    }
    return {**tensors, **wrong[name]}


@pytest.mark.parametrize(
    "name",
    [
        *(f"without {tensor}" for tensor in ("encoder", "settings", "labels", "arc_values", "label_directory")),
        "narrow rows", "flat rows", "too few rows", "rows of doubles", "a directory out of bounds", "no power of two",
        "a directory of other things", "other labels", "labels that are none", "few label columns",
        "few possible labels", "no scale", "no settings", "a strange template", "no vocabularies", "no JSON",
    ],
)  # fmt: skip
def test_a_model_that_does_not_fit_together(name: str, model: TrainedModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    tensors, about = read_model_file(tmp_path / "model")
    write_model_file(tmp_path / "wrong", changed(tensors, name), about)
    with pytest.raises(ModelError):
        TrainedModel.load(tmp_path / "wrong")


def test_a_headway_file_that_is_no_model(tmp_path: Path) -> None:
    write_model_file(tmp_path / "other", {"values": np.zeros(3)}, {"epoch": 3})
    with pytest.raises(ModelError, match="do not fit together"):
        TrainedModel.load(tmp_path / "other")
