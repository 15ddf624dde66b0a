import type { Facts } from "../../profile/facts.ts";
import {
  each,
  type InvalidMutation,
  type Mutation,
  type MutationContext,
  open,
  patchFor,
  withToken,
} from "../mutation.ts";
import { asMember, nearMisses, paddings, respellings } from "../near-misses.ts";
import { spelledNames } from "../request/separators.ts";

/** Tokens for another receiver. */

const STRANGER = "another-deployment.example";
const OTHER = `https://${STRANGER}/common-grants`;
const PREFIX = "/another-deployment";

function wrong(
  name: string,
  what: string,
  aud: (right: string, context: MutationContext) => unknown,
): InvalidMutation {
  return {
    name,
    what: `\`aud\` ${what}`,
    refused: {
      check: "audience",
      why: "`aud` must equal the receiver's own base URL; tokens whose `aud` differs are rejected",
      source: "contract, Receiver checks 3, Token claims; RFC 7519 §2, §4.1.3",
    },
    token: { claims: (_draft, context) => ({ aud: aud(context.target.audience, context) }) },
  };
}

export const otherAudience: InvalidMutation = wrong(
  "other",
  "is the base URL of another deployment",
  () => OTHER,
);

/** The most common ways in which `aud` names no receiver or another one. */
export const audienceGaps: readonly InvalidMutation[] = [
  wrong("missing", "is missing", () => undefined),
  wrong("null", "is null", () => null),
  wrong("empty", "is an empty string", () => ""),
  wrong("array-empty", "is an empty array", () => []),
  wrong("array-without", "is an array without the right value", () => [OTHER, `${OTHER}/orgs`]),
  wrong("organization-url", "is the URL of an organization below the base URL", belowBase),
];

/** `aud` of a type that equals no URL. */
export const malformedAudiences: readonly InvalidMutation[] = [
  wrong("number", "is a number", () => 1),
  wrong("true", "is `true`", () => true),
  wrong("object", "is an empty object", () => ({})),
  wrong("keyed-object", "is an object with a member of the right name", (right) => ({
    [right]: true,
  })),
  wrong("object-value", "is an object whose members have the right value", asMember),
  wrong("array-nested", "is an array of an array of the right value", (right) => [[right]]),
  wrong("array-near-miss", "is an array of a URL below the right one", (right) => [
    `${right}/orgs`,
  ]),
  wrong("wildcard", "is an asterisk", () => "*"),
];

/** Claims that receivers read in place of `aud`, or as well. */
const BESIDE_AUD = ["azp", "client_id", "resource", "audience"];

/** `aud` names no receiver or another one, and other claims name the right one. */
export const rescuedAudiences: readonly InvalidMutation[] = [
  wrong("missing", "is missing", () => undefined),
  otherAudience,
].map((mutation) => ({
  ...withToken(mutation, {
    claims: (draft, context) => ({
      ...each(BESIDE_AUD, context.target.audience),
      ...patchFor(mutation.token?.claims, draft, context),
    }),
  }),
  name: `${mutation.name}-rescued`,
  what: `${mutation.what}, and \`azp\` and similar claims are the right value`,
}));

function belowBase(right: string, { organization = "" }: MutationContext): string {
  return `${right.replace(/\/$/, "")}/orgs/${organization}`;
}

/**
 * Values of `aud` that a careless comparison confuses with the base URL, or that name another party
 * to the token.
 */
export function mistakenAudiences({ audience, testIssuer, subject }: Facts): InvalidMutation[] {
  const parties = [
    { name: "issuer", what: "is the issuer", value: testIssuer.url },
    { name: "subject", what: "is the client, as in an ID Token", value: subject },
  ];
  // An authorization server may use the base URL itself as its issuer.
  const others = parties.filter(({ value }) => essence(value) !== essence(audience));
  return [...nearMisses(audience), ...paddings(audience), ...others].map(({ name, what, value }) =>
    wrong(name, what, () => value),
  );
}

function essence(url: string): string {
  return url.replace(/\/$/, "").toLowerCase();
}

/** Values of `aud` that match spoofed headers, which a receiver's base URL must not follow. */
export function spoofedBases({ origin, basePath, audience }: Facts): InvalidMutation[] {
  const { protocol, host, hostname, port } = new URL(origin);
  const scheme = protocol.slice(0, -1);
  const otherScheme = scheme === "http" ? "https" : "http";
  const otherPort = port === "8443" ? "8444" : "8443";
  const elsewhere = `${scheme}://${STRANGER}${basePath}`;
  const prefix = ["x-forwarded-prefix", PREFIX] as const;
  const found: Spoofed[] = [
    { headers: [["x-forwarded-host", STRANGER]], base: elsewhere },
    { headers: [["forwarded", `host=${STRANGER};proto=${scheme}`]], base: elsewhere },
    // Over TLS, `Host` also selects the certificate, so the request would reach no receiver.
    ...(scheme === "http" ? [{ headers: [["host", STRANGER] as const], base: elsewhere }] : []),
    {
      // Some receivers forget the port with the scheme.
      headers: [
        ["x-forwarded-proto", otherScheme],
        ...(port === "" ? [] : [["x-forwarded-port", port] as const]),
      ],
      base: `${otherScheme}://${host}${basePath}`,
    },
    {
      headers: [["x-forwarded-port", otherPort]],
      base: `${scheme}://${hostname}:${otherPort}${basePath}`,
    },
    { headers: [prefix], base: `${origin}${PREFIX}${basePath}` },
    // Spring puts the prefix in the place of the application's own path.
    ...(basePath === ""
      ? []
      : [{ name: "x-forwarded-prefix-alone", headers: [prefix], base: `${origin}${PREFIX}` }]),
  ];
  // Proxies add to these lists of theirs, so that a receiver may well find both spellings in one.
  const respelled = found
    .filter(({ name, headers }) => name === undefined && headers[0]?.[0].startsWith("x-"))
    .map(({ headers, base }) => ({
      name: `${headers[0]?.[0]}-underscores`,
      headers: headers.flatMap(([name, value]) =>
        spelledNames([name]).flatMap((names) => names.map((one) => [one, value] as const)),
      ),
      base,
    }));
  // Behind a gateway, one of these may be the right value.
  return [...found, ...respelled]
    .filter(({ base }) => essence(base) !== essence(audience))
    .map(spoofed);
}

interface Spoofed {
  /** Default: the first header's. */
  readonly name?: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly base: string;
}

function spoofed({ headers, base, name = headers[0]?.[0] ?? "" }: Spoofed): InvalidMutation {
  const what = `is another base URL, to which the header ${headers[0]?.[0] ?? ""} refers too`;
  return {
    ...wrong(`spoofed-${name}`, what, () => base),
    request: (request) => ({ ...request, headers: [...request.headers, ...headers] }),
  };
}

/** Values that some reading considers equal: arrays with the base URL, and other spellings. */
export function openAudiences({ audience }: Facts): Mutation[] {
  return [
    openly("array-only", "is an array of the right value alone", [audience]),
    openly("array-among", "is an array of another and the right value", [OTHER, audience]),
    openly("array-mixed", "is an array of a number and the right value", [1, audience]),
    ...respellings(audience).map(({ name, what, value }) => openly(name, what, value)),
  ];
}

function openly(name: string, what: string, aud: unknown): Mutation {
  return open(name, `\`aud\` ${what}`, { token: { claims: { aud } } });
}
