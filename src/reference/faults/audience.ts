import type { Call } from "../call.ts";
import { comparisonFaults } from "./comparisons.ts";
import { passing, skipped, type Fault } from "./fault.ts";

const RULE = "receiver.audience";

/** Faults of check 3: tokens for others are taken. */
export const AUDIENCE_FAULTS: readonly Fault[] = [
  {
    name: "audience-unchecked",
    title: "`aud` may be any receiver",
    rule: RULE,
    how: "The middleware checks `aud` only when an audience is configured, and none is.",
    source: "CVE-2025-62610",
    step: "checkAudience",
    patch: skipped,
  },
  ...comparisonFaults("audience", {
    claim: "aud",
    rule: RULE,
    step: "checkAudience",
    right: "baseUrl",
  }),
  taking("case-ignored", {
    title: "`aud` is compared without regard to case",
    how: "Host names have no case, and so the whole URL is written small.",
    when: (aud, { receiver }) =>
      typeof aud === "string" && aud.toLowerCase() === receiver.baseUrl.toLowerCase(),
  }),
  taking("any-array", {
    title: "`aud` that is an array is not compared",
    how: "Only strings were thought of.",
    when: (aud) => Array.isArray(aud) && aud.length > 0,
  }),
  taking("empty-array", {
    title: "`aud` may be an empty array",
    how: "`every` says of an empty array whatever it is asked.",
    when: (aud) => Array.isArray(aud) && aud.length === 0,
  }),
  taking("array-by-prefix", {
    title: "`aud` may be an array of a URL that begins like the base URL",
    how: "`some` takes a function, and `startsWith` is what was put into it.",
    when: (aud, { receiver }) =>
      Array.isArray(aud) && aud.some((one) => String(one).startsWith(receiver.baseUrl)),
  }),
  taking("nested-array", {
    title: "`aud` may be an array of arrays",
    how: "What is no string in the array is skipped, or the array is flattened before it is looked at.",
    source: "clerk/javascript#8470",
    when: (aud, { receiver }) => Array.isArray(aud) && aud.flat().includes(receiver.baseUrl),
  }),
  taking("object-member", {
    title: "`aud` may be an object with the base URL as a member's name",
    how: "`in` is thought to look into arrays.",
    when: (aud, { receiver }) => typeof aud === "object" && aud !== null && receiver.baseUrl in aud,
  }),
  taking("wildcard", {
    title: "`aud` may be an asterisk",
    how: "Development tokens were for everybody.",
    when: (aud) => aud === "*",
  }),
  taking("issuer", {
    title: "`aud` may be the issuer",
    how: "Before a resource was asked for, the authorization server put itself there.",
    when: (aud, { receiver }) => aud === receiver.issuer,
  }),
  taking("client", {
    title: "`aud` may be the client, so that ID Tokens are taken",
    how: "The middleware is one for signing users in, and is given the client id.",
    source: "wso2/api-manager#2948",
    when: (aud, { claims }) => aud !== undefined && aud === claims["sub"],
  }),
  taking("request-url", {
    title: "`aud` may be the URL of the request",
    how: "The resource that a request names is taken for the resource server.",
    when: (aud, { receiver, url }) => aud === new URL(url, receiver.baseUrl).href,
  }),
  taking("from-host", {
    title: "The base URL is made from the Host header",
    how: "The framework has a helper for the URL that a request came in by.",
    when: (aud, call) => isBaseUrlOn(aud, call, call.headers["host"]),
  }),
  taking("from-x-forwarded-host", {
    title: "The base URL is made from the X-Forwarded-Host header",
    how: "Whatever stands in front is trusted, so that links come out right.",
    when: (aud, call) => isBaseUrlOn(aud, call, call.headers["x-forwarded-host"]),
  }),
  taking("from-forwarded", {
    title: "The base URL is made from the Forwarded header",
    how: "Whatever stands in front is trusted, so that links come out right.",
    when: (aud, call) =>
      isBaseUrlOn(aud, call, /host=([^;,]+)/.exec(String(call.headers["forwarded"]))?.[1]),
  }),
];

function taking(
  name: string,
  {
    title,
    how,
    source,
    when,
  }: {
    readonly title: string;
    readonly how: string;
    readonly source?: string;
    readonly when: (aud: unknown, call: Call) => boolean;
  },
): Fault {
  return {
    name: `audience-${name}`,
    title,
    rule: RULE,
    how,
    ...(source !== undefined && { source }),
    step: "checkAudience",
    patch: passing((call) => when(call.claims["aud"], call)),
  };
}

function isBaseUrlOn(aud: unknown, { receiver }: Call, host: unknown): boolean {
  return typeof host === "string" && aud === receiver.baseUrl.replace(/\/\/[^/]+/, `//${host}`);
}
