import { z } from "zod";

import { OPERATION_IDS } from "../contract/operations.ts";
import { OUTCOMES } from "../engine/events.ts";
import { SIDES } from "../probe/rule.ts";
import { planSchema } from "./plan-schema.ts";
import type { Report } from "./report.ts";

const text = z.string();
const words = z.string().min(1);
const texts = z.array(text);
const count = z.int().min(0);
const level = z.enum(["MUST", "SHOULD", "OBSERVE"]).meta({ id: "level" });
const outcome = z.enum(OUTCOMES).meta({ id: "outcome" });
const operation = z.enum(OPERATION_IDS).meta({ id: "operation" });
const ruleId = z
  .string()
  .regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/)
  .meta({ id: "ruleId" });
const instant = z.iso.datetime();
const milliseconds = z.number().min(0);

/** A schema with a description. */
function about<T extends z.ZodType>(schema: T, description: string): T {
  return schema.meta({ description });
}

const sourceFile = about(
  z.strictObject({ file: text, lines: z.record(text, z.int().min(1)) }),
  "A file, relative to the working directory, with the lines where `baseUrl` and the operations begin.",
);

const fact = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("number"), number: z.number() }),
    about(
      z.strictObject({ kind: z.literal("count"), count: z.number(), of: text }),
      "`of` names the counted thing, in the singular.",
    ),
    about(
      z.strictObject({ kind: z.literal("value"), value: text }),
      "Chosen by the deployment, or generated from the seed.",
    ),
    about(
      z.strictObject({
        kind: z.literal("answer"),
        status: count,
        fault: z
          .enum(["unreachable", "tls", "timeout", "reset", "cut", "malformed", "cancelled"])
          .optional(),
        message: text.optional(),
        retryAfter: text.optional(),
      }),
      "The answer: an HTTP status, or why it was missing or incomplete; `status` is 0 without an HTTP status.",
    ),
    about(
      z.strictObject({ kind: z.literal("query"), query: text }),
      "Parameters of a request, without the question mark.",
    ),
    about(
      z.strictObject({
        kind: z.literal("tally"),
        counts: z.array(z.tuple([text, z.int().min(1)])),
        more: count,
      }),
      "How often each value was seen, the most frequent first; `more` is the number of other values.",
    ),
  ])
  .meta({ id: "fact" });
const facts = z.array(fact);

const side = { control: text.optional(), probe: text.optional() };
const difference = z
  .union([
    about(
      z.strictObject({
        part: z.enum(["header", "claim"]),
        name: text,
        control: z.unknown().optional(),
        probe: z.unknown().optional(),
      }),
      "A member of the token's header or claims, as JSON.",
    ),
    about(
      z.strictObject({ part: z.literal("segments"), control: count, probe: count }),
      "Number of segments of the token.",
    ),
    about(
      z.strictObject({
        part: z.literal("encoding"),
        of: z.enum(["header", "payload", "signature"]),
      }),
      "The same bytes in a different base64url encoding.",
    ),
    about(
      z.strictObject({
        part: z.literal("text"),
        of: z.enum(["header", "payload"]),
        at: z.int().min(1),
        control: text,
        probe: text,
      }),
      "The same members in a different JSON text; `at` is the first character that differs, counted from 1.",
    ),
    about(
      z.strictObject({
        part: z.literal("signature"),
        control: count,
        probe: count,
        at: z.int().min(1).exactOptional(),
      }),
      "Lengths in bytes; `at` is the only byte that differs, counted from 1.",
    ),
    about(
      z.strictObject({ part: z.enum(["method", "path", "body", "authorization"]), ...side }),
      "The request line, the body, or how the token is presented.",
    ),
    about(z.strictObject({ part: z.literal("field"), name: text, ...side }), "A header field."),
  ])
  .meta({
    id: "difference",
    description:
      "One place in which a probe differs from its control. An absent side lacks the member.",
  });

const evidence = z.strictObject({
  probes: texts,
  controls: about(
    texts.optional(),
    "Accepted requests that the probes differ from in one thing; the last one follows the probes.",
  ),
  differences: about(z.array(difference).optional(), "Every place in which the probes differ."),
});

