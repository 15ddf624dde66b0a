import { type Comparison, comparisons, type Preparation } from "./comparisons.ts";

/** The comparison takes all that a plainer one takes, which is said where both explain a run. */
const WIDER = { isWider: true } as const;

/** Mistakes of comparing a text, each with a name, what it does to the claim, and how it comes. */
export const COMPARISONS: readonly (readonly [
  name: string,
  behaves: string,
  look: string,
  /** `undefined`: it depends on how exactly it is written. */
  isTaken: (given: string, right: string) => boolean | undefined,
  wider?: typeof WIDER,
])[] = [
  [
    "case-ignored",
    "compares CLAIM without regard to case",
    "The code compares in lower case, or with a flag that ignores case, or in a database column that does.",
    (given, right) => given.toLowerCase() === right.toLowerCase(),
  ],
  [
    "trimmed",
    "ignores blanks around CLAIM",
    "The code trims the claim before it compares.",
    (given, right) => given.trim() === right,
  ],
  [
    "slashes-ignored",
    "ignores slashes at the end of CLAIM",
    "The code removes slashes at the end of both URLs before it compares.",
    (given, right) => given.replace(/\/+$/, "") === right.replace(/\/+$/, ""),
  ],
  [
    "query-ignored",
    "accepts CLAIM with any query",
    "The code compares the path of a parsed URL, or cuts the query off.",
    (given, right) => (given.includes("#") ? undefined : given.replace(/\?.*$/s, "") === right),
  ],
  [
    "by-pattern",
    "treats the right value of CLAIM as a pattern, in which a dot matches any character",
    "The code makes a regular expression of the right value without escaping it.",
    (given, right) => pattern(`^(?:${right})$`, given),
  ],
  [
    "by-pattern-in-any-case",
    "treats the right value of CLAIM as a pattern, without regard to case",
    "The code makes a regular expression of the right value, without escaping it, with a flag that ignores case.",
    (given, right) => pattern(`^(?:${right})$`, given, "i"),
    WIDER,
  ],
  [
    "by-pattern-prefix",
    "treats the right value as a pattern with which CLAIM begins",
    "The code makes a regular expression of the right value, without escaping it and without an end.",
    (given, right) => pattern(`^(?:${right})`, given),
    WIDER,
  ],
  [
    "by-pattern-anywhere",
    "searches CLAIM for the right value as a pattern",
    "The code makes a regular expression of the right value, without escaping it and without anchors.",
    (given, right) => pattern(right, given),
    WIDER,
  ],
  ...[8, 10, 12, 16, 20, 24, 32, 40, 48].map(
    (length) =>
      [
        "by-beginning",
        "compares only the beginning of CLAIM",
        "The code cuts both texts to the same length, or tests for the beginning that all right values share.",
        (given: string, right: string) =>
          right.length > length && given.startsWith(right.slice(0, length)),
      ] as const,
  ),
  [
    "by-path-prefix",
    "accepts any URL below the right one in CLAIM",
    "The code tests whether the claim begins with the base URL and a slash.",
    // Code that compares after it removed a slash takes the right one with a slash for no longer one.
    (given, right) =>
      given === `${right}/`
        ? undefined
        : given === right || given.startsWith(`${right.replace(/\/$/, "")}/`),
  ],
  [
    "part-of-expected",
    "accepts the beginning of the right value in CLAIM",
    "The two sides of `startsWith` are swapped: the code tests whether the right value begins with the claim.",
    (given, right) => (given === "" ? undefined : right.startsWith(given)),
  ],
  [
    "inside-expected",
    "accepts any part of the right value in CLAIM",
    "The two sides of `includes` are swapped: the code searches the right value for the claim, or a list for it that is a string.",
    (given, right) => (given === "" ? undefined : right.includes(given)),
  ],
  [
    "by-prefix",
    "compares CLAIM by prefix",
    "The code uses `startsWith`, a pattern without its end, or the length of the right value.",
    (given, right) => given.startsWith(right),
  ],
  [
    "by-suffix",
    "compares CLAIM by suffix",
    "The code uses `endsWith`, or a pattern without its beginning.",
    (given, right) => given.endsWith(right),
  ],
  [
    "by-substring",
    "searches CLAIM for the right value",
    "The code uses `includes` or `indexOf` on the text of the claim, as it should on an array.",
    (given, right) => given.includes(right),
  ],
  [
    "in-list",
    "accepts a space-separated list in CLAIM that contains the right value",
    "The code splits the claim at blanks, as if it were `scope`.",
    (given, right) => given.split(" ").includes(right),
  ],
  [
    "in-comma-list",
    "accepts a comma-separated list in CLAIM that contains the right value",
    "The code splits the claim at commas.",
    (given, right) => given.split(",").includes(right),
  ],
  [
    "scheme-ignored",
    "accepts CLAIM with either scheme",
    "The code removes the scheme before it compares, or compares host and path.",
    (given, right) => given.replace(/^https?:/i, "") === right.replace(/^https?:/i, ""),
  ],
  [
    "port-ignored",
    "ignores the port in CLAIM",
    "The code removes the port of both URLs, or compares the names of the hosts and the paths.",
    (given, right) => withoutPort(given) === withoutPort(right),
  ],
  [
    "scheme-optional",
    "compares CLAIM without its scheme, which may be missing too",
    "The code removes the scheme of both texts before it compares.",
    // Such code often removes slashes at the end as well.
    (given, right) =>
      given.endsWith("/") ? undefined : withoutScheme(given) === withoutScheme(right),
    WIDER,
  ],
  [
    "by-path",
    "compares only the path of CLAIM",
    "The code compares the path of the parsed URL, as if every host were its own.",
    (given, right) => samePath(given, right),
  ],
  [
    "by-origin",
    "compares only scheme, host and port of CLAIM",
    "The code compares `new URL(…).origin`.",
    (given, right) => sameIn("origin", given, right),
  ],
  [
    "by-host",
    "compares only the host of CLAIM",
    "The code compares `host` or `hostname` of the parsed URL.",
    (given, right) => sameIn("host", given, right),
  ],
  [
    "by-hostname",
    "compares only the host of CLAIM, without its port",
    "The code compares `hostname` of the parsed URL.",
    (given, right) => sameIn("hostname", given, right),
  ],
  [
    "host-ending",
    "compares the host of CLAIM by its ending",
    "The code tests whether the host ends with the right one, which a longer name does too.",
    (given, right) => hostEndsWith(given, part(right, "hostname")),
    WIDER,
  ],
  [
    "by-domain",
    "compares only the domain of CLAIM, the last two labels of its host",
    "The code splits the host at dots and compares the last two parts, which every host of the domain shares.",
    (given, right) => sameDomain(given, right),
    WIDER,
  ],
  [
    "domain-ending",
    "compares only the domain of CLAIM, by its ending",
    "The code tests whether the host ends with the domain, which every host of the domain does, and a longer name too.",
    (given, right) => hostEndsWith(given, domainOf(right)),
    WIDER,
  ],
  [
    "by-host-substring",
    "searches CLAIM for the host of the right value",
    "The code uses `includes` or `indexOf` with the name of the host, which any text may contain.",
    (given, right) => given.includes(part(right, "host") ?? right),
    WIDER,
  ],
  [
    "by-host-suffix",
    "tests whether CLAIM ends with the host of the right value",
    "The code uses `endsWith` with the name of the host, which a longer name ends with too.",
    (given, right) => given.endsWith(part(right, "host") ?? right),
    WIDER,
  ],
];

