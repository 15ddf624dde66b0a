import { isIPv4 } from "node:net";

import { addQuery } from "../lib/uri.ts";
import { otherCase } from "../lib/words.ts";

/** A text that a careless comparison confuses with another one. */
export interface NearMiss {
  readonly name: string;
  /** The end of a sentence: "names another port". */
  readonly what: string;
  readonly value: string;
}

/** A URL split into its parts. Nothing is normalised. */
interface Written {
  readonly scheme: string;
  readonly host: string;
  /** Empty when there is none. */
  readonly port: string;
  /** Begins with a slash, or is empty. */
  readonly path: string;
  /** Query and fragment, with `?` and `#`. */
  readonly rest: string;
}

const STRANGER = "untrusted.example";
const WRITTEN = /^(https?):\/\/(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(.*)$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" };

/**
 * Texts that differ from `right` under any reading of URLs, each of which passes for it in one
 * careless string comparison. Leaves out those that need a part that `right` lacks, such as a path or
 * a host name, and where it is not an http or https URL, all that are about URLs.
 */
export function nearMisses(right: string): NearMiss[] {
  const bare = right.replace(/\/$/, "");
  return listed({
    longer: ["begins with the right value and continues", `${right}.${STRANGER}`],
    shorter: ["lacks the last character of the right value", bare.length > 1 && bare.slice(0, -1)],
    preceded: ["ends with the right value", `https://${STRANGER}/?${right}`],
    embedded: ["contains the right value in its middle", `https://${STRANGER}/?${right}&x`],
    listed: [
      "is a list, separated by spaces, that contains the right value",
      `https://${STRANGER} ${right}`,
    ],
    "listed-by-commas": [
      "is a list, separated by commas, that contains the right value",
      `x,${right}`,
    ],
    "on-a-line": [
      "has the right value on the second of two lines",
      `https://${STRANGER}\n${right}`,
    ],
    // What copies the value as C does ends it there.
    nul: ["is the right value, a NUL, and more", `${right}\0.${STRANGER}`],
    "regex-dot": [
      "has another character where the right one has a dot",
      bare.includes(".") && bare.replace(".", "x"),
    ],
    ...urlMisses(right),
  });
}

/** The near miss of `right` that most careless comparisons accept. */
export function likeliestMiss(right: string): NearMiss[] {
  const misses = nearMisses(right);
  return [misses.find(({ name }) => name === "below") ?? misses[0] ?? []].flat();
}

/** Spellings of `right` that some reading of URLs considers equal; none where it is no URL. */
export function respellings(right: string): NearMiss[] {
  const written = parts(right);
  if (!written) return [];
  const { scheme, host, port, rest } = written;
  const standard = DEFAULT_PORTS[scheme];
  return listed({
    "trailing-slash": right.endsWith("/")
      ? ["lacks the slash at the end", rest === "" && right.slice(0, -1)]
      : ["has one more slash at the end", rest === "" && `${right}/`],
    "host-case": [
      "has its host in the other case",
      /[a-z]/i.test(host) && text(written, { host: otherCase(host) }),
    ],
    "default-port":
      port === ""
        ? ["names the default port", text(written, { port: standard })]
        : ["leaves the default port out", port === standard && text(written, { port: "" })],
  });
}

/** The right value with blanks around it. A comparison character by character tells them apart; `trim` does not. */
export function paddings(right: string): NearMiss[] {
  return listed({
    "blank-after": ["is the right value and a space", `${right} `],
    // The end of a pattern, `$`, also matches before the last line end.
    "line-end-after": ["is the right value and a line end", `${right}\n`],
    "tabs-around": ["is the right value between two tabs", `\t${right}\t`],
  });
}

/** Names under which an object may hold a value, and the first key of a list that became an object. */
const MEMBERS = ["0", "value", "name", "url", "text"];

/** An object with the right value in its members, where a value should be. */
export function asMember(right: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(MEMBERS.map((name) => [name, right]));
}

function urlMisses(right: string): Misses {
  const written = parts(right);
  if (!written) return {};
  const { scheme, host, port } = written;
  const path = written.path.replace(/\/$/, "");
  const authority = port === "" ? host : `${host}:${port}`;
  const hasName = !isIPv4(host) && !host.startsWith("[");
  const hasPath = path !== "";
  const varied = (mutations: Partial<Written>): string => text(written, mutations);
  const above = path.slice(0, path.lastIndexOf("/"));
  const cased = path.replace(/%[\da-f]{2}|[a-z]/gi, (one) =>
    one.length > 1 ? one : otherCase(one),
  );
  return {
    below: ["is a path below the right one", varied({ path: `${path}/untrusted` })],
    query: ["has one more query parameter", addQuery(right, "x=1")],
    fragment: ["has a fragment", !right.includes("#") && `${right}#x`],
    userinfo: [
      "has the right host as the user name of another one",
      varied({ host: `${authority}@${STRANGER}`, port: "" }),
    ],
    user: ["has a user name before the right host", varied({ host: `x@${host}` })],
    scheme: ["has the other scheme", varied({ scheme: scheme === "http" ? "https" : "http" })],
    port: ["names another port", varied({ port: otherPort(port || DEFAULT_PORTS[scheme]) })],
    "no-scheme": ["lacks the scheme", right.slice(`${scheme}://`.length)],
    subdomain: ["names a host below the right one", hasName && varied({ host: `x.${host}` })],
    "glued-host": [
      "names a host that ends like the right one",
      hasName && varied({ host: `x${host}` }),
    ],
    "host-only": ["is the right host alone", hasPath && authority],
    "origin-only": [
      "is the right scheme, host and port alone",
      hasPath && `${scheme}://${authority}`,
    ],
    sibling: ["has another last path segment", hasPath && varied({ path: `${above}/untrusted` })],
    above: ["lacks the last path segment", above !== "" && varied({ path: above })],
    "path-case": ["has its path in the other case", cased !== path && varied({ path: cased })],
  };
}

/** What differs, and the value; `false` where the right one lacks that part. */
type Misses = Readonly<Record<string, readonly [what: string, value: string | false]>>;

function listed(misses: Misses): NearMiss[] {
  return Object.entries(misses).flatMap(([name, [what, value]]) =>
    value === false ? [] : [{ name, what, value }],
  );
}

function parts(url: string): Written | undefined {
  const match = WRITTEN.exec(url);
  if (!match) return undefined;
  const [, scheme = "", host = "", port = "", path = "", rest = ""] = match;
  return { scheme, host, port, path, rest };
}

function text(
  written: Written,
  mutations: { readonly [Part in keyof Written]?: string | undefined },
): string {
  const { scheme, host, port, path, rest } = { ...written, ...mutations };
  return `${scheme}://${host}${port ? `:${port}` : ""}${path}${rest}`;
}

function otherPort(port: string | undefined): string {
  const number = Number(port);
  return String(number < 65_535 ? number + 1 : number - 1);
}

/** A value that matches the right one where code takes it for a pattern, or reads it as C does. */
export interface Pattern {
  readonly name: string;
  /** The end of a sentence: "is `%`". */
  readonly what: string;
  readonly value: (right: string) => string;
}

/** Patterns of SQL and of regular expressions, and a value that ends for C where the right one does. */
export const PATTERNS: readonly Pattern[] = [
  { name: "percent", what: "is `%`, which SQL matches with any text", value: () => "%" },
  {
    name: "underscores",
    what: "has `_`, which SQL matches with any character, for each character of the right value",
    value: (right) => "_".repeat(right.length),
  },
  { name: "regex", what: "is the regular expression `.*`", value: () => ".*" },
  {
    name: "nul",
    what: "is the right value, a NUL, and more",
    value: (right) => `${right}\0.conformance`,
  },
];

/**
 * Values that end a text of SQL, and go on with a condition that is always true. None of them ends a statement, or hides its
 * rest. Reads alone send them.
 */
export const INJECTIONS: readonly Pattern[] = [
  {
    name: "quote",
    what: "has a quote and a condition of SQL that is always true",
    value: () => "conformance' OR '1'='1",
  },
  {
    name: "double-quote",
    what: "has a double quote and a condition of SQL that is always true",
    value: () => 'conformance" OR "1"="1',
  },
];

/** Scopes and bindings have it among other words for "all". */
export const ASTERISK: Pattern = {
  name: "asterisk",
  what: "is `*`, which matches any text where names of files are patterns",
  value: () => "*",
};
