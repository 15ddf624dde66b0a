import { request } from "undici";
import { LineCounter, parseDocument } from "yaml";

import { SuiteError } from "../errors.ts";
import { BODY_LIMIT_BYTES, readBody } from "../http/body.ts";
import { createDispatchers } from "../http/dispatchers.ts";
import { displayPath } from "../keys/jwks-file.ts";
import type { Target } from "../profile/target.ts";
import { readRegularFile } from "../regular-file.ts";

/** Legitimate documents repeat themselves by alias; a bomb does so beyond all measure. */
const MOST_ALIASES = 1000;
const HINT =
  "`openapi` in the profile is the file or URL of an OpenAPI 3.0 or 3.1 document, in YAML or JSON.";

/** Whether the profile's `openapi`, as resolved, is a URL; else it is a file. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * A document's name in messages; what a URL has after its path may be secret.
 * @param cwd files are named relative to this folder; default: the process's
 */
export function nameOf(source: string, cwd?: string): string {
  if (!isUrl(source)) return displayPath(source, cwd);
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}

/**
 * Reads one file or URL of a document: UTF-8, at most 4 MiB, within the target's time limit.
 * Redirects are not followed. The target's standing headers go to its own origin alone.
 * @param cwd see `nameOf`
 * @throws SuiteError when it cannot be read
 */
export async function readText(source: string, target: Target, cwd?: string): Promise<string> {
  const name = nameOf(source, cwd);
  return isUrl(source) ? fetchText(source, target, name) : readFile(source, name);
}

/**
 * Parses JSON or YAML 1.2, merge keys included.
 * @param name what messages call it
 * @throws SuiteError when it is neither
 */
export function parseSource(text: string, name: string): unknown {
  if (/^\uFEFF?\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
    } catch {
      // Braces may as well be YAML.
    }
  }
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, stringKeys: true, merge: true };
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new SuiteError("ERR_DOCUMENT", `${name}:${line}:${col}: ${error.message}`, {
      hint: HINT,
    });
  }
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (cause) {
    throw new SuiteError("ERR_DOCUMENT", `${name}: ${(cause as Error).message}`, {
      hint: HINT,
      cause,
    });
  }
}

function readFile(file: string, name: string): string {
  try {
    return readRegularFile(file, BODY_LIMIT_BYTES).toString("utf8");
  } catch (cause) {
    const { message } = cause as Error;
    throw new SuiteError("ERR_DOCUMENT", `The OpenAPI document ${name} ${message}`, {
      hint: HINT,
      cause,
    });
  }
}

async function fetchText(source: string, target: Target, shown: string): Promise<string> {
  const url = new URL(source);
  const { timeoutMs, headers } = target.request;
  const own = url.origin === target.origin;
  const dispatchers = createDispatchers({ ...target, origin: url.origin }, 1);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const accept = "application/json, application/yaml, */*;q=0.5";
    const reply = await request(url, {
      dispatcher: dispatchers.reads,
      signal,
      headers: { ...(own && headers), accept },
    });
    if (reply.statusCode !== 200) throw refused(shown, reply.statusCode);
    const encoding = [reply.headers["content-encoding"]].flat().join(", ");
    const { text, cut } = await readBody(reply.body, encoding);
    if (cut) throw tooLarge(shown);
    return text;
  } catch (cause) {
    if (cause instanceof SuiteError) throw cause;
    const { name, message } = cause as Error;
    const why = name === "TimeoutError" ? `no whole answer within ${timeoutMs} ms` : message;
    throw new SuiteError(
      "ERR_DOCUMENT",
      `The OpenAPI document ${shown} cannot be fetched: ${why}`,
      {
        hint: HINT,
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
