from backend import AUDIENCE, ISSUERS, PORT, ask
from flask import g, jsonify, request
from flask_app import create_app
from werkzeug.serving import WSGIRequestHandler


def serve():
    body = None if request.method == "GET" else request.get_json()
    status, answer = ask(request.method, request.full_path, body, g.claims)
    return jsonify(answer), status


WSGIRequestHandler.protocol_version = "HTTP/1.1"
create_app(AUDIENCE, ISSUERS, serve).run("127.0.0.1", PORT, threaded=True)
