import { describe, expect, it, vi } from "vitest";

import { diagnose } from "../../../src/engine/conclusion/diagnose.ts";
import type { Signature } from "../../../src/engine/conclusion/signatures.ts";
import type { CaseResult } from "../../../src/engine/events.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import {
  KNOWN,
  known,
  signature,
  stated,
  showing,
  names,
  changed,
  isAllOf,
  prefix,
} from "./showing.ts";

describe("a fault is named that explains all failures", () => {
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
