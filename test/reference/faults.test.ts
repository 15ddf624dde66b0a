import { describe, expect, test } from "vitest";

import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import { FAULTS, startReference } from "../../src/reference/index.ts";
import { ACCESS_SHOWINGS, type Showing } from "./access-showings.ts";
import { CLAIM_SHOWINGS } from "./claim-showings.ts";
import {
  BINDING,
  deniedOrganization,
  FOREIGN_KEY,
  JWKS,
  mint,
  mintUnsigned,
  organization,
  send,
  type Receiver,
  type Reply,
  type Request,
} from "./client.ts";
import { DOCUMENT_SHOWINGS } from "./document-showings.ts";
import { HTTP_SHOWINGS } from "./http-showings.ts";
import { PAGE_SHOWINGS } from "./page-showings.ts";
import { RESOURCE_SHOWINGS } from "./resource-showings.ts";
import { SIGNATURE_SHOWINGS } from "./signature-showings.ts";
import { UNUSUAL_SHOWINGS } from "./unusual-showings.ts";

const tokenless: Showing = () => ({ authorization: null });
const forged: Showing = () => ({ token: { key: FOREIGN_KEY } });
const scopeless: Showing = () => ({ token: { claims: { scope: "openid" } } });
const boundElsewhere = (receiver: Receiver): Request => ({
  token: { claims: { [BINDING]: organization(receiver, "other") } },
});
const denied: Showing = (receiver) => ({ orgId: deniedOrganization(receiver) });
const claiming =
  (claims: Readonly<Record<string, unknown>>): Showing =>
  () => ({ token: { claims } });

/** By fault; those that end in `-on-<operation>` are shown as the fault without that ending. */
const SHOWN_BY: Readonly<Record<string, Showing>> = {
  ...CLAIM_SHOWINGS,
  "token-not-required": tokenless,
  "scheme-ignored": async (receiver) => ({ authorization: `Token ${await mint(receiver)}` }),
  "signature-unchecked": forged,
  "alg-none-accepted": async (receiver) => ({
    authorization: `Bearer ${await mintUnsigned(receiver)}`,
  }),
  "binding-unchecked": boundElsewhere,
  ...SIGNATURE_SHOWINGS,
  ...ACCESS_SHOWINGS,
  ...HTTP_SHOWINGS,
  ...PAGE_SHOWINGS,
  ...RESOURCE_SHOWINGS,
  ...UNUSUAL_SHOWINGS,
  ...DOCUMENT_SHOWINGS,
  "bound-refused": (receiver) =>
    claiming({ [BINDING]: organization(receiver, "primary") })(receiver),
  "list-ignores-binding": (receiver) => ({
    ...boundElsewhere(receiver),
    operation: "listOrganizations",
  }),
  "list-shows-denied": () => ({ operation: "listOrganizations" }),
  "list-cached-without-subject": async (receiver) => {
    await send(receiver, { operation: "listOrganizations" });
    return { operation: "listOrganizations", token: { claims: { sub: "svc-partner" } } };
  },
  "policy-unchecked": denied,
  "policy-404": denied,
  "policy-401": denied,
  "error-body-missing": tokenless,
  "error-detail-only": tokenless,
  "error-text-only": tokenless,
  "error-fastify-default": tokenless,
  "error-body-without-errors": tokenless,
  "error-errors-not-array": tokenless,
  "error-status-string": tokenless,
  "error-status-wrong": tokenless,
  "error-html-on-404": () => ({ path: "/nowhere" }),
  "redirects-unauthorized": tokenless,
  "route-missing-readChange": () => ({ operation: "readChange" }),
  ...Object.fromEntries(
    Object.entries({
      "token-not-required": tokenless,
      "signature-unchecked": forged,
      "issuer-unchecked": claiming({ iss: "https://another.example" }),
      "audience-unchecked": claiming({ aud: "https://another.example" }),
      "expiry-unchecked": claiming({ exp: 1_000_000_000 }),
      "scope-unchecked": scopeless,
      "binding-unchecked": boundElsewhere,
    }).map(([name, showing]): [string, Showing] => [
      `${name}-after-page-1`,
      async (receiver) => ({
        ...(await showing(receiver)),
        operation: "readChangesFeed",
        query: "?page=2&pageSize=1",
      }),
    ]),
  ),
  "list-ignores-binding-after-page-1": (receiver) => ({
    token: { claims: { [BINDING]: organization(receiver, "primary") } },
    operation: "listOrganizations",
    query: "?page=2&pageSize=1",
  }),
  "rejects-everything": () => ({}),
  "accepts-everything": scopeless,
};

