from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from verify import ROUTES, Refused, authorize, error_body, verify


def create_app(audience, issuers, serve):
    """The six routes; `serve(request)` is yours, and finds the claims in `request.state.claims`."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)

    def allow(scope):
        def check(request):
            request.state.claims = verify(request.headers.get("authorization"), audience, issuers)
            authorize(request.state.claims, scope, request.path_params.get("org_id"))

        async def view(request: Request):
            # In a thread: fetching the issuer's keys blocks.
            await run_in_threadpool(check, request)
            return await serve(request)

        return view

    for method, path, scope in ROUTES:
        app.add_api_route(path, allow(scope), methods=[method])

    def answer(status, message):
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        return JSONResponse(error_body(status, message), status, headers)

    # FastAPI has an answer of its own for each of these, and none is an Error body.
    @app.exception_handler(Refused)
    def on_refused(_request, error):
        return answer(error.status, str(error))

    @app.exception_handler(HTTPException)
    def on_http(_request, error):
        return answer(error.status_code, "The request cannot be served")

    @app.exception_handler(RequestValidationError)
    def on_invalid(_request, _error):
        return answer(400, "The request is not valid")

    @app.exception_handler(Exception)
    def on_error(_request, _error):
        return answer(500, "The request cannot be served")

    return app

