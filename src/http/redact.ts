const SHORTEST_SECRET = 4;
/** Shorter secrets may be part of another word by chance. */
const SHORTEST_TELLTALE = 12;

/** What every compact JWS or JWE begins with: `{"` in base64url. */
const TOKEN_START = "eyJ";
/** A JOSE header is at least `{"alg":""}` or so. */
const SHORTEST_HEADER = 8;
/** A part of a token on its own, such as its claims in a header of a gateway, is longer than this. */
const SHORTEST_SEGMENT = 40;

/** Replaces secrets in text; made once, with what is secret in all that it is used on. */
export type Redactor = (text: string) => string;

/**
 * A redactor for the given values, in the spellings in which JSON and URLs would carry them too.
 * Anything that looks like a compact token is replaced as well, whoever it belongs to.
 * @param before what has been redacted already where this one is used
 */
export function createRedactor(secrets: readonly string[], before?: Redactor): Redactor {
  const replacements = spellings(secrets).map(
    (spelling) => [spelling, wholeWord(spelling)] as const,
  );
  return (text) => {
    let redacted = text;
    for (const [spelling, pattern] of replacements) {
      if (redacted.includes(spelling)) redacted = redacted.replaceAll(pattern, "[redacted]");
    }
    return before ? before(redacted) : withoutTokens(redacted);
  };
}

function spellings(values: readonly string[]): string[] {
  const all = values
    .filter((value) => value.length >= SHORTEST_SECRET)
    .flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  return [...new Set(all)].toSorted((a, b) => b.length - a.length);
}

/** A short secret counts where it stands by itself: `1234` is no part of the number 412345. */
function wholeWord(spelling: string): string | RegExp {
  if (spelling.length >= SHORTEST_TELLTALE) return spelling;
  const escaped = spelling.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, "g");
}

/** Looks at each run of the characters of a token once, however long it is. */
function withoutTokens(text: string): string {
  return text.includes(TOKEN_START) ? text.replaceAll(/[\w.-]+/g, redactRun) : text;
}

/** Replaces what begins like a compact token, or like a long segment of one, to the end of the run. */
function redactRun(run: string): string {
  for (let at = run.indexOf(TOKEN_START); at >= 0; at = run.indexOf(TOKEN_START, at + 1)) {
    const dot = run.indexOf(".", at);
    if (dot < 0) {
      if (run.length - at < SHORTEST_SEGMENT) break;
      return `${run.slice(0, at)}[redacted token]`;
    }
    if (dot >= at + SHORTEST_HEADER) return `${run.slice(0, at)}[redacted token]`;
  }
  return run;
}
