import { describe, expect, it, test, vi } from "vitest";

import { diagnose } from "../../src/engine/conclusion/diagnose.ts";
import {
  partsOf,
  readKnownFaults,
  type Signature,
} from "../../src/engine/conclusion/signatures.ts";
import type { CaseResult, Diagnosis } from "../../src/engine/events.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";
import { runAgainstReference } from "../support/run-against.ts";

const KNOWN = readKnownFaults();
const known = (): typeof KNOWN => KNOWN;

function signature(fault: string): Signature {
  const found = KNOWN.signatures.find((one) => one.fault === fault);
  if (!found) throw new Error(`${fault} has no signature`);
  return found;
}

function stated({ fail = [], warn = [] }: Signature): string[] {
  return [...fail, ...warn];
}

/** The results of a receiver with these faults, of different rules, as their signatures state them. */
function showing(...faults: readonly Signature[]): CaseResult[] {
  return faults.flatMap((fault) => {
    const { rule, fail = [], saw = [""] } = fault;
    const ofRule = KNOWN.signatures.filter((one) => one.rule === rule);
    const own = stated(fault);
    const all = new Set([...ofRule.flatMap(stated), ...(KNOWN.held[rule] ?? [])]);
    return [...all].map((id): CaseResult => {
      const outcome = fail.includes(id) ? "fail" : own.includes(id) ? "warn" : "pass";
      return {
        id: `${rule}/${id}`,
        rule,
        operation: partsOf(id).operation,
        level: "MUST",
        outcome,
        actual: outcome === "pass" ? undefined : phrase`${saw[own.indexOf(id) % saw.length]}`,
      };
    });
  });
}

function names(diagnoses: readonly Diagnosis[]): string[] {
  return diagnoses.map(({ fault }) => fault);
}

function changed(
  results: readonly CaseResult[],
  mutation: (result: CaseResult) => Partial<CaseResult> | undefined,
): CaseResult[] {
  return results.map((result) => ({ ...result, ...mutation(result) }));
}

describe("the committed signatures", () => {
  it("are those of the reference receiver's faults, in their order; `npm run proof` writes them", () => {
    const shown = FAULTS.filter(
      ({ seenAs, observed }) => seenAs === undefined && observed === undefined,
    );
    expect(KNOWN.signatures.map(({ fault, rule, look }) => [fault, rule, look])).toEqual(
      shown.map(({ name, rule, how }) => [name, rule, how]),
    );
  });

  it("describe a receiver with a phrase that completes `behaves like a receiver that`", () => {
    for (const { behaves } of KNOWN.signatures) expect(behaves).toMatch(/^[a-z]+s (?!.*\.$)/);
  });

  it("are small enough to ship", () => {
    expect(JSON.stringify(KNOWN).length).toBeLessThan(480 * 1024);
  });
});

function stem(fault: string): string {
  return fault.replace(/-(?:underscores|mixed)$/, "");
}

describe("every fault is recognised by its signature, among at most three candidates", () => {
  test.for(KNOWN.signatures.map((one) => [one.fault, one] as const))("%s", ([fault, one]) => {
    const found = diagnose(showing(one), known);
    // Spellings of a header's name are one fault to a reader.
    expect(names(found).map(stem)).toContain(stem(fault));
    expect(found.length).toBeLessThanOrEqual(3);
  });
});

/** Whether ids are those of all failures of a fault. */
function isAllOf({ rule, fail = [] }: Signature): (ids: readonly string[]) => boolean {
  const all = fail.map((id) => `${rule}/${id}`);
  return (ids) => ids.length === all.length && all.every((id) => ids.includes(id));
}

/** Failures that no known fault has. */
function unheardOf(many: number): CaseResult[] {
  return Array.from({ length: many }, (_, at): CaseResult => ({
    id: `receiver.audience/unheard-of-${at}@viewOrganization`,
    rule: "receiver.audience",
    operation: "viewOrganization",
    level: "MUST",
    outcome: "fail",
  }));
}

