import { isWithinSkew } from "../checks.ts";
import type { Call } from "../model.ts";
import { skipped } from "../patches.ts";
import { comparisonFaults, takingFor } from "./comparisons.ts";
import { type Fault, ownedBy, type UnownedFault } from "./fault.ts";

const AUD = { prefix: "audience", claim: "aud", step: "checkAudience", right: "baseUrl" } as const;
const taking = takingFor(AUD);

/** Faults of check 3: tokens for other audiences are accepted. */
export const AUDIENCE_FAULTS: readonly Fault[] = ownedBy("receiver.audience", [
  {
    name: "audience-unchecked",
    title: "Does not check `aud`",
    how: "The middleware checks `aud` only when an audience is configured, and none is.",
    source: "CVE-2025-62610",
    checkAudience: skipped,
  },
  ...comparisonFaults(AUD),
  taking("unchecked-within-skew", {
    title: "Does not check `aud` in a token that expired within the skew",
    how: "The library reports all errors of a token together, and the caller, who tolerates a small skew, looks for the passed `exp` alone.",
    source: "CVE-2024-51744",
    when: (_aud, { claims: { exp }, receiver }) => isWithinSkew(exp, receiver.steps.now()),
  }),
  taking("unchecked-within-skew-on-readChangesFeed", {
    title: "Does not check `aud` in a token that expired within the skew, on readChangesFeed",
    how: "Clients poll the feed, so its route has an error handler of its own, which lets tokens pass that expired a moment ago.",
    source: "CVE-2024-51744",
    when: (_aud, { operation, claims: { exp }, receiver }) =>
      operation === "readChangesFeed" && isWithinSkew(exp, receiver.steps.now()),
  }),
  taking("case-ignored", {
    title: "Compares `aud` without regard to case",
    how: "Host names are case-insensitive, so the code converts the whole URL to lower case.",
    when: (aud, { receiver }) =>
      typeof aud === "string" && aud.toLowerCase() === receiver.baseUrl.toLowerCase(),
  }),
  taking("any-array", {
    title: "Does not compare `aud` if it is an array",
    how: "The code handles only strings.",
    when: (aud) => Array.isArray(aud) && aud.length > 0,
  }),
  taking("empty-array", {
    title: "Accepts an empty array in `aud`",
    how: "`every` is true for an empty array.",
    when: (aud) => Array.isArray(aud) && aud.length === 0,
  }),
  taking("array-by-prefix", {
    title: "Compares `aud` by prefix if it is an array",
    how: "`some` is called with `startsWith`.",
    when: (aud, { receiver }) =>
      Array.isArray(aud) && aud.some((one) => String(one).startsWith(receiver.baseUrl)),
  }),
  taking("nested-array", {
    title: "Accepts an array of arrays in `aud`",
    how: "The code skips elements that are not strings, or flattens the array first.",
    source: "clerk/javascript#8470",
    when: (aud, { receiver }) => Array.isArray(aud) && aud.flat().includes(receiver.baseUrl),
  }),
  taking("object-member", {
    title: "Accepts an object in `aud` that has the base URL as a member name",
    how: "The author expected `in` to search arrays.",
    when: (aud, { receiver }) => typeof aud === "object" && aud !== null && receiver.baseUrl in aud,
  }),
  taking("wildcard", {
    title: "Accepts an asterisk in `aud`",
    how: "Development tokens were valid for every receiver.",
    when: (aud) => aud === "*",
  }),
  taking("issuer", {
    title: "Accepts the issuer in `aud`",
    how: "Before clients requested a resource, the authorization server put its own name there.",
    when: (aud, { receiver }) => aud === receiver.issuer,
  }),
  taking("client", {
    title: "Accepts the client in `aud`, and with it ID Tokens",
    how: "The middleware is made for user login, and is configured with the client id.",
    source: "wso2/api-manager#2948",
    when: (aud, { claims }) => aud !== undefined && aud === claims["sub"],
  }),
  taking("azp-in-its-place", {
    title: "Reads `azp` if there is no `aud`",
    how: "The access tokens of one authorization server have no `aud`, so another claim takes its place.",
    when: (aud, { claims, receiver }) => aud === undefined && claims["azp"] === receiver.baseUrl,
  }),
  taking("resource-enough", {
    title: "Accepts any `aud` if `resource` is the base URL",
    how: "Clients name the audience with the parameter `resource`, and the code expects a claim of that name.",
    when: (aud, { claims, receiver }) =>
      aud !== undefined && claims["resource"] === receiver.baseUrl,
  }),
  taking("request-url", {
    title: "Accepts the URL of the request in `aud`",
    how: "The code confuses the requested resource with the resource server.",
    when: (aud, { receiver, url }) => aud === new URL(url, receiver.baseUrl).href,
  }),
  taking("from-host", {
    title: "Derives its base URL from the Host header",
    how: "The framework has a helper for the URL of the request.",
    when: (aud, call) => isBaseUrlOn(aud, call, call.headers["host"]),
  }),
  taking("from-x-forwarded-host", {
    title: "Derives its base URL from the X-Forwarded-Host header",
    how: "The service trusts every proxy in front of it, so that links are right.",
    when: (aud, call) => isBaseUrlOn(aud, call, call.headers["x-forwarded-host"]),
  }),
  taking("from-forwarded", {
    title: "Derives its base URL from the Forwarded header",
    how: "The service trusts every proxy in front of it, so that links are right.",
    when: (aud, call) =>
      isBaseUrlOn(aud, call, /host=([^;,]+)/.exec(String(call.headers["forwarded"]))?.[1]),
  }),
  derived("proto", (base, scheme) => base.replace(/^https?/, scheme)),
  derived("port", (base, port) => base.replace(/:\d+/, `:${port}`)),
  derived("prefix", (base, prefix) => base.replace(/\/\/[^/]+/, `$&${prefix}`)),
]);

/** One of the headers by which proxies state how clients reach the service. */
function derived(part: string, change: (base: string, value: string) => string): UnownedFault {
  const header = `x-forwarded-${part}`;
  return taking(`from-${header}`, {
    title: `Derives its base URL from the X-Forwarded-${part[0]?.toUpperCase()}${part.slice(1)} header`,
    how: "The service trusts every proxy in front of it, so that links are right.",
    when: (aud, { headers, receiver }) => {
      const value = headers[header];
      return typeof value === "string" && aud === change(receiver.baseUrl, value);
    },
  });
}

function isBaseUrlOn(aud: unknown, { receiver }: Call, host: unknown): boolean {
  return typeof host === "string" && aud === receiver.baseUrl.replace(/\/\/[^/]+/, `//${host}`);
}
