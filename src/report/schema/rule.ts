import { z } from "zod";

import type { ReportRule } from "../report.ts";
import { difference } from "./difference.ts";
import { facts } from "./fact.ts";
import {
  about,
  level,
  milliseconds,
  operation,
  outcome,
  ruleId,
  text,
  texts,
  words,
} from "./words.ts";

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
      z
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
        .optional(),
      "Why the case is inconclusive, for programs. `write-limit`: it was not sent because too many writes were accepted already, or may have been. `crash`: it brought the deployment down. `time-limit`: the time limit of the run was reached before. `lost-time`: the run ended before, because too many requests got no complete answer, or all answers together were too large. `bail`: the run ended at the first violation of a MUST. `refused-for-a-moment`: good requests were refused at that moment too. `unconfirmed`: a violation was seen once, and the second try decided nothing. `beside-others`: a violation showed only beside other requests, and the rule in `blamedOn` failed.",
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

/** Schema of a rule with its cases in `report.json`. */
export const rule: z.ZodType<ReportRule> = z
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
