import { z } from "zod";

import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";

/** What the parts of the report's schema share. */

export const text: z.ZodString = z.string();
export const texts: z.ZodArray<z.ZodString> = z.array(text);
/** A text that is not empty. */
export const words: z.ZodString = z.string().min(1);
export const count: z.ZodInt = z.int().min(0);
export const milliseconds: z.ZodNumber = z.number().min(0);
export const instant: z.ZodISODateTime = z.iso.datetime();
export const operation: z.ZodEnum<{ [K in OperationId]: K }> = z
  .enum(OPERATION_IDS)
  .meta({ id: "operation" });
