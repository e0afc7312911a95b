"""``headway train`` and ``headway inspect``."""

import json
import lzma
import sys
from inspect import signature

import pytest
import tag_samples
from cli_samples import BROKEN, CYCLE, SOUND, table

from headway import Parser, TrainingOptions
from headway.cli.inspect import _lines
from headway.cli.train import train
from headway.corpus import Sentence, write_sentences
from headway.errors import UsageError
from headway.learning.neural_recipe import list_scores
from headway.model import TrainedModel
from headway.model_file import read_model_file, write_model_file


def content(path):
    """Return the contents of a model file, in an order that does not depend on the file's."""
    tensors, description = read_model_file(path)
    return {name: tensor.tobytes() for name, tensor in tensors.items()}, description


def test_training_tells_how_it_goes_on_standard_error_only(run, treebank, tmp_path):
    result = run("train", treebank, "--dev", treebank, "-o", tmp_path / "m.headway", "--epochs", 1)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "epoch 1" in result.stderr
    assert "on dev" in result.stderr


def test_quiet_training_is_silent_and_the_same(run, treebank, tmp_path, model):
    again = tmp_path / "again.headway"
    result = run("train", treebank, "-o", again, "--epochs", 2, "--quiet", "--threads", 2)
    assert (result.exit_code, result.output) == (0, "")
    assert content(again) == content(model)


def test_training_from_standard_input(run, treebank, tmp_path, model):
    again = tmp_path / "again.headway"
    assert run("train", "-", "-o", again, "--epochs", 2, "-q", stdin=treebank.read_bytes()).exit_code == 0
    assert content(again) == content(model)


def test_training_goes_on_from_a_checkpoint(run, treebank, tmp_path, model):
    folder, path = tmp_path / "checkpoints", tmp_path / "m.headway"
    command = ("train", treebank, "-o", path, "--checkpoint", folder, "-q")
    assert run(*command, "--epochs", 1, "--keep-checkpoints").exit_code == 0
    assert sorted(file.suffix for file in folder.iterdir()) == [".checkpoint", ".checkpoint"]
    other = run(*command, "--epochs", 2, "--seed", 9)
    assert other.exit_code == 2
    assert "name another folder" in other.stderr
    assert run(*command, "--epochs", 2).exit_code == 0
    assert content(path) == content(model)
    assert not folder.exists()


def test_only_checkpoints_of_this_training_are_removed(run, treebank, tmp_path):
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    write_model_file(folder / "other.checkpoint", {}, {"recipe": "another"})
    (folder / "notes.txt").touch()
    command = ("train", treebank, "-o", tmp_path / "m.headway", "--epochs", 1, "-q")
    assert run(*command, "--checkpoint", folder).exit_code == 0
    assert sorted(file.name for file in folder.iterdir()) == ["notes.txt", "other.checkpoint"]
    assert run(*command, "--keep-checkpoints").exit_code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CYCLE, ":5: not a valid tree: cycle: 1 -> 2 -> 1"),
        (SOUND + table("_", 0, 2), ":5: not a valid tree: no head for word 1"),
        (SOUND + SOUND + table(2, 3, 1), ":9: not a valid tree: no word is the root"),
    ],
)
def test_trees_that_are_none_are_reported_with_their_place(run, tmp_path, text, message):
    path = tmp_path / "bad.conllu"
    path.write_text(text)
    result = run("train", path, "-o", tmp_path / "m.headway")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == f"headway: error: {path}{message}\n"
    assert list(tmp_path.iterdir()) == [path]


def test_trees_of_the_dev_set_are_checked_too(run, treebank, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text(CYCLE)
    result = run("train", treebank, "--dev", path, "-o", tmp_path / "m.headway")
    assert result.exit_code == 3
    assert result.stderr.startswith(f"headway: error: {path}:5: ")


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_treebanks_get_their_place(run, tmp_path, kind):
    content, message = BROKEN[kind]
    path = tmp_path / "broken.conllu"
    path.write_bytes(content)
    result = run("train", path, "-o", tmp_path / "m.headway")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith(f"headway: error: {path}:{message}")
    assert not (tmp_path / "m.headway").exists()


def test_truncated_and_empty_treebanks(run, treebank, tmp_path):
    path = tmp_path / "cut.conllu.xz"
    path.write_bytes(lzma.compress(treebank.read_bytes())[:-100])
    assert "truncated" in run("train", path, "-o", tmp_path / "m.headway").stderr
    result = run("train", "-", "-o", tmp_path / "m.headway")
    assert result.exit_code == 3
    assert "no sentence" in result.stderr


def test_places_where_no_model_can_be_written(run, treebank, tmp_path):
    for path in (tmp_path, tmp_path / "nowhere" / "m.headway"):
        result = run("train", treebank, "-o", path)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"headway: error: {path}: ")
        assert result.stderr.count("\n") == 1  # no line of training before it


def test_options_have_the_defaults_that_python_has():
    parameters = signature(train).parameters
    for name, default in vars(TrainingOptions()).items():
        assert parameters[name].default == default