describe("diagnose", () => {
  const prefix = signature("audience-by-prefix");

  it("says what the receiver does, where to look, and in which product it was found", () => {
    expect(diagnose(showing(prefix), known)).toEqual([
      {
        fault: "audience-by-prefix",
        rule: "receiver.audience",
        behaves: "compares `aud` by prefix",
        look: prefix.look,
        source: "CVE-2024-53861",
        explains: expect.toSatisfy(isAllOf(prefix)) as string[],
        leaves: [],
        exact: true,
      },
    ]);
  });

  it("does not read the signatures if nothing failed", () => {
    const passed = changed(showing(prefix), () => ({ outcome: "pass" }));
    const unread = vi.fn<typeof known>(known);
    expect(diagnose(passed, unread)).toEqual([]);
    expect(unread).not.toHaveBeenCalled();
  });

  it("names one fault for each of several rules", () => {
    const both = showing(prefix, signature("scope-case-ignored"));
    expect(names(diagnose(both, known))).toEqual(["audience-by-prefix", "scope-case-ignored"]);
  });

  it("names the nearest fault with what it does not explain", () => {
    const more = unheardOf(3);
    const [nearest, ...others] = diagnose([...showing(prefix), ...more], known);
    expect(others).toEqual([]);
    expect(nearest).toMatchObject({
      fault: "audience-by-prefix",
      explains: expect.toSatisfy(isAllOf(prefix)) as string[],
      leaves: more.map(({ id }) => id),
      exact: false,
    });
  });

  it("calls no check missing whose cases had two outcomes", () => {
    const flaky = changed(showing(signature("audience-unchecked")), ({ id }) =>
      id === "receiver.audience/other@viewOrganization"
        ? { outcome: "inconclusive", flaky: true }
        : undefined,
    );
    expect(names(diagnose(flaky, known))).not.toContain("audience-unchecked");
  });

  it("does not limit a fault to operations where others have its failures too", () => {
    const unchecked = changed(showing(signature("audience-unchecked")), ({ id }) =>
      id === "receiver.audience/empty@viewOrganization" ? { outcome: "pass" } : undefined,
    );
    for (const { behaves } of diagnose(unchecked, known))
      expect(behaves).not.toContain("but not on");
  });

  it("names none that explains less than half of the failures", () => {
    const more = unheardOf((prefix.fail?.length ?? 0) + 1);
    expect(diagnose([...showing(prefix), ...more], known)).toEqual([]);
  });

  it("names none that a judged case contradicts, however much it explains", () => {
    const less = changed(showing(prefix), ({ id }) =>
      id === "receiver.audience/query@viewOrganization" ? { outcome: "pass" } : undefined,
    );
    const found = diagnose([...less, ...unheardOf(1)], known);
    expect(names(found)).not.toContain("audience-by-prefix");
  });

  it.each([
    [["audience-by-prefix", "audience-wildcard"]],
    [["audience-by-prefix", "audience-issuer", "audience-wildcard"]],
  ])("names the known faults that only together explain the failures: %j", (faults) => {
    const failing = new Set(faults.flatMap((fault) => signature(fault).fail ?? []));
    const all = changed(showing(prefix), ({ id }) =>
      failing.has(id.slice("receiver.audience/".length))
        ? { outcome: "fail", actual: phrase`2xx` }
        : undefined,
    );
    const [diagnosis, ...others] = diagnose(all, known);
    expect(others).toEqual([]);
    expect(diagnosis?.fault.split(" + ").toSorted()).toEqual(faults);
    expect(diagnosis?.behaves).toContain("; and ");
  });

  it("names a login page only where answers were redirects", () => {
    const redirects: Signature = { ...signature("redirects-unauthorized"), saw: ["3xx"] };
    const signatures = KNOWN.signatures.map((one) =>
      one.fault === redirects.fault ? redirects : one,
    );
    const named = (status: number): string[] => {
      const answer = { kind: "answer", status } as const;
      const answered = changed(showing(redirects), ({ outcome }) =>
        outcome === "pass" ? undefined : { actual: { words: ["", ""], facts: [answer] } },
      );
      return names(diagnose(answered, () => ({ ...KNOWN, signatures })));
    };
    expect(named(303)).toContain(redirects.fault);
    expect(named(200)).not.toContain(redirects.fault);
  });

  it("recognises a fault of the authorization server, whatever its clients are called", () => {
    const scp: Signature = {
      ...prefix,
      fault: "server-token-scp",
      rule: "authorization-server.claims",
      fail: ["scope"],
    };
    const seen = (["fail", "pass"] as const).map((outcome): CaseResult => ({
      id: `authorization-server.claims/scope@${outcome}ing`,
      rule: scp.rule,
      operation: undefined,
      level: "MUST",
      outcome,
    }));
    const servers = (): typeof KNOWN => ({ signatures: [scp], held: {} });
    expect(names(diagnose(seen, servers))).toEqual([scp.fault]);
  });

  it("does not name a fault if a case that shows it passed", () => {
    const less = changed(showing(prefix), ({ id }) =>
      id === "receiver.audience/query@viewOrganization" ? { outcome: "pass" } : undefined,
    );
    expect(names(diagnose(less, known))).not.toContain("audience-by-prefix");
  });

  it("recognises a fault whether or not the router serves HEAD, and a path with a slash at the end", () => {
    const near = ["other-head", "other-trailing-slash"].map(
      (tried) => `receiver.audience/${tried}@viewOrganization`,
    );
    const unchecked = showing(signature("audience-unchecked")).filter(
      ({ id }) => !near.includes(id),
    );
    for (const outcome of ["fail", "pass"] as const) {
      const served = near.map((id): CaseResult => ({
        ...(unchecked[0] as CaseResult),
        id,
        outcome,
      }));
      expect(names(diagnose([...unchecked, ...served], known))).toEqual(["audience-unchecked"]);
    }
  });

  it("recognises a fault of a receiver whose framework resolves dots and decodes ids in paths, or not", () => {
    const near = ["path-dots", "path-dots-encoded", "path-backslashes", "path-id-encoded"].map(
      (tried) => `receiver.binding/${tried}@viewOrganization`,
    );
    for (const outcome of ["fail", "pass"] as const) {
      const served = changed(showing(signature("binding-unchecked")), ({ id }) =>
        near.includes(id) ? { outcome } : undefined,
      );
      expect(names(diagnose(served, known))).toEqual(["binding-unchecked"]);
    }
  });

  it("recognises a fault of a list that has no pages", () => {
    const paged = showing(signature("list-ignores-binding"));
    // Every page of it shows everything.
    const others = ["primary-page-1", "other-page-2"].map((tried): CaseResult => ({
      ...(paged[0] as CaseResult),
      id: `receiver.binding-list/${tried}@listOrganizations`,
    }));
    expect(names(diagnose([...paged, ...others], known))).toEqual(["list-ignores-binding"]);
  });

  it("ignores cases that were not judged", () => {
    const noWrites = changed(showing(prefix), ({ operation }) =>
      operation === "editOrganization" ? { outcome: "inconclusive" } : undefined,
    );
    expect(names(diagnose(noWrites, known))).toEqual(["audience-by-prefix"]);
  });

  it("names nothing if only a few of the cases that show a fault were tried", () => {
    const first = showing(signature("issuer-by-substring")).find(
      ({ outcome }) => outcome === "fail",
    );
    expect(first).toBeDefined();
    expect(diagnose(first ? [first] : [], known)).toEqual([]);
  });

  it("allows warnings of other faults beside the failures", () => {
    const besides = changed(showing(signature("alg-none-accepted")), ({ id }) =>
      id.endsWith("payload-null@viewOrganization")
        ? { outcome: "warn", actual: phrase`500` }
        : undefined,
    );
    expect(besides.some(({ outcome }) => outcome === "warn")).toBe(true);
    expect(names(diagnose(besides, known))).toEqual(["alg-none-accepted"]);
  });

  it("recognises a fault whose failures are there and whose warnings are not", () => {
    const unchecked = signature("expiry-unchecked");
    expect(unchecked.warn).toContain("nbf-future@viewOrganization");
    const inTime = changed(showing(unchecked), ({ id }) =>
      id.endsWith("/nbf-future@viewOrganization") ? { outcome: "pass" } : undefined,
    );
    expect(names(diagnose(inTime, known))).toEqual(["expiry-unchecked"]);
  });

  it("recognises a wrong Error body whatever its status", () => {
    const nested = signature("error-nested");
    const saw = nested.saw?.map((gist) => gist.replace(/^400: /, "403: "));
    expect(saw).not.toEqual(nested.saw);
    expect(names(diagnose(showing({ ...nested, ...(saw && { saw }) }), known))).toContain(
      "error-nested",
    );
  });

  it("recognises a fault on routes that replace routes that are not offered", () => {
    const elsewhere = showing(prefix).map((result) => ({
      ...result,
      id: result.id.replace("@viewOrganization", "@listOrganizations"),
      operation: partsOf(result.id.replace("@viewOrganization", "@listOrganizations")).operation,
    }));
    const offered = elsewhere.filter(
      ({ id }, index) => elsewhere.findIndex((one) => one.id === id) === index,
    );
    expect(names(diagnose(offered, known))).toEqual(["audience-by-prefix"]);
  });

  it("says on which routes a check is missing, and on which it is not", () => {
    const routes = ["readChangesFeed", "readChange"];
    const forgotten = changed(showing(signature("audience-unchecked")), ({ operation = "" }) =>
      routes.includes(operation) ? undefined : { outcome: "pass" },
    );
    const [diagnosis, ...others] = diagnose(forgotten, known);
    expect(others).toEqual([]);
    expect(diagnosis?.behaves).toBe(
      "does not check `aud`, on readChangesFeed and readChange but not on listOrganizations, viewOrganization, editOrganization and submitChange",
    );
  });

  it("names a check that is missing on one route only", () => {
    const one = diagnose(showing(signature("audience-unchecked-on-readChange")), known);
    expect(one.map(({ behaves }) => behaves)).toEqual(["does not check `aud` on readChange"]);
  });

  it("combines faults that one library has together, and names the library", () => {
    const members = ["crit-ignored", "b64-false-ignored"].map(signature);
    const library = {
      signatures: KNOWN.signatures.filter(({ fault }) => fault !== "payload-text-accepted"),
      held: KNOWN.held,
    };
    const b64 = members[1];
    const both = changed(showing(signature("crit-ignored")), ({ id }) => {
      const shown = id.slice("receiver.signature/".length);
      if (b64?.fail?.includes(shown)) return { outcome: "fail", actual: phrase`2xx` };
      return b64?.warn?.includes(shown) ? { outcome: "warn", actual: phrase`2xx` } : undefined;
    });
    expect(stated(signature("crit-ignored")).length).toBeGreaterThan(0);
    expect(diagnose(both, () => library)).toMatchObject([
      { fault: "crit-ignored + b64-false-ignored", library: "jsonwebtoken" },
    ]);
  });

  it("explains failures before warnings", () => {
    const warned = changed(showing(signature("scope-case-ignored")), ({ outcome }) =>
      outcome === "fail" ? { outcome: "warn" } : undefined,
    );
    const failed = showing(prefix);
    const rules = diagnose([...warned, ...failed], known).map(({ rule }) => rule);
    expect(rules[0]).toBe("receiver.audience");
  });

  it("distinguishes faults with the same cases by what was seen", () => {
    const shapes = ["error-body-missing", "error-errors-null", "error-nested"];
    for (const fault of shapes) {
      expect(names(diagnose(showing(signature(fault)), known))).toContain(fault);
    }
    const unlike = changed(showing(signature("error-nested")), ({ outcome }) =>
      outcome === "fail" ? { actual: phrase`something else` } : undefined,
    );
    expect(diagnose(unlike, known)).toEqual([]);
  });
});

