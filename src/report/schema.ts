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

/** A member with what it means. */
function about<T extends z.ZodType>(schema: T, description: string): T {
  return schema.meta({ description });
}

const sourceFile = about(
  z.strictObject({ file: text, lines: z.record(text, z.int().min(1)) }),
  "A file, relative to the working directory, and the lines at which `baseUrl` and operations begin.",
);

const fact = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("number"), number: z.number() }),
    about(
      z.strictObject({ kind: z.literal("count"), count: z.number(), of: text }),
      "`of` is what is counted, in the singular.",
    ),
    about(
      z.strictObject({ kind: z.literal("value"), value: text }),
      "Chosen by the deployment, or drawn by the seed.",
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
      "What came back: an HTTP status, or why there was no whole answer; 0 where there was no status.",
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
      "How often each value was seen, the most frequent first; `more` is how many others there are.",
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
      "How many segments the token has.",
    ),
    about(
      z.strictObject({
        part: z.literal("encoding"),
        of: z.enum(["header", "payload", "signature"]),
      }),
      "The same bytes in other base64url text.",
    ),
    about(
      z.strictObject({
        part: z.literal("text"),
        of: z.enum(["header", "payload"]),
        at: z.int().min(1),
        control: text,
        probe: text,
      }),
      "The same members in other JSON text, from the character `at` on, counted from 1.",
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
      "One place in which a probe differs from its control. A side that is absent has no such thing.",
  });

const evidence = z.strictObject({
  probes: texts,
  controls: about(
    texts.optional(),
    "Accepted requests that the probes differ from in one thing; the last one follows the probes.",
  ),
  differences: about(z.array(difference).optional(), "Every place in which that one thing shows."),
});

const reportCase = z
  .strictObject({
    id: about(
      z.string().regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\/\S+$/),
      "`<rule id>/<case id>`",
    ),
    title: text.optional(),
    operation: operation.optional(),
    client: about(text.optional(), "The client of the authorization server that it is about."),
    level,
    outcome,
    requirement: about(
      text.optional(),
      "The sentence that this case verifies: the contract's words, or an RFC's in short.",
    ),
    clause: about(text.optional(), "Where that sentence stands."),
    reason: text.optional(),
    code: about(
      z.enum(["write-limit", "crash"]).optional(),
      "Why it is inconclusive, for programs: `write-limit` was not sent, since too many writes were accepted already, or may have been; `crash` brought the deployment down.",
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
      "The typed values in `reason`, `expected` and `actual`, in the order in which they stand there.",
    ),
    why: about(text.optional(), "Why a receiver that lets this pass is wrong."),
    source: about(
      text.optional(),
      "A clause of the contract, an RFC section or a CVE that says so.",
    ),
    evidence: about(evidence.optional(), "What the outcome rests on, as ids of exchanges."),
    flaky: about(z.boolean().optional(), "True when two tries of the case disagreed."),
    waitedMs: about(
      milliseconds.optional(),
      "How long it waited for time to pass, while other cases went on.",
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
    clause: about(words, "Where the sentence stands for whose sake the rule exists."),
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
      "The operation of which it is a request to the letter: rules about all answers judge its answer.",
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
        truncated: about(z.boolean(), "True when the response was longer than what is kept."),
      })
      .exactOptional(),
    fault: about(
      z
        .strictObject({
          kind: z.enum(["unreachable", "tls", "timeout", "reset", "cut", "malformed", "cancelled"]),
          message: text,
          status: about(
            z.int().exactOptional(),
            "Status of an answer that broke off in the middle.",
          ),
        })
        .optional(),
      "Why there is no response.",
    ),
    startedAt: instant,
    durationMs: milliseconds,
  })
  .meta({
    id: "exchange",
    description: "One request and what came of it, redacted when it was captured.",
  });