def test_options_without_sense(run, treebank, tmp_path):
    assert run("train", "-", "--dev", "-", "-o", tmp_path / "m").exit_code == 2
    result = run("train", treebank, "-o", tmp_path / "m", "--preset", "magic")
    assert result.exit_code == 2
    assert "'magic'" in result.stderr


def test_inspect_a_model(run, model):
    result = run("inspect", model)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "preset: fast\n" in result.stdout
    assert "sentences: 80\n" in result.stdout
    assert "\n  epochs: 2\n" in result.stdout


def test_inspect_a_model_as_json(run, model):
    assert json.loads(run("inspect", "--json", model).stdout) == Parser.load(model).description()


def test_inspect_a_neural_model_without_its_packages(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    result = run("inspect", "en-accurate")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "{" not in result.stdout
    assert "\n  best epoch: 20\n  training loss: 7.85 2.589 1.78 " in result.stdout
    assert "\ndecoder: eisner\nscorer: neural\n" in result.stdout
    assert json.loads(run("inspect", "en-accurate", "--json").stdout)["labels_known"] == 51


def test_a_model_without_its_packages_only_describes_itself():
    model = TrainedModel.load("en-accurate", runs=False)
    with pytest.raises(UsageError, match="the scorer neural was not loaded: this model can only be described"):
        Parser(model).parse_one(Sentence.from_words(["Dogs", "bark"]))


def test_scores_of_epochs_are_words():
    assert list_scores({"loss": 1.52041, "uas": 91.2, "las": 88.17}) == "loss 1.52, UAS 91.2, LAS 88.17"
    dev = [{"loss": 2.0, "uas": 80.0}, {"loss": 1.0, "uas": 81.25}]
    assert _lines({"network": {"epochs": 2, "dev": dev}}) == [
        "network:", "  epochs: 2", "  training loss: 2 1", "  dev UAS: 80 81.25",
    ]  # fmt: skip


def damaged_models(sound: bytes) -> dict[str, bytes]:
    flips = {f"byte {at} flipped": at for at in (3, 9, len(sound) // 2, len(sound) - 1)}
    cuts = {f"cut at {length}": length for length in (0, 5, 100, len(sound) // 2, len(sound) - 1)}
    return {
        **{name: sound[:at] + bytes([sound[at] ^ 4]) + sound[at + 1 :] for name, at in flips.items()},
        **{name: sound[:length] for name, length in cuts.items()},
        "longer": sound + b"\0",
        "text": SOUND.encode(),
        "zip": b"PK\x03\x04" + bytes(500),
        "other safetensors": (2).to_bytes(8, "little") + b"{}",
        "header that is no dictionary": (2).to_bytes(8, "little") + b"[]",
    }


@pytest.mark.parametrize("name", damaged_models(bytes(1000)))
def test_damaged_and_foreign_models_are_refused(run, model, tmp_path, name):
    index = list(damaged_models(bytes(1000))).index(name)
    path = tmp_path / "bad.headway"
    path.write_bytes(list(damaged_models(model.read_bytes()).values())[index])
    for command in (["inspect", path], ["parse", "-", "--model", path]):
        result = run(*command, stdin=SOUND.encode())
        assert (result.exit_code, result.stdout) == (5, "")
        assert result.stderr.startswith(f"headway: error: {path}: ")
        assert result.stderr.count("\n") == 1


def test_a_changed_description_is_refused(run, model, tmp_path):
    path = tmp_path / "bad.headway"
    sound = model.read_bytes()
    assert b'\\"fast\\"' in sound
    path.write_bytes(sound.replace(b'\\"fast\\"', b'\\"slow\\"', 1))
    assert run("inspect", path).exit_code == 5


def test_training_says_where_universal_tags_come_from_and_inspect_shows_them(run, tmp_path):
    treebank, path, empty = tmp_path / "other.conllu", tmp_path / "m.headway", tmp_path / "empty.map"
    write_sentences(treebank, tag_samples.sample(sentences=30))
    empty.write_text("")
    said = "tags are not universal: using a map derived from the relations of the treebank (CCONJ: E; ADP: D)"
    assert f"{said}; --tag-map overrides it" in " ".join(
        run("train", treebank, "-o", path, "--epochs", 1).stderr.split()
    )
    shown = run("inspect", path).stdout
    assert "tag map from: a map derived from the relations of the treebank\n" in shown
    assert "tag map:\n  ADJ: G\n  ADP: D\n" in shown
    assert "universal" not in run("train", treebank, "-o", path, "--epochs", 1, "--tag-map", empty).stderr
    assert "tag map" not in run("inspect", path).stdout


@pytest.mark.parametrize(
    "command", ["train x.conllu", "constituents train x.ptb", "tune x.headway x.conllu", "ensemble x.headway y.headway"]
)
def test_the_place_of_the_model_is_checked_before_anything_is_read(run, tmp_path, command):
    missing = run(*command.split(), "-o", tmp_path / "nowhere" / "m.headway")
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert missing.stderr.startswith(f"headway: error: {tmp_path}/nowhere/m.headway: the folder ")
    folder = run(*command.split(), "-o", tmp_path)
    assert (folder.exit_code, folder.stderr) == (2, f"headway: error: {tmp_path}: is a folder, not a file\n")
