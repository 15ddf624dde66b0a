import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import type { Target } from "../../src/profile/target.ts";

/** A target with everything provisioned, where nothing listens. */
export function referenceTarget(more: Record<string, unknown> = {}): Target {
  return resolveTarget({
    profile: profileFromObject({
      baseUrl: "http://127.0.0.1:9/common-grants",
      claimsNamespace: "https://example.com",
      organizations: {
        primary: "11111111-1111-4111-8111-111111111111",
        other: "22222222-2222-4222-8222-222222222222",
      },
      denied: { organization: "33333333-3333-4333-8333-333333333333" },
      writes: true,
      operations: {
        editOrganization: { body: { mission: "${unique}" }, invalidBody: { name: 7 } },
        submitChange: { body: { mission: "${unique}" }, invalidBody: { name: 7 } },
      },
      ...more,
    }),
  });
}
