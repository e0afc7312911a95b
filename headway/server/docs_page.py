"""The API documentation: the OpenAPI schema as one HTML page without scripts or external files."""

from collections.abc import Iterator
from html import escape
from typing import Any


def docs_page(schema: dict[str, Any]) -> str:
    """Render an OpenAPI schema as HTML."""
    info = schema["info"]
    routes = [
        part
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        for part in _route(path, method, operation)
    ]
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">',
            f"<title>{escape(info['title'])}: interface</title>",
            '<link rel="stylesheet" href="/page/style.css">\n</head>\n<body>\n<main>',
            f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
            '<p><a href="/">Explorer</a>, <a href="/openapi.json">OpenAPI schema</a></p>',
            *routes,
            "</main>\n</body>\n</html>\n",
        )
    )


def _route(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"<section><h2><code>{method.upper()} {escape(path)}</code></h2>"
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    rows = list(_parameters(operation))
    if rows:
        yield "<table>" + "".join(f"<tr><td><code>{name}</code></td><td>{text}</td></tr>" for name, text in rows)
        yield "</table>"
    statuses = (f"{status}: {told['description'].rstrip('.')}" for status, told in operation["responses"].items())
    yield f"<p>{escape('; '.join(statuses))}</p></section>"


def _parameters(operation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield name and description of all parameters, escaped."""
    for parameter in operation.get("parameters", ()):
        yield escape(parameter["name"]), _described(parameter["schema"])
    content = operation.get("requestBody", {}).get("content", {})
    if content:
        yield "body", escape(" or ".join(content))
        for name, schema in next(iter(content.values()))["schema"]["properties"].items():
            yield escape(name), _described(schema)


def _described(schema: dict[str, Any]) -> str:
    values = f" ({', '.join(map(str, schema['enum']))})" if "enum" in schema else ""
    return escape(schema.get("description", "") + values)
