"""Forged models with checksums that fit: they work, or are refused in one line; nothing else is raised.

Tests run with bounds checks in all kernels, so an index that a model leads astray is found. A part of all forgeries is
tried; ``HEADWAY_FORGERIES=all`` tries every one.
"""

import os
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_corpus
from forged_models import TEXTS, forgeries, outcome

from headway.annotator import Annotator
from headway.learning import TrainingOptions
from headway.model_file import read_model_file, read_text_tensor, text_tensor, write_model_file
from headway.presets import LowRank
from headway.support import schema

STEP = 1 if os.environ.get("HEADWAY_FORGERIES") == "all" else 23
SENTENCES = small_corpus.sample(40)


@cache
def trained() -> Annotator:
    preset = replace(small_corpus.SMALL, tensor=LowRank(rank=4), reach=True)
    return Annotator.train(
        SENTENCES[:30], dev=SENTENCES[30:], preset=preset, options=TrainingOptions(epochs=1), crossed=2
    )


@pytest.fixture(scope="module")
def tensors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("honest") / "model"
    trained().save(path)
    return read_model_file(path)[0]


def test_forged_models_work_or_are_refused(tensors: dict[str, Any], tmp_path: Path) -> None:
    refused = tried = 0
    for forgery in list(forgeries(tensors, {"calibrated": True}))[::STEP]:
        try:
            told = outcome(forgery, tmp_path / "forged.headway")
        except Exception as error:
            pytest.fail(f"{forgery[0]}: {type(error).__name__}: {error}")
        tried += 1
        if told is not None:
            refused += 1
            assert told.startswith(f"ModelError: {tmp_path / 'forged.headway'}: "), (forgery[0], told)
            assert "\n" not in told
    assert tried > 100
    assert refused > tried / 2


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("styles", [1.5, 0], "styles must be a whole number"),
        ("styles", [4, 7], "styles must be a style of coordination"),
        ("styles", "40", "styles must be a list"),
        ("temperature", 0, "temperature must be from"),
        ("temperature", float("nan"), "temperature must be finite"),
        ("temperature", "warm", "temperature must be a number"),
        ("projective", 1, "projective must be yes or no"),
        ("restarts", 10**30, "restarts must be from 0"),
        ("decoder", "magic", "no decoder 'magic'"),
        ("decoder", None, "decoder must be a text"),
        ("part_templates", {"nosuch": ""}, "part_templates must be one of sibling"),
        ("families", ["nosuch"], "families must be one of"),
        ("nosuch", 1, "settings must not have 'nosuch'"),
    ],
)
def test_settings_are_checked_by_their_annotations(
    tensors: dict[str, Any], tmp_path: Path, name: str, value: Any, message: str
) -> None:
    saved = {**read_text_tensor(tensors["settings"]), name: value}
    told = outcome(("", {**tensors, "settings": text_tensor(saved)}, {}), tmp_path / "forged.headway")
    assert told is not None
    assert message in told


@pytest.mark.parametrize("name", ["reach", "tensor_kept", "tag_pairs", "tag_triples", "segmenter_known", "arc_scale"])
def test_arrays_that_kernels_look_up_are_checked(tensors: dict[str, Any], tmp_path: Path, name: str) -> None:
    for wrong in (tensors[name][:-1], tensors[name].astype(np.int64), tensors[name][None]):
        if name == "segmenter_known" and wrong.dtype == np.int32 and wrong.ndim == 1:
            continue  # one character less is known
        told = outcome(("", {**tensors, name: wrong}, {}), tmp_path / "forged.headway")
        assert told is not None, (name, wrong.dtype, wrong.shape)


def test_a_description_is_a_dictionary(tensors: dict[str, Any], tmp_path: Path) -> None:
    told = outcome(("", tensors, ["nothing"]), tmp_path / "forged.headway")  # type: ignore[arg-type]
    assert told is not None
    assert "description" in told


def test_honest_models_are_not_refused(tensors: dict[str, Any], tmp_path: Path) -> None:
    assert outcome(("", tensors, {}), tmp_path / "honest.headway") is None
    assert {name for name in TEXTS if name in tensors} == set(TEXTS)


def test_deep_json_is_refused(tensors: dict[str, Any], tmp_path: Path) -> None:
    deep = np.frombuffer(b"[" * (10 * sys.getrecursionlimit()), dtype=np.uint8)
    for name in TEXTS:
        write_model_file(tmp_path / "deep.headway", {**tensors, name: deep}, {})
        assert outcome(("", {**tensors, name: deep}, {}), tmp_path / "deep.headway") is not None


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        ([1, True], list[int]), ([1, None], list[int]), ({"a": "b"}, dict[str, int]), ((1,), tuple[int, int]),
        ("\ud800", str), (1e400, float), ("", schema.Annotated[str, schema.Cells()]), ([], int | None),
    ],
)  # fmt: skip
def test_what_is_not_as_annotated_is_refused(value: Any, annotation: Any) -> None:
    with pytest.raises(ValueError, match="it must"):
        schema.check_json(value, annotation, "it")
