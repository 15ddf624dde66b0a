"""What comes after the tokens is asked of the test, so that it is the same behind each stack."""

import json
import os
import urllib.request

import jwt

AUDIENCE = os.environ["AUDIENCE"]
PORT = int(AUDIENCE.rpartition(":")[2])
with open(os.environ["JWKS"], encoding="utf8") as file:
    KEYS = {key.key_id: key for key in jwt.PyJWKSet.from_dict(json.load(file)).keys}
ISSUERS = {os.environ["ISSUER"]: lambda token: KEYS[jwt.get_unverified_header(token)["kid"]]}


def ask(method, url, body, claims):
    call = {"method": method, "url": url, "body": body, "claims": claims}
    request = urllib.request.Request(os.environ["BACKEND"], json.dumps(call).encode())
    with urllib.request.urlopen(request) as answer:
        told = json.load(answer)
    return told["status"], told["body"]