/** Parts and spellings of URLs that code compares in place of the whole text. */
const OF_URLS: readonly Preparation[] = [
  {
    name: "without-slashes",
    words: ", without slashes at the end",
    look: "Slashes at the end of both texts are removed first.",
    of: (text) => text.replace(/\/+$/, ""),
  },
  {
    name: "without-slashes-in-any-case",
    words: ", without regard to case and to slashes at the end",
    look: "Both texts are made lower case, and slashes at the end are removed, first.",
    of: (text) => text.toLowerCase().replace(/\/+$/, ""),
  },
  {
    name: "without-query",
    words: ", without query and fragment",
    look: "What follows `?` or `#` is cut off first.",
    of: (text) => text.replace(/[?#].*$/s, ""),
  },
  {
    name: "as-url",
    words: " as a parsed URL, so that other spellings of the same URL are equal",
    look: "Both texts are parsed as URLs first. The contract compares the texts.",
    of: (text) => (URL.canParse(text) ? new URL(text).href : text),
  },
  {
    name: "last-segment",
    words: ", of which it reads the last segment of the path alone",
    look: "Both texts are split at slashes first, and the last part is compared.",
    of: (text) => text.replace(/\/+$/, "").split("/").at(-1) ?? "",
  },
];

/** Wrong comparisons that are made of parts: the rare ones, which are said where no plain one explains as much. */
export const COMPOSED: readonly Comparison[] = [
  ...comparisons("by"),
  ...comparisons("by", OF_URLS),
];

function hostEndsWith(given: string, ending: string | undefined): boolean | undefined {
  const host = part(given, "hostname");
  if (host === undefined || ending === undefined || !host.endsWith(ending)) return false;
  return ODD.test(given) ? undefined : true;
}

function withoutPort(text: string): string {
  return text.replace(/:\d+(?=[/?#]|$)/, "");
}

function withoutScheme(text: string): string {
  return text.replace(/^(?:https?:)?\/\//i, "");
}

/** Whether two URLs share a path. What a text without a host is taken for differs. */
function samePath(given: string, right: string): boolean | undefined {
  const path = part(right, "pathname");
  if (path === undefined) return false;
  if (!URL.canParse(given) || ODD.test(given)) return given.includes(path) ? undefined : false;
  if (part(given, "pathname") !== path) return false;
  return /^https?:\/\/[^/?#@\\]+[^?#\\]*$/.test(given) ? true : undefined;
}

/** Whether the hosts of two URLs have the same last two labels. Without a longer name, that is the host itself. */
function sameDomain(given: string, right: string): boolean | undefined {
  const domain = domainOf(right);
  const host = part(given, "hostname");
  if (domain === undefined || host === undefined) return false;
  if (host.split(".").slice(-2).join(".") !== domain) return false;
  return ODD.test(given) ? undefined : true;
}

/** The last two labels of a host that has a longer name. */
function domainOf(url: string): string | undefined {
  return /[^.]\.([a-z\d-]+\.[a-z][a-z\d-]*)$/.exec(part(url, "hostname") ?? "")?.[1];
}

/** Blanks and control characters, which only some parsers of URLs take. */
const ODD = /[\s\p{Cc}]/u;

function pattern(source: string, text: string, flags = ""): boolean {
  try {
    return new RegExp(source, flags).test(text);
  } catch {
    return false;
  }
}

/** Whether two URLs share a part. Code reads odd spellings in many ways, such as those with a user, a query after the host, or capitals. */
function sameIn(
  name: "origin" | "host" | "hostname",
  given: string,
  right: string,
): boolean | undefined {
  if (part(given, name) === undefined || part(given, name) !== part(right, name)) return false;
  const plain = `//${part(right, name === "origin" ? "host" : name)}`;
  const rest = given.split(plain, 2)[1] ?? "?";
  return !ODD.test(given) && /^(?::\d+)?(?:\/|$)/.test(rest) ? true : undefined;
}

function part(text: string, name: "origin" | "host" | "hostname" | "pathname"): string | undefined {
  return URL.canParse(text) ? new URL(text)[name] : undefined;
}
