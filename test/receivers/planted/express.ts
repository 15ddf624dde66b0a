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
    "aud compared in lower case",
    `${LIST}.some((one) => one.toLowerCase() === trust.audience.toLowerCase())`,
    [/case|capital/i],
    [/begin|prefix|unchecked/i],
  ),
  audience(
    "aud compared without a slash at its end",
    `${LIST}.some((one) => one.replace(/\\/+$/, "") === trust.audience)`,
    [/slash/i],
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
    "only the first of several audiences",
    `([payload.aud].flat()[0] === trust.audience)`,
    [/first|array|several|list/i],
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
    right: [/exp/i, /not|ignore|any|never|late|after/i],
    wrong: [/millisecond|without `exp`/i],
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
