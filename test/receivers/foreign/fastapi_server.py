import uvicorn
from backend import AUDIENCE, ISSUERS, PORT, ask
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from fastapi_app import create_app
from starlette.exceptions import HTTPException


async def serve(request):
    try:
        body = None if request.method == "GET" else await request.json()
    except ValueError as error:
        raise HTTPException(400) from error
    url = f"{request.url.path}?{request.url.query}"
    status, answer = await run_in_threadpool(
        ask, request.method, url, body, request.state.claims
    )
    return JSONResponse(answer, status)


uvicorn.run(create_app(AUDIENCE, ISSUERS, serve), host="127.0.0.1", port=PORT, log_level="warning")
