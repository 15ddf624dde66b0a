import type { DeploymentDocument } from "../profile/document.ts";
import type { Target } from "../profile/target.ts";
import { partReader } from "./parts.ts";
import { superviseDocument, type SuperviseOptions } from "./supervise.ts";

/** How to read a document. */
export interface DocumentOptions extends SuperviseOptions {
  /** Does not read a document that would have to be fetched; default false. */
  readonly offline?: boolean | undefined;
  /** Messages name files relative to this folder; default: the process's. */
  readonly cwd?: string | undefined;
  /** The document is the suite's own and is read in this thread, without limits; default false. */
  readonly trusted?: boolean | undefined;
  /** Called when its text has been fetched. Whatever keeps this thread busy from then on delays nothing. */
  readonly onText?: (() => void) | undefined;
}

/**
 * Opens the document of a target.
 * @param source a file or an http or https URL
 * @returns a document; `unread` gives the reason if reading it exceeds the limits
 * @throws SuiteError when it cannot be read, or is not an OpenAPI document
 * @throws Interrupted when the signal aborts
 */
export async function openDocument(
  source: string,
  target: Target,
  { cwd, signal, limits, trusted = false, onText, thread }: DocumentOptions,
): Promise<DeploymentDocument> {
  const { basePath, operations } = target;
  const read = partReader(source, target, { cwd, signal });
  if (trusted) {
    const { answerable, readDocument } = await import("./load.ts");
    return answerable(await readDocument(basePath, read), operations);
  }
  // The reader keeps what it has read, so the text arrives while the worker starts. The worker tells of a failure.
  void read().then(onText, () => undefined);
  return superviseDocument({ basePath, operations }, read, { signal, limits, thread });
}
