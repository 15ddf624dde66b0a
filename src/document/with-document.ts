import type { Target } from "../profile/target.ts";
import { httpUrlProblem } from "../profile/urls.ts";

/**
 * A target whose profile names an OpenAPI document, with the document read and the gaps that it
 * closes closed; any other target as it is, without loading what reads documents.
 * @param options.offline leaves a document alone that would have to be fetched; default false
 * @param options.cwd messages name files relative to this folder; default: the process's
 * @throws SuiteError when the document cannot be read, or is no OpenAPI document
 */
export async function withDocument(
  target: Target,
  {
    offline = false,
    cwd,
  }: { readonly offline?: boolean | undefined; readonly cwd?: string | undefined } = {},
): Promise<Target> {
  if (target.openapi === undefined) return target;
  if (offline && httpUrlProblem(target.openapi) === undefined) return target;
  const [{ loadDocument }, { closeGaps }] = await Promise.all([
    import("./load.ts"),
    import("./close-gaps.ts"),
  ]);
  return closeGaps(target, await loadDocument(target.openapi, target, cwd));
}
