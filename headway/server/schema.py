"""The OpenAPI description of routes whose bodies FastAPI does not read itself."""

from typing import Any

from pydantic import BaseModel

from headway.server.udpipe import INPUTS, OUTPUTS
from headway.server.v1 import ErrorAnswer

_PARAMETERS: dict[str, tuple[str, list[str]]] = {
    "data": ("The text or table.", []),
    "model": ("One of /models, or the first parts of its name; by default the first.", []),
    "input": ("The form of the data where there is no tokenizer.", list(INPUTS)),
    "tokenizer": ("Data are plain text; presegmented, ranges, normalized_spaces, joined by semicolons.", []),
    "tagger": ("Find tags and lemmas; any value.", []),
    "parser": ("Find trees; any value.", []),
    "output": ("The form of the result.", list(OUTPUTS)),
}
_STATUSES = {
    400: "Not understood.",
    404: "There is no such thing here.",
    405: "Not a method of this address.",
    408: "The request did not arrive in time.",
    413: "More than the server accepts.",
    415: "Bodies with a Content-Encoding are not accepted.",
    422: "Not a request of this kind.",
    429: "The server's queue is full.",
    503: "No worker could answer.",
}


def _properties() -> dict[str, Any]:
    return {
        name: {"type": "string", "description": text, **({"enum": values} if values else {})}
        for name, (text, values) in _PARAMETERS.items()
    }


def models(method: str) -> dict[str, Any]:
    """Describe ``/models``."""
    return {"responses": {"200": _json(_object(models=_object(), default_model={"type": "string"}))}}


def process(method: str) -> dict[str, Any]:
    """Describe ``/process``."""
    answer = _object(
        model={"type": "string"},
        acknowledgements={"type": "array", "items": {"type": "string"}},
        result={"type": "string"},
    )
    described: dict[str, Any] = {"responses": {"200": _json(answer)}}
    if method == "GET":
        described["parameters"] = [
            {"name": name, "in": "query", "required": name == "data", "schema": schema}
            for name, schema in _properties().items()
        ]
    else:
        content = {"schema": {"type": "object", "properties": _properties(), "required": ["data"]}}
        kinds = ("application/x-www-form-urlencoded", "multipart/form-data")
        described["requestBody"] = {"required": True, "content": dict.fromkeys(kinds, content)}
    return described


def json_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Describe a route that reads one kind of JSON object."""
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": kind.model_json_schema()}},
        }
    }


def text_error(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe errors in plain text."""
    return {status: {"description": _STATUSES[status], "content": {"text/plain": {}}} for status in statuses}


TEXT_ERRORS = text_error(400, 404, 405, 408, 413, 415, 429, 503)
JSON_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "model": ErrorAnswer} for status, text in _STATUSES.items()
}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": "Answered.", "content": {"application/json": {"schema": schema}}}


def _object(**properties: Any) -> dict[str, Any]:
    return (
        {"type": "object", "properties": properties, "required": list(properties)} if properties else {"type": "object"}
    )
