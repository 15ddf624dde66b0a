import { HONO as FILE, type Plant } from "./plant.ts";

function plant(
  name: string,
  rule: string,
  from: string,
  to: string,
  right: RegExp[],
  wrong: RegExp[],
): Plant {
  return { name, rule, plant: [FILE, from, to], right, wrong };
}

/** Hono with its JWK middleware. */
export const HONO: readonly Plant[] = [
  plant(
    "no `iss` option",
    "receiver.issuer",
    "iss: options.issuer, ",
    "",
    [/iss/i, /not|any|ignore|without/i],
    [/prefix|host|case/i],
  ),
  plant(
    "no `aud` option",
    "receiver.audience",
    ", aud: baseUrl",
    "",
    [/aud/i, /not|any|ignore|without/i],
    [/prefix|begin|case/i],
  ),
  plant(
    "iss matched by a pattern without its end",
    "receiver.issuer",
    "iss: options.issuer",
    "iss: new RegExp(`^${options.issuer}`)",
    [/begin|prefix|start/i],
    [/host|case|any issuer/i],
  ),
  plant(
    "iss matched by host",
    "receiver.issuer",
    "iss: options.issuer",
    "iss: new RegExp(`^https?://${new URL(options.issuer).host}(/|$)`)",
    [/host|scheme|path|slash/i],
    [/any issuer|case/i],
  ),
  plant(
    "iss matched in any case",
    "receiver.issuer",
    "iss: options.issuer",
    'iss: new RegExp(`^${options.issuer}$`, "i")',
    [/case|capital/i],
    [/host|any issuer/i],
  ),
  plant(
    "the policy is not asked for writes",
    "receiver.local-policy",
    "if (!mayUse(claims, orgId))",
    'if (c.req.method === "GET" && !mayUse(claims, orgId))',
    [/polic|access|may|denied/i, /writ|edit|PATCH|POST|submi/i],
    [/bind|scope/i],
  ),
  plant(
    "the policy is not asked for the feed",
    "receiver.local-policy",
    "if (!mayUse(claims, orgId))",
    'if (!c.req.path.endsWith("/changes") && !mayUse(claims, orgId))',
    [/polic|access|may|denied/i, /feed|changes/i],
    [/bind|scope/i],
  ),
  plant(
    "the policy is not asked",
    "receiver.local-policy",
    "if (!mayUse(claims, orgId))",
    "if (false)",
    [/polic|access|may|denied/i, /not|ignore|any|without/i],
    [/bind|scope/i],
  ),
  plant(
    "the list shows denied organizations",
    "receiver.local-policy-list",
    "mayUse(claims, id) && (",
    "(",
    [/list/i, /polic|access|may|denied|all/i],
    [/bind|scope/i],
  ),
  plant(
    "the first key alone",
    "receiver.keys",
    "keys: options.jwks.keys,",
    "keys: options.jwks.keys.slice(0, 1),",
    [/key/i, /first|only|RS256/i],
    [/any signature|without verifying/i],
  ),
  plant(
    "a constant in the body's status",
    "errors.status",
    "{ status, message, errors: [] },",
    "{ status: 400, message, errors: [] },",
    [/status/i, /same|constant|whatever|wrong/i],
    [/string|HTML/i],
  ),
  plant(
    "an edit answers 204 and keeps nothing",
    "resources.edit",
    "    organizations.set(orgId, { ...organizations.get(orgId), ...patch });\n",
    "",
    [/edit/i, /not|nothing|lost/i],
    [/bind|scope/i],
  ),
];