const reportCase = z
  .strictObject({
    id: about(
      z.string().regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\/\S+$/),
      "`<rule id>/<case id>`",
    ),
    title: text.optional(),
    operation: operation.optional(),
    client: about(
      text.optional(),
      "The client of the authorization server that the case concerns.",
    ),
    level,
    outcome,
    requirement: about(
      text.optional(),
      "The requirement that this case verifies: the contract's words, or a summary of an RFC's.",
    ),
    clause: about(text.optional(), "The clause with that requirement."),
    reason: text.optional(),
    code: about(
      z.enum(["write-limit", "crash"]).optional(),
      "Why the case is inconclusive, for programs. `write-limit`: it was not sent because too many writes were accepted already, or may have been. `crash`: it brought the deployment down.",
    ),
    expected: text.optional(),
    actual: text.optional(),
    facts: about(
      z
        .strictObject({
          reason: facts.optional(),
          expected: facts.optional(),
          actual: facts.optional(),
        })
        .optional(),
      "The typed values in `reason`, `expected` and `actual`, in the order of their appearance.",
    ),
    why: about(text.optional(), "Why a receiver that lets this pass is wrong."),
    source: about(
      text.optional(),
      "A clause of the contract, an RFC section or a CVE that supports this.",
    ),
    evidence: about(evidence.optional(), "What the outcome rests on, as ids of exchanges."),
    flaky: about(z.boolean().optional(), "True when two tries of the case disagreed."),
    waitedMs: about(
      milliseconds.optional(),
      "How long the case waited for time to pass while other cases ran.",
    ),
    blamedOn: about(
      ruleId.optional(),
      "The rule whose failure on the same operation takes the blame.",
    ),
    missing: about(texts.optional(), "Profile keys that would provide what the case needs."),
  })
  .meta({ id: "case" });

const rule = z
  .strictObject({
    id: ruleId,
    title: words,
    level,
    clause: about(words, "The clause with the main requirement of the rule."),
    requirements: about(texts, "Ids in requirements.yaml."),
    outcome: about(outcome, "The worst of its cases."),
    cases: z.array(reportCase),
  })
  .meta({ id: "rule" });

const exchange = z
  .strictObject({
    id: words,
    caseId: about(text, "`<rule id>/<case id>`, or the name of a step of the set-up."),
    operation: about(
      operation.optional(),
      "Set for a well-formed request of this operation, whose answer the rules about all answers judge.",
    ),
    request: z.strictObject({
      method: text,
      url: text,
      headers: about(z.array(z.tuple([text, text])), "Name and value of each line, in order."),
      body: text.optional(),
      token: about(
        z
          .strictObject({
            header: z.record(text, z.unknown()).exactOptional(),
            claims: z.record(text, z.unknown()).exactOptional(),
            mutation: text.optional(),
          })
          .optional(),
        "Header and claims of the token, and the name of the mutation in it; never the token itself.",
      ),
    }),
    response: z
      .strictObject({
        status: z.int().min(100).max(999),
        headers: z.record(text, text),
        body: text,
        truncated: about(
          z.boolean(),
          "True when the response was longer than the part that is kept.",
        ),
      })
      .exactOptional(),
    fault: about(
      z
        .strictObject({
          kind: z.enum(["unreachable", "tls", "timeout", "reset", "cut", "malformed", "cancelled"]),
          message: text,
          status: about(z.int().exactOptional(), "Status of an incomplete answer."),
        })
        .optional(),
      "Why there is no response.",
    ),
    startedAt: instant,
    durationMs: milliseconds,
  })
  .meta({
    id: "exchange",
    description: "One request and its result, redacted when it was captured.",
  });

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
    "The part of the duration in which the run only waited for time to pass, for example until a token expires.",
  ),
  requests: about(count, "Number of requests sent."),
  writes: about(z.partialRecord(operation, count), "Number of accepted writes by operation."),
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
  plan: planSchema,
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
