import { isSameUuid } from "../contract/uuid.ts";
import { otherId, type Profile } from "./profile.ts";
import { judgedClaim } from "./schema-parts.ts";

/** A key of a profile that is wrong beside other keys, though not by itself. */
export interface Contradiction {
  readonly path: readonly string[];
  readonly message: string;
  /** Whether it is about the name of the key or its value. Default: its value. */
  readonly at?: "key" | "value";
}

export function contradictionsIn(profile: Profile): readonly Contradiction[] {
  const { testIssuer, authorizationServer, tokens, denied, subject } = profile;
  const { cert, key } = profile.request;
  const { primary } = profile.organizations;
  const other = otherId(profile);
  const clients = authorizationServer?.clients ?? {};
  const client = denied?.client;
  const isOwnSubject = client === undefined && (denied?.subject ?? subject) === subject;
  const wrong: readonly (readonly [is: boolean, key: string, message: string])[] = [
    [
      testIssuer === false && Object.keys(clients).length === 0 && !tokens,
      "testIssuer",
      "leaves no source of good tokens: name `authorizationServer.clients` or `tokens.command`",
    ],
    [
      client !== undefined && denied?.subject !== undefined,
      "denied.client",
      "says the same as `denied.subject`; leave one of them out",
    ],
    [
      client !== undefined && clients[client] === undefined,
      "denied.client",
      "must be one of `authorizationServer.clients`",
    ],
    [
      cert !== undefined && key === undefined,
      "request.cert",
      "needs its private key too: `request.key`",
    ],
    [
      key !== undefined && cert === undefined,
      "request.key",
      "needs its certificate too: `request.cert`",
    ],
    [
      isSameUuid(other, primary),
      "organizations.other",
      "must be another organization than `organizations.primary`",
    ],
    [
      isOwnSubject && [primary, other].some((id) => isSameUuid(denied?.organization, id)),
      "denied.organization",
      "must be none of organizations, on which the subject may act; name another organization or another `denied.subject`",
    ],
  ];
  return [
    ...inClaims(profile),
    ...inHeaders(profile),
    ...wrong.flatMap(([is, path, message]) => (is ? [{ path: path.split("."), message }] : [])),
  ];
}

/** Further claims of every token must be none that a rule judges. */
function inClaims({ claimsNamespace, testIssuer }: Profile): Contradiction[] {
  const bindingClaim = claimsNamespace === undefined ? undefined : `${claimsNamespace}/org_id`;
  return Object.keys((testIssuer || undefined)?.claims ?? {}).flatMap((name) => {
    const message = judgedClaim(name, bindingClaim);
    return message ? [{ path: ["testIssuer", "claims", name], message, at: "key" as const }] : [];
  });
}

/** An ETag comes from a view of the organization. */
function inHeaders({ operations }: Profile): Contradiction[] {
  if (operations.viewOrganization !== false) return [];
  return Object.entries(operations).flatMap(([id, operation]) =>
    Object.entries((operation && operation.headers) || {})
      .filter(([, content]) => content.includes("${etag}"))
      .map(([name]) => ({
        path: ["operations", id, "headers", name],
        message: "needs viewOrganization for ${etag}, which is not offered",
      })),
  );
}
