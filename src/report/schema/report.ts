import { z } from "zod";

import { SIDES } from "../../contract/ids.ts";
import { LEVELS } from "../../contract/levels.ts";
import { OUTCOMES } from "../../engine/events.ts";
import type { ReportRule, Report } from "../report.ts";
import { difference, facts, exchange } from "./exchange.ts";
import { plan } from "./plan.ts";
import { count, instant, milliseconds, operation, text, texts, words } from "./words.ts";

const level = z.enum(LEVELS).meta({ id: "level" });
const outcome = z.enum(OUTCOMES).meta({ id: "outcome" });
const ruleId = z
  .string()
  .regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/)
  .meta({ id: "ruleId" });

const evidence = z.strictObject({
  probes: texts,
  controls: texts
    .optional()
    .describe(
      "Accepted requests that the probes differ from in one thing; the last one follows the probes.",
    ),
  differences: z.array(difference).optional().describe("Every place in which the probes differ."),
});

const reportCase = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\/\S+$/)
      .describe("`<rule id>/<case id>`"),
    title: text.optional(),
    operation: operation.optional(),
    client: text
      .optional()
      .describe("The client of the authorization server that the case concerns."),
    level,
    outcome,
    requirement: text
      .optional()
      .describe(
        "The requirement that this case verifies: the contract's words, or a summary of an RFC's.",
      ),
    clause: text.optional().describe("The clause with that requirement."),
    reason: text.optional(),
    code: z
      .enum([
        "write-limit",
        "crash",
        "time-limit",
        "lost-time",
        "bail",
        "refused-for-a-moment",
        "unconfirmed",
        "beside-others",
      ])
      .optional()
      .describe(
        "Why the case is inconclusive, for programs. `write-limit`: it was not sent because too many writes were accepted already, or may have been. `crash`: it brought the deployment down. `time-limit`: the time limit of the run was reached before. `lost-time`: the run ended before, because too many requests got no complete answer, or all answers together were too large. `bail`: the run ended at the first violation of a MUST. `refused-for-a-moment`: good requests were refused at that moment too. `unconfirmed`: a violation was seen once, and the second try decided nothing. `beside-others`: a violation showed only beside other requests, and the rule in `blamedOn` failed.",
      ),
    expected: text.optional(),
    actual: text.optional(),
    facts: z
      .strictObject({
        reason: facts.optional(),
        expected: facts.optional(),
        actual: facts.optional(),
      })
      .optional()
      .describe(
        "The typed values in `reason`, `expected` and `actual`, in the order of their appearance.",
      ),
    why: text.optional().describe("Why a receiver that lets this pass is wrong."),
    source: text
      .optional()
      .describe("A clause of the contract, an RFC section or a CVE that supports this."),
    evidence: evidence.optional().describe("What the outcome rests on, as ids of exchanges."),
    flaky: z.boolean().optional().describe("True when two tries of the case disagreed."),
    waitedMs: milliseconds
      .optional()
      .describe("How long the case waited for time to pass while other cases ran."),
    blamedOn: ruleId
      .optional()
      .describe("The rule whose failure on the same operation takes the blame."),
    missing: texts.optional().describe("Profile keys that would provide what the case needs."),
    explored: z
      .literal(true)
      .optional()
      .describe("Set where exploration found the case, and no rule lists it."),
  })
  .meta({ id: "case" });

const rule: z.ZodType<ReportRule> = z
  .strictObject({
    id: ruleId,
    title: words,
    level,
    clause: words.describe("The clause with the main requirement of the rule."),
    requirements: texts.describe("Ids in requirements.yaml."),
    outcome: outcome.describe("The worst of its cases."),
    cases: z.array(reportCase),
  })
  .meta({ id: "rule" });

const sourceFile = z
  .strictObject({ file: text, lines: z.record(text, z.int().min(1)) })
  .describe(
    "A file, relative to the working directory, with the lines where `baseUrl` and the operations begin.",
  );

