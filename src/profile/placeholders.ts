import leven from "leven";

import type { Problem, ProfilePath } from "./text-file.ts";

const DEEPEST = 100;
const PLACEHOLDER = /\$\{([^}]*)\}/g;
const PER_REQUEST: Readonly<Record<string, { readonly path: RegExp; readonly place: string }>> = {
  unique: {
    path: /^operations\.\w+\.(?:body|invalidBody|headers)(?:\.|$)/,
    place: "in the bodies and headers of operations only",
  },
  etag: {
    path: /^operations\.(?:editOrganization|submitChange)\.headers\./,
    place: "in `operations.editOrganization.headers` and `operations.submitChange.headers` only",
  },
};

export interface Replaced {
  readonly value: unknown;
  /** The values that were inserted, each once. */
  readonly secrets: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Copies a JSON-like value and replaces `${env:NAME}` in its strings. Keeps `${unique}` and `${etag}`
 * where they are allowed. Reports as problems: an unset or empty variable, a mistyped placeholder,
 * and a value that JSON cannot represent (functions, cycles, NaN).
 * @param absent how a message describes a missing variable
 */
export function replacePlaceholders(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  absent: string,
): Replaced {
  const secrets = new Set<string>();
  const problems: Problem[] = [];

  const complain = (path: ProfilePath, text: string): void => {
    problems.push({ path, at: "value", text });
  };
  const replace = (text: string, path: ProfilePath): string =>
    text.replaceAll(PLACEHOLDER, (placeholder, content: string) => {
      const filled = Object.hasOwn(PER_REQUEST, content) ? PER_REQUEST[content] : undefined;
      if (filled) {
        if (!filled.path.test(path.join("."))) {
          complain(path, `must not hold ${placeholder}, which is replaced ${filled.place}`);
        }
        return placeholder;
      }
      const name = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(content)?.[1];
      if (name === undefined) {
        const mistyped = mistypedPlaceholder(content, path);
        if (mistyped) complain(path, `holds ${placeholder}: write ${mistyped}`);
        return placeholder;
      }
      const secret = environment[name];
      if (!secret) {
        const state = secret === undefined ? absent : "empty";
        complain(path, `needs the environment variable ${name}, which is ${state}`);
        return placeholder;
      }
      secrets.add(secret);
      return secret;
    });
  const copy = (part: unknown, path: ProfilePath): unknown => {
    if (typeof part === "string") return replace(part, path);
    if (part === null || typeof part === "boolean") return part;
    if (typeof part === "number" && Number.isFinite(part)) return part;
    if (path.length > DEEPEST) {
      complain(path.slice(0, 1), "is nested too deeply, or contains itself");
      return undefined;
    }
    if (Array.isArray(part)) return part.map((item, index) => copy(item, [...path, index]));
    if (isPlainObject(part)) {
      const entries = Object.entries(part).filter(([, member]) => member !== undefined);
      return Object.fromEntries(
        entries.map(([key, member]) => [key, copy(member, [...path, key])]),
      );
    }
    complain(path, "must be a JSON value: text, a number, true, false, null, a list or a mapping");
    return undefined;
  };

  return { value: copy(value, []), secrets: [...secrets], problems };
}

/** Where a text is the deployment's own, and may contain anything. */
const OWN_TEXT = /^operations\.\w+\.(?:body|invalidBody)(?:\.|$)/;

/** What to write in place of a placeholder that has no meaning; `undefined` where it may be a text as it is. */
function mistypedPlaceholder(content: string, path: ProfilePath): string | undefined {
  const [word = "", name = "NAME"] = content.trim().split(/[:. ]+/, 2);
  if (leven(word.toLowerCase(), "env") <= 1) return `\${env:${/^\w+$/.test(name) ? name : "NAME"}}`;
  if (leven(word.toLowerCase(), "unique") <= 2) return "${unique}";
  // As shells and other tools have it, perhaps with a default.
  const variable = /^[A-Za-z_]\w*(?=$|:?[-?+=])/.exec(content.trim())?.[0];
  return variable !== undefined && !OWN_TEXT.test(path.join("."))
    ? `\${env:${variable}}`
    : undefined;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
