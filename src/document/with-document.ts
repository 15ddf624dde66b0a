import { httpUrlProblem } from "../profile/schema-parts.ts";
import type { Target } from "../profile/target.ts";
import { closeGaps } from "./close-gaps.ts";
import type { DocumentOptions } from "./open.ts";

/**
 * Reads the OpenAPI document of a target's profile and closes the gaps that it can. A target without a
 * document comes back unchanged, without loading the document modules. A document that exceeds the limits
 * closes no gaps.
 * @throws SuiteError when the document cannot be read, or is not an OpenAPI document
 * @throws Interrupted when the signal aborts
 */
export async function withDocument(target: Target, options: DocumentOptions = {}): Promise<Target> {
  const { openapi: source } = target;
  if (source === undefined) return target;
  if (options.offline && httpUrlProblem(source) === undefined) return target;
  const { openDocument } = await import("./open.ts");
  return closeGaps(target, await openDocument(source, target, options));
}
