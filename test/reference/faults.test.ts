import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import { FAULTS, startReference, type RunningReference } from "../../src/reference/index.ts";
import {
  BINDING,
  deniedOrganization,
  FOREIGN_KEY,
  ISSUER,
  JWKS,
  mint,
  mintUnsigned,
  organization,
  send,
  type Receiver,
  type Request,
} from "./client.ts";

const now = Math.floor(Date.now() / 1000);

/** A request that shows the fault, for a given receiver. */
type Showing = (receiver: Receiver) => Request | Promise<Request>;

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
  "token-not-required": tokenless,
  "scheme-ignored": async (receiver) => ({ authorization: `Token ${await mint(receiver)}` }),
  "signature-unchecked": forged,
  "alg-none-accepted": async (receiver) => ({
    authorization: `Bearer ${await mintUnsigned(receiver)}`,
  }),
  "issuer-unchecked": claiming({ iss: "https://evil.example.com" }),
  "issuer-by-prefix": claiming({ iss: `${ISSUER}.evil.example.com` }),
  "audience-unchecked": claiming({ aud: "https://other.example.com" }),
  "audience-by-prefix": (receiver) => claiming({ aud: `${receiver.baseUrl}/orgs` })(receiver),
  "expiry-unchecked": claiming({ exp: now - 3600 }),
  "expiry-missing-accepted": claiming({ exp: undefined }),
  "scope-unchecked": scopeless,
  "scope-by-substring": claiming({ scope: "org:readonly" }),
  "scope-only-first": claiming({ scope: "openid org:read" }),
  "scope-needs-all": claiming({ scope: "org:read" }),
  "binding-unchecked": boundElsewhere,
  "binding-null-ignored": claiming({ [BINDING]: null }),
  "bound-refused": (receiver) =>
    claiming({ [BINDING]: organization(receiver, "primary") })(receiver),
  "list-ignores-binding": (receiver) => ({
    ...boundElsewhere(receiver),
    operation: "listOrganizations",
  }),
  "list-shows-denied": () => ({ operation: "listOrganizations" }),
  "policy-unchecked": denied,
  "policy-404": denied,
  "policy-401": denied,
  "error-body-missing": tokenless,
  "error-body-without-errors": tokenless,
  "error-errors-not-array": tokenless,
  "error-status-string": tokenless,
  "error-status-wrong": tokenless,
  "error-html-on-404": () => ({ path: "/nowhere" }),
  "redirects-unauthorized": tokenless,
  "route-missing-readChange": () => ({ operation: "readChange" }),
  "rejects-everything": () => ({}),
  "accepts-everything": scopeless,
};

let sound: RunningReference;
beforeAll(async () => {
  sound = await startReference({ jwks: JWKS });
});
afterAll(() => sound.close());

test("names are unique, and every fault says what it is and which rule owns it", () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  for (const { name, title, rule, how } of FAULTS) {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+|-on-[A-Za-z]+|-[a-z]+[A-Z]\w+)*$/);
    expect(rule).toMatch(/^(routes|receiver|errors)\.[a-z-]+$/);
    expect(title.length * how.length).toBeGreaterThan(0);
  }
});

test("every showing belongs to a fault", () => {
  const names = FAULTS.map(({ name }) => withoutOperation(name).family);
  expect(Object.keys(SHOWN_BY).filter((family) => !names.includes(family))).toEqual([]);
});

describe.each(FAULTS.map(({ name }) => name))("%s", (name) => {
  test("is seen in an answer, and elsewhere good tokens are served as ever", async () => {
    const { family, operation } = withoutOperation(name);
    const showing = SHOWN_BY[family];
    if (!showing) throw new Error(`nothing shows ${name}`);
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
      await faulty.close();
    }
  });
});

function withoutOperation(name: string): { family: string; operation?: OperationId } {
  const operation = OPERATION_IDS.find((id) => name.endsWith(`-on-${id}`));
  return operation
    ? { family: name.slice(0, -`-on-${operation}`.length), operation }
    : { family: name };
}

/** Operations that the fault must leave alone, for which its showing means something. */
function elsewhere(name: string, operation: OperationId): OperationId[] {
  const organizationOnly = /^(binding|policy)-/.test(name);
  return OPERATION_IDS.filter(
    (id) => id !== operation && (OPERATIONS[id].organization || !organizationOnly),
  );
}

/** What two receivers answer alike: everything but ports and times. */
function essence(receiver: Receiver, reply: Awaited<ReturnType<typeof send>>): unknown {
  const text = JSON.stringify(reply.body)
    .replaceAll(receiver.baseUrl, "")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");
  return { status: reply.status, type: reply.headers.get("content-type"), text };
}
