import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { SCOPES } from "../contract/operations.ts";
import { compiledFixture } from "../lib/package-root.ts";
import { isBuilt, type Rule } from "../probe/rule.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Facts } from "../profile/facts.ts";

const ID = "00000000-0000-4000-8000-00000000000";
const KEYS = ["RS256", "ES256"].map((alg) => ({ alg, kid: alg, publicJwk: {} }));
const OPERATION = { paginated: true, body: { name: "${unique}" }, invalidBody: "x", changeId: "x" };

/** Two clients for each flow, one of which has an organization and a key, and the other a single scope. */
const CLIENTS = (["client_credentials", "authorization_code"] as const).flatMap(
  (flow): Client[] => {
    const common = {
      flow,
      authorizationParameters: {},
      tokenParameters: {},
      redirectUri: "http://127.0.0.1/?x",
      consent: ["x"],
      refusal: ["x"],
    };
    const [first, second] = [`${flow}-1`, `${flow}-2`];
    return [
      {
        ...common,
        name: first,
        id: first,
        secret: first,
        authentication: "client_secret_basic",
        scopes: SCOPES,
        organization: `${ID}1`,
      },
      {
        ...common,
        name: second,
        id: second,
        authentication: flow === "client_credentials" ? "private_key_jwt" : "none",
        scopes: SCOPES.slice(0, 1),
      },
    ];
  },
);

/** The facts of a deployment that offers everything: the cases of all rules follow from them. */
const EVERYTHING: Facts = {
  baseUrl: "http://localhost/base",
  origin: "http://localhost",
  basePath: "/base",
  audience: "http://localhost/base",
  bindingClaim: "http://localhost/org_id",
  subject: "x",
  organizations: { primary: `${ID}1`, other: `${ID}2` },
  denied: { subject: "y", organization: `${ID}3`, operations: ["viewOrganization"] },
  consent: true,
  readOnly: false,
  writes: true,
  otherWrites: true,
  openapi: "x",
  operations: {
    listOrganizations: OPERATION,
    viewOrganization: OPERATION,
    editOrganization: OPERATION,
    submitChange: OPERATION,
    readChangesFeed: OPERATION,
    readChange: OPERATION,
  },
  testIssuer: {
    url: "http://issuer",
    keys: KEYS,
    key: KEYS[0] ?? { alg: "", kid: "", publicJwk: {} },
    algorithms: KEYS.map(({ alg }) => alg),
    claims: {},
    header: {},
    serve: "x",
  },
  document: {},
  request: { headers: {}, callback: "x" },
  authorizationServer: {
    issuer: "http://server",
    narrowing: true,
    probes: true,
    waitSeconds: 3600,
    scopes: Object.fromEntries(SCOPES.map((scope) => [scope, scope])) as Record<
      (typeof SCOPES)[number],
      string
    >,
    clients: CLIENTS,
  },
};

/** The file in which the build writes down the digest of the suite's own rules, as JSON. */
export const BUILT_DIGEST = "rules-digest.json";

/** All cases take time to make, and most runs of a process have the same rules. */
const known = new WeakMap<readonly Rule[], string>();

/**
 * A SHA-256 digest, in hex, of what rules and their cases declare, to compare the sets of two reports. Two commits of one
 * version differ in it if rules or cases were added or withdrawn, or say something else.
 */
export function digestOfRules(rules: readonly Rule[]): string {
  const found = known.get(rules) ?? writtenDown(rules) ?? computeDigest(rules);
  known.set(rules, found);
  return found;
}

/** The digest that the build has written down; `undefined` for other rules, and where the sources run. */
function writtenDown(rules: readonly Rule[]): string | undefined {
  const file = isBuilt(rules) ? compiledFixture(BUILT_DIGEST, import.meta.url) : undefined;
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, "utf8")) as string);
}

/** Makes the cases of all rules for their digest, which the build does once. */
export function computeDigest(rules: readonly Rule[]): string {
  const said = rules.map((rule) => {
    const { id, title, level, side, verifies, phase, dependsOn } = rule;
    return [id, title, level, side, verifies, phase, dependsOn, rule.cases(EVERYTHING)];
  });
  return createHash("sha256").update(JSON.stringify(said)).digest("hex");
}
