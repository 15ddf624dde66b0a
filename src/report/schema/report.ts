import { z } from "zod";

import { SIDES } from "../../contract/ids.ts";
import type { Report } from "../report.ts";
import { exchange } from "./exchange.ts";
import { facts } from "./fact.ts";
import { plan } from "./plan.ts";
import { rule } from "./rule.ts";
import {
  about,
  count,
  instant,
  milliseconds,
  operation,
  outcome,
  ruleId,
  text,
  texts,
  words,
} from "./words.ts";

const sourceFile = about(
  z.strictObject({ file: text, lines: z.record(text, z.int().min(1)) }),
  "A file, relative to the working directory, with the lines where `baseUrl` and the operations begin.",
);

const baseline = z.strictObject({
  file: text,
  known: about(
    z.array(
      z.strictObject({
        case: text,
        reason: text,
        expires: about(z.iso.date().optional(), "The last day on which it may fail."),
      }),
    ),
    "Cases that failed and may fail for now.",
  ),
  unknown: about(texts, "Failures that the baseline does not list."),
  stale: about(
    z.array(z.strictObject({ case: text, why: text })),
    "Entries that must be removed from the baseline.",
  ),
  blamed: about(
    count.optional(),
    "Number of cases that are inconclusive because of a known failure.",
  ),
  unjudged: about(count.optional(), "Number of entries whose cases this run did not judge."),
});

/** The definition of `report.json`; `fixtures/report.schema.json` is generated from it. */
export const reportSchema: z.ZodType<Report> = z.strictObject({
  schemaVersion: about(z.literal("2.0"), "Version of this format."),
  verdict: z.enum(["conformant", "non-conformant", "incomplete", "partial"]),
  verdictText: about(words, "The verdict in a sentence, with what it covers."),
  partial: about(
    z.boolean(),
    "True when the run did not cover the whole contract, whatever the verdict.",
  ),
  partialBecause: about(texts, "Why the run did not cover it, one phrase for each reason."),
  scope: about(
    z.strictObject({ sides: z.array(z.enum(SIDES)), operations: z.array(operation) }),
    "The sides of the contract and the operations with at least one judged case.",
  ),
  coverage: about(
    z.strictObject({ judged: count, total: count }),
    "Number of judged MUST cases, and of all MUST cases of the six operations.",
  ),
  suite: z.strictObject({
    name: text,
    version: text,
    requirements: about(text, "Version of the rule set."),
  }),
  target: about(
    z.looseObject({
      baseUrl: text,
      deployment: about(
        z.strictObject({ name: text.optional(), version: text.optional() }).optional(),
        "Its name and version in the profile.",
      ),
      audience: text,
      issuer: text,
      algorithm: about(
        text.optional(),
        "JWS algorithm of minted tokens; absent when tokens are issued.",
      ),
      readOnly: z.boolean(),
      profile: about(
        text.optional(),
        "Digest of the other input of the suite, to compare the input of two runs.",
      ),
      told: about(texts.optional(), "The command-line arguments that name the target."),
      command: about(
        texts.optional(),
        "The words that start the command as the user did; absent where npm has installed it.",
      ),
      report: about(
        text.optional(),
        "The path of the report, relative to the working directory of the command.",
      ),
      embedded: about(
        z.boolean().optional(),
        "True when the target was the reference receiver, which exists only during the run.",
      ),
      sources: about(
        z
          .strictObject({ profile: sourceFile.optional(), document: sourceFile.optional() })
          .optional(),
        "The files that describe the target, if a report refers to them.",
      ),
    }),
    "The deployment, and the input of the suite about it.",
  ),
  seed: about(z.int(), "Seed of every generated input."),
  startedAt: instant,
  durationMs: about(milliseconds, "Duration of the run, including `waitedMs`."),
  waitedMs: about(
    milliseconds.optional(),
    "The part of the duration in which the run only waited: for time to pass, for example until a token expires, or as long as `Retry-After` asked.",
  ),
  requests: about(count, "Number of requests sent."),
  writes: about(z.partialRecord(operation, count), "Number of accepted writes by operation."),
  leftBehind: about(
    z
      .array(
        z.strictObject({
          operation,
          organization: text.optional(),
          value: about(text.optional(), "The value by which it is found. No other request has it."),
        }),
      )
      .optional(),
    "The accepted writes one by one: what the run left behind at the deployment.",
  ),
  interrupted: about(z.boolean(), "True when the run was stopped before its end."),
  suiteErrors: about(
    texts,
    "Faults of the suite itself. If there are any, the verdict is worth nothing.",
  ),
  setup: about(
    z.array(z.strictObject({ problem: text, remedy: text })),
    "Problems of the set-up rather than of the deployment.",
  ),
  diagnoses: about(
    z.array(
      z.strictObject({
        fault: about(
          text,
          "Name of the fault in docs/proof.md; several joined by ` + ` if a library has them together.",
        ),
        library: about(text.optional(), "The library that has the faults."),
        rule: ruleId,
        behaves: about(text, "The behaviour of a receiver with the fault."),
        look: about(text, "How implementations come to have the fault."),
        source: about(text.optional(), "RFC section, CVE or issue."),
      }),
    ),
    "Known faults that the failures resemble.",
  ),
  baseline: about(baseline.optional(), "The failures compared with the baseline."),
  carried: about(
    texts.optional(),
    "MUST cases that failed in an earlier run, but not in every try. `--failed` runs them until a whole run has passed them.",
  ),
  remaining: about(
    z.array(z.strictObject({ case: text, after: texts.optional() })).optional(),
    "After the run of a part: the MUST cases that failed or were inconclusive in the last whole run or since, and have not passed since. `after` names the cases that must run with one. `--failed` runs them.",
  ),
  plan,
  excluded: about(
    z.array(z.strictObject({ reason: text, cases: count })),
    "Cases that were left out of the run, and why.",
  ),
  counts: about(
    z.strictObject({
      MUST: z.record(outcome, count),
      SHOULD: z.record(outcome, count),
      OBSERVE: z.record(outcome, count),
    }),
    "Cases by level and outcome.",
  ),
  rules: z.array(rule),
  observations: about(
    z.array(z.strictObject({ id: text, title: text, value: text, facts: facts.optional() })),
    "What the deployment does where the contract leaves it open.",
  ),
  exchanges: about(z.record(text, exchange), "The exchanges that evidence refers to, by id."),
});

/** The JSON Schema (2020-12) of `report.json`. */
export function reportJsonSchema(): Record<string, unknown> {
  return {
    $id: "urn:orgsync-conformance:report:2.0",
    title: "Report of a conformance run",
    description:
      "The content of report.json. Later minor versions of the schema may add members, but do not rename or redefine any.",
    ...z.toJSONSchema(reportSchema),
  };
}
