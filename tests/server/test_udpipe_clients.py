"""UDPipe's clients against a running server; its answers beside those of ``headway parse``."""

import email.policy
import json
import re
import shlex
import shutil
import subprocess
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from pathlib import Path
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

from headway import load
from headway.cli.app import app

TEXT = (
    "The pilot can't see <b>Clara</b> & co. Dogs\tbark\u2026 \u4f60\u597d!\n\nAnother paragraph  begins here.\nIt ends."
)
MULTIPART = "multipart/form-data; boundary=xYz"
FORM = "application/x-www-form-urlencoded"
STEPS = {"tokenizer": "", "tagger": "", "parser": ""}


def parsed(model, content: str, tmp_path, *options: str) -> str:
    """The output of ``headway parse``."""
    path = tmp_path / "given"
    path.write_bytes(content.encode())
    result = CliRunner().invoke(app, ["parse", str(path), "-m", str(model), "--quiet", *options])
    assert result.exit_code == 0, result.output
    return result.stdout_bytes.decode()


def multipart(parameters: dict[str, str]) -> bytes:
    parts = [
        f'--xYz\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in parameters.items()
    ]
    return "".join([*parts, "--xYz--\r\n"]).encode()


def email_form(parameters: dict[str, str], encoding: str = "8bit") -> bytes:
    """A body as udpipe2_client writes it, with Python's email package, which makes all line ends CRLF."""
    message = MIMEMultipart("form-data", boundary="xYz", policy=email.policy.HTTP)
    for name, value in parameters.items():
        part = MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        if encoding == "8bit":
            part.add_header("Content-Transfer-Encoding", encoding)
        part.set_payload(value, charset="utf-8")
        assert part["Content-Transfer-Encoding"] == encoding
        message.attach(part)
    body = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    assert b"\n" not in body.replace(b"\r\n", b"")
    return body


def without_origin(result: str) -> str:
    lines = result.split("\n")
    assert lines[0].startswith("# generator = Headway ")
    assert lines[1:3] == ["# udpipe_model = small-sample-1", "# udpipe_model_licence = CC BY 4.0"]
    return "\n".join(lines[3:])


def test_models(server):
    for body in (None, b""):
        answer = server.ask("/models", body, Origin="http://elsewhere.example")
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == "*"
        steps = ["tokenizer", "tagger", "parser"]
        assert answer.json == {
            "models": {"small-sample-1": steps, "other-<i>one</i>": steps},
            "default_model": "small-sample-1",
        }


@pytest.mark.parametrize("kind", ["query", "urlencoded", "multipart", "udpipe2_client", "base64"])
def test_every_body_gives_what_the_command_writes(server, small_model, tmp_path, kind):
    given = {"data": TEXT, **STEPS}
    if kind == "query":
        answer = server.ask(f"/process?{urlencode(given)}")
    elif kind == "urlencoded":
        answer = server.ask("/process", urlencode(given).encode(), kind=f"{FORM}; charset=utf-8")
    elif kind == "multipart":
        answer = server.ask("/process", multipart(given), kind=MULTIPART)
    else:
        given = {"input": "conllu", "output": "conllu", **given}
        body = email_form(given, "8bit" if kind == "udpipe2_client" else kind)
        answer = server.ask("/process", body, kind=MULTIPART)
    assert answer.status == 200, answer.text
    assert set(answer.json) == {"model", "acknowledgements", "result"}
    assert answer.json["model"] == "small-sample-1"
    assert answer.json["acknowledgements"] == ["a <b>sample</b> & more"]
    assert without_origin(answer.json["result"]) == parsed(small_model, TEXT, tmp_path, "--text")


def test_a_text_of_several_pieces_is_joined_as_in_files(server, small_model, tmp_path):
    text = f"{'Dogs' * 25} bark at Clara.\n\n" * 700  # more than one part of 65,536 characters
    answer = server.post_json("/v1/parse", text=text, to="conllu")
    assert answer.json["conllu"] == parsed(small_model, text, tmp_path, "--text")


def test_curl_with_each_body(server, small_model, tmp_path):
    if not (curl := shutil.which("curl")):
        pytest.skip("needs curl")
    file, expected = tmp_path / "data.txt", parsed(small_model, TEXT, tmp_path, "--text")
    file.write_text(TEXT, encoding="utf-8")
    forms = [word for name, value in STEPS.items() for word in ("-F", f"{name}={value}")]
    pairs = [word for name, value in STEPS.items() for word in ("--data", f"{name}={value}")]
    url = f"{server.address}/process"
    for words in (
        ["-F", f"data=<{file}", *forms, url],
        ["-F", f"data=@{file}", *forms, url],
        ["--data-urlencode", f"data@{file}", *pairs, url],
        ["-G", "--data-urlencode", f"data@{file}", *pairs, url],
        ["-H", "Expect: 100-continue", "-F", f"data=<{file}", *forms, url],
        ["-H", "Transfer-Encoding: chunked", "--data-urlencode", f"data@{file}", *pairs, url],
    ):
        done = subprocess.run([curl, "-sS", *words], capture_output=True, check=True)
        assert without_origin(json.loads(done.stdout)["result"]) == expected, words


