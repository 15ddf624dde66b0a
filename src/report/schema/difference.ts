import { z } from "zod";

import type { Difference } from "../../probe/difference/difference.ts";
import { about, count, text } from "./words.ts";

const side = { control: text.optional(), probe: text.optional() };
/** Schema of a difference in `report.json`. */
export const difference: z.ZodType<Difference> = z
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
