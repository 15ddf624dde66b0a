import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { UserError } from "../errors.ts";
import type { Target } from "../profile/target.ts";
import { isUrl, nameOf, parseSource, readText } from "./source.ts";

const MOST_PARTS = 200;

/**
 * Puts what a document refers to elsewhere into it.
 * @param source where it was read from: a file, whose parts have to be in its folder or below, or a
 * URL, whose parts have to be on its origin
 * @throws UserError when a part is elsewhere or cannot be read
 */
export async function bundleDocument(
  root: unknown,
  source: string,
  target: Target,
): Promise<unknown> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  // What a resolver throws is wrapped beyond recognition.
  let refused: UserError | undefined;
  let parts = 0;
  const read = async ({ url }: { url: string }): Promise<unknown> => {
    try {
      const part = locatePart(url, source);
      parts += 1;
      if (parts > MOST_PARTS) {
        throw new UserError(`${nameOf(source)} has more than ${MOST_PARTS} parts`);
      }
      return parseSource(await readText(part, target), part);
    } catch (cause) {
      if (cause instanceof UserError) refused ??= cause;
      throw cause;
    }
  };
  try {
    return await SwaggerParser.bundle(source, structuredClone(root) as never, {
      resolve: { file: false, http: false, own: { order: 1, canRead: true, read } },
    });
  } catch (cause) {
    throw (
      refused ??
      new UserError(`${nameOf(source)} cannot be put together: ${(cause as Error).message}`, {
        hint: "Bundle it into one file, for instance with `npx @redocly/cli bundle`.",
        cause,
      })
    );
  }
}

function locatePart(url: string, source: string): string {
  if (isUrl(source)) {
    if (isUrl(url) && new URL(url).origin === new URL(source).origin) return url;
    throw outside(url, source, "on another host");
  }
  if (isUrl(url)) throw outside(url, source, "on another host");
  const file = url.startsWith("file:") ? fileURLToPath(url) : resolve(url);
  const fromFolder = relative(dirname(source), file);
  if (fromFolder === ".." || fromFolder.startsWith(`..${sep}`)) {
    throw outside(file, source, "outside of its folder");
  }
  return file;
}

function outside(part: string, source: string, where: string): UserError {
  return new UserError(`${nameOf(source)} refers to ${nameOf(part)}, which is ${where}`, {
    hint: "Bundle the document into one file, for instance with `npx @redocly/cli bundle`.",
  });
}
