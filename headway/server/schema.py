"""The OpenAPI description of the routes whose bodies are not read by FastAPI."""

from typing import Any

from pydantic import BaseModel

from headway.server.udpipe import INPUTS, OUTPUTS
from headway.server.v1 import ErrorAnswer

_PARAMETERS: dict[str, tuple[str, list[str]]] = {
    "data": ("The text or table.", []),
    "model": ("The name of a model in /models, or the beginning of it up to a hyphen; by default the first model.", []),
    "input": ("The format of the data if there is no tokenizer parameter.", list(INPUTS)),
    "tokenizer": (
        "The data is plain text. Options: presegmented, ranges, normalized_spaces, joined by semicolons.",
        [],
    ),
    "tagger": ("Predict tags and lemmas; any value.", []),
    "parser": ("Predict trees; any value.", []),
    "output": ("The format of the result.", list(OUTPUTS)),
}
_STATUSES = {
    400: "The request is invalid.",
    404: "There is no such page or model.",
    405: "This address does not support the method.",
    408: "The request did not arrive in time.",
    413: "The request is larger than the server accepts.",
    415: "Bodies with a Content-Encoding are not accepted.",
    422: "The JSON does not have the required form.",
    429: "The server's queue is full.",
    503: "The server is overloaded, or no worker could answer in time.",
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
    """Describe a route whose body is a JSON object of this kind."""
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
    return {"description": "Success.", "content": {"application/json": {"schema": schema}}}


def _object(**properties: Any) -> dict[str, Any]:
    return (
        {"type": "object", "properties": properties, "required": list(properties)} if properties else {"type": "object"}
    )
