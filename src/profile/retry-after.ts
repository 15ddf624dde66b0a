import { z } from "zod";

const USUAL_SECONDS = 300;

/** The key `retryAfterSeconds` of a profile. */
export const retryAfterSeconds: z.ZodDefault<z.ZodInt> = z
  .int("must be a whole number of seconds")
  .min(0, "must be 0 or more seconds")
  .default(USUAL_SECONDS)
  .describe(
    "How long a run waits in total where answers ask it to, as a 429 with Retry-After; default: 300 seconds. A wait does not count as far as one request was answered for each of its seconds since the wait before it.",
  );
