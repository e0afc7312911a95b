"""The FastAPI application: routes, responses and error responses."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, PlainTextResponse

from headway import __version__
from headway.server import schema, udpipe, v1
from headway.server.bodies import Intake, parameters
from headway.server.docs_page import docs_page
from headway.server.limits import Problem
from headway.server.service import Service, while_connected
from headway.server.watch import Watch

log = logging.getLogger("headway.server")

_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:"
_ROUTES = frozenset(
    (
        "/",
        "/models",
        "/process",
        "/v1/parse",
        "/v1/explore",
        "/v1/models",
        "/health",
        "/ready",
        "/metrics",
        "/openapi.json",
        "/docs",
    )
)


def make_app(service: Service) -> FastAPI:
    """Build the application; it starts the service's workers and stops them when it shuts down."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.pool.start()
        yield
        service.pool.close()

    app = FastAPI(
        title="Headway", version=__version__, description="Dependency trees over HTTP.", lifespan=lifespan,
        docs_url=None, redoc_url=None,
    )  # fmt: skip
    intake = Intake(service.limits)
    _add_udpipe(app, service, intake)
    _add_own(app, service, intake)
    _add_state(app, service)
    _add_page(app)
    _add_errors(app)
    app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"])
    app.add_middleware(Watch, metrics=service.metrics, routes=_ROUTES, headers=_HEADERS)
    return app


def _add_udpipe(app: FastAPI, service: Service, intake: Intake) -> None:
    async def models(request: Request) -> Response:
        """List the models."""
        async with intake.body(request) as body:
            if body:
                parameters(request, body)
            return JSONResponse(udpipe.list_models(service.catalogue))

    async def process(request: Request) -> Response:
        """Tokenise, tag and parse, with the parameters of the UDPipe REST service."""
        async with intake.body(request) as body:
            given = parameters(request, body)
            entry, order, data, text = udpipe.read_request(given, service.catalogue)
            async with service.place():
                result = await while_connected(request, service.parse(order, data, text=text))
        return JSONResponse(udpipe.answer(entry, order, result.text))

    for method in ("GET", "POST"):
        for path, function, extra in (
            ("/models", models, schema.models(method)),
            ("/process", process, schema.process(method)),
        ):
            app.add_api_route(
                path, function, methods=[method], tags=["UDPipe"], operation_id=f"{path[1:]}_{method.lower()}",
                openapi_extra=extra, responses=schema.TEXT_ERRORS,
            )  # fmt: skip


def _add_own(app: FastAPI, service: Service, intake: Intake) -> None:
    @app.post(
        "/v1/parse", tags=["Headway"], response_model=v1.ParseAnswer, responses=schema.JSON_ERRORS,
        openapi_extra=schema.json_body(v1.ParseRequest),
    )  # fmt: skip
    async def parse(request: Request) -> Response:
        """Parse a text, words or a table."""
        async with intake.body(request) as body:
            asked = v1.validated(v1.ParseRequest, body)
            entry = v1.model_of(service.catalogue, asked.model)
            order = asked.order(entry, seconds=service.limits.seconds / 2)
            data, text = asked.data()
            async with service.place():
                result = await while_connected(request, service.parse(order, data, text=text))
        return Response(v1.answer(entry, order, result), media_type="application/json")

    @app.post(
        "/v1/explore", tags=["Headway"], responses=schema.JSON_ERRORS, openapi_extra=schema.json_body(v1.ExploreRequest)
    )
    async def explore(request: Request) -> Response:
        """Analyse one sentence: trees under constraints, rival heads, the steps of a search."""
        async with intake.body(request) as body:
            asked = v1.validated(v1.ExploreRequest, body)
            entry = v1.model_of(service.catalogue, asked.model)
            job = asked.job(entry, seconds=service.limits.seconds / 4, sentence=service.limits.sentence)
            async with service.place():
                return JSONResponse(await while_connected(request, service.pool.answer(job)))

    @app.get("/v1/models", tags=["Headway"])
    async def list_models() -> dict[str, Any]:
        """List models and decoders."""
        return v1.list_models(service.catalogue)


def _add_page(app: FastAPI) -> None:
    """Add the explorer's page, whose files are part of the package, and the documentation page."""
    folder = files("headway.server") / "page"

    def add(path: str, name: str, kind: str) -> None:
        content = (folder / name).read_bytes()

        async def send() -> Response:
            return Response(content, media_type=kind, headers={"Content-Security-Policy": _POLICY})

        app.add_api_route(path, send, methods=["GET"], include_in_schema=False)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        page = docs_page(app.openapi())
        return Response(page, media_type="text/html", headers={"Content-Security-Policy": _POLICY})

    add("/", "index.html", "text/html")
    for name in ("style.css", "explorer.js", "tree.js", "conllu.js", "panels.js"):
        add(f"/page/{name}", name, "text/css" if name.endswith(".css") else "text/javascript")


def _add_state(app: FastAPI, service: Service) -> None:
    @app.get("/health", tags=["state"], response_class=PlainTextResponse)
    async def health() -> str:
        """Return ok while the server is running."""
        return "ok\n"

    @app.get("/ready", tags=["state"], response_class=PlainTextResponse, responses=schema.text_error(503))
    async def ready() -> str:
        """Return ready if a worker can take requests, or else 503."""
        if not service.pool.ready:
            raise Problem(503, service.pool.failed or "no worker is ready", retry_after=2)
        return "ready\n"

    @app.get("/metrics", tags=["state"], response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Return the metrics in Prometheus' text format."""
        return PlainTextResponse(service.metrics.exposition(), media_type="text/plain; version=0.0.4")


def _add_errors(app: FastAPI) -> None:
    def answer(request: Request, status: int, message: str, headers: dict[str, str]) -> Response:
        if request.url.path.startswith("/v1/"):
            return JSONResponse({"error": message}, status, headers)
        return PlainTextResponse(f"{message}\n", status, headers)

    async def problem(request: Request, error: Any) -> Response:
        headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
        return answer(request, error.status, error.message, headers)

    async def refusal(request: Request, error: Any) -> Response:
        headers = dict(error.headers or {})
        if "Allow" in headers and request.url.path in ("/models", "/process"):
            headers["Allow"] = "GET, POST"
        return answer(request, error.status_code, str(error.detail), headers)

    app.add_exception_handler(Problem, problem)
    app.add_exception_handler(HTTPException, refusal)
