import { z } from "zod";

import { CLAIMS } from "../contract/claims.ts";

/** An http or https URL with a host and no user information. The scheme is in lower case. */
const HTTP_URL: RegExp = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/;

export const BASE_URL: RegExp = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/;

/** Why a text is not an http or https URL, as the end of a sentence; `undefined` when it is one. */
export function httpUrlProblem(text: string): string | undefined {
  if (/\.(?:ya?ml|json)$/.test(text) && !text.includes("://")) {
    return "must begin with http:// or https://; a profile is named with --profile";
  }
  if (!/^https?:\/\//.test(text)) return "must begin with http:// or https://";
  // URL parsing drops or rewrites some of these, so the suite would send something other than the
  // text.
  if (/[\s\\]/.test(text)) return "must not contain spaces or backslashes";
  if (/^[^:]+:\/\/[^/?#]*@/.test(text)) {
    return "must not contain a user name or password; put credentials into `request.headers`";
  }
  if (!HTTP_URL.test(text) || !URL.canParse(text)) {
    return "is not a URL: its host or port is malformed";
  }
  return undefined;
}

export const LISTEN_URL: RegExp = /^http:\/\/[^\s/?#@\\]+\/?$/;

/** Why a text is not an address to listen on; `undefined` when it is one. */
export function listenUrlProblem(text: string): string | undefined {
  return LISTEN_URL.test(text) && URL.canParse(text)
    ? undefined
    : "must be http:// with a host and a port of this machine, such as http://0.0.0.0:9000";
}

/** Why a text is not a base URL that routes can be appended to; `undefined` when it is one. */
export function baseUrlProblem(text: string): string | undefined {
  const problem = httpUrlProblem(text);
  if (problem) return problem;
  return BASE_URL.test(text)
    ? undefined
    : "must end with its path, without a query (?) or fragment (#): routes are appended to it";
}

export const text: z.ZodString = z.string().min(1, "must not be empty");

/** A string in which `problemOf` finds no problem. */
export function stringThat(problemOf: (value: string) => string | undefined): z.ZodString {
  return z.string().check(({ value, issues }) => {
    const message = problemOf(value);
    if (message) issues.push({ code: "custom", input: value, message });
  });
}

export const url: z.ZodString = stringThat(httpUrlProblem).meta({ pattern: HTTP_URL.source });

const USUAL_SECONDS = 300;

export const retryAfterSeconds: z.ZodDefault<z.ZodInt> = z
  .int("must be a whole number of seconds")
  .min(0, "must be 0 or more seconds")
  .default(USUAL_SECONDS)
  .describe(
    "How long a run waits in total where answers ask it to, as a 429 with `Retry-After`; default: 300 seconds. For each request that was answered since the last wait, one second of the next wait does not count.",
  );

export const maxRequestsPerSecond: z.ZodOptional<z.ZodNumber> = z
  .number()
  .positive("must be more than 0")
  .optional()
  .describe("The most requests per second; default: no limit.");

/** Header names that the suite or HTTP itself sets. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set(
  `authorization content-type user-agent conformance-case
  content-length transfer-encoding te trailer connection keep-alive upgrade expect`.split(/\s+/),
);
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/; // RFC 9110 §5.6.2
const HEADER_VALUE = /^[!-~](?:[\t -~]*[!-~])?$/; // RFC 9110 §5.5, ASCII only

/** The schema of a profile's headers: names that the suite does not set itself, each once. */
export const headers: z.ZodRecord<z.ZodString, z.ZodString> = z
  .record(z.string(), z.string())
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [name, content] of Object.entries(value)) {
      const lowerCase = name.toLowerCase();
      const complain = (message: string, at: "key" | "value"): void => {
        issues.push({ code: "custom", input: value, path: [name], message, params: { at } });
      };
      if (!HEADER_NAME.test(name)) complain("is not a header name", "key");
      if (RESERVED_HEADERS.has(lowerCase)) {
        complain("is set by the suite itself; leave it out", "key");
      }
      if (seen.has(lowerCase)) complain("is given twice: header names ignore case", "key");
      if (!HEADER_VALUE.test(content)) {
        complain("must be one line of printable ASCII without spaces at its ends", "value");
      }
      seen.add(lowerCase);
    }
  });

/** A copy of the headers with names in lower case. */
export function lowerCased(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Header members that rules test, with the profile key that sets each, where there is one. */
const JUDGED_HEADER: Readonly<Record<string, string | undefined>> = {
  alg: "testIssuer.algorithm",
  kid: "testIssuer.keys",
  ...Object.fromEntries(
    "crit b64 jwk jku x5u x5c x5t x5t#S256 cty enc zip".split(" ").map((name) => [name, undefined]),
  ),
};

/** Why a claim must not be in `testIssuer.claims`; `undefined` when it may be. */
export function judgedClaim(name: string, bindingClaim: string | undefined): string | undefined {
  if (name === bindingClaim) return judged("claimsNamespace");
  const claim = CLAIMS.find((one) => one.name === name);
  return claim && judged(claim.givenBy);
}

function judged(key: string | undefined): string {
  const instead = key === undefined ? "leave it out" : `leave it out; ${key} sets it`;
  return `is not allowed here, because rules test it and the suite changes it itself: ${instead}`;
}

/** The schema of further claims. Which names are allowed depends on the rest of the profile. */
export const extraClaims: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>> = z
  .record(z.string(), z.unknown())
  .default({});

export const extraHeader: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>> = z
  .record(z.string(), z.unknown())
  .check(({ value, issues }) => {
    for (const [name, content] of Object.entries(value)) {
      const complain = (message: string, at: "key" | "value"): void => {
        issues.push({ code: "custom", input: value, path: [name], message, params: { at } });
      };
      if (Object.hasOwn(JUDGED_HEADER, name)) complain(judged(JUDGED_HEADER[name]), "key");
      if (name === "typ" && (typeof content !== "string" || content === "")) {
        complain("must be text, such as at+jwt", "value");
      }
    }
  })
  .default({});
