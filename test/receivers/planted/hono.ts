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
    "401 for a lacking scope",
    "errors.status",
    "throw new HTTPException(403, { message: `The token lacks",
    "throw new HTTPException(401, { message: `The token lacks",
    [/401/i, /scope/i],
    [/404|bind/i],
  ),
  plant(
    "the feed of another organization",
    "resources.feed",
    'c.json(changes.get(c.req.param("orgId"))),',
    "c.json(changes.get(PRIMARY)),",
    [/feed/i, /other|another|wrong|all|same/i],
    [/scope/i],
  ),
  plant(
    "an edit is not in the feed",
    "resources.edit",
    "feed.push({ number: feed.length + 1, patch });\n    return c.body(null, 204);",
    "return c.body(null, 204);",
    [/edit/i, /feed/i],
    [/bind|scope/i],
  ),
];
