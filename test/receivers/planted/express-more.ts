import { API, type Plant, VERIFY } from "./plant.ts";

const ROUTES = "docs/stacks/code/express.ts";
const ISSUER = "const keys = trust.issuers.get(issuer);";
const AUDIENCE = "      audience: trust.audience,\n";
const TIMES = '      clockTolerance: "30 s",\n    });\n';
const SCOPE = '!granted.split(" ").includes(scope)';
const BINDING = "bound !== organization) {";

function plant(
  name: string,
  rule: string,
  of: Plant["plant"],
  right: readonly RegExp[],
  wrong: readonly RegExp[],
): Plant {
  return { name, rule, plant: of, right, wrong };
}

/** The keys of the trusted issuer that a test finds, and `iss` compared by that test alone. */
function issuer(name: string, test: string, right: readonly RegExp[], wrong: RegExp[]): Plant {
  const found = `const [one = "", keys] = [...trust.issuers].find(([one]) => ${test}) ?? [];`;
  return plant(name, "receiver.issuer", [VERIFY, `${ISSUER}\n`, `${found}\n`], right, wrong);
}

/** Audience compared by a test after the call. */
function audience(name: string, test: string, right: readonly RegExp[], wrong: RegExp[]): Plant {
  const rest = `      algorithms: ["RS256", "ES256"],
      requiredClaims: ["sub", "iat", "exp", "scope"],
${TIMES}`;
  return plant(
    name,
    "receiver.audience",
    [
      VERIFY,
      AUDIENCE + rest,
      `${rest}    const given = String(payload.aud);\n    if (!(${test})) throw new Error("audience");\n`,
    ],
    right,
    wrong,
  );
}

/** `exp` compared by a test after the call, which accepts every time. */
function expiry(name: string, test: string, right: readonly RegExp[], wrong: RegExp[]): Plant {
  return plant(
    name,
    "receiver.expiry",
    [
      VERIFY,
      TIMES,
      `      clockTolerance: "1000 y",\n    });\n    const { exp = 0, iat = 0 } = payload;\n    if (!(${test})) throw new Error("expired");\n`,
    ],
    right,
    wrong,
  );
}

