import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import {
  BINDING,
  deniedOrganization,
  FOREIGN_KEY,
  ISSUER,
  JWKS,
  NAMESPACE,
  organization,
  PAIRS,
  send,
  type Request,
} from "../reference/client.ts";
import { startExpressReceiver } from "./express-oauth2.ts";
import { startHonoReceiver } from "./hono.ts";
import type { RunningReceiver } from "./world.ts";

const LONG_AGO = 1_700_000_000;

const bound = (orgId: string): Request => ({ token: { claims: { [BINDING]: orgId } } });

describe.each([
  ["express with express-oauth2-jwt-bearer", startExpressReceiver],
  ["hono with its JWK middleware", startHonoReceiver],
])("%s", (_name, start) => {
  let receiver: RunningReceiver;
  beforeAll(async () => {
    receiver = await start({ jwks: JWKS, issuer: ISSUER, claimsNamespace: NAMESPACE });
  });
  afterAll(() => receiver.close());

  test.each(OPERATION_IDS)("%s performs the receiver checks", async (operation) => {
    const { scope, organization: named } = OPERATIONS[operation];
    const other = SCOPES.filter((one) => one !== scope).join(" ");
    expect((await send(receiver, { operation })).status).toBeLessThan(300);
    const own = bound(organization(receiver, "primary"));
    expect((await send(receiver, { operation, ...own })).status).toBeLessThan(300);
    const refused: Request[] = [
      { authorization: null },
      { token: { key: FOREIGN_KEY } },
      { token: { claims: { iss: "https://evil.example.com" } } },
      { token: { claims: { aud: "https://other.example.com" } } },
      { token: { claims: { exp: LONG_AGO + 3600, iat: LONG_AGO } } },
      { token: { claims: { scope: other } } },
      ...(named ? [bound(organization(receiver, "other"))] : []),
    ];
    for (const request of refused) {
      const { status, body } = await send(receiver, { operation, ...request });
      expect({ request, refused: status === 401 || status === 403 }).toEqual({
        request,
        refused: true,
      });
      expect(body).toEqual({ status, message: expect.any(String), errors: [] });
    }
    if (!named) return;
    const orgId = deniedOrganization(receiver);
    expect((await send(receiver, { operation, orgId })).status).toBe(403);
  });

  test.each(PAIRS)("accepts $alg", async ({ alg }) => {
    expect((await send(receiver, { token: { alg } })).status).toBe(200);
  });

  test.each<[string, Request, number]>([
    ["an unknown route", { path: "/nowhere" }, 404],
    ["an invalid edit", { operation: "editOrganization", body: { name: 7 } }, 400],
    ["an invalid submission", { operation: "submitChange", body: { name: 7 } }, 400],
    ["a body that is not JSON", { operation: "submitChange", body: "{" }, 400],
  ])("answers %s with an Error body", async (_, request, status) => {
    const reply = await send(receiver, request);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ status, errors: expect.any(Array) });
  });

  test("shows an edit in the view, and a submission at its Location", async () => {
    const mission = "seen again";
    await send(receiver, { operation: "editOrganization", body: { mission } });
    expect(JSON.stringify((await send(receiver)).body)).toContain(mission);
    const submission = await send(receiver, { operation: "submitChange", body: { mission } });
    const { href } = new URL(submission.headers.get("location") ?? "", receiver.baseUrl);
    const path = href.slice(receiver.baseUrl.length);
    expect(JSON.stringify((await send(receiver, { path })).body)).toContain(mission);
  });
});