const baseline = z.strictObject({
  file: text,
  known: z
    .array(
      z.strictObject({
        case: text,
        reason: text,
        expires: z.iso.date().optional().describe("The last day on which it may fail."),
      }),
    )
    .describe("Cases that failed and may fail for now."),
  unknown: texts.describe("Failures that the baseline does not list."),
  stale: z
    .array(z.strictObject({ case: text, why: text }))
    .describe("Entries that must be removed from the baseline."),
  blamed: count
    .optional()
    .describe("Number of cases that are inconclusive because of a known failure."),
  unjudged: count.optional().describe("Number of entries whose cases this run did not judge."),
});

/** What a report says of the contract, and likewise of each pack. */
const part = z.strictObject({
  verdict: z.enum(["conformant", "non-conformant", "incomplete", "partial"]),
  verdictText: words.describe("The verdict in a sentence, with what it covers."),
  partial: z
    .boolean()
    .describe("True when the run did not cover the whole contract, whatever the verdict."),
  partialBecause: texts.describe("Why the run did not cover it, one phrase for each reason."),
  scope: z
    .strictObject({ sides: z.array(z.enum(SIDES)), operations: z.array(operation) })
    .describe("The sides of the contract and the operations with at least one judged case."),
  coverage: z
    .strictObject({ judged: count, total: count })
    .describe("Number of judged MUST cases, and of all MUST cases of the six operations."),
  startedAt: instant,
  durationMs: milliseconds.describe("Duration of the run, including `waitedMs`."),
  waitedMs: milliseconds
    .optional()
    .describe(
      "The part of the duration in which the run only waited: for time to pass, for example until a token expires, or as long as `Retry-After` asked.",
    ),
  requests: count.describe("Number of requests sent."),
  writes: z.partialRecord(operation, count).describe("Number of accepted writes by operation."),
  leftBehind: z
    .array(
      z.strictObject({
        operation,
        organization: text.optional(),
        value: text.optional().describe("The value by which it is found. No other request has it."),
      }),
    )
    .optional()
    .describe("The accepted writes one by one: what the run left behind at the deployment."),
  interrupted: z.boolean().describe("True when the run was stopped before its end."),
  suiteErrors: texts.describe(
    "Faults of the suite itself. If there are any, the verdict is worth nothing.",
  ),
  setup: z
    .array(z.strictObject({ problem: text, remedy: text }))
    .describe("Problems of the set-up rather than of the deployment."),
  facts: z
    .array(
      z.strictObject({
        rule: ruleId,
        operation: operation.optional().describe("Absent if it is the same on every operation."),
        accepts: text.describe("What the deployment accepts, as the object of a sentence."),
        refuses: text,
      }),
    )
    .optional()
    .describe(
      "The lines between accepted and refused requests that the run shows, about what its violations are about.",
    ),
  statements: z
    .array(z.strictObject({ rule: ruleId, says: text }))
    .optional()
    .describe(
      "What answers of the run show together about what its violations are about, as sentences without their full stops. Absent where there is none.",
    ),
  diagnoses: z
    .array(
      z.strictObject({
        fault: text.describe(
          "Name of the fault in docs/proof.md; several joined by ` + ` if a library has them together.",
        ),
        library: text.optional().describe("The library that has the faults."),
        rule: ruleId,
        behaves: text.describe("The behaviour of a receiver with the fault."),
        look: text.describe("How implementations come to have the fault."),
        source: text.optional().describe("RFC section, CVE or issue."),
        explains: texts.optional().describe("The violated cases that it explains."),
        leaves: texts
          .optional()
          .describe("The cases of the rule, violated in the same way, that it does not explain."),
        exact: z.boolean().optional().describe("Whether it explains all of them."),
      }),
    )
    .describe("Known faults that the failures resemble."),
  baseline: baseline.optional().describe("The failures compared with the baseline."),
  plan,
  excluded: z
    .array(z.strictObject({ reason: text, cases: count }))
    .describe("Cases that were left out of the run, and why."),
  counts: z
    .strictObject({
      MUST: z.record(outcome, count),
      SHOULD: z.record(outcome, count),
      OBSERVE: z.record(outcome, count),
    })
    .describe("Cases by level and outcome."),
  rules: z.array(rule),
  observations: z
    .array(z.strictObject({ id: text, title: text, value: text, facts: facts.optional() }))
    .describe("What the deployment does where the contract leaves it open."),
  exchanges: z.record(text, exchange).describe("The exchanges that evidence refers to, by id."),
});

