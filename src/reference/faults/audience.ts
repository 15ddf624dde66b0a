import { isWithinSkew } from "../checks.ts";
import type { Call } from "../model.ts";
import { skipped } from "../patches.ts";
import { comparisonFaults, takingFor } from "./comparisons.ts";
import { type FaultEntry, type Faults, ownedBy } from "./fault.ts";

const AUD = { prefix: "audience", claim: "aud", step: "checkAudience", right: "baseUrl" } as const;
const taking = takingFor(AUD);

/** Faults of check 3: tokens for other audiences are accepted. */
export const AUDIENCE_FAULTS: Faults = ownedBy("receiver.audience", {
  "audience-unchecked": {
    title: "Does not check `aud`",
    how: "The middleware checks `aud` only when an audience is configured, and none is.",
    source: "CVE-2025-62610",
    checkAudience: skipped,
  },
  ...comparisonFaults(AUD),
  "audience-unchecked-within-skew": taking({
    title: "Does not check `aud` in a token that expired within the skew",
    how: "The library reports all errors of a token together, and the caller, who tolerates a small skew, looks for the passed `exp` alone.",
    source: "CVE-2024-51744",
    when: (_aud, { claims: { exp }, receiver }) => isWithinSkew(exp, receiver.steps.now()),
  }),
  "audience-unchecked-within-skew-on-readChangesFeed": taking({
    title: "Does not check `aud` in a token that expired within the skew, on readChangesFeed",
    how: "Clients poll the feed, so its route has an error handler of its own, which lets tokens pass that expired a moment ago.",
    source: "CVE-2024-51744",
    when: (_aud, { operation, claims: { exp }, receiver }) =>
      operation === "readChangesFeed" && isWithinSkew(exp, receiver.steps.now()),
  }),
  "audience-case-ignored": taking({
    title: "Compares `aud` without regard to case",
    how: "Host names are case-insensitive, so the code converts the whole URL to lower case.",
    when: (aud, { receiver }) =>
      typeof aud === "string" && aud.toLowerCase() === receiver.baseUrl.toLowerCase(),
  }),
  "audience-any-array": taking({
    title: "Does not compare `aud` if it is an array",
    how: "The code handles only strings.",
    when: (aud) => Array.isArray(aud) && aud.length > 0,
  }),
  "audience-empty-array": taking({
    title: "Accepts an empty array in `aud`",
    how: "`every` is true for an empty array.",
    when: (aud) => Array.isArray(aud) && aud.length === 0,
  }),
  "audience-array-by-prefix": taking({
    title: "Compares `aud` by prefix if it is an array",
    how: "`some` is called with `startsWith`.",
    when: (aud, { receiver }) =>
      Array.isArray(aud) && aud.some((one) => String(one).startsWith(receiver.baseUrl)),
  }),
  "audience-nested-array": taking({
    title: "Accepts an array of arrays in `aud`",
    how: "The code skips elements that are not strings, or flattens the array first.",
    source: "clerk/javascript#8470",
    when: (aud, { receiver }) => Array.isArray(aud) && aud.flat().includes(receiver.baseUrl),
  }),
  "audience-object-member": taking({
    title: "Accepts an object in `aud` that has the base URL as a member name",
    how: "The author expected `in` to search arrays.",
    when: (aud, { receiver }) => typeof aud === "object" && aud !== null && receiver.baseUrl in aud,
  }),
  "audience-wildcard": taking({
    title: "Accepts an asterisk in `aud`",
    how: "Development tokens were valid for every receiver.",
    when: (aud) => aud === "*",
  }),
  "audience-issuer": taking({
    title: "Accepts the issuer in `aud`",
    how: "Before clients requested a resource, the authorization server put its own name there.",
    when: (aud, { receiver }) => aud === receiver.issuer,
  }),
  "audience-client": taking({
    title: "Accepts the client in `aud`, and with it ID Tokens",
    how: "The middleware is made for user login, and is configured with the client id.",
    source: "wso2/api-manager#2948",
    when: (aud, { claims }) => aud !== undefined && aud === claims["sub"],
  }),
  "audience-azp-in-its-place": taking({
    title: "Reads `azp` if there is no `aud`",
    how: "The access tokens of one authorization server have no `aud`, so another claim takes its place.",
    when: (aud, { claims, receiver }) => aud === undefined && claims["azp"] === receiver.baseUrl,
  }),
  "audience-resource-enough": taking({
    title: "Accepts any `aud` if `resource` is the base URL",
    how: "Clients name the audience with the parameter `resource`, and the code expects a claim of that name.",
    when: (aud, { claims, receiver }) =>
      aud !== undefined && claims["resource"] === receiver.baseUrl,
  }),
  "audience-request-url": taking({
    title: "Accepts the URL of the request in `aud`",
    how: "The code confuses the requested resource with the resource server.",
    when: (aud, { receiver, url }) => aud === new URL(url, receiver.baseUrl).href,
  }),
  "audience-from-host": taking({
    title: "Derives its base URL from the Host header",
    how: "The framework has a helper for the URL of the request.",
    when: (aud, call) => isBaseUrlOn(aud, call, call.headers["host"]),
  }),
  "audience-from-x-forwarded-host": derived("Host", (base, host) =>
    base.replace(/\/\/[^/]+/, `//${host}`),
  ),
  "audience-from-forwarded": taking({
    title: "Derives its base URL from the Forwarded header",
    how: "The service trusts every proxy in front of it, so that links are right.",
    when: (aud, call) =>
      isBaseUrlOn(aud, call, /host=([^;,]+)/.exec(String(call.headers["forwarded"]))?.[1]),
  }),
  "audience-from-x-forwarded-proto": derived("Proto", (base, scheme) =>
    base.replace(/^https?/, scheme),
  ),
  "audience-from-x-forwarded-port": derived("Port", (base, port) =>
    base.replace(/:\d+/, `:${port}`),
  ),
  "audience-from-x-forwarded-prefix": derived("Prefix", (base, prefix) =>
    base.replace(/\/\/[^/]+/, `$&${prefix}`),
  ),
});

/** One of the headers by which proxies state how clients reach the service. */
function derived(part: string, change: (base: string, value: string) => string): FaultEntry {
  const header = `X-Forwarded-${part}`;
  return taking({
    title: `Derives its base URL from the ${header} header`,
    how: "The service trusts every proxy in front of it, so that links are right.",
    when: (aud, { headers, receiver }) => {
      const value = headers[header.toLowerCase()];
      return typeof value === "string" && aud === change(receiver.baseUrl, value);
    },
  });
}

function isBaseUrlOn(aud: unknown, { receiver }: Call, host: unknown): boolean {
  return typeof host === "string" && aud === receiver.baseUrl.replace(/\/\/[^/]+/, `//${host}`);
}
