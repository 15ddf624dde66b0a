import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

import { expect } from "vitest";

import { type ReadDocument, readDocument } from "../../src/document/load.ts";
import { partReader } from "../../src/document/parts.ts";
import type { ReadOptions } from "../../src/document/source.ts";
import { SuiteError } from "../../src/lib/errors.ts";
import type { Target } from "../../src/profile/target.ts";
import { folderWith } from "../support/folder.ts";
import { listening } from "../support/listening.ts";
import { referenceTarget } from "../support/target.ts";

export function loadDocument(
  source: string,
  target: Target = referenceTarget(),
  options?: ReadOptions,
): Promise<ReadDocument> {
  return readDocument(target.basePath, partReader(source, target, options));
}

/** The document with a text, read from a file, with other files in its folder. */
export function loaded(text: string, others?: Record<string, string>): Promise<ReadDocument> {
  const folder = folderWith({ ...others, "openapi.yaml": text });
  return loadDocument(join(folder, "openapi.yaml"));
}

interface Served {
  readonly origin: string;
  readonly asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
}

/** A text is sent with 200, a number is a status. */
type Page =
  | string
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

/**
 * Serves pages by path. Of several, each is sent once, and the last one for ever. A path without a page is never
 * answered.
 */
export async function serving(pages: Record<string, Page | Page[]>): Promise<Served> {
  const asked: Served["asked"] = [];
  const server = createServer(({ url = "", headers }, response) => {
    asked.push({ url, headers });
    const listed = pages[url.split("?", 1)[0] ?? ""];
    const page = Array.isArray(listed) && listed.length > 1 ? listed.shift() : [listed].flat()[0];
    if (typeof page === "string") response.end(page);
    else if (typeof page === "number") response.writeHead(page, { location: "/elsewhere" }).end();
    else if (page) response.writeHead(page.status, page.headers).end();
  });
  return { origin: await listening(server), asked };
}

/** The error with which a document is not read. */
export async function refusal(loading: Promise<unknown>): Promise<SuiteError> {
  const error = await loading.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SuiteError);
  return error as SuiteError;
}
