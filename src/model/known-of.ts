import { OPERATION_IDS } from "../contract/operations.ts";
import type { Facts } from "../profile/facts.ts";
import type { Known } from "./known.ts";

/**
 * What a profile says of a deployment. A run may know more, such as the `typ` of accepted tokens, what its controls showed, or
 * the measured clock skew.
 * @param now the moment of the request by the receiver's clock
 */
export function knownOf(facts: Facts, now: Known["now"], more: Partial<Known> = {}): Known {
  const { testIssuer, authorizationServer, denied, subject, organizations, request } = facts;
  const { primary, other } = organizations;
  const existing = [primary, other].filter((id) => id !== undefined);
  const { changeId } = facts.operations.readChange ?? {};
  const offered = OPERATION_IDS.flatMap((id) => {
    const operation = facts.operations[id];
    return operation ? [[id, operation] as const] : [];
  });
  const keys = testIssuer.keys.map(({ publicJwk }) => publicJwk);
  return {
    basePath: facts.basePath,
    audience: facts.audience,
    issuers: [
      { url: testIssuer.url, keys: keys.length > 0 ? keys : undefined },
      ...(authorizationServer && authorizationServer.issuer !== testIssuer.url
        ? [{ url: authorizationServer.issuer, keys: undefined }]
        : []),
    ],
    algorithms: testIssuer.algorithms,
    bindingClaim: facts.bindingClaim,
    typs: [],
    operations: Object.fromEntries(
      offered.map(([id, { paginated, trailingSlash, body, contentType, invalidBody }]) => [
        id,
        {
          paginated,
          trailingSlash,
          body: textOf(body),
          contentType,
          invalidBody: textOf(invalidBody),
        },
      ]),
    ),
    ownClaims: Object.keys(testIssuer.claims),
    ownFields: [
      ...Object.keys(request.headers),
      ...offered.flatMap(([, { headers = {} }]) => Object.keys(headers)),
    ],
    policy: {
      allowed: [
        { subject, operations: ["listOrganizations"] },
        ...existing.map((organization) => ({ subject, organization })),
      ],
      denied: denied ? [denied] : [],
    },
    organizations: {
      existing: [...existing, ...(denied ? [denied.organization] : [])],
      complete: false,
    },
    changes: {
      existing:
        primary !== undefined && changeId !== undefined
          ? [{ organization: primary, id: changeId }]
          : [],
      complete: false,
    },
    now,
    ...more,
  };
}

function textOf(body: unknown): string | undefined {
  return typeof body === "string" ? body : JSON.stringify(body);
}