def test_the_commands_of_the_documentation(server):
    if not shutil.which("curl"):
        pytest.skip("needs curl")
    page = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
    found = re.findall(r"^curl .*", page, re.MULTILINE)
    assert len(found) >= 2
    for line in found:
        words = shlex.split(line.replace("http://localhost:8000", server.address))
        done = subprocess.run([*words, "-sSf"], capture_output=True, check=True)
        assert "bark" in json.dumps(json.loads(done.stdout))


def test_requests(server, small_model, tmp_path):
    requests = pytest.importorskip("requests", reason="needs requests: pip install 'headway[dev]'")
    expected = parsed(small_model, TEXT, tmp_path, "--text")
    given = {"data": TEXT, "model": "small", **STEPS}
    url = f"{server.address}/process"
    for answer in (
        requests.post(url, data=given, timeout=60),
        requests.post(url, files={name: (None, value) for name, value in given.items()}, timeout=60),
        requests.get(url, params=given, timeout=60),
    ):
        assert without_origin(answer.json()["result"]) == expected


def test_requests_of_httr(server, small_model, tmp_path):
    """R's httr: ``POST(url, body = list(...))`` is multipart by curl, with ``encode = "form"`` urlencoded."""
    expected = parsed(small_model, "Dogs bark.", tmp_path, "--text")
    boundary = "------------------------8721a8ce1d3ce8e0"
    fields = {"data": "Dogs bark.", "model": "small-sample", **STEPS}
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    body = "".join([*parts, f"--{boundary}--\r\n"]).encode()
    agent = {"User-Agent": "libcurl/7.88.1 r-curl/5.2.0 httr/1.4.7", "Accept": "application/json, text/xml, */*"}
    answer = server.ask("/process", body, kind=f"multipart/form-data; boundary={boundary}", **agent)
    assert without_origin(answer.json["result"]) == expected
    body = b"data=Dogs%20bark%2E&model=small%2Dsample&tokenizer=&tagger=&parser="
    assert without_origin(server.ask("/process", body, kind=FORM, **agent).json["result"]) == expected


def test_udapi(server, small_model):
    online = pytest.importorskip("udapi.tool.udpipeonline", reason="needs udapi: pip install 'headway[dev]'")
    from udapi.core.document import Document

    client = online.UDPipeOnline("small", server=server.address)
    assert client.list_models() == ["small-sample-1", "other-<i>one</i>"]
    text = "Dogs bark at the pilot. Clara sleeps."
    assert client.segment_text(text) == [sentence.text for sentence in load(str(small_model))(text).sentences]
    document = Document()
    root = document.create_bundle().create_tree()
    root.text = "Dogs bark at the pilot."
    client.process_document(document)
    [tree] = document.trees
    [expected] = load(str(small_model))("Dogs bark at the pilot.", presegmented=True).sentences
    assert [node.parent.ord for node in tree.descendants] == expected.heads
    assert [node.upos for node in tree.descendants] == expected.upos
    client.tag_parse_tree(tree)
    words = load(str(small_model))(words=expected.forms).sentences[0]
    assert [(node.parent.ord, node.deprel) for node in tree.descendants] == list(
        zip(words.heads, words.labels, strict=True)
    )


@pytest.mark.parametrize("encoding", ["x-gzip", "base64"])
def test_parts_in_other_encodings(server, encoding):
    body = multipart({"data": "x"}).replace(b"\r\n\r\n", f"\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n".encode())
    answer = server.ask("/process", body, kind=MULTIPART)
    assert (answer.status, answer.headers["content-type"]) == (400, "text/plain; charset=utf-8")


def process(server, **given: str):
    return server.ask("/process", urlencode(given).encode(), kind=FORM)


def test_horizontal_and_vertical_words(server, small_model):
    expected = load(str(small_model))(words=[["Dogs", "bark"], ["Clara", "sleeps", "."]]).to_conllu()
    for form, data in (
        ("horizontal", "Dogs bark\nClara  sleeps .\n"),
        ("vertical", "Dogs\nbark\n\nClara\nsleeps\n.\n"),
    ):
        answer = process(server, data=data, input=form, tagger="", parser="")
        assert without_origin(answer.json["result"]) == expected
        assert process(server, data=data, input=form, output=form).json["result"].split() == data.split()


