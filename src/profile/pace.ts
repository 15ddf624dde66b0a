import { z } from "zod";

const USUAL_SECONDS = 300;

/** The key `retryAfterSeconds` of a profile. */
export const retryAfterSeconds: z.ZodDefault<z.ZodInt> = z
  .int("must be a whole number of seconds")
  .min(0, "must be 0 or more seconds")
  .default(USUAL_SECONDS)
  .describe(
    "How long a run waits in total where answers ask it to, as a 429 with Retry-After; default: 300 seconds. For each request that was answered since the last wait, one second of the next wait does not count.",
  );

/** The key `maxRequestsPerSecond` of a profile. */
export const maxRequestsPerSecond: z.ZodOptional<z.ZodNumber> = z
  .number()
  .positive("must be more than 0")
  .optional()
  .describe("The most requests per second; default: no limit.");
