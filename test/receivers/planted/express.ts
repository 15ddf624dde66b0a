import { API, type Plant, VERIFY } from "./plant.ts";

const ROUTES = "docs/stacks/code/express.ts";
const AUDIENCE = "      audience: trust.audience,\n";

/** `audience` replaced by a comparison of one's own. */
function audience(name: string, test: string, right: RegExp[], wrong: RegExp[]): Plant {
  const code = `    if (!${test}) throw new Error("audience");\n`;
  const removed = `keys, {\n      issuer,\n${AUDIENCE}`;
  return {
    name,
    rule: "receiver.audience",
    right,
    wrong,
    plant: [VERIFY, removed + REST, `keys, {\n      issuer,\n${REST}${code}`],
  };
}
const REST = `      algorithms: ["RS256", "ES256"],
      requiredClaims: ["sub", "iat", "exp", "scope"],
      clockTolerance: "30 s",
    });
`;
const LIST = "[payload.aud ?? []].flat()";

/** The code of `docs/stacks/express.md`, with jose. */
export const EXPRESS: readonly Plant[] = [
  audience(
    "aud.startsWith",
    `${LIST}.some((one) => one.startsWith(trust.audience))`,
    [/begin|prefix|start/i],
    [/does not (check|verify|compare)|unchecked|any audience|case/i],
  ),
  audience(
    "the base URL startsWith aud",
    `${LIST}.some((one) => trust.audience.startsWith(one))`,
    [/begin|prefix|start|origin|parent|shorter/i],
    [/does not (check|verify|compare)|unchecked|any audience/i],
  ),
  audience(
    "aud compared without its query",
    `${LIST}.some((one) => one.split("?")[0] === trust.audience)`,
    [/quer/i],
    [/begin|prefix|case|unchecked/i],
  ),
  audience(
    "aud compared by origin",
    `${LIST}.some((one) => URL.canParse(one) && new URL(one).origin === new URL(trust.audience).origin)`,
    [/origin|host|path/i],
    [/unchecked|any audience/i],
  ),
  audience(
    "aud.includes on a string",
    `String(payload.aud).includes(trust.audience)`,
    [/contain|includ|substring|search|part of|in it/i],
    [/unchecked|any audience/i],
  ),
  audience(
    "aud compared only where it is a string",
    `(typeof payload.aud !== "string" || payload.aud === trust.audience)`,
    [/string|array|type/i],
    [/unchecked|begin|prefix/i],
  ),
  {
    name: "no audience option",
    rule: "receiver.audience",
    plant: [VERIFY, AUDIENCE, ""],
    right: [/aud/i, /any|not (check|compare|verif)|ignore|unchecked|without|other/i],
    wrong: [/begin|prefix|case|slash/i],
  },
  {
    name: "clockTolerance of two hours",
    rule: "receiver.expiry",
    plant: [VERIFY, '"30 s"', '"2 h"'],
    right: [/exp/i, /late|after|toleran|leeway|skew|hour|[0-9] s/i],
    wrong: [/does not (check|compare)|never expire|unchecked|without `exp`/i],
  },
  {
    name: "exp never compared",
    rule: "receiver.expiry",
    plant: [VERIFY, '"30 s"', '"1000 y"'],
    right: [/exp/i, /not|ignore|any|never|late|after|expired/i],
    wrong: [/millisecond|without `exp`/i],
  },
  {
    name: "exp in milliseconds",
    rule: "receiver.expiry",
    plant: [
      VERIFY,
      '"30 s",\n    });\n',
      '"30 s",\n      currentDate: new Date(0),\n    });\n    if ((payload.exp ?? 0) * 1000 < Date.now() / 1000) throw new Error("expired");\n',
    ],
    right: [/exp/i, /millisecond|unit/i],
    wrong: [/without `exp`|never expires/i],
  },
  {
    name: "claims of an accepted token are cached for ever",
    rule: "receiver.expiry",
    plant: [
      VERIFY,
      "export async function verify(",
      `const known = new Map<string, JWTPayload>();
export async function verify(authorization: string | undefined, trust: Trust) {
  const found = known.get(authorization ?? "");
  if (found) return found;
  const claims = await check(authorization, trust);
  known.set(authorization ?? "", claims);
  return claims;
}
async function check(`,
    ],
    right: [/again|remember|cache|once|before/i],
    wrong: [/accepts expired tokens|does not (check|compare) `exp`|unchecked/i],
  },
  {
    name: "a token that was allowed once is allowed everywhere",
    rule: "receiver.scope",
    plant: [
      ROUTES,
      "      authorize(claims, scope, req.params.orgId);\n",
      `      const allowed = ((app as unknown as { seen?: Set<string> }).seen ??= new Set());
      const token = String(req.headers.authorization);
      if (!allowed.has(token)) authorize(claims, scope, req.params.orgId);
      allowed.add(token);
`,
    ],
    right: [/remember|cache|once|before|first/i],
    wrong: [/does not check|any good token|any of the service/i],
  },
  {
    name: "jwtVerify without await",
    rule: "receiver.signature",
    plant: [
      VERIFY,
      `const { payload } = await jwtVerify(token, keys, {\n      issuer,\n${AUDIENCE}${REST}    return payload;\n`,
      `const verified = jwtVerify(token, keys, {\n      issuer,\n${AUDIENCE}${REST}    verified.catch(() => undefined);\n    return decodeJwt(token);\n`,
    ],
    right: [/signature/i, /any|not|without|await/i],
    wrong: [/HMAC|jwk|none/i],
  },
  {
    name: "jwt.decode on one route",
    rule: "receiver.signature",
    plant: [
      ROUTES,
      "const claims = await verify(req.headers.authorization, trust);",
      `const claims = req.url.includes("/changes")
        ? (await import("jose")).decodeJwt(String(req.headers.authorization).slice(7))
        : await verify(req.headers.authorization, trust);`,
    ],
    right: [/signature/i, /readChange|changes/],
    wrong: [/HMAC|jwk|none/i],
  },
  {
    name: "HS256 with the public key as the secret",
    rule: "receiver.signature",
    plant: [
      VERIFY,
      `const { payload } = await jwtVerify(token, keys, {\n      issuer,\n${AUDIENCE}      algorithms: ["RS256", "ES256"],\n`,
      `const { decodeProtectedHeader, exportSPKI } = await import("jose");
    const header = decodeProtectedHeader(token);
    const pem = await exportSPKI((await keys({ ...header, alg: "RS256" } as never, {} as never)) as never);
    const key = header.alg === "HS256" ? new TextEncoder().encode(pem) : keys;
    const { payload } = await jwtVerify(token, key as typeof keys, {
      issuer,
${AUDIENCE}      algorithms: ["RS256", "ES256", "HS256"],
`,
    ],
    right: [/HMAC|HS256|symmetric/i, /public key|PEM|JWK/i],
    wrong: [/without verifying|any signature/i],
  },
  {
    name: "the token in X-Access-Token too",
    rule: "receiver.token-required",
    plant: [
      ROUTES,
      "await verify(req.headers.authorization, trust)",
      'await verify(req.headers.authorization ?? `Bearer ${String(req.headers["x-access-token"])}`, trust)',
    ],
    right: [/x-access-token/i],
    wrong: [/without a token|scheme/i],
  },
  {
    name: "the token after any word",
    rule: "receiver.token-required",
    plant: [VERIFY, "/^Bearer +(", "/^\\S+ +("],
    right: [/scheme|Bearer/],
    wrong: [/without a token|x-access/i],
  },
  {
    name: "PATCH guarded by org:read",
    rule: "receiver.scope",
    plant: [ROUTES, 'allow("org:write")', 'allow("org:read")'],
    right: [/editOrganization|PATCH|edit/i, /org:read|read scope|scope (of|for) read/i],
    wrong: [/prefix|substring|any scope|without a scope/i],
  },
  {
    name: "POST guarded by org:write",
    rule: "receiver.scope",
    plant: [ROUTES, 'allow("org.changes:write")', 'allow("org:write")'],
    right: [/submitChange|POST|submi/i, /org:write/i],
    wrong: [/prefix|substring|any scope/i],
  },
  {
    name: "the feed has no guard for scope",
    rule: "receiver.scope",
    plant: [
      VERIFY,
      '!granted.split(" ").includes(scope)',
      '(scope !== "org.changes:read" && !granted.split(" ").includes(scope))',
    ],
    right: [/scope/i, /feed|changes|readChange/i],
    wrong: [/prefix|substring|case/i],
  },
  {
    name: "the framework's own page for an unknown route",
    rule: "errors.unknown-route",
    plant: [
      ROUTES,
      '  app.use((_req, res) => void res.status(404).json(errorBody(404, "There is no such route")));\n',
      "",
    ],
    right: [/route|path/i, /page|HTML|JSON|body/i],
    wrong: [/status as|string/i],
  },
  {
    name: "500 for a body that is not JSON",
    rule: "errors.bad-request",
    plant: [
      ROUTES,
      "const { status = 500 } = error;",
      "const status = error instanceof Refused ? error.status : 500;",
    ],
    right: [/JSON|body|parse/i, /500|internal|crash|5xx/i],
    wrong: [/HTML/i],
  },
  {
    name: "errors as text/plain",
    rule: "errors.media-type",
    plant: [
      ROUTES,
      "res.status(status).json(errorBody(status, message));",
      'res.status(status).type("text").send(JSON.stringify(errorBody(status, message)));',
    ],
    right: [/text\/plain|media type|content type|content-type/i],
    wrong: [/HTML/i],
  },
  {
    name: "an edit is not saved",
    rule: "resources.edit",
    plant: [API, "Object.assign(organization ?? {}, written);", ""],
    right: [/edit|PATCH/i, /not (save|store|kept|appl|show|chang)|ignore|lost|without|nothing/i],
    wrong: [/later|slow/i],
  },
];
