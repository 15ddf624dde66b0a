import type { Call } from "../model.ts";
import { comparisonFaults } from "./comparisons.ts";
import { passing, skipped, type Fault, type FaultWords } from "./fault.ts";

const RULE = "receiver.audience";

/** Faults of check 3: tokens for others are taken. */
export const AUDIENCE_FAULTS: readonly Fault[] = [
  {
    name: "audience-unchecked",
    title: "Does not look at `aud`",
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
    title: "Compares `aud` without regard to case",
    how: "Host names have no case, and so the whole URL is written small.",
    when: (aud, { receiver }) =>
      typeof aud === "string" && aud.toLowerCase() === receiver.baseUrl.toLowerCase(),
  }),
  taking("any-array", {
    title: "Does not compare `aud` where it is an array",
    how: "Only strings were thought of.",
    when: (aud) => Array.isArray(aud) && aud.length > 0,
  }),
  taking("empty-array", {
    title: "Takes an empty array in `aud`",
    how: "`every` says of an empty array whatever it is asked.",
    when: (aud) => Array.isArray(aud) && aud.length === 0,
  }),
  taking("array-by-prefix", {
    title: "Compares `aud` by prefix where it is an array",
    how: "`some` takes a function, and `startsWith` is what was put into it.",
    when: (aud, { receiver }) =>
      Array.isArray(aud) && aud.some((one) => String(one).startsWith(receiver.baseUrl)),
  }),
  taking("nested-array", {
    title: "Takes an array of arrays in `aud`",
    how: "What is no string in the array is skipped, or the array is flattened before it is looked at.",
    source: "clerk/javascript#8470",
    when: (aud, { receiver }) => Array.isArray(aud) && aud.flat().includes(receiver.baseUrl),
  }),
  taking("object-member", {
    title: "Takes an object in `aud` that has the base URL as a member's name",
    how: "`in` is thought to look into arrays.",
    when: (aud, { receiver }) => typeof aud === "object" && aud !== null && receiver.baseUrl in aud,
  }),
  taking("wildcard", {
    title: "Takes an asterisk in `aud`",
    how: "Development tokens were for everybody.",
    when: (aud) => aud === "*",
  }),
  taking("issuer", {
    title: "Takes the issuer in `aud`",
    how: "Before a resource was asked for, the authorization server put itself there.",
    when: (aud, { receiver }) => aud === receiver.issuer,
  }),
  taking("client", {
    title: "Takes the client in `aud`, and ID Tokens with it",
    how: "The middleware is one for signing users in, and is given the client id.",
    source: "wso2/api-manager#2948",
    when: (aud, { claims }) => aud !== undefined && aud === claims["sub"],
  }),
  taking("request-url", {
    title: "Takes the URL of the request in `aud`",
    how: "The resource that a request names is taken for the resource server.",
    when: (aud, { receiver, url }) => aud === new URL(url, receiver.baseUrl).href,
  }),
  taking("from-host", {
    title: "Makes its base URL from the Host header",
    how: "The framework has a helper for the URL that a request came in by.",
    when: (aud, call) => isBaseUrlOn(aud, call, call.headers["host"]),
  }),
  taking("from-x-forwarded-host", {
    title: "Makes its base URL from the X-Forwarded-Host header",
    how: "Whatever stands in front is trusted, so that links come out right.",
    when: (aud, call) => isBaseUrlOn(aud, call, call.headers["x-forwarded-host"]),
  }),
  taking("from-forwarded", {
    title: "Makes its base URL from the Forwarded header",
    how: "Whatever stands in front is trusted, so that links come out right.",
    when: (aud, call) =>
      isBaseUrlOn(aud, call, /host=([^;,]+)/.exec(String(call.headers["forwarded"]))?.[1]),
  }),
];

function taking(
  name: string,
  { when, ...words }: FaultWords & { readonly when: (aud: unknown, call: Call) => boolean },
): Fault {
  return {
    ...words,
    name: `audience-${name}`,
    rule: RULE,
    step: "checkAudience",
    patch: passing((call) => when(call.claims["aud"], call)),
  };
}

function isBaseUrlOn(aud: unknown, { receiver }: Call, host: unknown): boolean {
  return typeof host === "string" && aud === receiver.baseUrl.replace(/\/\/[^/]+/, `//${host}`);
}
