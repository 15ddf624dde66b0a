import { afterEach, expect, test, vi } from "vitest";

import { startReference } from "../../src/reference/index.ts";
import { BUNDLED_JWKS, type Ran, runAgainst } from "../support/run-against.ts";
import { CONSENT_COMMAND } from "./clients.ts";
import { SECRET, SECRET_FILE } from "./judge.ts";
import { PRODUCTS } from "./products.ts";

afterEach(() => vi.restoreAllMocks());

/** Runs the rules of the authorization server against a product, beside a receiver that trusts it. */
async function certify(name: string): Promise<Ran> {
  let baseUrl = "";
  const product = await PRODUCTS[name]?.({ secret: SECRET, audience: () => baseUrl });
  if (!product) throw new Error(`no product ${name}`);
  const receiver = await startReference({ jwks: BUNDLED_JWKS, trusts: product });
  ({ baseUrl } = receiver);
  const { service, web } = product.clients?.() ?? {};
  try {
    return await runAgainst(
      {
        ...receiver.profile,
        authorizationServer: {
          issuer: product.issuer,
          probes: true,
          clients: {
            service: {
              flow: "client_credentials",
              id: "service",
              secretFile: SECRET_FILE,
              authentication: "client_secret_post",
              ...service,
            },
            web: {
              flow: "authorization_code",
              id: "web",
              ...(web ?? { secretFile: SECRET_FILE, authentication: "client_secret_post" }),
              scopes: ["org:read", "org.changes:read"],
              redirectUri: "http://127.0.0.1:0/callback",
              consent: CONSENT_COMMAND,
            },
          },
        },
      },
      { patterns: ["authorization-server.*"] },
    );
  } finally {
    await receiver.close();
  }
}

/** The rules, or the cases, of the authorization server with this outcome. */
function named({ results }: Ran, outcome: string, part: RegExp): string[] {
  const found = results.filter((one) => one.outcome === outcome);
  const names = found.map(
    ({ id }) => part.exec(id.replace("authorization-server.", ""))?.[0] ?? id,
  );
  return [...new Set(names)].toSorted();
}

const RULE = /^[^/]+/;
const CASE = /^[^@]+/;

test.each([
  { name: "oidc-provider", fails: [], warns: [] },
  { name: "@node-oauth/oauth2-server", fails: [], warns: ["pkce/none", "responses/empty-scope"] },
])("$name meets the contract, as docs/identity says", async ({ name, fails, warns }) => {
  const ran = await certify(name);
  expect(named(ran, "fail", CASE)).toEqual(fails);
  expect(named(ran, "warn", CASE)).toEqual(warns);
  expect(named(ran, "inconclusive", CASE)).toEqual([]);
  expect(ran.finished.suiteErrors).toEqual([]);
});

test.each([
  { name: "OpenAuth", fails: ["claims", "pkce", "redirect"] },
  {
    name: "oauth2-mock-server",
    fails: ["authorization-code", "client-credentials", "pkce", "redirect", "scope"],
  },
])("$name cannot meet the contract, as docs/identity says", async ({ name, fails }) => {
  const ran = await certify(name);
  expect(ran.finished.verdict).toBe("non-conformant");
  expect(named(ran, "fail", RULE)).toEqual(fails);
  expect(ran.finished.suiteErrors).toEqual([]);
});
