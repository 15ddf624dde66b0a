import { createHash } from "node:crypto";

import { createRedactor } from "../http/recording/redact.ts";
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

/** A digest of everything in a profile that the note has no member for. It reveals nothing else. */
function digestOf({ baseUrl, bindingClaim, testIssuer, operations, ...rest }: Target): string {
  const { subject, organizations, denied, openapi, request, secrets } = rest;
  const known = [
    bindingClaim,
    testIssuer.keys.map(({ publicJwk }) => publicJwk),
    testIssuer.algorithms,
    testIssuer.claims,
    testIssuer.header,
    subject,
    organizations,
    denied,
    operations,
    openapi?.replace(baseUrl, ""),
    request.timeoutMs,
    request.maxRequestsPerSecond,
    Object.keys(request.headers),
  ];
  const text = createRedactor(secrets)(JSON.stringify(known));
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
}
