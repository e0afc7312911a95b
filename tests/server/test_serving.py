"""A server under bad requests, load and loss: the right status, nobody else harmed, no text in the log."""

import concurrent.futures
import gzip
import json
import os
import signal
import socket
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import children, serving

from headway.server.limits import Limits

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=xYz"


def raw(server, data: bytes, *, wait: float = 30.0) -> bytes:
    """The answer to bytes that need not be HTTP."""
    with socket.create_connection(server.host, timeout=wait) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := connection.recv(1 << 16):
            answer += chunk
        return answer


def test_state(server):
    assert server.ask("/health").text == "ok\n"
    assert server.ask("/ready").text == "ready\n"
    assert server.metric("headway_workers_ready") == 1
    before = server.metric("headway_words_total")
    server.post_json("/v1/parse", text="Dogs bark.")
    assert server.metric("headway_words_total") == before + 3
    for path in ("/metrics", "/health"):
        assert server.ask(path).headers["x-content-type-options"] == "nosniff"
    assert server.ask("/nowhere").status == 404
    assert server.ask("/v1/parse").status == 405


def test_own_interface(server):
    answer = server.post_json("/v1/parse", text="Dogs bark. Clara sleeps.", confidence=True).json
    assert [sentence["text"] for sentence in answer["sentences"]] == ["Dogs bark.", "Clara sleeps."]
    assert all(0 <= word["confidence"] <= 1 for sentence in answer["sentences"] for word in sentence["words"])
    trees = server.post_json("/v1/parse", tokens=[["Dogs", "bark", "."]], k_best=3).json["sentences"]
    assert [tree["rank"] for tree in trees] == [1, 2, 3]
    assert trees[0]["score"] >= trees[1]["score"] >= trees[2]["score"]
    proved = server.post_json("/v1/parse", tokens=[["Dogs", "bark"]], certificate=True, to="conllu").json
    assert "# optimal = yes" in proved["conllu"]
    [proved] = server.post_json("/v1/parse", tokens=[["Dogs", "bark"]], certificate=True).json["sentences"]
    assert (proved["optimal"], proved["ignored"]) == (True, [])
    assert trees[0].keys().isdisjoint({"optimal", "gap", "ignored", "parsed_in_pieces"})
    for decoder in ("eisner", "spanning-tree"):
        assert server.post_json("/v1/parse", text="Dogs bark.", decoder=decoder).status == 200
    table = "1\tDogs\t_\tX\t_\t_\t0\troot\t_\t_\n2\tbark\t_\tX\t_\t_\t_\t_\t_\t_\n\n"
    kept = server.post_json("/v1/parse", conllu=table, keep_heads=True, constraints=["one-subject"]).json
    assert [word["head"] for word in kept["sentences"][0]["words"]] == [0, 1]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"text": "x", "tokens": [["x"]]}, 422),
        ({"text": "x", "decoder": "magic"}, 422),
        ({"text": "x", "constraints": ["magic"]}, 422),
        ({"text": "x", "k_best": 0}, 422),
        ({"text": "x", "secret": 1}, 422),
        ({"text": "x", "keep_heads": True}, 422),
        ({"tokens": [[""]]}, 422),
        ({"tokens": [["\ud800"]]}, 422),
        ({"text": "\ud800"}, 422),
        ({"text": "x", "model": "none"}, 404),
        ({"conllu": "rubbish"}, 400),
        ({"conllu": "1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n\n", "keep_heads": True}, 400),
        ({"text": ""}, 200),
        ({"tokens": []}, 200),
        ({"tokens": [["a b", "\t", "#"]]}, 200),
    ],
)
def test_own_interface_says_what_is_wrong(server, body, status):
    answer = server.ask("/v1/parse", json.dumps(body).encode(), kind="application/json")
    assert answer.status == status, answer.text
    if status != 200:
        assert list(answer.json) == ["error"]
        assert "\n" not in answer.json["error"]


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/v1/parse", {}, "give exactly one of text, tokens and conllu"),
        ("/v1/parse", [], "the request must be an object"),
        ("/v1/parse", {"text": "x", "k_best": 0}, "k_best must be greater than or equal to 1, not 0"),
        ("/v1/parse", {"text": "x", "k_best": "many"}, "k_best must be a valid integer"),
        ("/v1/parse", {"tokens": [[""]]}, "tokens[0][0] must have at least 1 character"),
        ("/v1/parse", {"text": "x", "constraints": ["x"] * 9}, "constraints must have at most 8 items, not 9"),
        ("/v1/explore", {}, "conllu is missing"),
        (
            "/v1/explore",
            {"conllu": "x", "required": [[-1, 2]]},
            "required[0][0] must be greater than or equal to 0, not -1",
        ),
    ],
)
def test_wrong_values_are_named(server, path, body, message):
    answer = server.ask(path, json.dumps(body).encode(), kind="application/json")
    assert (answer.status, answer.json) == (422, {"error": message})