def test_horizontal_and_vertical_words_with_spaces(server):
    for form, data, returned in (
        ("horizontal", "New\xa0York  is\tbig\r\n\nIt is\u2028so .", "New\xa0York is big\nIt is\xa0so .\n"),
        ("vertical", "New York\tPROPN\t0\r\nis\t\r\n\r\n\tIt\n \t\nis\n\n\n", "New York\nis\n\nIt\n\nis\n\n"),
    ):
        assert process(server, data=data, input=form, output=form).json["result"] == returned
    assert "1\tNew York\t" in process(server, data="New\xa0York", input="horizontal").json["result"]


def test_a_table_is_parsed_as_in_files(server, small_model, tmp_path):
    table = (
        "\ufeff# sent_id = x\n"
        + "1\tDogs\tdog\tNOUN\tNNS\t_\t_\t_\t_\tA=b\n2\tbark\tbark\tVERB\tVBP\t_\t_\t_\t_\t_\n\n\n"
    )
    answer = process(server, data=table, parser="").json["result"]
    assert answer.startswith("\ufeff# generator")
    assert "\ufeff" + without_origin(answer[1:]) == parsed(small_model, table, tmp_path, "--table")


def test_each_parameter_switches_its_step_on(server):
    def columns(**given: str) -> list[set[str]]:
        rows = [row.split("\t") for row in process(server, **given).json["result"].split("\n") if row[:1].isdigit()]
        return [set(column) - {"_"} for column in zip(*rows, strict=True)]

    words, tags, heads = [2 - 1], [3, 5], [6, 7]
    for steps, filled in (
        ({"tokenizer": ""}, words),
        ({"tokenizer": "", "tagger": ""}, words + tags),
        ({"tokenizer": "", "parser": ""}, words + heads),
        ({"tokenizer": "", "tagger": "yes", "parser": "yes"}, words + tags + heads),
    ):
        found = columns(data="Dogs bark at the pilots.", **steps)
        for column in words + tags + heads:
            assert bool(found[column]) == (column in filled), (steps, column)


def test_options_of_the_tokenizer(server):
    def result(options: str) -> str:
        return process(server, data="Dogs bark\nat  Clara.", tokenizer=options).json["result"]

    assert result("presegmented").count("# sent_id") == 2
    assert "TokenRange=0:4" in result("ranges")
    assert "SpacesAfter" in result("presegmented;ranges")
    assert "SpacesAfter" not in result("normalized_spaces")
    assert "SpaceAfter=No" in result("normalized_spaces")
    for value in ("yes", "1", "ranges=true;unknown"):
        assert result(value) == result("")
    assert result("presegmented=yes") == result("presegmented")


def test_other_outputs(server, small_model, tmp_path):
    for form in ("json", "tree", "svg", "html"):
        answer = process(server, data=TEXT, output=form, **STEPS)
        assert answer.json["result"] == parsed(small_model, TEXT, tmp_path, "--text", "--to", form), form
    assert process(server, data=TEXT, output="plaintext", tokenizer="").json["result"] == TEXT
    lines = process(server, data="Dogs  bark.\n\nClara sleeps.", output="plaintext=normalized_spaces", tokenizer="")
    assert lines.json["result"] == "Dogs bark.\n\nClara sleeps.\n"
    assert process(server, data=TEXT, output="svg", tokenizer="").status == 400


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        ({}, 400, "'data' is required"),
        ({"data": "x", "model": "<script>"}, 400, "no such model"),
        ({"data": "x", "output": "docx"}, 400, "unknown output"),
        ({"data": "x", "input": "docx"}, 400, "unknown input"),
        ({"data": "1\tx\n\n", "parser": ""}, 400, "data:1: 2 fields"),
        (
            {"data": "Dogs bark.", "parser": ""},
            400,
            "for plain text, use the parameter tokenizer of /process, or text of",
        ),
        ({"data": "x " * 201, "tokenizer": "presegmented"}, 413, "at most 200"),
        ({"data": "x y z.\n" * 7000, "tokenizer": "presegmented"}, 413, "at most 20,000 words"),
        (
            {"data": "x y z.\n" * 7000, "input": "horizontal", "parser": "", "output": "html"},
            413,
            "at most 20,000 words",
        ),
        ({"data": "x" * (1 << 20)}, 413, "at most 1,048,576 bytes"),
    ],
    ids=["no data", "model", "output", "input", "table", "text", "long sentence", "words", "words of a page", "bytes"],
)
def test_errors_are_plain_text(server, given, status, words):
    answer = process(server, **given)
    assert (answer.status, answer.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert words in answer.text
    assert answer.text.count("\n") == 1
    assert "<script>" not in answer.text


def test_models_by_the_first_parts_of_their_names(server):
    for name in ("small", "small-sample", "small-sample-1"):
        assert process(server, data="", model=name).json["model"] == "small-sample-1"
    for name in ("small-", "sample", "", "small-sample-1-x"):
        assert process(server, data="", model=name).status == 400
