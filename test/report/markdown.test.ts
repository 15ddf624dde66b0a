import { describe, expect, it } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { markdown, markdownSummary } from "../../src/report/markdown.ts";
import { printable } from "../../src/report/untrusted.ts";
import { eventsOf, exchange, reportOf, result, withBaseline } from "./events.ts";
import { HOSTILE, hostileReport, hugeReport } from "./hostile.ts";
import { html, outsideCode, tags, textOf } from "./rendered.ts";

function shown(...run: Parameters<typeof eventsOf>): string {
  return markdown.render(reportOf(...run));
}

describe("report.md", () => {
  it("shows what failed, why, and how to reproduce it", () => {
    expect(shown([result("hour-ago@viewOrganization")])).toMatchInlineSnapshot(`
      "## orgsync-conformance: non-conformant

      Not conformant.

      |  | fail | all |
      | --- | ---: | ---: |
      | MUST | 1 | 1 |
      | SHOULD | 0 | 0 |
      | OBSERVE | 0 | 0 |
      | all | 1 | 1 |

      Target \`http://127.0.0.1:8080/base\`: 2 requests in 1.2 s, 0 accepted writes, seed 42.

      ## Diagnosis

      No known fault fits the failures of \`receiver.expiry\`.

      ## Failures

      ### \`receiver.expiry\`

      Does not hold: "An expired token is rejected"

      > exp has not passed, allowing at most a small clock skew.
      >
      > Authentication / Receiver checks / 4

      **FAIL** \`receiver.expiry/hour-ago@viewOrganization\`

      \`\`\`text
      tried     \`exp\` passed an hour ago
      expected  the request is rejected with a 4xx
      actual    200 OK
      answer    {"items":[]}
      differs   claim exp: 2 -> 1
      \`\`\`

      \`\`\`sh
      TOKEN=$(npx --no-install orgsync-conformance token \\
        receiver.expiry/hour-ago@viewOrganization --quiet) &&
      curl -i 'http://127.0.0.1:8080/base/orgs' \\
        -H 'accept: application/json' \\
        -H "authorization: Bearer $TOKEN"
      \`\`\`

      \`\`\`sh
      npx --no-install orgsync-conformance replay report.json receiver.expiry/hour-ago@viewOrganization
      \`\`\`
      "
    `);
  });

  it("begins with the baseline, the set-up and the diagnosis", () => {
    const report = withBaseline(
      reportOf([result("a@viewOrganization"), result("b@viewOrganization")], {
        setup: [{ problem: "Nobody knows the key.", remedy: "Tell them." }],
        diagnoses: [
          {
            fault: "expiry-unchecked",
            rule: "receiver.expiry",
            behaves: "does not look at `exp`",
            look: "A parser that verifies the signature alone.",
            source: "CVE-2020-1",
          },
          {
            fault: "expiry-in-milliseconds",
            rule: "receiver.expiry",
            behaves: "compares `exp` with milliseconds",
            look: "Date.now() beside `exp`.",
          },
        ],
      }),
      {
        known: [
          { case: "receiver.expiry/a@viewOrganization", reason: "ticket 7", expires: "2030-01-31" },
        ],
        unknown: ["receiver.expiry/b@viewOrganization"],
        stale: [{ case: "receiver.expiry/c", why: "fails no more" }],
      },
    );
    const text = markdown.render(report);
    expect(text.slice(0, text.indexOf("## Failures"))).toMatchInlineSnapshot(`
      "## orgsync-conformance: non-conformant

      Not conformant.

      |  | fail | all |
      | --- | ---: | ---: |
      | MUST | 2 | 2 |
      | SHOULD | 0 | 0 |
      | OBSERVE | 0 | 0 |
      | all | 2 | 2 |

      Target \`http://127.0.0.1:8080/base\`: 2 requests in 1.2 s, 0 accepted writes, seed 42.

      Baseline \`known.yaml\`: 1 known failure, 1 new, 1 entry that must go.

      - \`receiver.expiry/c\` fails no more

      ## Set-up

      - Nobody knows the key.\\
        Tell them.

      \`orgsync-conformance doctor\` checks the set-up step by step.

      ## Diagnosis

      - \`receiver.expiry\`: behaves like a receiver that does not look at \`exp\`.\\
        Look for: A parser that verifies the signature alone. \`CVE-2020-1\`
      - Or like one that compares \`exp\` with milliseconds.\\
        Look for: \`Date.now()\` beside \`exp\`.

      "
    `);
    expect(text).not.toContain("**FAIL** `receiver.expiry/a@viewOrganization`");
    expect(text).toContain(
      "## Known failures\n\n- `receiver.expiry/a@viewOrganization`: until `2030-01-31`: ticket 7",
    );
  });

  it("shows three failures of a rule in full, and names the rest", () => {
    const text = shown(["a", "b", "c", "d", "e"].map((id) => result(`${id}@viewOrganization`)));
    expect(text.match(/^curl -i/gm)).toHaveLength(3);
    expect(text).toContain(
      "2 more cases: `receiver.expiry/d@viewOrganization`, `receiver.expiry/e@viewOrganization`",
    );
  });

  it("groups cases of several operations with the same reason, and names the missing keys", () => {
    const warning = { outcome: "warn", level: "SHOULD" } as const;
    const missing = ["denied"];
    const text = shown(
      [
        result("a@readChange", warning),
        result("a@viewOrganization", warning),
        result("b", {
          outcome: "not-provisioned",
          reason: phrase`the profile lacks denied`,
          missing,
        }),
      ],
      {
        verdict: "incomplete",
        observations: [{ id: "o", title: "`exp` is late", value: phrase`401` }],
      },
    );
    expect(text.slice(text.indexOf("## What blocks"))).toMatchInlineSnapshot(`
      "## What blocks the verdict

      **the profile lacks denied**

      \`\`\`text
      cases     1 MUST case waits for it
      advice    Set in the profile: denied.subject, denied.organization.
      \`\`\`

      \`\`\`sh
      npx --no-install orgsync-conformance doctor
      \`\`\`

      <details>
      <summary>1 case, by rule</summary>

      \`receiver.expiry\`

      </details>

      ## Warnings

      **WARN** \`receiver.expiry\`

      \`\`\`text
      expected  the request is rejected with a 4xx
      actual    200 OK
      cases     a@readChange, a@viewOrganization
      \`\`\`

      <details>
      <summary>Observed, never judged: 1 thing that the contract leaves open</summary>

      \`\`\`text
      \`exp\` is late  401
      \`\`\`

      </details>
      "
    `);
  });

  it("renders only its own elements, whatever a target sends", () => {
    const page = html(markdown.render(hostileReport()));
    expect(tags(page).toSorted()).toEqual(
      "blockquote br code details h2 h3 li p pre strong summary table tbody td th thead tr ul"
        .split(" ")
        .toSorted(),
    );
    expect(outsideCode(page)).not.toMatch(/[@#<>$*_~[\]]|https?:|www\.|:\w+:|[0-9a-f]{7}/);
    const text = textOf(page).replaceAll("`", "");
    for (const one of HOSTILE) {
      const words = printable(one).replaceAll("`", "").split(" ");
      for (const word of words) expect(text).toContain(word);
    }
  });

  it("stays within GitHub's size limit, and says what it left out", () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      problem: `${index} ${"x".repeat(5000)}`,
      remedy: "é".repeat(5000),
    }));
    const text = shown([result("a")], { setup: many });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(markdown.render(hugeReport()).length).toBeLessThan(100_000);
    const report = reportOf([result("a")], { setup: many });
    const short = markdownSummary(report, 5000);
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(5000);
    expect(short).toContain("## Failures");
    expect(short).toMatch(
      /299 parts left out because there was no room: `report\.json` has it all\.\n$/,
    );
    expect(markdownSummary(report, 0)).toBe("");
  });

  it("keeps the shell command intact, whatever it contains", () => {
    const request = {
      method: "GET",
      url: "http://h/",
      headers: [["x", "```\n~~~"]] as const,
    };
    const page = html(shown([result("a")], {}, [exchange("x2", { request })]));
    expect(textOf(page)).toContain("-H $'x: ```\\012~~~'");
  });
});
