import { httpUrlProblem } from "../profile/schema-parts.ts";
import type { Target } from "../profile/target.ts";
import type { DocumentLimits } from "./supervise.ts";

/** How to read a document. */
export interface DocumentOptions {
  /** Does not read a document that would have to be fetched; default false. */
  readonly offline?: boolean | undefined;
  /** Messages name files relative to this folder; default: the process's. */
  readonly cwd?: string | undefined;
  /** Aborts everything about the document. */
  readonly signal?: AbortSignal | undefined;
  /** Limits of time and memory; default: see `DocumentLimits`. */
  readonly limits?: DocumentLimits | undefined;
  /** The document is the suite's own and is read in this thread, without limits; default false. */
  readonly trusted?: boolean | undefined;
}

/**
 * Reads the OpenAPI document of a target's profile and closes the gaps that it can. A target without a
 * document comes back unchanged, without loading the document modules. A document that exceeds the limits
 * closes no gaps.
 * @throws SuiteError when the document cannot be read, or is not an OpenAPI document
 * @throws Interrupted when the signal aborts
 */
export async function withDocument(
  target: Target,
  { offline = false, cwd, signal, limits, trusted = false }: DocumentOptions = {},
): Promise<Target> {
  const { openapi: source, basePath, operations } = target;
  if (source === undefined) return target;
  if (offline && httpUrlProblem(source) === undefined) return target;
  const [{ partReader }, { closeGaps }] = await Promise.all([
    import("./parts.ts"),
    import("./close-gaps.ts"),
  ]);
  const input = { basePath, operations };
  const read = partReader(source, target, { cwd, signal });
  if (trusted) {
    const { answerable, readDocument } = await import("./load.ts");
    return closeGaps(target, answerable(await readDocument(basePath, read), operations));
  }
  const { superviseDocument } = await import("./supervise.ts");
  // The reader keeps what it has read, so the text arrives while the worker starts. The worker tells of a failure.
  void read().catch(() => undefined);
  return closeGaps(target, await superviseDocument(input, read, { signal, limits }));
}
