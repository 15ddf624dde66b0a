import jwt

CLAIMS_NAMESPACE = "https://example.com"
ROUTES = [
    ("GET", "/orgs", "org:read"),
    ("GET", "/orgs/{org_id}", "org:read"),
    ("PATCH", "/orgs/{org_id}", "org:write"),
    ("POST", "/orgs/{org_id}/changes", "org.changes:write"),
    ("GET", "/orgs/{org_id}/changes", "org.changes:read"),
    ("GET", "/orgs/{org_id}/changes/{change_id}", "org.changes:read"),
]


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def verify(authorization, audience, issuers):
    """Checks 1 to 4. `issuers`: for each trusted `iss` a function that finds the key of a token."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or token == "":
        raise Refused(401, "A bearer token is needed")
    try:
        if "=" in token or jwt.get_unverified_header(token).get("crit") is not None:
            raise ValueError("padding, or an extension that is not understood")
        issuer = jwt.decode(token, options={"verify_signature": False})["iss"]
        return jwt.decode(
            token,
            issuers[issuer](token),
            algorithms=["RS256", "ES256"],
            audience=audience,
            issuer=issuer,
            leeway=30,
            options={"require": ["iss", "sub", "aud", "iat", "exp", "scope"]},
        )
    except Exception as error:
        raise Refused(401, "The token is not valid") from error


def authorize(claims, scope, organization=None):
    """Checks 5 and 6. Check 7, your own access policy, comes after them."""
    granted = claims["scope"]
    if not isinstance(granted, str) or scope not in granted.split(" "):
        raise Refused(403, f"The token lacks the scope {scope}")
    binding = f"{CLAIMS_NAMESPACE}/org_id"
    if organization is not None and binding in claims and claims[binding] != organization:
        raise Refused(403, "The token is bound to another organization")


def error_body(status, message):
    return {"status": status, "message": message, "errors": []}
