import { z } from "zod";

import type { Exchange } from "../../http/exchange.ts";
import {
  about,
  instant,
  milliseconds,
  operation,
  text,
  redactedKind,
  transportFault,
  words,
} from "./words.ts";

/** Schema of an exchange in `report.json`. */
export const exchange: z.ZodType<Exchange> = z
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
        undecoded: about(
          z.literal(true).exactOptional(),
          "Set when the body is not in the coding that Content-Encoding names. It is kept as it came.",
        ),
        token: about(
          z
            .strictObject({
              header: z.record(text, z.unknown()).exactOptional(),
              claims: z.record(text, z.unknown()).exactOptional(),
            })
            .optional(),
          "Header and claims of the access token that it issued; never the token itself.",
        ),
      })
      .exactOptional(),
    fault: about(
      z
        .strictObject({
          kind: transportFault,
          message: text,
          status: about(z.int().exactOptional(), "Status of an incomplete answer."),
          body: about(
            z
              .strictObject({
                arrived: about(z.int().min(0), "Bytes that arrived."),
                announced: about(
                  z.number().exactOptional(),
                  "Bytes that Content-Length announces.",
                ),
              })
              .exactOptional(),
            "The body of an incomplete answer.",
          ),
        })
        .optional(),
      "Why there is no response.",
    ),
    redactions: about(
      z.array(z.strictObject({ place: text, kind: redactedKind })).exactOptional(),
      "What was removed from the record, and where. Rules judged the answer before that.",
    ),
    startedAt: instant,
    durationMs: milliseconds,
  })
  .meta({
    id: "exchange",
    description: "One request and its result, redacted when it was captured.",
  });