test("names are unique, and every fault has a description and a rule", () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  for (const { name, title, rule, how } of FAULTS) {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+|-on-[A-Za-z]+|-[a-z]+[A-Z]\w+)*$/);
    expect(rule).toMatch(
      /^(routes|receiver|errors|pagination|resources|document|authorization-server)\.[a-z-]+$/,
    );
    expect(title.length * how.length).toBeGreaterThan(0);
  }
});

test("every demonstration belongs to a fault", () => {
  const names = FAULTS.map(({ name }) => withoutOperation(name).family);
  expect(Object.keys(SHOWN_BY).filter((family) => !names.includes(family))).toEqual([]);
});

/**
 * Those that only fetch something are shown in outbound.test.ts; the other server's by its own rules, and by
 * theirs those that show only in requests side by side, on one connection, or with time.
 */
const answering = FAULTS.filter(
  ({ rule, name }) =>
    rule !== "receiver.outbound" &&
    rule !== "receiver.isolation" &&
    rule !== "receiver.rotation" &&
    !["expiry-remembered", "rejected-edit-replayed"].includes(name) &&
    !name.startsWith("binding-kept-for-connection") &&
    !rule.startsWith("authorization-server."),
);

describe.each(answering.map(({ name }) => name))("%s", (name) => {
  test("shows in an answer, and other operations answer good tokens as usual", async () => {
    const { family, operation } = withoutOperation(name);
    const showing = SHOWN_BY[family];
    if (!showing) throw new Error(`nothing shows ${name}`);
    const sound = await startReference({ jwks: JWKS });
    const faulty = await startReference({ jwks: JWKS, faults: [name] });
    const answers = async (receiver: Receiver, of?: OperationId): Promise<unknown> =>
      essence(
        receiver,
        await send(receiver, { ...(await showing(receiver)), ...(of && { operation: of }) }),
      );
    try {
      expect(await answers(faulty, operation)).not.toEqual(await answers(sound, operation));
      for (const other of operation ? elsewhere(name, operation) : []) {
        expect(await answers(faulty, other)).toEqual(await answers(sound, other));
      }
    } finally {
      await Promise.all([faulty.close(), sound.close()]);
    }
  });
});

function withoutOperation(name: string): { family: string; operation?: OperationId } {
  const operation = OPERATION_IDS.find((id) => name.endsWith(`-on-${id}`));
  return operation
    ? { family: name.slice(0, -`-on-${operation}`.length), operation }
    : { family: name };
}

/** Operations that the fault must not affect, and to which its request applies. */
function elsewhere(name: string, operation: OperationId): OperationId[] {
  if (/^(info|page)-/.test(name)) return ["listOrganizations"];
  const organizationOnly = /^(binding|policy|unknown-organization)-/.test(name);
  return OPERATION_IDS.filter(
    (id) => id !== operation && (OPERATIONS[id].organization || !organizationOnly),
  );
}

/** The comparable part of an answer: everything except ports and times. */
function essence(receiver: Receiver, { status, headers, body }: Reply): unknown {
  const { date: _, ...others } = Object.fromEntries(headers);
  return JSON.parse(
    JSON.stringify({ status, headers: others, body })
      .replaceAll(receiver.baseUrl, "")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, ""),
  );
}