const packRequirement = z.strictObject({
  id: text,
  clause: text.describe("Where it is said."),
  level: z.enum(["MUST", "SHOULD", "MAY", "none"]),
  text,
  exception: text.optional(),
  observedBy: texts.optional(),
  records: text.optional(),
  untestable: text.optional(),
});

const pack = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/)
    .describe("Its rules' ids begin with it."),
  version: text,
  title: text,
  requirements: z.array(packRequirement).describe("The requirements that its rules name."),
  ...part.shape,
});

/** The definition of `report.json`; `fixtures/report.schema.json` is generated from it. */
export const reportSchema: z.ZodType<Report> = z.strictObject({
  schemaVersion: z.literal("2.1").describe("Version of this format."),
  suite: z.strictObject({
    name: text,
    version: text,
    requirements: text.describe("Version of the rule set."),
  }),
  target: z
    .looseObject({
      baseUrl: text,
      deployment: z
        .strictObject({ name: text.optional(), version: text.optional() })
        .optional()
        .describe("Its name and version in the profile."),
      audience: text,
      issuer: text,
      algorithm: text
        .optional()
        .describe("JWS algorithm of minted tokens; absent when tokens are issued."),
      readOnly: z.boolean(),
      profile: text
        .optional()
        .describe("Digest of the other input of the suite, to compare the input of two runs."),
      told: texts.optional().describe("The command-line arguments that name the target."),
      command: texts
        .optional()
        .describe(
          "The words that start the command as the user did; absent where npm has installed it.",
        ),
      report: text
        .optional()
        .describe("The path of the report, relative to the working directory of the command."),
      embedded: z
        .boolean()
        .optional()
        .describe(
          "True when the target was the reference receiver, which exists only during the run.",
        ),
      sources: z
        .strictObject({ profile: sourceFile.optional(), document: sourceFile.optional() })
        .optional()
        .describe("The files that describe the target, if a report refers to them."),
    })
    .describe("The deployment, and the input of the suite about it."),
  seed: z.int().describe("Seed of every generated input."),
  carried: texts
    .optional()
    .describe(
      "MUST cases that failed in an earlier run, but not in every try. `--failed` runs them until a whole run has passed them.",
    ),
  remaining: z
    .array(z.strictObject({ case: text, after: texts.optional() }))
    .optional()
    .describe(
      "After the run of a part: the MUST cases that failed or were inconclusive in the last whole run or since, and have not passed since. `after` names the cases that must run with one. `--failed` runs them.",
    ),
  exploration: z
    .strictObject({
      drawn: count.describe("Cases that were drawn."),
      judged: count.describe("Those that the contract decides, between accepted controls."),
      requests: count,
      found: count.describe("Violations that are cases of this report, marked `explored`."),
      alike: count.describe(
        "Further violations of a rule that is violated in the same part of a request, or that another rule explains.",
      ),
      endedBy: z.enum(["requests", "time", "interrupted", "not possible"]),
    })
    .optional()
    .describe("What exploration did, if the run explored."),
  ...part.shape,
  packs: z
    .array(pack)
    .optional()
    .describe("What each pack found. None of it changes the verdict on the contract."),
});

export function reportJsonSchema(): Record<string, unknown> {
  return {
    $id: "urn:orgsync-conformance:report:2.1",
    title: "Report of a conformance run",
    description:
      "The content of report.json. Later minor versions of the schema may add members, but do not rename or redefine any.",
    ...z.toJSONSchema(reportSchema),
  };
}