/** The decisions of a cache depend on earlier requests, and therefore on the seed. */
const recognisable =
  (rule: string) =>
  (fault: (typeof FAULTS)[number]): boolean =>
    fault.rule === rule && !fault.name.endsWith("-remembered");

describe("runs against the reference receiver", () => {
  /** The last of some rules: the less plain. */
  const sample = [
    "receiver.issuer",
    "errors.media-type",
    "pagination.results-info",
    "resources.view",
  ].map((rule) => [rule, FAULTS.findLast(recognisable(rule))?.name ?? ""] as const);

  test.for(sample)("%s: %s is recognised with another seed", async ([rule, fault]) => {
    const { finished } = await runAgainstReference(
      { faults: [fault] },
      { patterns: [rule], seed: 7 },
    );
    expect(names(finished.diagnoses)).toContain(fault);
    expect(finished.diagnoses.length).toBeLessThanOrEqual(3);
  });

  it("names two faults of two rules", async () => {
    const faults = ["audience-by-prefix", "expiry-missing-accepted"];
    const { finished } = await runAgainstReference(
      { faults },
      { patterns: ["receiver.audience", "receiver.expiry"] },
    );
    expect(names(finished.diagnoses)).toEqual(faults);
  });

  it("names nothing for a receiver without faults", async () => {
    const { finished } = await runAgainstReference({}, { patterns: ["receiver.audience"] });
    expect(finished.diagnoses).toEqual([]);
  });

  it("the rule of every signature exists", () => {
    const rules = new Set<string>(RULES.map(({ id }) => id));
    for (const { rule } of KNOWN.signatures) expect(rules).toContain(rule);
  });
});
