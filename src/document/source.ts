import { createHttpClient } from "../http/client.ts";
import type { Clock } from "../http/clock.ts";
import { BODY_LIMIT_BYTES } from "../http/connection/body.ts";
import type { Received } from "../http/connection/transport.ts";
import type { Reply } from "../http/exchange.ts";
import { mayBeStarting } from "../http/persistence/retry.ts";
import { SECOND_TRIES, waitBefore } from "../http/second-tries.ts";
import { bufferOf } from "../lib/bytes.ts";
import { SuiteError } from "../lib/errors.ts";
import { readRegularFile, TooLargeFile } from "../lib/regular-file.ts";
import { DocumentLimit } from "../profile/document.ts";
import type { Target } from "../profile/target.ts";
import { DOCUMENT_HINT, isUrl, nameOf } from "./name.ts";

/** Options for reading a text. */
export interface ReadOptions {
  /** See `nameOf`. */
  readonly cwd?: string | undefined;
  /** Aborts fetching. */
  readonly signal?: AbortSignal | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** How a sentence about the text begins; default: with the name of the document. */
  readonly subject?: string | undefined;
}

/**
 * Reads one file or URL of a document: UTF-8, at most 4 MiB, within the target's time limit. Does not
 * follow redirects. Sends the target's configured headers only to the target's own origin. Waits for a
 * server that is starting, as a run does.
 * @throws SuiteError when it cannot be read
 * @throws DocumentLimit when it is larger
 * @throws Interrupted when the signal aborts
 */
export async function readText(
  source: string,
  target: Target,
  options: ReadOptions = {},
): Promise<string> {
  const name = nameOf(source, options.cwd);
  const { subject = `The OpenAPI document ${name}` } = options;
  return isUrl(source)
    ? fetchText(source, target, name, { ...options, subject })
    : readFile(source, name, subject);
}

function readFile(file: string, name: string, subject: string): string {
  try {
    return readRegularFile(file, BODY_LIMIT_BYTES).toString("utf8");
  } catch (cause) {
    const { message } = cause as Error;
    if (cause instanceof TooLargeFile) throw new DocumentLimit(`${name} ${message}`);
    throw new SuiteError("ERR_DOCUMENT", `${subject} ${message}`, {
      hint: DOCUMENT_HINT,
      cause,
    });
  }
}

async function fetchText(
  source: string,
  target: Target,
  shown: string,
  { signal, clock, subject }: ReadOptions & { readonly subject: string },
): Promise<string> {
  const { origin, pathname, search } = new URL(source);
  const headers = origin === target.origin ? target.request.headers : {};
  const request = { ...target.request, headers };
  const http = createHttpClient({ ...target, origin, request }, { concurrency: 1, signal, clock });
  const accept = "application/json, application/yaml, */*;q=0.5";
  // As it came, because redaction could break a document. Its record is not kept, so nothing of it is searched for secrets.
  let received: Received | undefined;
  const send = (): Promise<Reply> =>
    http.send(
      { method: "GET", path: pathname + search, headers: [["accept", accept]] },
      {
        caseId: "preflight/openapi",
        secretsIn(response) {
          received = response;
          return { secrets: [], body: true };
        },
      },
    );
  try {
    let reply = await send();
    const row = SECOND_TRIES.starting;
    for (let tries = 1; mayBeStarting(reply) && tries <= row.times; tries++) {
      await http.wait(waitBefore(row, tries));
      reply = await send();
    }
    const { fault } = reply.exchange;
    if (fault) {
      const late = `no whole answer within ${target.request.timeoutMs} ms`;
      throw unfetched(subject, fault.kind === "timeout" ? late : fault.message, DOCUMENT_HINT);
    }
    const { status } = reply;
    if (status !== 200 || !received) throw unfetched(subject, status, adviceFor(status));
    if (received.cut) {
      throw new DocumentLimit(`${shown} is larger than ${BODY_LIMIT_BYTES / 1024 / 1024} MiB`);
    }
    return bufferOf(received.body).toString("utf8");
  } finally {
    await http.close();
  }
}

function unfetched(subject: string, why: string | number, hint: string): SuiteError {
  return new SuiteError("ERR_DOCUMENT", `${subject} cannot be fetched: ${why}`, { hint });
}

function adviceFor(status: number): string {
  return status >= 300 && status < 400
    ? "Redirects are not followed; name the final URL in the profile: openapi."
    : "Name a URL that answers 200, or save the document and name the file.";
}
