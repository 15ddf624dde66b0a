import { DOCUMENT_PATH } from "./document.ts";
import type { Receiver } from "./model.ts";
import { feedOf } from "./routes.ts";
import { OTHER, PARTNER, PRIMARY, SUBJECT } from "./store.ts";

/** `{claims_namespace}`. */
export const CLAIMS_NAMESPACE = "https://example.com";

/** A profile as users write it, without `testIssuer.keys`: only their holder knows the path. */
export type ProfileObject = Record<string, unknown>;

/**
 * Makes a profile for a receiver with which every operation can be judged.
 * @param settings the receiver's own settings: with `documented` the profile names the
 * receiver's OpenAPI document; `serve` is the address from which the receiver fetches the issuer's keys
 */
export function describeReceiver(
  receiver: Receiver,
  settings: {
    documented: boolean;
    serve: string | undefined;
  },
): ProfileObject {
  const write = {
    contentType: "application/json",
    body: { mission: "conformance ${unique}" },
    invalidBody: { name: 7 },
  };
  const paginated = { paginated: true, items: "/items", pagination: "/paginationInfo" };
  return {
    baseUrl: receiver.baseUrl,
    claimsNamespace: receiver.bindingClaim.replace(/\/org_id$/, ""),
    testIssuer: {
      url: receiver.issuer,
      algorithms: [...receiver.keys.algorithms],
      ...(settings.serve !== undefined && { serve: settings.serve }),
    },
    subject: SUBJECT,
    organizations: { primary: PRIMARY, other: { id: OTHER, writes: true } },
    denied: { subject: PARTNER, organization: PRIMARY },
    writes: true,
    ...(settings.documented && { openapi: receiver.baseUrl + DOCUMENT_PATH }),
    operations: {
      listOrganizations: paginated,
      viewOrganization: { organization: "/data" },
      editOrganization: write,
      submitChange: { ...write, id: "/data/id" },
      readChangesFeed: paginated,
      readChange: { changeId: firstChangeId(receiver) },
    },
  };
}

function firstChangeId(receiver: Receiver): string {
  const organization = receiver.store.organizations.get(PRIMARY);
  const first = organization && feedOf(receiver, organization).at(-1);
  return String(first?.id);
}

/** A receiver's profile as its variants describe it, one after the other. */
export function describedBy(
  variants: readonly { readonly describe?: (profile: ProfileObject) => ProfileObject }[],
  profile: ProfileObject,
): ProfileObject {
  return variants.reduce((described, { describe }) => describe?.(described) ?? described, profile);
}
