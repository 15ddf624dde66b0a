import { z } from "zod";

import type { Fact } from "../../probe/phrase.ts";
import { about, count, text, transportFault } from "./words.ts";

/** Schema of a typed value in a sentence of `report.json`. */
const fact: z.ZodType<Fact> = z
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
        fault: transportFault.optional(),
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

/** The typed values of one sentence. */
export const facts: z.ZodArray<z.ZodType<Fact>> = z.array(fact);
