import { z } from "zod";

import type { Exchange } from "../../http/exchange.ts";
import type { Difference } from "../../probe/difference/difference.ts";
import type { Fact } from "../../probe/phrase.ts";
import { count, instant, milliseconds, operation, text, words } from "./words.ts";

const transportFault = z.enum([
  "unreachable",
  "tls",
  "timeout",
  "reset",
  "cut",
  "malformed",
  "cancelled",
]);
const redactedKind = z.enum(["secret", "part of a secret", "token", "credential", "unclear"]);
const tokenMembers = {
  header: z.record(text, z.unknown()).exactOptional(),
  claims: z.record(text, z.unknown()).exactOptional(),
};
const side = { control: text.optional(), probe: text.optional() };
export const difference: z.ZodType<Difference> = z
  .union([
    z
      .strictObject({
        part: z.enum(["header", "claim"]),
        name: text,
        control: z.unknown().optional(),
        probe: z.unknown().optional(),
      })
      .describe("A member of the token's header or claims, as JSON."),
    z
      .strictObject({ part: z.literal("segments"), control: count, probe: count })
      .describe("Number of segments of the token."),
    z
      .strictObject({
        part: z.literal("encoding"),
        of: z.enum(["header", "payload", "signature"]),
      })
      .describe("The same bytes in a different base64url encoding."),
    z
      .strictObject({
        part: z.literal("text"),
        of: z.enum(["header", "payload"]),
        at: z.int().min(1),
        control: text,
        probe: text,
      })
      .describe(
        "The same members in a different JSON text; `at` is the first character that differs, counted from 1.",
      ),
    z
      .strictObject({
        part: z.literal("signature"),
        control: count,
        probe: count,
        at: z.int().min(1).exactOptional(),
      })
      .describe("Lengths in bytes; `at` is the only byte that differs, counted from 1."),
    z
      .strictObject({ part: z.enum(["method", "path", "body", "authorization"]), ...side })
      .describe("The request line, the body, or how the token is presented."),
    z.strictObject({ part: z.literal("field"), name: text, ...side }).describe("A header field."),
  ])
  .meta({
    id: "difference",
    description:
      "One place in which a probe differs from its control. An absent side lacks the member.",
  });

const fact: z.ZodType<Fact> = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("number"), number: z.number() }),
    z
      .strictObject({ kind: z.literal("count"), count: z.number(), of: text })
      .describe("`of` names the counted thing, in the singular."),
    z
      .strictObject({ kind: z.literal("value"), value: text })
      .describe("Chosen by the deployment, or generated from the seed."),
    z
      .strictObject({
        kind: z.literal("answer"),
        status: count,
        fault: transportFault.optional(),
        message: text.optional(),
        retryAfter: text.optional(),
      })
      .describe(
        "The answer: an HTTP status, or why it was missing or incomplete; `status` is 0 without an HTTP status.",
      ),
    z
      .strictObject({ kind: z.literal("query"), query: text })
      .describe("Parameters of a request, without the question mark."),
    z
      .strictObject({
        kind: z.literal("tally"),
        counts: z.array(z.tuple([text, z.int().min(1)])),
        more: count,
      })
      .describe(
        "How often each value was seen, the most frequent first; `more` is the number of other values.",
      ),
  ])
  .meta({ id: "fact" });

/** The typed values of one sentence. */
export const facts: z.ZodArray<z.ZodType<Fact>> = z.array(fact);

export const exchange: z.ZodType<Exchange> = z
  .strictObject({
    id: words,
    caseId: text.describe("`<rule id>/<case id>`, or the name of a step of the set-up."),
    operation: operation
      .optional()
      .describe(
        "Set for a well-formed request of this operation, whose answer the rules about all answers judge.",
      ),
    request: z.strictObject({
      method: text,
      url: text,
      headers: z.array(z.tuple([text, text])).describe("Name and value of each line, in order."),
      body: text.optional(),
      token: z
        .strictObject({ ...tokenMembers, mutation: text.optional() })
        .optional()
        .describe(
          "Header and claims of the token, and the name of the mutation in it; never the token itself.",
        ),
    }),
    response: z
      .strictObject({
        status: z.int().min(100).max(999),
        headers: z.record(text, text),
        body: text,
        truncated: z
          .boolean()
          .describe("True when the response was longer than the part that is kept."),
        undecoded: z
          .literal(true)
          .exactOptional()
          .describe(
            "Set when the body is not in the coding that Content-Encoding names. It is kept as it came.",
          ),
        token: z
          .strictObject(tokenMembers)
          .optional()
          .describe(
            "Header and claims of the access token that it issued; never the token itself.",
          ),
      })
      .exactOptional(),
    fault: z
      .strictObject({
        kind: transportFault,
        message: text,
        status: z.int().exactOptional().describe("Status of an incomplete answer."),
        body: z
          .strictObject({
            arrived: z.int().min(0).describe("Bytes that arrived."),
            announced: z.number().exactOptional().describe("Bytes that Content-Length announces."),
          })
          .exactOptional()
          .describe("The body of an incomplete answer."),
      })
      .optional()
      .describe("Why there is no response."),
    redactions: z
      .array(z.strictObject({ place: text, kind: redactedKind }))
      .exactOptional()
      .describe(
        "What was removed from the record, and where. Rules judged the answer before that.",
      ),
    startedAt: instant,
    durationMs: milliseconds,
  })
  .meta({
    id: "exchange",
    description: "One request and its result, redacted when it was captured.",
  });