/** Faults as receivers had them that this repository had never seen, in the code of `docs/stacks/express.md`. */
export const EXPRESS_MORE: readonly Plant[] = [
  audience(
    "the first 20 characters of aud",
    "given.slice(0, 20) === trust.audience.slice(0, 20)",
    [/first \d+ characters|beginning/i],
    [/host|origin|unchecked/i],
  ),
  issuer(
    "iss by its domain",
    'new URL(issuer).hostname.endsWith(new URL(one).hostname.split(".").slice(-2).join("."))',
    [/domain|ending|ends/i],
    [/only the host|origin|unchecked/i],
  ),
  audience(
    "aud without its port",
    'given.replace(/:\\d+/, "") === trust.audience.replace(/:\\d+/, "")',
    [/port/i],
    [/host of|unchecked|prefix/i],
  ),
  issuer(
    "iss below the right one",
    "issuer === one || issuer.replace(/\\/$/, '').startsWith(one + '/')",
    [/below/i],
    [/unchecked|host/i],
  ),
  issuer(
    "iss by the last two labels of its host",
    '[issuer, one].map((url) => new URL(url).hostname.split(".").slice(-2).join()).every((domain, _, [first]) => domain === first)',
    [/domain|last two labels/i],
    [/origin|unchecked|search/i],
  ),
  issuer(
    "iss without its scheme",
    '[issuer, one].map((url) => url.replace(/^https?:\\/\\//, "")).every((rest, _, [first]) => rest === first)',
    [/scheme/i],
    [/unchecked|several faults|does not explain/i],
  ),
  audience(
    "the path of aud",
    "URL.canParse(given) && new URL(given).pathname === new URL(trust.audience).pathname",
    [/path/i],
    [/origin|unchecked|below/i],
  ),
  issuer(
    "iss with the name of the host somewhere",
    "issuer.includes(new URL(one).host)",
    [/search|contain|includ/i, /host/i],
    [/origin|unchecked|without its port/i],
  ),
  expiry("exp compared with iat", "exp > iat", [/exp/, /iat/], [/millisecond|unchecked/i]),
  expiry(
    "a tolerance of a week",
    "exp + 604_800 > Date.now() / 1000",
    [/days after|s after/, /long after|week|limit/i],
    [/millisecond|two hours|60,000/i],
  ),
  expiry(
    "a token is good until the end of its day and the next",
    "Math.floor(exp / 86_400) + 2 > Math.floor(Date.now() / 86_400_000) && exp - 86_400 < Date.now() / 1000",
    [/s after/, /long after|limit/i],
    [/millisecond|two hours|60,000/i],
  ),
  plant(
    "a kid that names no key is let through",
    "receiver.signature",
    [
      VERIFY,
      "    const { payload } = await jwtVerify(",
      `    const { decodeProtectedHeader, errors } = await import("jose");
    const known = await Promise.resolve(keys(decodeProtectedHeader(token) as never, {} as never)).catch(
      (error: unknown) => error,
    );
    if (known instanceof errors.JWKSNoMatchingKey) return decodeJwt(token);
    const { payload } = await jwtVerify(`,
    ],
    [/`kid`/, /names no key|unknown/i],
    [/trusts claims without|HMAC/i],
  ),
  plant(
    "HS256 with a secret that is not set",
    "receiver.signature",
    [
      VERIFY,
      "    const { payload } = await jwtVerify(",
      `    const { decodeProtectedHeader } = await import("jose");
    const { createHmac } = await import("node:crypto");
    const [head, body, signature] = token.split(".");
    const hmac = createHmac("sha256", process.env["NO_SUCH_SECRET"] ?? "").update(head + "." + body);
    if (decodeProtectedHeader(token).alg === "HS256" && hmac.digest("base64url") === signature) {
      return decodeJwt(token);
    }
    const { payload } = await jwtVerify(`,
    ],
    [/HMAC/, /empty/],
    [/PEM|unknown|without verifying/i],
  ),
  plant(
    "nobody looks at what the verifier of ES256 says",
    "receiver.signature",
    [
      VERIFY,
      "    const { payload } = await jwtVerify(",
      `    const { decodeProtectedHeader } = await import("jose");
    const { alg, kid, crit } = decodeProtectedHeader(token);
    if (alg === "ES256" && kid === "conformance-es256" && !crit) return decodeJwt(token);
    const { payload } = await jwtVerify(`,
    ],
    [/`alg: ES256`/, /not verify/],
    [/trusts claims without|HMAC/i],
  ),
  plant(
    "page and pageSize are cut to integers",
    "pagination.bounds-rejected",
    [
      API,
      "/^\\d{1,10}$/.test(text) ? Number(text) : 0,",
      "/^\\d{1,10}([.]\\d+)?$/.test(text) ? Math.floor(Number(text)) : 0,",
    ],
    [/fraction|1\.5/i],
    [/every value|several faults/i],
  ),
  plant(
    "sub is not required",
    "receiver.required-claims",
    [VERIFY, '["sub", "iat", "exp", "scope"]', '["iat", "exp", "scope"]'],
    [/`sub`/, /require|without/i],
    [/own/i],
  ),
  plant(
    "ES256 is not among the algorithms",
    "receiver.keys",
    [VERIFY, '["RS256", "ES256"]', '["RS256"]'],
    [/refuses one that is signed with `ES256`/],
    [/first key/i],
  ),
  plant(
    "HS256 with the bytes of the public key",
    "receiver.signature",
    [
      VERIFY,
      `await jwtVerify(token, keys, {\n      issuer,\n${AUDIENCE}      algorithms: ["RS256", "ES256"],`,
      `await jwtVerify(token, (async (header: never, rest: never) => {
      const { exportSPKI } = await import("jose");
      const { alg } = header as { alg: string };
      const isHmac = alg === "HS256";
      const key = await keys({ ...(header as object), ...(isHmac && { alg: "RS256" }) } as never, rest);
      return isHmac ? Buffer.from((await exportSPKI(key as never)).replaceAll(/-----.*-----|\\n/g, ""), "base64") : key;
    }) as never, {
      issuer,
${AUDIENCE}      algorithms: ["RS256", "ES256", "HS256"],`,
    ],
    [/HMAC/, /bytes|DER/],
    [/PEM|without verifying/i],
  ),
  plant(
    "scopes compared before the colon",
    "receiver.scope",
    [VERIFY, SCOPE, '!granted.split(" ").some((one) => one.split(":")[0] === scope.split(":")[0])'],
    [/before the colon/i],
    [/without a scope do|does not check|prefix/i],
  ),
  plant(
    "scopes compared after the colon",
    "receiver.scope",
    [VERIFY, SCOPE, '!granted.split(" ").some((one) => one.split(":")[1] === scope.split(":")[1])'],
    [/follows the colon/i],
    [/does not check|prefix/i],
  ),
  plant(
    "the first part of the bound id",
    "receiver.binding",
    [VERIFY, BINDING, 'String(bound).split("-")[0] !== organization.split("-")[0]) {'],
    [/first/i, /hyphen|part|characters/i],
    [/every organization|several faults/i],
  ),
  plant(
    "the last part of the bound id",
    "receiver.binding",
    [VERIFY, BINDING, 'String(bound).split("-").at(-1) !== organization.split("-").at(-1)) {'],
    [/last hyphen/i],
    [/every organization|several faults/i],
  ),
  plant(
    "the first 36 characters of the path",
    "errors.not-found",
    [
      API,
      "const [, orgId, changeId] = routeOf(id).exec(request.path) ?? [];",
      "const [, named, changeId] = routeOf(id).exec(request.path) ?? [];\n      const orgId = named?.slice(0, 36);",
    ],
    [/after an organization id|begins? with|first \d+ characters/i],
    [/null|internal error/i],
  ),
  plant(
    "bounds of page are not compared",
    "pagination.bounds-rejected",
    [API, "if (!known || !inBounds)", "if (!known || (!inBounds && false))"],
    [/every|bounds|any/i],
    [/several faults|as 100/i],
  ),
  plant(
    "PATCH has no guard for scope",
    "receiver.scope",
    [
      ROUTES,
      "authorize(claims, scope, req.params.orgId);",
      'if (req.method !== "PATCH") authorize(claims, scope, req.params.orgId);',
    ],
    [/scope/i, /not check|unchecked/i, /editOrganization|PATCH/],
    [/as well as|read scope for a write/i],
  ),
];
