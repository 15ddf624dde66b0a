from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

from verify import ROUTES, Refused, authorize, error_body, verify


def create_app(audience, issuers, serve):
    """The six routes; `serve` is yours, and finds the claims in `g.claims`."""
    app = Flask(__name__)

    def allow(scope):
        def view(org_id=None, change_id=None):
            g.claims = verify(request.headers.get("Authorization"), audience, issuers)
            authorize(g.claims, scope, org_id)
            return serve()

        return view

    for method, path, scope in ROUTES:
        rule = path.replace("{", "<").replace("}", ">")
        app.add_url_rule(
            rule,
            endpoint=f"{method} {path}",
            view_func=allow(scope),
            methods=[method],
            provide_automatic_options=False,
        )

    @app.errorhandler(Exception)
    def on_error(error):
        # Every error, those of Flask and of the body's parser too, becomes an Error body.
        status, message = 500, "The request cannot be served"
        if isinstance(error, Refused):
            status, message = error.status, str(error)
        elif isinstance(error, HTTPException) and error.code:
            status = error.code
        answer = jsonify(error_body(status, message))
        answer.status_code = status
        if status == 401:
            answer.headers["WWW-Authenticate"] = "Bearer"
        return answer

    return app
