import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headway.errors import ModelError, UsageError
from headway.model_file import (
    VERSION,
    read_model_file,
    read_text_tensor,
    text_tensor,
    write_model_file,
)

TENSORS = {
    "weights": np.arange(-12, 12, dtype=np.int8).reshape(6, 4),
    "directory": np.arange(8, dtype=np.uint64).reshape(4, 2),
    "scale": np.array([0.25]),
    "nothing": np.empty((0, 3), dtype=np.float32),
    "words": text_tensor(["Ørsted", "日本", "\0x"]),
}
ABOUT = {"preset": "first-order", "epochs": 3, "dev": [91.25, 92.5], "from": "København"}
once_for_all = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "model"
    write_model_file(path, TENSORS, ABOUT)
    return path.read_bytes()


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def damaged(data: bytes, path: Path) -> ModelError | None:
    """The error that a file with these bytes gives; None if it gives what was saved, to the bit."""
    path.write_bytes(data)
    try:
        tensors, about = read_model_file(path)
    except ModelError as error:
        found = error
    else:
        assert_same(tensors, TENSORS)
        assert about == ABOUT
        return None
    assert str(found).startswith(f"{path}: ")
    assert "\n" not in str(found)
    return found


def with_header(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def taken_apart(data: bytes) -> tuple[dict[str, Any], bytes]:
    [length] = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write_model_file(path, TENSORS, ABOUT)
    tensors, about = read_model_file(path)
    assert_same(tensors, TENSORS)
    assert about == ABOUT
    assert read_text_tensor(tensors["words"]) == ["Ørsted", "日本", "\0x"]
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
LONG_LISTS = st.lists(st.text(max_size=3), min_size=40, max_size=60)


@given(value=st.recursive(JSON | LONG_LISTS, lambda inner: st.lists(inner, max_size=3), max_leaves=4))
def test_any_json_is_read_as_it_was_written(value: Any) -> None:
    try:
        tensor = text_tensor(value)
    except UnicodeEncodeError:  # half of a surrogate pair
        return
    assert json.dumps(read_text_tensor(tensor)) == json.dumps(value)


@pytest.mark.parametrize("text", ['["a"]\nb', '{"lines": 2}\na', '{"lines": 1}\na\nb', '{"lines": -1}\na'])
def test_strings_without_a_list_and_lists_without_strings(text: str) -> None:
    with pytest.raises(ValueError, match="strings where there should be"):
        read_text_tensor(np.frombuffer(text.encode(), dtype=np.uint8))


def test_the_same_model_makes_the_same_file(tmp_path: Path, saved: bytes) -> None:
    write_model_file(tmp_path / "again", dict(reversed(TENSORS.items())), ABOUT)
    assert (tmp_path / "again").read_bytes() == saved


def test_arrays_of_any_layout(tmp_path: Path) -> None:
    turned = np.arange(12, dtype=np.int32).reshape(3, 4).T
    write_model_file(tmp_path / "model", {"turned": turned, "every other": np.arange(10)[::2]}, {})
    tensors, _ = read_model_file(tmp_path / "model")
    np.testing.assert_array_equal(tensors["turned"], turned)
    np.testing.assert_array_equal(tensors["every other"], [0, 2, 4, 6, 8])


def test_other_readers_of_safetensors_can_read_it(saved: bytes) -> None:
    assert_same(safetensors.numpy.load(saved), TENSORS)


def test_tensors_are_read_only_views_of_the_file(tmp_path: Path, saved: bytes) -> None:
    (tmp_path / "model").write_bytes(saved)
    tensors, _ = read_model_file(tmp_path / "model")
    for array in tensors.values():
        assert not array.flags.owndata
        assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        tensors["weights"][0, 0] = 1


def test_cut_anywhere(saved: bytes, tmp_path: Path) -> None:
    for length in range(len(saved)):
        assert damaged(saved[:length], tmp_path / "model") is not None, length


@once_for_all
@given(extra=st.binary(min_size=1, max_size=20))
def test_something_behind_the_end(extra: bytes, saved: bytes, tmp_path: Path) -> None:
    assert damaged(saved + extra, tmp_path / "model") is not None


def test_a_bit_of_every_byte_turned(saved: bytes, tmp_path: Path) -> None:
    unnoticed = 0
    for place in range(len(saved)):
        broken = bytearray(saved)
        broken[place] ^= 1 << 5 * place % 8
        unnoticed += damaged(bytes(broken), tmp_path / "model") is None  # an offset of an empty tensor, say
    assert unnoticed < 0.01 * len(saved)


@once_for_all
@given(data=st.data())
def test_bytes_changed_in_many_places(data: st.DataObject, saved: bytes, tmp_path: Path) -> None:
    broken = bytearray(saved)
    for place in data.draw(st.lists(st.integers(0, len(saved) - 1), min_size=1, max_size=8)):
        broken[place] = data.draw(st.integers(0, 255))
    damaged(bytes(broken), tmp_path / "model")


@once_for_all
@given(data=st.binary(max_size=400))
def test_any_bytes(data: bytes, tmp_path: Path) -> None:
    assert damaged(data, tmp_path / "model") is not None


@once_for_all
@given(field=st.sampled_from(["dtype", "shape", "data_offsets"]), value=JSON | st.lists(st.integers(-9, 99)))
def test_a_header_that_lies_about_a_tensor(field: str, value: object, saved: bytes, tmp_path: Path) -> None:
    header, body = taken_apart(saved)
    header["weights"][field] = value
    damaged(with_header(header, body), tmp_path / "model")


@once_for_all
@given(name=st.sampled_from(["weights", "more", "__metadata__"]), value=JSON)
def test_a_header_with_something_else_in_it(name: str, value: object, saved: bytes, tmp_path: Path) -> None:
    header, body = taken_apart(saved)
    header[name] = value
    assert damaged(with_header(header, body), tmp_path / "model") is not None


@once_for_all
@given(value=JSON | st.dictionaries(st.sampled_from(["version", "checksum", "description"]), JSON | st.just(VERSION)))
def test_metadata_with_something_else_in_it(value: object, saved: bytes, tmp_path: Path) -> None:
    header, body = taken_apart(saved)
    header["__metadata__"]["headway"] = json.dumps(value)
    assert damaged(with_header(header, body), tmp_path / "model") is not None


def test_tensors_swapped(saved: bytes, tmp_path: Path) -> None:
    header, body = taken_apart(saved)
    header["weights"]["data_offsets"], header["words"]["data_offsets"] = [0, 24], [1, 25]
    assert damaged(with_header(header, body), tmp_path / "model") is not None


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[]", "null", "3", '"x"', "{}", "{"])
def test_headers_that_are_json_of_some_kind(text: str, tmp_path: Path) -> None:
    data = struct.pack("<Q", len(text)) + text.encode()
    error = damaged(data, tmp_path / "model")
    assert "not a Headway model" in str(error)


def test_a_header_longer_than_the_file(tmp_path: Path) -> None:
    assert damaged(struct.pack("<Q", (1 << 63) - 1) + b"{}", tmp_path / "model") is not None


def test_another_version(saved: bytes, tmp_path: Path) -> None:
    header, body = taken_apart(saved)
    about = json.loads(header["__metadata__"]["headway"])
    header["__metadata__"]["headway"] = json.dumps({**about, "version": VERSION + 1})
    error = damaged(with_header(header, body), tmp_path / "model")
    assert f"model format {VERSION + 1}, but this version of Headway reads format {VERSION}: train it again" in str(
        error
    )


def test_files_of_others(tmp_path: Path) -> None:
    plain = safetensors.numpy.save({"x": np.zeros(3)})
    marked = safetensors.numpy.save({"x": np.zeros(3)}, {"format": "pt"})
    for data in (plain, marked, b"PK\x03\x04" + bytes(100), b"\x80\x04K\x01.", b"1\tword\t_\n" * 10, b"\n", b""):
        assert "not a Headway model" in str(damaged(data, tmp_path / "model"))


def test_no_such_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot read the model: no such file"):
        read_model_file(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="cannot read the model: is a directory"):
        read_model_file(tmp_path)


@pytest.mark.parametrize("name", ["m.headway.xz", "m.gz", "-"])
def test_models_are_plain_files(tmp_path: Path, name: str) -> None:
    path = name if name == "-" else str(tmp_path / name)
    with pytest.raises(UsageError, match="cannot be compressed"):
        write_model_file(path, {"a": np.zeros(3)}, {})
    assert list(tmp_path.iterdir()) == []


def test_other_peoples_tools_can_read_the_tensors(tmp_path: Path) -> None:
    tensors = {
        "bytes": np.arange(5, dtype=np.int8),
        "doubles": np.linspace(0, 1, 4).reshape(2, 2),
        "nothing": np.zeros((0, 2), dtype=np.uint64),
    }
    write_model_file(tmp_path / "m", tensors, {"about": "näh"})
    found = safetensors.numpy.load_file(tmp_path / "m")
    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(found[name], tensor)
        assert found[name].dtype == tensor.dtype


CHANGED = """
import sys
from headway.model_file import read_model_file

tensors, _ = read_model_file(sys.argv[1])
before = {name: array.tobytes() for name, array in tensors.items()}
with open(sys.argv[1], "r+b") as file:
    file.write(b"x" * 4096) if sys.argv[2] == "overwritten" else file.truncate(int(sys.argv[2]))
assert before == {name: array.tobytes() for name, array in tensors.items()}
"""


@pytest.mark.parametrize("change", ["overwritten", "0", "100"])
def test_a_loaded_model_does_not_change_with_its_file(tmp_path: Path, change: str) -> None:
    path = tmp_path / "model"
    write_model_file(path, {"weights": np.arange(1 << 16, dtype=np.int32)}, ABOUT)
    done = subprocess.run([sys.executable, "-c", CHANGED, path, change], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_tensors_cannot_be_changed(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(saved)
    for array in read_model_file(path)[0].values():
        assert not array.flags.writeable
        assert array.flags.aligned
