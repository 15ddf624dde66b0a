/** Anything of the shape of a compact JWS or JWE whose first segment is a JSON object. */
const COMPACT_TOKEN = /eyJ[\w-]{5,}(?:\.[\w-]*){1,4}/g;
const SHORTEST_SECRET = 4;

/** Replaces secrets in text; made once for a run, with what is secret in all of it. */
export interface Redactor {
  /** `tokens`: what is secret in this exchange alone. */
  (text: string, tokens?: readonly string[]): string;
}

/**
 * A redactor for the given values, in the spellings in which JSON and URLs would carry them too.
 * Anything that looks like a compact token is replaced as well, whoever it belongs to.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const always = spellings(secrets);
  return (text, tokens = []) => {
    let redacted = text;
    for (const token of [...always, ...spellings(tokens)]) {
      if (redacted.includes(token)) redacted = redacted.replaceAll(token, "[redacted]");
    }
    return redacted.replace(COMPACT_TOKEN, "[redacted token]");
  };
}

function spellings(values: readonly string[]): string[] {
  const all = values
    .filter((value) => value.length >= SHORTEST_SECRET)
    .flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  return [...new Set(all)].toSorted((a, b) => b.length - a.length);
}
