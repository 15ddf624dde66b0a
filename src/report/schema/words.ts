import { z } from "zod";

import { type Level, LEVELS } from "../../contract/levels.ts";
import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";
import { type Outcome, OUTCOMES } from "../../engine/events.ts";
import type { RedactedKind, TransportFault } from "../../http/exchange.ts";

/** What the parts of the report's schema share. */

export const text: z.ZodString = z.string();
export const texts: z.ZodArray<z.ZodString> = z.array(text);
/** A text that is not empty. */
export const words: z.ZodString = z.string().min(1);
export const count: z.ZodInt = z.int().min(0);
export const milliseconds: z.ZodNumber = z.number().min(0);
export const instant: z.ZodISODateTime = z.iso.datetime();
export const level: z.ZodType<Level> = z.enum(LEVELS).meta({ id: "level" });
export const outcome: z.ZodEnum<{ [K in Outcome]: K }> = z.enum(OUTCOMES).meta({ id: "outcome" });
export const operation: z.ZodEnum<{ [K in OperationId]: K }> = z
  .enum(OPERATION_IDS)
  .meta({ id: "operation" });
export const ruleId: z.ZodString = z
  .string()
  .regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/)
  .meta({ id: "ruleId" });
export const transportFault: z.ZodType<TransportFault> = z.enum([
  "unreachable",
  "tls",
  "timeout",
  "reset",
  "cut",
  "malformed",
  "cancelled",
]);

export const redactedKind: z.ZodType<RedactedKind> = z.enum([
  "secret",
  "part of a secret",
  "token",
  "credential",
  "unclear",
]);
