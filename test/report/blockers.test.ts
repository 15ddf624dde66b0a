import { describe, expect, it } from "vitest";

import type { CaseResult } from "../../src/engine/events.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { reject } from "../../src/reference/checks.ts";
import type { Check } from "../../src/reference/model.ts";
import { onlyOn } from "../../src/reference/patches.ts";
import { annotations } from "../../src/report/annotations.ts";
import { blockersOf } from "../../src/report/blockers.ts";
import { reportFrom } from "../../src/report/json.ts";
import { markdown } from "../../src/report/markdown.ts";
import type { Report } from "../../src/report/report.ts";
import { summary } from "../../src/report/terminal.ts";
import { blockerWords, firstBlocker } from "../../src/report/text/blockers.ts";
import { runAgainstReference } from "../support/run-against.ts";
import { exchange, reportOf, result } from "./events.ts";
import { rendered } from "./pages.ts";

let run: Promise<Report> | undefined;

/** A receiver whose PATCH demands a scope that the contract does not have. */
function demandingEdits(): Promise<Report> {
  run ??= runAgainstReference(
    {
      patches: [
        {
          checkScope: onlyOn("editOrganization", (): Check => (call) => {
            throw reject(call, "checkScope", "Missing scope org:admin.");
          }),
        },
      ],
    },
    { patterns: ["routes.reachable", "receiver.{audience,scope}"] },
  ).then(({ events }) => reportFrom(events));
  return run;
}

function refusedControl(id: string, status: number, message: string, subject = "svc"): Exchange {
  return exchange(id, {
    caseId: "control/editOrganization",
    request: {
      method: "PATCH",
      url: "http://127.0.0.1:8080/base/orgs/1",
      headers: [],
      token: { claims: { sub: subject } },
    },
    response: { status, headers: {}, body: JSON.stringify({ message }), truncated: false },
  });
}

function waiting(id: string, control: string, level: "MUST" | "SHOULD" = "MUST"): CaseResult {
  return result(id, {
    level,
    operation: "editOrganization",
    outcome: "inconclusive",
    reason: phrase`the control was not accepted`,
    evidence: { probes: [], controls: [control] },
  });
}

/** The advice where a good request is refused with a status, and no other was sent. */
function adviceFor(status: number): string | undefined {
  const report = reportOf([waiting("a", "c1")], {}, [refusedControl("c1", status, "no")]);
  return blockersOf(report).map((one) => blockerWords(report, one).advice)[0];
}

describe("what blocks the verdict", () => {
  it("is one reason with the deployment's words, although the cases of several rules wait for it", async () => {
    const report = await demandingEdits();
    const [blocker, ...others] = blockersOf(report);
    expect(others).toEqual([]);
    expect(blocker?.cause).toMatchObject({
      kind: "refused",
      operations: ["editOrganization"],
      acceptedOn: [
        "listOrganizations",
        "viewOrganization",
        "submitChange",
        "readChangesFeed",
        "readChange",
      ],
    });
    expect(blocker?.said).toBe("Missing scope org:admin.");
    expect(blocker?.musts).toBe(report.counts.MUST.inconclusive);
    expect(blocker?.musts).toBeGreaterThan(20);
  });

  it("is the same in terminal, Markdown, page and annotations, with the command to run next", async () => {
    const report = await demandingEdits();
    const musts = report.counts.MUST.inconclusive;
    const formats = [
      summary(report, { columns: 100, color: false }),
      markdown.render(report),
      await rendered(report),
    ];
    for (const format of formats) {
      const plain = format.replaceAll(/<[^>]*>|`/g, "").replaceAll(/\s+/g, " ");
      expect(plain).toContain("What blocks the verdict");
      expect(plain).toContain("PATCH /orgs/{orgId} refuses the good request: 403 Forbidden");
      expect(plain).toContain("Missing scope org:admin.");
      expect(plain).toContain(`${musts} MUST cases wait for it`);
      expect(plain).toMatch(/replay report\.json (?:\\ )?routes\.reachable\/editOrganization/);
    }
    expect(annotations(report)).toContain("PATCH /orgs/{orgId} refuses the good request");
  });

  it("does not blame the subject where the run saw it accepted", async () => {
    const report = await demandingEdits();
    const text = summary(report, { columns: 100, color: false, verbose: true });
    expect(text).not.toMatch(/allow the subject/i);
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      "The subject svc-conformance is accepted on GET /orgs and 4 other routes, so look at what this demands beyond a good token: the contract requires the scope org:write and no other.",
    );
  });

  it("names the subject where no request of it was accepted, and the profile where the status says so", () => {
    expect(adviceFor(403)).toBe("Allow the subject svc to do this on the deployment.");
    expect(adviceFor(428)).toContain("`If-Match: ${etag}`");
    expect(adviceFor(401)).toBeUndefined();
  });

  it("begins with what frees most MUST cases", () => {
    const lacking = { outcome: "not-provisioned", missing: ["denied"] } as const;
    const report = reportOf(
      [
        result("a", { ...lacking, reason: phrase`the profile lacks denied` }),
        ...["b", "c", "d"].map((id) => waiting(id, "c2", "SHOULD")),
        ...["e", "f"].map((id) => waiting(id, "c1")),
      ],
      { verdict: "incomplete" },
      [refusedControl("c1", 403, "one"), refusedControl("c2", 403, "other")],
    );
    expect(blockersOf(report).map(({ musts, cases }) => [musts, cases.length])).toEqual([
      [2, 2],
      [1, 1],
      [0, 3],
    ]);
    expect(firstBlocker(report)).toBe(
      'PATCH /orgs/{orgId} refuses the good request: 403 Forbidden, "one"; 2 MUST cases wait for it.',
    );
  });

  it("shows the words of a deployment safely, and not all of them", () => {
    const hostile = `\u001b[31m<script>\n${"x".repeat(10_000)}`;
    const report = reportOf([waiting("a", "c1")], { verdict: "incomplete" }, [
      refusedControl("c1", 403, hostile),
    ]);
    const text = summary(report, { columns: 100, color: false });
    expect(text).toContain(String.raw`\u{1b}[31m<script>\nxxx`);
    expect(text).not.toContain("\u001b");
    expect(text.length).toBeLessThan(1500);
  });
});
