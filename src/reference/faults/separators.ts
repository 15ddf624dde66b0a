import type { Call, Steps } from "../model.ts";
import { type Patch, stepsOf } from "../steps.ts";
import { AUDIENCE_FAULTS } from "./audience.ts";
import { AUTHORIZATION_FAULTS } from "./authorization.ts";
import { BINDING_FAULTS } from "./binding.ts";
import { CREDENTIAL_FAULTS } from "./credentials.ts";
import { type Faults, ofEach, type OwnedFault } from "./fault.ts";
import { GUARD_FAULTS } from "./guards.ts";
import { NAMED_ELSEWHERE_FAULTS } from "./named-elsewhere.ts";
import { OVERRIDE_FAULTS } from "./overrides.ts";
import { SCOPE_FAULTS } from "./scope.ts";

type Headers = Call["headers"];

/** Which names the server takes for those with hyphens, and the gateway does not. */
const MERGED: Readonly<Record<string, { readonly words: string; readonly name: RegExp }>> = {
  underscores: { words: "underscores", name: /^[^-]*_[^-]*$/ },
  mixed: { words: "a hyphen and underscores", name: /^x-.*_/ },
};

/** Faults in which a header is trusted that a gateway removes, if it has its usual name. */
const TRUSTED: Faults = picked(
  {
    ...CREDENTIAL_FAULTS,
    ...GUARD_FAULTS,
    ...AUTHORIZATION_FAULTS,
    ...AUDIENCE_FAULTS,
    ...SCOPE_FAULTS,
    ...BINDING_FAULTS,
    ...NAMED_ELSEWHERE_FAULTS,
    ...OVERRIDE_FAULTS,
  },
  [
    "x-forwarded-user-trusted",
    "x-jwt-payload-trusted",
    "token-in-x-access-token",
    "override-options-unguarded",
    "override-get-unguarded",
    "override-write-unguarded",
    "override-post-edits",
    "override-get-edits",
    "override-get-submits",
    "override-get-edits-elsewhere",
    "audience-from-x-forwarded-host",
    "audience-from-x-forwarded-prefix",
    "scope-from-header",
    "binding-header-as-claim",
    "binding-header-as-target",
    "header-names-organization",
    "original-url-names-organization",
    "policy-by-x-forwarded-user",
  ],
);

/** Faults of servers that merge hyphens and underscores in the names of headers, behind a gateway that does not. */
export const SEPARATOR_FAULTS: Faults = ofEach(
  Object.entries(MERGED),
  ([suffix, { words, name }]) =>
    Object.fromEntries(
      Object.entries(TRUSTED)
        // A name of two words has one separator.
        .filter(([fault]) => suffix === "underscores" || fault !== "scope-from-header")
        .map(([fault, plain]): [string, OwnedFault] => [
          `${fault}-${suffix}`,
          {
            ...plain,
            ...behindGateway(plain, name),
            title: `${plain.title}, if the name of the header has ${words}`,
            how: "A gateway removes the header from requests of clients. The server takes hyphens and underscores in names for the same, as WSGI, CGI and PHP do.",
            source: "CVE-2025-64484",
          },
        ]),
    ),
);

function picked(faults: Faults, names: readonly string[]): Faults {
  return Object.fromEntries(
    names.map((name) => {
      const fault = faults[name];
      if (!fault) throw new TypeError(`no fault ${name}`);
      return [name, fault];
    }),
  );
}

/** The steps of a fault, which see the headers as the server does that the gateway passes requests on to. */
function behindGateway(fault: Patch, merged: RegExp): Patch {
  type Step = (...args: readonly unknown[]) => unknown;
  return Object.fromEntries(
    stepsOf(fault).map((step: keyof Steps) => {
      const patch = fault[step] as unknown as (original: Step) => Step;
      return [
        step,
        (original: Step): Step => {
          const patched = patch(original);
          return (first, ...more) => patched(seenBehind(first, merged), ...more);
        },
      ];
    }),
  );
}

/** A request, whose steps set its members, with other headers. */
function seenBehind<T>(request: T, merged: RegExp): T {
  if (typeof request !== "object" || request === null || !("headers" in request)) return request;
  const headers = passedOn(request.headers as Headers, merged);
  return new Proxy(request, {
    get: (target, key) => (key === "headers" ? headers : (Reflect.get(target, key) as unknown)),
  });
}

function passedOn(headers: Headers, merged: RegExp): Headers {
  const lines = Object.entries(headers);
  return Object.fromEntries([
    ...lines.filter(([name]) => !name.startsWith("x-")),
    ...lines
      .filter(([name]) => merged.test(name))
      .map(([name, value]) => [name.replaceAll("_", "-"), value] as const),
  ]);
}
