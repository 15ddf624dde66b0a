// The small receiver of docs/debugging-own.md: two operations, with one mistake.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { createLocalJWKSet, jwtVerify } from "jose";

const BASE_URL = "http://127.0.0.1:8080";
const PRIMARY = "0a4f3f0e-3c0a-4b4e-9d53-5d8f6a1f7c11";
const OTHER = "7b9d2f58-6a1e-4f0c-8f6e-2f1f0f5f2a22";
const MEMBERS = { "svc-conformance": [PRIMARY, OTHER], "svc-partner": [OTHER] };
const keys = createLocalJWKSet(JSON.parse(readFileSync("keys/jwks.json", "utf8")));

async function answer({ method, url, headers }) {
  const [, root, orgId, ...rest] = new URL(url, BASE_URL).pathname.split("/");
  if (method !== "GET" || root !== "orgs" || rest.length > 0)
    return [404, "There is no such route"];
  const token = /^Bearer ([\w.-]+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const verified = await jwtVerify(token, keys, {
    issuer: "https://issuer.example.com",
    audience: BASE_URL,
    algorithms: ["RS256"],
    requiredClaims: ["sub", "iat", "exp", "scope"],
  }).catch(() => undefined);
  if (!verified) return [401, "The token is not valid"];
  const { sub, scope, "https://example.com/org_id": bound } = verified.payload;
  if (typeof scope !== "string" || !scope.includes("org:read"))
    return [403, "The scope is missing"];
  const visible = (MEMBERS[sub] ?? []).filter((id) => bound === undefined || bound === id);
  if (orgId === undefined) return [200, visible.map((id) => ({ id }))];
  return visible.includes(orgId) ? [200, { id: orgId }] : [403, "This organization is not yours"];
}

async function serve(request, response) {
  const [status, result] = await answer(request);
  const body = status < 400 ? result : { status, message: result, errors: [] };
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 401 && { "www-authenticate": "Bearer" }),
  });
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => void serve(request, response));
server.listen(8080, "127.0.0.1", () => console.error(`It listens on ${BASE_URL}.`));
