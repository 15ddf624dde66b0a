import type { ReportCase } from "./report.ts";

/**
 * What a violation lets happen, the worst first: somebody gets the data of another organization, a request without valid
 * authentication is served, a token does more than its scope allows. Every other rule comes after these.
 */
const WORST_FIRST: readonly (readonly string[])[] = [
  [
    "receiver.binding",
    "receiver.binding-list",
    "receiver.local-policy",
    "receiver.local-policy-list",
    "receiver.isolation",
    "resources.change-isolated",
  ],
  [
    "receiver.token-required",
    "receiver.signature",
    "receiver.issuer",
    "receiver.audience",
    "receiver.expiry",
    "receiver.no-side-effects",
    "authorization-server.authorization-code",
    "authorization-server.client-credentials",
    "authorization-server.keys",
    "authorization-server.pkce",
    "authorization-server.redirect",
  ],
  ["receiver.scope", "authorization-server.scope"],
];

/** A rule with the cases of it that failed, as far as they are known. */
interface Failed {
  readonly rule: { readonly id: string };
  readonly cases: readonly ReportCase[];
}

/**
 * Failed rules, the worst first. Equally bad ones keep their order. A rule whose requests were all refused, only with
 * the wrong answer, let nothing through: it comes with the others.
 */
export function worstFirst<T extends Failed>(failed: readonly T[]): T[] {
  const place = ({ rule, cases }: T): number => {
    const found = WORST_FIRST.findIndex((rules) => rules.includes(rule.id));
    const isHarmless = cases.length > 0 && cases.every(isRefusal);
    return found >= 0 && !isHarmless ? found : WORST_FIRST.length;
  };
  return failed.toSorted((a, b) => place(a) - place(b));
}

/** Whether what was seen is a refusal and nothing else. */
function isRefusal({ facts: { actual = [] } = {} }: ReportCase): boolean {
  return actual.length > 0 && actual.every((fact) => fact.kind === "answer" && fact.status >= 400);
}
