import { byOperation } from "../contract/operations.ts";
import type { DeploymentDocument } from "../profile/document.ts";
import type { OperationProfile } from "../profile/operation.ts";
import { httpUrlProblem } from "../profile/schema-parts.ts";
import type { Target } from "../profile/target.ts";
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

/**
 * Fills the gaps of a target's profile from its document: the type and content of request bodies, good and
 * invalid ones, which operations are paginated, and the slash at the end of a path. The profile takes
 * precedence. The document does not decide which operations are offered.
 */
export function closeGaps(target: Target, document: DeploymentDocument): Target {
  const operations = byOperation((id): OperationProfile | undefined => {
    const profile = target.operations[id];
    // The keys of the profile that have a value.
    const said = Object.entries(profile ?? {}).filter(([, value]) => value !== undefined);
    return profile && { ...document.gaps[id], ...Object.fromEntries(said) };
  });
  return { ...target, document, operations };
}
