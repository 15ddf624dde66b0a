import { describe, expect, it } from "vitest";

import type { OperationId } from "../../src/contract/operations.ts";
import type { CaseResult, RunFinished } from "../../src/engine/events.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { summary } from "../../src/report/terminal.ts";
import { isPrintable } from "../../src/report/untrusted.ts";
import { eventsOf, exchange, reportOf, result, withBaseline } from "./events.ts";
import { hostileReport, hugeReport } from "./hostile.ts";

const PLAIN = { columns: 100, color: false };

function shown(...run: Parameters<typeof eventsOf>): string {
  return summary(reportOf(...run), { ...PLAIN, reportFiles: ["reports/report.json"] });
}

function verbose(...run: Parameters<typeof eventsOf>): string {
  return summary(reportOf(...run), { ...PLAIN, verbose: true });
}

const CONFORMANT: Partial<RunFinished> = { verdict: "conformant", verdictText: "Conformant." };

function controlRefused(operation: OperationId): CaseResult {
  return result(`a@${operation}`, {
    operation,
    outcome: "inconclusive",
    reason: phrase`the control on ${operation} was not accepted: 403 Forbidden`,
  });
}

function unprovisioned(id: string, ...keys: string[]): CaseResult {
  return result(id, {
    outcome: "not-provisioned",
    reason: phrase`the profile lacks ${keys.join(", ")}`,
    missing: keys,
  });
}

