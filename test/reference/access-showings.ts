import { CompactSign } from "jose";

import { SCOPES } from "../../src/contract/operations.ts";
import {
  BINDING,
  deniedOrganization,
  member,
  mint,
  organization,
  PAIRS,
  send,
  type Receiver,
  type Request,
  type TokenChanges,
} from "./client.ts";

/** A request that shows a fault, for a given receiver. */
export type Showing = (receiver: Receiver) => Request | Promise<Request>;

const NOWHERE = "9c1f7c52-0c7e-4b1e-9d0a-3f1f5f0f8a11";
const now = Math.floor(Date.now() / 1000);
const expired = { exp: now - 3600, iat: now - 7200 };
const scopeless = { scope: "openid" };

type Claims = Readonly<Record<string, unknown>>;

/** A token with these claims, drawn from the organization of the request and another one. */
function claiming(
  draw: (own: string, other: string) => Claims,
  more: (own: string, other: string) => Request = () => ({}),
): Showing {
  return (receiver) => {
    const ids = [organization(receiver, "primary"), organization(receiver, "other")] as const;
    return { token: { claims: draw(...ids) }, ...more(...ids) };
  };
}

function valued(draw: (own: string, other: string) => unknown): Showing {
  return claiming((own, other) => ({ [BINDING]: draw(own, other) }));
}

/** A token that is bound to another organization, in a request that differs otherwise. */
function boundElsewhere(more: (own: string, other: string) => Request): Showing {
  return claiming((_own, other) => ({ [BINDING]: other }), more);
}

function listing(claim: unknown): Showing {
  return () => ({ operation: "listOrganizations", token: { claims: { [BINDING]: claim } } });
}

function onDenied(claims: Claims): Showing {
  return (receiver) => ({ orgId: deniedOrganization(receiver), token: { claims } });
}

function escapedCharacter(character: string): string {
  return `%${character.codePointAt(0)?.toString(16) ?? ""}`;
}

/** A token that is sent a second time, and not good. */
function repeated(changes: TokenChanges, times: number = 1): Showing {
  return async (receiver) => {
    const authorization = `Bearer ${await mint(receiver, changes)}`;
    for (let left = times; left > 0; left -= 1) await send(receiver, { authorization });
    return { authorization };
  };
}

/** A good signature over a payload that may be anything. */
function signText(payload: string): Promise<string> {
  const [pair] = PAIRS;
  if (!pair) throw new Error("there is no key");
  const { alg, privateKey } = pair;
  return new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ alg, kid: alg, typ: "JWT" })
    .sign(privateKey);
}

/** What is read after a write that was refused. */
function after(write: Request, read: Request): Showing {
  return async (receiver) => {
    await send(receiver, { body: { mission: "left behind" }, ...write });
    return read;
  };
}

/** One token sent in two places; it is good in the first one. */
function reused(claims: (receiver: Receiver) => Claims, second: Showing): Showing {
  return async (receiver) => {
    const token = await mint(receiver, { claims: claims(receiver) });
    const authorization = `Bearer ${token}`;
    await send(receiver, { authorization });
    return { ...(await second(receiver)), authorization };
  };
}

const onFeed = reused(
  () => ({ scope: "org:read" }),
  () => ({ operation: "readChangesFeed" }),
);

/** One token sent in two places; it is good in the second one. */
function refused(claims: (receiver: Receiver) => Claims, first: Showing): Showing {
  return async (receiver) => {
    const token = await mint(receiver, { claims: claims(receiver) });
    const authorization = `Bearer ${token}`;
    await send(receiver, { ...(await first(receiver)), authorization });
    return { authorization };
  };
}

const refusedOnFeed = refused(
  () => ({ scope: "org:read" }),
  () => ({ operation: "readChangesFeed" }),
);