def test_bodies_that_are_refused(server):
    ask = server.ask
    bomb = gzip.compress(b"data=" + b"x" * (50 << 20))
    assert ask("/process", bomb, kind=FORM, **{"Content-Encoding": "gzip"}).status == 415
    assert ask("/process", b"data=%ff", kind=FORM).status == 400
    assert ask("/process", b"data=\xff", kind=FORM).status == 400
    assert ask("/process", b"data=x", kind="text/plain").status == 400
    assert (
        ask("/process", b'--xYz\r\nContent-Disposition: form-data; name="data"\r\n\r\nDo', kind=MULTIPART).status == 400
    )
    assert ask("/process", b"no boundary", kind="multipart/form-data").status == 400
    assert ask("/process", b"&".join(b"a%d=b" % number for number in range(100)), kind=FORM).status == 400
    assert ask("/v1/parse", b"[" * 100_000, kind="application/json").status == 422
    assert ask("/v1/parse", b"\xff\xfe", kind="application/json").status == 422


def test_a_hundred_megabytes_are_not_kept(server):
    before = resident(server.process.pid)
    assert server.ask("/process", b"data=" + b"x" * (100 << 20), kind=FORM).status == 413
    assert resident(server.process.pid) - before < 30 << 20


def resident(process_id: int) -> int:
    """Bytes of memory that a process has."""
    with open(f"/proc/{process_id}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_slow_senders_keep_nobody_waiting(server):
    slow, slower = [], []
    try:
        for start in (b"", b"P", b"POST /process HTTP/1.1\r\nHost: x\r\nContent-Le"):  # no complete head
            slower.append(socket.create_connection(server.host, timeout=60))
            slower[-1].sendall(start)
        for _ in range(100):
            connection = socket.create_connection(server.host, timeout=60)
            connection.sendall(b"POST /process HTTP/1.1\r\nHost: x\r\nContent-Type: %b\r\n" % FORM.encode())
            connection.sendall(b"Content-Length: 1000\r\n\r\ndata=Do")
            slow.append(connection)
        assert server.post_json("/v1/parse", text="Dogs bark.").status == 200
        assert b" 408 " in slow[0].recv(1000)  # after --max-seconds
        assert [connection.recv(1000) for connection in slower] == [b"", b"", b""]
    finally:
        for connection in (*slow, *slower):
            connection.close()


def test_work_stops_when_the_client_goes_away(server):
    text = "The pilot saw Clara at the station and waved.\n\n" * 15_000  # ten pieces
    body = json.dumps({"text": text}).encode()
    batches = server.metric("headway_batches_total")
    with socket.create_connection(server.host, timeout=60) as connection:
        connection.sendall(b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        while server.metric("headway_requests_in_progress") < 1:
            time.sleep(0.01)
    while server.metric("headway_requests_in_progress") > 0:
        time.sleep(0.01)
    assert server.metric("headway_batches_total") - batches < 5
    assert 499 in {entry.get("status") for entry in server.entries()}


@settings(max_examples=150)
@given(
    path=st.sampled_from(("/process", "/models", "/v1/parse")),
    kind=st.sampled_from((FORM, MULTIPART, "application/json", "", "multipart/form-data; boundary=", "\xff")),
    body=st.binary(max_size=200)
    | st.text(max_size=100).map(str.encode)
    | st.dictionaries(
        st.sampled_from(("data", "model", "tokenizer", "tagger", "parser", "input", "output")), st.text()
    ).map(lambda given: "&".join(f"{name}={value}" for name, value in given.items()).encode("utf-8", "replace"))
    | st.binary(max_size=80).map(lambda some: b'--xYz\r\nContent-Disposition: form-data; name="data"\r\n\r\n' + some),
)
def test_whatever_is_sent_is_answered(server, path, kind, body):
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
    answer = raw(server, head.encode() + b"Content-Type: " + kind.encode("latin-1") + b"\r\n\r\n" + body)
    status = int(answer.split(b" ", 2)[1])
    assert status in (200, 400, 413, 422), answer


def test_requests_together_get_the_answers_that_they_get_alone(server):
    texts = [f"Dogs bark {number} times at the pilot." for number in range(40)]
    alone = [server.post_json("/v1/parse", text=text, to="conllu").json for text in texts]
    batches, jobs = server.metric("headway_batches_total"), server.metric("headway_batched_jobs_total")
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        together = list(pool.map(lambda text: server.post_json("/v1/parse", text=text, to="conllu").json, texts))
    assert together == alone
    batches, jobs = server.metric("headway_batches_total") - batches, server.metric("headway_batched_jobs_total") - jobs
    assert jobs == 40
    assert batches < 40, "nothing was batched"


def test_the_log_has_no_text(server):
    secret = "Rumpelstilzchen"
    server.ask(f"/process?data={secret}&tokenizer=&model={secret}")
    server.ask(f"/{secret}")
    server.post_json("/v1/parse", text=secret, secret=secret)
    server.post_json("/v1/parse", conllu=secret)
    assert {"/process", "other", "/v1/parse"} <= {entry.get("route") for entry in server.entries()}
    assert not [line for line in server.log if secret in line]
    assert secret not in server.ask("/metrics").text


def test_markup_comes_out_as_text(server):
    text = "<script>alert(1)</script> barks."
    answer = server.ask("/process?data=x&tokenizer=&model=other-%3Ci%3Eone%3C/i%3E")
    assert answer.headers["content-type"].startswith("application/json")
    for form in ("svg", "html"):
        picture = server.post_json("/v1/parse", text=text).json["sentences"][0]
        assert picture["words"][0]["form"] in text
        body = f"data={text}&tokenizer=&tagger=&parser=&output={form}".encode()
        assert "<script>alert" not in server.ask("/process", body, kind=FORM).json["result"]


def test_only_requests_of_a_killed_worker_are_lost(small_model):
    pytest.importorskip("uvicorn")
    text = "The pilot saw Clara at the station and waved. " * 400  # so long that no two share a batch
    with serving("-m", small_model, "-w", 2) as server, concurrent.futures.ThreadPoolExecutor(20) as pool:
        while server.metric("headway_workers_ready") < 2:
            time.sleep(0.05)
        expected = server.post_json("/v1/parse", text=text, to="conllu").json
        batches = server.metric("headway_batches_total")
        pending = [pool.submit(server.post_json, "/v1/parse", text=text, to="conllu") for _ in range(20)]
        while server.metric("headway_batches_total") < batches + 2:
            time.sleep(0.01)
        killed, survivor = children(server.process.pid)
        os.kill(killed, signal.SIGKILL)
        answers = [future.result(120) for future in pending]
        lost = [answer for answer in answers if answer.status == 503]
        assert len(lost) == 1, [answer.status for answer in answers]
        assert lost[0].headers["retry-after"]
        assert "died while it processed" in lost[0].json["error"]
        assert [answer.json for answer in answers if answer.status == 200] == [expected] * 19
        while server.metric("headway_workers_ready") < 2:
            time.sleep(0.05)
        assert server.metric("headway_worker_starts_total") == 3
        assert survivor in children(server.process.pid)
        assert server.post_json("/v1/parse", text="Dogs bark.").status == 200


def test_what_was_accepted_is_answered_before_the_end(small_model):
    pytest.importorskip("uvicorn")
    long = "The pilot saw Clara at the station and waved. " * 300
    with serving("-m", small_model, "--queue", 2) as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        slow = [pool.submit(server.post_json, "/v1/parse", text=long, confidence=True) for _ in range(6)]
        while server.metric("headway_requests_in_progress") < 2:
            time.sleep(0.01)
        server.process.send_signal(signal.SIGTERM)
        statuses = sorted(answer.result(60).status for answer in slow)
        assert statuses.count(200) >= 2
        assert set(statuses) <= {200, 429}
        refused = [answer.result() for answer in slow if answer.result().status == 429]
        assert all(answer.headers["retry-after"] for answer in refused)
        assert server.process.wait(60) == 0


def test_limits_have_sound_defaults():
    assert Limits().queue * Limits().body <= Limits().buffered