describe("the summary", () => {
  it.each(["bail", "time-limit", "lost-time"] as const)(
    "does not say that no known fault fits where the run was cut short (%s)",
    (code) => {
      const cut = result("null@viewOrganization", { outcome: "inconclusive", code });
      const text = shown([result("hour-ago@viewOrganization"), cut]);
      expect(text).not.toContain("No known fault fits");
      expect(text.replaceAll(/\s+/g, " ")).toContain(
        "The run ended before it judged the other cases of this rule",
      );
    },
  );

  it("explains a failure so that it can be reproduced", () => {
    expect(shown([result("hour-ago@viewOrganization")])).toMatchInlineSnapshot(`
      "
      Failures

        FAIL receiver.expiry  1 case
        "exp has not passed, allowing at most a small clock skew." (Authentication / Receiver checks / 4)
          probably  No known fault fits these failures.
          case      receiver.expiry/hour-ago@viewOrganization
          tried     \`exp\` passed an hour ago
          expected  the request is rejected with a 4xx
          actual    200 OK
          differs   claim exp: 2 -> 1
          again     npx --no-install orgsync-conformance replay report.json \\
                    receiver.expiry/hour-ago@viewOrganization

      MUST  1 case  1 fail

      2 requests in 1.2 s, 0 accepted writes, seed 42
      Report: reports/report.json
      --verbose adds: the table of rules.

      Not conformant.
      "
    `);
  });

  it("shows one failure of a rule in full, three with --verbose, and names the rest", () => {
    const results = ["a", "b", "c", "d", "e"].map((id) => result(`${id}@viewOrganization`));
    expect(shown(results).match(/^ +case /gm)).toHaveLength(1);
    expect(shown(results)).toContain("    and 4 more: b, c, d, e\n");
    expect(verbose(results).match(/curl -i/g)).toHaveLength(3);
    expect(verbose(results)).toContain("    and 2 more: d, e\n");
  });

  it("shows the worst rules first, at least two lines of each, and what was measured beside a failure", () => {
    const failed = reportOf([result("a@viewOrganization")]);
    const [one] = failed.rules;
    if (!one) throw new Error("no rule failed");
    const ids = [
      "errors.shape",
      "receiver.scope",
      "receiver.expiry",
      "receiver.local-policy",
      "pagination.totals",
      "resources.edit",
      "resources.change-isolated",
    ];
    const refused = { actual: [{ kind: "answer", status: 404 } as const] };
    const rules = ids.map((id) => ({
      ...one,
      id,
      cases: one.cases.map((each) => ({
        ...each,
        ...(id === "receiver.local-policy" && { facts: refused }),
      })),
    }));
    const observations = [
      { id: "receiver.expiry/skew", title: "how long", value: "at least 3600 s" },
      {
        id: "receiver.expiry/nbf",
        title: "nbf",
        value: "200 OK",
        facts: [{ kind: "answer", status: 200 } as const],
      },
    ];
    const text = summary({ ...failed, rules, observations }, PLAIN);
    expect(text.match(/^ {2}FAIL \S+ .*\n.*/gm)).toEqual(
      [
        "resources.change-isolated",
        "receiver.expiry",
        "receiver.scope",
        "errors.shape",
        "receiver.local-policy",
        "pagination.totals",
        "resources.edit",
      ].map((id) => expect.stringMatching(new RegExp(`^  FAIL ${id}  1 case\\n  "exp has not`))),
    );
    expect(text).toContain("observed  how long: at least 3600 s\n");
    expect(text).not.toContain("nbf");
  });

  it("is short when nothing is wrong", () => {
    const results = [
      result("a", { outcome: "pass" }),
      result("b", { outcome: "pass", level: "SHOULD" }),
    ];
    const writes = { editOrganization: 2, submitChange: 1 };
    expect(shown(results, { ...CONFORMANT, writes })).toMatchInlineSnapshot(`
      "
      MUST    1 case   1 pass
      SHOULD  1 case   1 pass
      all     2 cases  2 pass

      2 requests in 1.2 s, 3 accepted writes, seed 42
      Report: reports/report.json
      --verbose adds: the table of rules.

      Conformant.
      "
    `);
  });

  it("begins with problems of the set-up, and ends with the verdict", () => {
    const text = shown([], { setup: [{ problem: "Nobody knows the key.", remedy: "Tell them." }] });
    expect(text).toMatch(/^\nSet-up\n\n {2}Nobody knows the key\.\n {2}Tell them\.\n/);
    expect(text).toMatch(/\n\nNot conformant\.\n$/);
  });

  it("shows the diagnosis beside the failures of a rule, and where to look", () => {
    const diagnosis = {
      fault: "expiry-unchecked",
      rule: "receiver.expiry",
      behaves: "accepts expired tokens",
      look: "`ignoreExpiration` was left on.",
      source: "CVE-2020-1",
    };
    const other = { ...diagnosis, fault: "expiry-other", behaves: "does another thing" };
    const text = shown([result("a@viewOrganization")], { diagnoses: [diagnosis, other] });
    expect(text).toContain(
      "Behaves like a receiver that accepts expired tokens (expiry-unchecked).",
    );
    expect(text).toContain("`ignoreExpiration` was left on. CVE-2020-1");
    expect(text).toContain("Or like one that does another thing (expiry-other).");
    expect(text.indexOf("FAIL receiver.expiry")).toBeLessThan(text.indexOf("Behaves like"));
  });

  it("says what the nearest fault explains and what not", () => {
    const leaves = ["b", "c", "d", "e"].map((id) => `receiver.expiry/${id}@viewOrganization`);
    const nearest = {
      fault: "expiry-unchecked",
      rule: "receiver.expiry",
      behaves: "accepts expired tokens",
      look: "`ignoreExpiration` was left on.",
      explains: ["receiver.expiry/a@viewOrganization"],
      leaves,
      exact: false,
    };
    const text = shown([result("a@viewOrganization")], { diagnoses: [nearest] });
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      "Most like a receiver that accepts expired tokens: it explains 1 of 5 violated cases of receiver.expiry; it does not explain b@viewOrganization, c@viewOrganization, d@viewOrganization and 1 more (expiry-unchecked).",
    );
  });

  it("begins with the baseline where there is one", () => {
    const report = withBaseline(reportOf([result("a@viewOrganization")]), {
      unknown: ["receiver.expiry/a@viewOrganization"],
      stale: [{ case: "receiver.expiry/b", why: "no longer fails: pass" }],
      unjudged: 2,
    });
    expect(summary(report, PLAIN)).toMatch(
      /^\nBaseline known\.yaml: 0 known failures, 1 new, 1 entry that must go, 2 entries not judged\.\n {2}new {3}receiver\.expiry\/a@viewOrganization\n\n {2}receiver\.expiry\/b no longer fails: pass\n/,
    );
  });

  it("groups cases that were not judged for the same reason, and the missing keys", () => {
    const text = verbose([
      controlRefused("viewOrganization"),
      controlRefused("readChange"),
      result("b@readChange", {
        outcome: "inconclusive",
        blamedOn: "receiver.token-required",
        reason: phrase`x`,
      }),
      unprovisioned("c@readChange", "denied"),
      unprovisioned("d@readChange", "denied", "claimsNamespace"),
      unprovisioned("e@editOrganization", "operations.editOrganization.invalidBody"),
      unprovisioned("e@submitChange", "operations.submitChange.invalidBody"),
    ]);
    expect(text.slice(text.indexOf("Not judged"), text.indexOf("MUST   "))).toMatchInlineSnapshot(`
      "Not judged

        the control on its operation was not accepted: 403 Forbidden
          cases     2 MUST cases wait for it
          next      npx --no-install orgsync-conformance replay report.json \\
                    receiver.expiry/a@viewOrganization
          rules     receiver.expiry (2)

        receiver.token-required already failed on the same operation
          cases     1 MUST case waits for it
          advice    Mend what fails receiver.token-required first.
          next      npx --no-install orgsync-conformance replay report.json receiver.expiry/b@readChange
          rules     receiver.expiry

        the profile lacks denied
          cases     1 MUST case waits for it
          advice    Set in the profile: denied.subject, denied.organization.
          next      npx --no-install orgsync-conformance doctor
          rules     receiver.expiry

        the profile lacks denied, claimsNamespace
          cases     1 MUST case waits for it
          advice    Set in the profile: denied.subject, denied.organization, claimsNamespace.
          next      npx --no-install orgsync-conformance doctor
          rules     receiver.expiry

        the profile lacks operations.editOrganization.invalidBody
          cases     1 MUST case waits for it
          advice    Set in the profile: operations.editOrganization.invalidBody.
          next      npx --no-install orgsync-conformance doctor
          rules     receiver.expiry

        the profile lacks operations.submitChange.invalidBody
          cases     1 MUST case waits for it
          advice    Set in the profile: operations.submitChange.invalidBody.
          next      npx --no-install orgsync-conformance doctor
          rules     receiver.expiry

        For all of them, the profile needs: denied.subject, denied.organization, claimsNamespace,
        operations.editOrganization.invalidBody, operations.submitChange.invalidBody

      MUST  7 cases  3 inconclusive, 4 not-provisioned

      2 requests in 1.2 s, 0 accepted writes, seed 42

      Not conformant."
    `);
  });

  it("shows first what the verdict depends on, and says where it does not", () => {
    const outcome = "inconclusive";
    const text = verbose([
      result("a@readChange", { outcome, level: "OBSERVE", reason: phrase`y` }),
      result("b@readChange", { outcome, level: "SHOULD", reason: phrase`y` }),
      result("c@readChange", { outcome, level: "MUST", reason: phrase`x` }),
    ]);
    expect(text).toMatch(
      / {2}x\n {4}cases {5}1 MUST case waits for it\n[^]* {2}y\n {4}cases {5}2 cases below MUST wait for it\n/,
    );
  });

  it("combines the same warning of several operations", () => {
    const warning = { outcome: "warn", level: "SHOULD" } as const;
    const text = shown([result("a@readChange", warning), result("a@viewOrganization", warning)]);
    expect(text.slice(0, text.search(/^MUST|^SHOULD|^\d+ request/m))).toMatchInlineSnapshot(`
      "
      Warnings

        WARN receiver.expiry
          expected  the request is rejected with a 4xx
          actual    200 OK
          cases     a@readChange, a@viewOrganization

      "
    `);
  });

  it("shows each observation once, with the number of its cases", () => {
    const observations = ["a", "b"].map((id) => ({
      id,
      title: "an unbound token",
      value: phrase`403`,
    }));
    expect(verbose([], { observations })).toContain("  an unbound token (2 cases)  403\n");
  });

  it("says that faults of the suite make the verdict worthless", () => {
    const text = shown([], { suiteErrors: ["a/b: x is undefined"] });
    expect(text).toContain(
      "a/b: x is undefined\n\n  Because of these, the verdict is worth nothing.",
    );
  });

  it("shows as text whatever a target sends, each line on its own line", () => {
    const text = summary(hostileReport(), PLAIN);
    expect(text.split("\n").filter((line) => !isPrintable(line))).toEqual([]);
    expect(text).toContain("<script>alert(1)</script>");
    expect(text).toContain("\\u{fffe}\\u{ffff}\\u{1fffe} half \\u{d83d} pair \\u{dc00}");
    expect(summary(hugeReport(), PLAIN).length).toBeLessThan(100_000);
  });

  it("cuts a long answer, and stays within 100 columns", () => {
    const body = JSON.stringify({ data: "word ".repeat(1000) });
    const answered = exchange("x2", {
      response: { status: 200, headers: {}, body, truncated: true },
    });
    const actual = phrase`${"the list shows more ".repeat(20)}`;
    const text = shown([result("a@viewOrganization", { actual })], {}, [answered]);
    expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(text.length).toBeLessThan(3000);
  });

  it("cuts an observation that cannot be wrapped; the report contains all of it", () => {
    const value = phrase`${JSON.stringify({ type: "object", required: ["x".repeat(200)] })} (twice)`;
    const text = verbose([], { observations: [{ id: "a", title: "shape", value }] });
    expect(text).toContain('shape  {"type":"object","required":["xxxx');
    expect(text).toContain("xxx… (twice)\n");
    expect(text.split("\n").every((line) => line.length <= 100)).toBe(true);
  });

  it("wraps observations side by side on a narrow terminal", () => {
    const title = "Seconds that the deployment's Date header is ahead of this machine";
    const observations = [{ id: "a", title, value: phrase`none to speak of` }];
    const report = reportOf([], { observations });
    const text = summary(report, { columns: 60, color: false, verbose: true });
    expect(text.slice(0, text.search(/^MUST|^SHOULD|^\d+ request/m))).toMatchInlineSnapshot(`
      "
      Observed, never judged

        Seconds that the deployment's     none to speak of
        Date header is ahead of this
        machine

      Rules

        receiver.expiry  MUST  not-run  0 cases


      "
    `);
  });

  it("is coloured only if requested", () => {
    const report = reportOf([result("a@viewOrganization")]);
    const plain = summary(report, PLAIN);
    const colored = summary(report, { ...PLAIN, color: true });
    expect(plain).not.toContain("\u001B");
    // oxlint-disable-next-line no-control-regex
    expect(colored.replaceAll(/\u001B\[\d+m/g, "")).toBe(plain);
    expect(colored).toContain("\u001B[31m");
  });
});
