import { afterAll, beforeAll, expect, test } from "vitest";

import { startReference, type RunningReference } from "../../src/reference/index.ts";
import { OTHER, PRIMARY } from "../../src/reference/store.ts";
import { JWKS, type Reply, type Request, send } from "./client.ts";

/** The published protocol as the reference receiver speaks it: envelopes, ledger, filters. */

let receiver: RunningReference;
beforeAll(async () => {
  receiver = await startReference({ jwks: JWKS });
});
afterAll(() => receiver.close());

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const MERGE_PATCH = { "content-type": "application/merge-patch+json" };

interface Body {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly items?: readonly Readonly<Record<string, unknown>>[];
}

async function ask(request: Request): Promise<Reply & { readonly body: Body }> {
  return (await send(receiver, request)) as Reply & { readonly body: Body };
}

test.each<[Request, number, string]>([
  [{ operation: "listOrganizations" }, 200, "items"],
  [{ operation: "viewOrganization" }, 200, "data"],
  [{ operation: "editOrganization" }, 200, "data"],
  [{ operation: "submitChange" }, 202, "data"],
  [{ operation: "readChangesFeed" }, 200, "items"],
  [{ operation: "readChange" }, 200, "data"],
])(
  "the answer to %o has its status and a message beside its content",
  async (request, status, member) => {
    const reply = await ask(request);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ status, message: expect.any(String) });
    expect(reply.body).toHaveProperty(member);
  },
);

test("edits and submissions are revisions of one ledger, the newest first", async () => {
  const patch = { mission: null, socials: { facebook: "https://social.example/us" } };
  const edit = await ask({ operation: "editOrganization", headers: MERGE_PATCH, body: patch });
  const sent = await ask({
    operation: "submitChange",
    headers: MERGE_PATCH,
    body: { name: "New" },
  });
  const accepted = {
    id: expect.stringMatching(UUID),
    status: { value: "accepted" },
    source: "svc-conformance",
    patch,
    snapshot: {
      socials: { website: "https://organization-1.example.org", facebook: patch.socials.facebook },
    },
  };
  const { data: edited } = edit.body;
  const { data: submitted } = sent.body;
  expect(edited).toMatchObject(accepted);
  expect(edited?.["snapshot"]).not.toHaveProperty("mission");
  expect(edited?.["lastModifiedAt"]).toBe(edited?.["createdAt"]);
  expect(submitted).toMatchObject({ status: { value: "pending" }, patch: { name: "New" } });
  expect(sent.headers.get("location")).toBe(
    `${receiver.baseUrl}/orgs/${PRIMARY}/changes/${String(submitted?.["id"])}`,
  );
  const feed = await ask({ operation: "readChangesFeed" });
  expect(feed.body.items?.slice(0, 2)).toEqual([submitted, edited]);
  const change = await ask({ operation: "readChange", changeId: String(submitted?.["id"]) });
  expect(change.body.data).toEqual(submitted);
});

test("the list is filtered by an identifier and its registry", async () => {
  const view = await ask({ orgId: OTHER });
  const registry = "org:us:ein";
  const { identifiers } = view.body.data as { identifiers: Record<string, { id: string }> };
  const id = identifiers[registry]?.id ?? "";
  const found = async (query: string): Promise<unknown> =>
    (await ask({ operation: "listOrganizations", query })).body.items?.map((one) => one["id"]);
  expect(await found(`?registry=${registry}&id=${id}`)).toEqual([OTHER]);
  expect(await found(`?registry=org:xi:duns&id=${id}`)).toEqual([]);
  expect(await found(`?registry=${registry}&id=${id}&page=2`)).toEqual([]);
});

test("an organization is viewed as it was at a time", async () => {
  const before = await ask({});
  const edit = await ask({ operation: "editOrganization", body: { name: "After" } });
  const at = new Date(Date.parse(String(edit.body.data?.["createdAt"])) - 1).toISOString();
  expect((await ask({})).body.data).toMatchObject({ name: "After" });
  expect((await ask({ query: `?at=${at}` })).body.data).toEqual(before.body.data);
  expect((await ask({ query: "?at=yesterday" })).status).toBe(400);
});