/** By fault; those that end in `-on-<operation>` are shown as the fault without that ending. */
export const ACCESS_SHOWINGS: Readonly<Record<string, Showing>> = {
  "binding-writes-forgotten": boundElsewhere(() => ({ operation: "editOrganization" })),
  "binding-ignored-for-all-scopes": claiming((_own, other) => ({
    [BINDING]: other,
    scope: SCOPES.join(" "),
  })),
  "binding-ignored-for-authorization-code": claiming((_own, other) => ({
    [BINDING]: other,
    grant_type: "authorization_code",
  })),
  "binding-falsy-ignored": valued(() => ""),
  "binding-falsy-or-null-ignored": valued(() => ""),
  "binding-non-string-ignored": valued(() => true),
  "binding-equal-to-true": valued(() => true),
  "binding-not-uuid-ignored": valued(() => "conformance"),
  "binding-nil-ignored": valued(() => "00000000-0000-0000-0000-000000000000"),
  "binding-wildcard": valued(() => "*"),
  "binding-empty-list": valued(() => []),
  "binding-on-any-line": valued((own) => `x\n${own}`),
  "binding-by-prefix": valued((own) => own.slice(0, 8)),
  "binding-by-inclusion": valued((own) => `x${own}`),
  "binding-fixed-organization": claiming(
    (own) => ({ [BINDING]: own }),
    (_own, other) => ({ orgId: other }),
  ),
  "binding-header-as-claim": boundElsewhere((own) => ({ headers: { "x-org-id": own } })),
  "binding-header-as-target": boundElsewhere((_own, other) => ({
    headers: { "x-org-id": other },
  })),
  "binding-query-as-claim": boundElsewhere((own) => ({ query: `?orgId=${own}` })),
  "binding-query-as-target": boundElsewhere((_own, other) => ({ query: `?orgId=${other}` })),
  "binding-body-id-as-target": boundElsewhere((_own, other) => ({
    operation: "editOrganization",
    body: { id: other },
  })),
  "binding-body-organization-as-target": boundElsewhere((_own, other) => ({
    operation: "editOrganization",
    body: { organizationId: other },
  })),
  "binding-bare-name-first": claiming((own, other) => ({ [BINDING]: other, org_id: own })),
  "binding-any-namespace": claiming((own, other) => ({
    "https://elsewhere.example/org_id": own,
    [BINDING]: other,
  })),
  "binding-name-case": claiming((own, other) => ({
    [BINDING]: other,
    [BINDING.toUpperCase()]: own,
  })),
  "binding-of-the-record": async (receiver) => {
    const other = organization(receiver, "other");
    const { body } = await send(receiver, { operation: "readChangesFeed", orgId: other });
    const [change] = member(body, "items") as readonly unknown[];
    return {
      operation: "readChange",
      changeId: String(member(change, "id")),
      token: { claims: { [BINDING]: other } },
    };
  },
  "binding-repeated-first": async (receiver) => {
    const [own, other] = [organization(receiver, "primary"), organization(receiver, "other")];
    const [, payload = ""] = (await mint(receiver)).split(".");
    const claims = Buffer.from(payload, "base64url").toString().slice(1, -1);
    const name = JSON.stringify(BINDING);
    const twice = `{${name}:"${own}",${claims},${name}:"${other}"}`;
    return { authorization: `Bearer ${await signText(twice)}` };
  },
  "bound-elsewhere-refused": claiming(
    (_own, other) => ({ [BINDING]: other }),
    (_own, other) => ({ orgId: other }),
  ),
  "unbound-unauthorized": claiming(() => ({})),
  "list-empty-ignored": listing(""),
  "list-bound-nowhere": listing(NOWHERE),
  "list-shows-denied-to-bound": (receiver) => listing(deniedOrganization(receiver))(receiver),
  "policy-ignored-for-all-scopes": onDenied({ scope: SCOPES.join(" ") }),
  "policy-by-subject-in-any-case": ({ profile }) => ({
    token: { claims: { sub: String(profile["subject"]).toUpperCase() } },
  }),
  "not-modified-despite-policy": async (receiver) => {
    const { headers } = await send(receiver);
    return {
      token: { claims: { sub: "svc-partner" } },
      headers: { "if-none-match": headers.get("etag") ?? "" },
    };
  },
  "policy-by-azp": ({ profile }) => ({
    token: { claims: { sub: "svc-partner", azp: profile["subject"] } },
  }),
  "policy-by-x-forwarded-user": ({ profile }) => ({
    token: { claims: { sub: "svc-partner" } },
    headers: { "x-forwarded-user": String(profile["subject"]) },
  }),
  "policy-by-plain-path": (receiver) => ({
    orgId: deniedOrganization(receiver).replace(/^./, escapedCharacter),
  }),
  "policy-by-spelling": (receiver) => ({ orgId: deniedOrganization(receiver).toUpperCase() }),
  "path-guard-before-dots": boundElsewhere((own, other) => ({
    path: `/orgs/${other}%2f..%2f${own}`,
  })),
  "path-guard-before-decoding": boundElsewhere((own, other) => ({
    path: `/orgs/${other}%252f..%252f${own}`,
  })),
  "path-guard-before-parameters": boundElsewhere((own, other) => ({
    path: `/orgs/${other}/..;/${own}`,
  })),
  "path-guard-of-plain-ids": boundElsewhere((own) => ({
    orgId: own.replace(/^./, escapedCharacter),
  })),
  "path-guard-exact": boundElsewhere((own) => ({ path: `/orgs/${own}/` })),
  "order-scope-before-expiry": claiming(() => ({ ...expired, ...scopeless })),
  "order-binding-before-audience": claiming((_own, other) => ({
    aud: "https://other.example.com",
    [BINDING]: other,
  })),
  "order-scope-before-issuer": claiming(() => ({ iss: "https://evil.example.com", ...scopeless })),
  "order-policy-before-issuer": onDenied({ iss: "https://evil.example.com" }),
  "order-scope-before-signature": () => ({
    token: { claims: scopeless, header: { kid: "nobody's" } },
  }),
  "order-binding-before-scope": claiming((_own, other) => ({ ...scopeless, [BINDING]: other })),
  "order-policy-before-scope": onDenied(scopeless),
  "order-policy-before-binding": onDenied({ [BINDING]: NOWHERE }),
  "lookup-before-checks": () => ({ orgId: NOWHERE, authorization: null }),
  "lookup-before-expiry": () => ({ orgId: NOWHERE, token: { claims: expired } }),
  "issuer-remembered-unchecked": repeated({ claims: { iss: "https://evil.example.com" } }),
  "audience-remembered-unchecked": repeated({ claims: { aud: "https://other.example.com" } }),
  "audience-trusted-after-two": repeated({ claims: { aud: "https://other.example.com" } }, 2),
  "expiry-remembered-unchecked": repeated({ claims: expired }),
  "scope-remembered-unchecked": repeated({ claims: scopeless }),
  "scope-remembered": onFeed,
  "decisions-remembered": onFeed,
  "scope-refusal-remembered": refusedOnFeed,
  "refusals-remembered": refusedOnFeed,
  "binding-refusal-remembered": refused(
    (receiver) => ({ [BINDING]: organization(receiver, "primary") }),
    (receiver) => ({ orgId: organization(receiver, "other") }),
  ),
  "binding-remembered": reused(
    (receiver) => ({ [BINDING]: organization(receiver, "primary") }),
    (receiver) => ({ orgId: organization(receiver, "other") }),
  ),
  "not-modified-before-binding": () => ({
    headers: { "if-none-match": "*" },
    token: { claims: { [BINDING]: "9c1f7c52-0c7e-4b1e-9d0a-3f1f5f0f8a11" } },
  }),
  "not-modified-before-policy": () => ({
    headers: { "if-none-match": "*" },
    token: { claims: { sub: "svc-partner" } },
  }),
  "policy-remembered": reused(
    () => ({}),
    (receiver) => ({ orgId: deniedOrganization(receiver) }),
  ),
  "edit-before-binding": after(
    { operation: "editOrganization", token: { claims: { [BINDING]: NOWHERE } } },
    { operation: "viewOrganization" },
  ),
  "edit-before-claims": after(
    { operation: "editOrganization", token: { claims: expired } },
    { operation: "viewOrganization" },
  ),
  "submission-before-scope": after(
    { operation: "submitChange", token: { claims: scopeless } },
    { operation: "readChangesFeed" },
  ),
  "edit-before-scope-unrecorded": after(
    { operation: "editOrganization", token: { claims: scopeless } },
    { operation: "viewOrganization" },
  ),
};
