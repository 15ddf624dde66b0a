import { BODY_LIMIT_BYTES, readBody } from "../http/body.ts";
import { createDispatchers } from "../http/connections.ts";
import { SuiteError } from "../lib/errors.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import type { Target } from "../profile/target.ts";
import { DOCUMENT_HINT, isUrl, nameOf } from "./name.ts";

/** Options for reading a text. */
export interface ReadOptions {
  /** See `nameOf`. */
  readonly cwd?: string | undefined;
  /** Aborts fetching. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads one file or URL of a document: UTF-8, at most 4 MiB, within the target's time limit. Does not
 * follow redirects. Sends the target's configured headers only to the target's own origin.
 * @throws SuiteError when it cannot be read
 */
export async function readText(
  source: string,
  target: Target,
  { cwd, signal }: ReadOptions = {},
): Promise<string> {
  const name = nameOf(source, cwd);
  return isUrl(source) ? fetchText(source, target, name, signal) : readFile(source, name);
}

function readFile(file: string, name: string): string {
  try {
    return readRegularFile(file, BODY_LIMIT_BYTES).toString("utf8");
  } catch (cause) {
    const { message } = cause as Error;
    throw new SuiteError("ERR_DOCUMENT", `The OpenAPI document ${name} ${message}`, {
      hint: DOCUMENT_HINT,
      cause,
    });
  }
}

async function fetchText(
  source: string,
  target: Target,
  shown: string,
  stop: AbortSignal | undefined,
): Promise<string> {
  const url = new URL(source);
  const { timeoutMs, headers } = target.request;
  const own = url.origin === target.origin;
  const dispatchers = createDispatchers({ ...target, origin: url.origin }, 1);
  try {
    const patience = AbortSignal.timeout(timeoutMs);
    const signal = stop ? AbortSignal.any([patience, stop]) : patience;
    const accept = "application/json, application/yaml, */*;q=0.5";
    const reply = await dispatchers.kept.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET",
      signal,
      headers: { ...(own && headers), accept },
    });
    if (reply.statusCode !== 200) throw refused(shown, reply.statusCode);
    const encoding = [reply.headers["content-encoding"]].flat().join(", ");
    const { bytes, cut } = await readBody(reply.body, encoding);
    if (cut) throw tooLarge(shown);
    return bytes.toString("utf8");
  } catch (cause) {
    if (cause instanceof SuiteError) throw cause;
    const { name, message } = cause as Error;
    const why = name === "TimeoutError" ? `no whole answer within ${timeoutMs} ms` : message;
    throw new SuiteError(
      "ERR_DOCUMENT",
      `The OpenAPI document ${shown} cannot be fetched: ${why}`,
      {
        hint: DOCUMENT_HINT,
        cause,
      },
    );
  } finally {
    await dispatchers.close();
  }
}

function refused(name: string, status: number): SuiteError {
  return new SuiteError(
    "ERR_DOCUMENT",
    `The OpenAPI document ${name} cannot be fetched: ${status}`,
    {
      hint:
        status >= 300 && status < 400
          ? "Redirects are not followed; name the final URL in the profile: openapi."
          : "Name a URL that answers 200, or save the document and name the file.",
    },
  );
}

function tooLarge(name: string): SuiteError {
  const limit = `${BODY_LIMIT_BYTES / 1024 / 1024} MiB`;
  return new SuiteError("ERR_DOCUMENT", `The OpenAPI document ${name} is larger than ${limit}`, {
    hint: "A document of the six routes alone will do.",
  });
}
