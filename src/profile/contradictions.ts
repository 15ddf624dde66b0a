import { isSameUuid } from "../contract/uuid.ts";
import type { Profile } from "./profile.ts";
import { judgedClaim } from "./schema-parts.ts";

/** A key of a profile that is wrong beside other keys, though not by itself. */
export interface Contradiction {
  readonly path: readonly string[];
  readonly message: string;
  /** Whether it is about the name of the key or its value. Default: its value. */
  readonly at?: "key" | "value";
}

export function contradictionsIn(profile: Profile): readonly Contradiction[] {
  return [
    ...inClaims(profile),
    ...inHeaders(profile),
    ...inTokenSources(profile),
    ...inDeniedClient(profile),
    ...inClientCertificate(profile),
    ...inOrganizations(profile),
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

function inTokenSources({ testIssuer, authorizationServer, tokens }: Profile): Contradiction[] {
  const clients = Object.keys(authorizationServer?.clients ?? {});
  if (testIssuer !== false || clients.length > 0 || tokens) return [];
  const message =
    "leaves no source of good tokens: name authorizationServer.clients or tokens.command";
  return [{ path: ["testIssuer"], message }];
}

function inDeniedClient({ denied, authorizationServer }: Profile): Contradiction[] {
  if (denied?.client === undefined) return [];
  const path = ["denied", "client"];
  const clients = authorizationServer?.clients ?? {};
  return [
    ...(denied.subject === undefined
      ? []
      : [{ path, message: "says the same as denied.subject; leave one of them out" }]),
    ...(clients[denied.client] === undefined
      ? [{ path, message: "must be one of authorizationServer.clients" }]
      : []),
  ];
}

function inClientCertificate({ request: { cert, key } }: Profile): Contradiction[] {
  if (cert !== undefined && key === undefined) {
    return [{ path: ["request", "cert"], message: "needs its private key too: request.key" }];
  }
  if (key !== undefined && cert === undefined) {
    return [{ path: ["request", "key"], message: "needs its certificate too: request.cert" }];
  }
  return [];
}

/** The organizations differ, and the subject that may act on them is not denied one of them. */
function inOrganizations({ organizations, denied, subject }: Profile): Contradiction[] {
  const { primary, other } = organizations;
  const found: Contradiction[] = [];
  if (isSameUuid(other, primary)) {
    const message = "must be another organization than organizations.primary";
    found.push({ path: ["organizations", "other"], message });
  }
  const isOwnSubject =
    denied && denied.client === undefined && (denied.subject ?? subject) === subject;
  if (isOwnSubject && [primary, other].some((id) => isSameUuid(denied.organization, id))) {
    const message =
      "must be none of organizations, on which the subject may act; name another organization or another denied.subject";
    found.push({ path: ["denied", "organization"], message });
  }
  return found;
}