const baseline = z.strictObject({
  file: text,
  known: about(
    z.array(
      z.strictObject({
        case: text,
        reason: text,
        expires: about(z.iso.date().optional(), "The last day on which it may."),
      }),
    ),
    "Cases that failed and may, for now.",
  ),
  unknown: about(texts, "Failures that it does not know."),
  stale: about(z.array(z.strictObject({ case: text, why: text })), "Entries that must go from it."),
  blamed: about(
    count.optional(),
    "How many cases are inconclusive because a known failure takes the blame.",
  ),
  unjudged: about(count.optional(), "How many entries this run could say nothing about."),
});

/** The one definition of `report.json`; `fixtures/report.schema.json` is made from it. */
export const reportSchema: z.ZodType<Report> = z.strictObject({
  schemaVersion: about(z.literal("2.0"), "Version of this format."),
  verdict: z.enum(["conformant", "non-conformant", "incomplete", "partial"]),
  verdictText: about(words, "The verdict in a sentence, with what it covers."),
  partial: about(
    z.boolean(),
    "True when the run did not cover the whole contract, whatever the verdict.",
  ),
  partialBecause: about(texts, "Why it did not, one phrase a reason."),
  scope: about(
    z.strictObject({ sides: z.array(z.enum(SIDES)), operations: z.array(operation) }),
    "Which sides of the contract, and which of its operations, had a case that was judged.",
  ),
  coverage: about(
    z.strictObject({ judged: count, total: count }),
    "How many MUST cases were judged, of all that there are for the six operations.",
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
        "What the profile calls it.",
      ),
      audience: text,
      issuer: text,
      algorithm: about(
        text.optional(),
        "JWS algorithm of minted tokens; absent where tokens are issued.",
      ),
      readOnly: z.boolean(),
      profile: about(
        text.optional(),
        "Digest of what else the suite was told: it differs where that does.",
      ),
      told: about(texts.optional(), "Arguments by which the command line named it."),
      embedded: about(
        z.boolean().optional(),
        "True when it was the reference receiver, started for the run and gone with it.",
      ),
      sources: about(
        z
          .strictObject({ profile: sourceFile.optional(), document: sourceFile.optional() })
          .optional(),
        "The files that describe it, where a report is located in them.",
      ),
    }),
    "The deployment, and what the suite was told of it.",
  ),
  seed: about(z.int(), "Seed of every generated input."),
  startedAt: instant,
  durationMs: about(milliseconds, "How long the run took, `waitedMs` included."),
  waitedMs: about(
    milliseconds.optional(),
    "How long of that it did nothing but wait for time to pass, as rules declare: until something expires, or shows.",
  ),
  requests: about(count, "How many requests were sent."),
  writes: about(z.partialRecord(operation, count), "How many writes each operation accepted."),
  interrupted: about(z.boolean(), "True when the run was stopped before its end."),
  suiteErrors: about(texts, "Faults of the suite itself; with any, the verdict is worth nothing."),
  setup: about(
    z.array(z.strictObject({ problem: text, remedy: text })),
    "What is wrong with the set-up rather than with the deployment.",
  ),
  diagnoses: about(
    z.array(
      z.strictObject({
        fault: about(
          text,
          "Its name in docs/proof.md; several joined by ` + ` where a library has them together.",
        ),
        library: about(text.optional(), "The library that has them."),
        rule: ruleId,
        behaves: about(text, "What a receiver with it does."),
        look: about(text, "How implementations come to have it."),
        source: about(text.optional(), "RFC section, CVE or issue."),
      }),
    ),
    "Known faults that the failures look like.",
  ),
  baseline: about(baseline.optional(), "The failures beside those that the baseline knows."),
  carried: about(
    texts.optional(),
    "MUST cases that failed in an earlier run, though not whenever they were tried: `--failed` runs them until a whole run has passed them.",
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
    "What the contract leaves open and the deployment does.",
  ),
  exchanges: about(z.record(text, exchange), "The exchanges that the evidence names, by id."),
});

/** The JSON Schema (2020-12) of `report.json`. */
export function reportJsonSchema(): Record<string, unknown> {
  return {
    $id: "urn:orgsync-conformance:report:2.0",
    title: "Report of a conformance run",
    description:
      "What report.json holds. Members may be added in later minor versions of the schema; none is renamed or given another meaning.",
    ...z.toJSONSchema(reportSchema),
  };
}
