import { createHash } from "node:crypto";

import { createRedactor } from "../http/recording/redact.ts";
import type { AuthorizationServer } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import type { TargetNote } from "./events.ts";

const DIGEST_LENGTH = 12;

/** The target as a report shows it. It holds nothing secret. */
export function noteTarget(target: Target): TargetNote {
  return {
    baseUrl: target.baseUrl,
    ...(target.deployment && { deployment: target.deployment }),
    audience: target.audience,
    issuer: target.testIssuer.url,
    ...(!target.issued && { algorithm: target.testIssuer.key.alg }),
    readOnly: !target.writes,
    profile: digestOf(target),
  };
}

/**
 * A digest of everything in a profile that the note has no member for, including what the document adds to it, without secrets
 * and without addresses of the deployment. It reveals nothing else.
 */
function digestOf({ baseUrl, bindingClaim, testIssuer, operations, ...rest }: Target): string {
  const { subject, organizations, denied, openapi, request, secrets, issued } = rest;
  const { headers, timeoutMs, maxRequestsPerSecond, retryAfterSeconds, callback, ca } = request;
  const known = [
    bindingClaim,
    testIssuer.keys.map(({ publicJwk }) => publicJwk),
    testIssuer.algorithms,
    testIssuer.claims,
    testIssuer.header,
    issued && [issued.leavesOutTestIssuer, issued.command?.argv],
    subject,
    organizations,
    denied,
    rest.otherWrites ? "with the other" : rest.consent,
    operations,
    openapi?.replace(baseUrl, ""),
    [timeoutMs, maxRequestsPerSecond, retryAfterSeconds, callback, ca],
    Object.keys(headers),
    rest.authorizationServer && knownOf(rest.authorizationServer),
  ];
  const text = createRedactor(secrets)(JSON.stringify(known));
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
}

function knownOf({ clients, ...server }: AuthorizationServer): string {
  const known = {
    ...server,
    clients: clients.map(({ secret: _secret, key: _key, ...client }) => client),
  };
  return JSON.stringify(known).replaceAll(new URL(server.issuer).origin, "");
}
