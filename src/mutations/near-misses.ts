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
  const found: (NearMiss | undefined)[] = [
    miss("longer", "begins with the right value and continues", `${right}.${STRANGER}`),
    bare.length > 1
      ? miss("shorter", "lacks the last character of the right value", bare.slice(0, -1))
      : undefined,
    miss("preceded", "ends with the right value", `https://${STRANGER}/?${right}`),
    miss("embedded", "contains the right value in its middle", `https://${STRANGER}/?${right}&x`),
    miss(
      "listed",
      "is a list, separated by spaces, that contains the right value",
      `https://${STRANGER} ${right}`,
    ),
    miss(
      "listed-by-commas",
      "is a list, separated by commas, that contains the right value",
      `x,${right}`,
    ),
    miss(
      "on-a-line",
      "has the right value on the second of two lines",
      `https://${STRANGER}\n${right}`,
    ),
    // What copies the value as C does ends it there.
    miss("nul", "is the right value, a NUL, and more", `${right}\0.${STRANGER}`),
    bare.includes(".")
      ? miss(
          "regex-dot",
          "has another character where the right one has a dot",
          bare.replace(".", "x"),
        )
      : undefined,
    ...urlMisses(right),
  ];
  return found.filter((one) => one !== undefined);
}

/** The near miss of `right` that most careless comparisons accept. */
export function likeliestMiss(right: string): NearMiss[] {
  const misses = nearMisses(right);
  const likeliest = misses.find(({ name }) => name === "below") ?? misses[0];
  return likeliest ? [likeliest] : [];
}

/** Spellings of `right` that some reading of URLs considers equal; none where it is no URL. */
export function respellings(right: string): NearMiss[] {
  const written = parts(right);
  if (!written) return [];
  const { scheme, host, port, rest } = written;
  const standard = DEFAULT_PORTS[scheme];
  const found: (NearMiss | undefined)[] = [
    rest === ""
      ? right.endsWith("/")
        ? miss("trailing-slash", "lacks the slash at the end", right.slice(0, -1))
        : miss("trailing-slash", "has one more slash at the end", `${right}/`)
      : undefined,
    /[a-z]/i.test(host)
      ? miss(
          "host-case",
          "has its host in the other case",
          text(written, { host: otherCase(host) }),
        )
      : undefined,
    port === ""
      ? miss("default-port", "names the default port", text(written, { port: standard }))
      : port === standard
        ? miss("default-port", "leaves the default port out", text(written, { port: "" }))
        : undefined,
  ];
  return found.filter((one) => one !== undefined);
}

function urlMisses(right: string): (NearMiss | undefined)[] {
  const written = parts(right);
  if (!written) return [];
  const { scheme, host, port } = written;
  const path = written.path.replace(/\/$/, "");
  const authority = port === "" ? host : `${host}:${port}`;
  const named = !isIPv4(host) && !host.startsWith("[");
  const varied = (mutations: Partial<Written>): string => text(written, mutations);
  const above = path.slice(0, path.lastIndexOf("/"));
  const cased = path.replace(/%[\da-f]{2}|[a-z]/gi, (one) =>
    one.length > 1 ? one : otherCase(one),
  );
  return [
    miss("below", "is a path below the right one", varied({ path: `${path}/untrusted` })),
    miss("query", "has one more query parameter", addQuery(right, "x=1")),
    right.includes("#") ? undefined : miss("fragment", "has a fragment", `${right}#x`),
    miss(
      "userinfo",
      "has the right host as the user name of another one",
      varied({ host: `${authority}@${STRANGER}`, port: "" }),
    ),
    miss("user", "has a user name before the right host", varied({ host: `x@${host}` })),
    miss(
      "scheme",
      "has the other scheme",
      varied({ scheme: scheme === "http" ? "https" : "http" }),
    ),
    miss("port", "names another port", varied({ port: otherPort(port || DEFAULT_PORTS[scheme]) })),
    miss("no-scheme", "lacks the scheme", right.slice(`${scheme}://`.length)),
    ...(named
      ? [
          miss("subdomain", "names a host below the right one", varied({ host: `x.${host}` })),
          miss(
            "glued-host",
            "names a host that ends like the right one",
            varied({ host: `x${host}` }),
          ),
        ]
      : []),
    ...(path === ""
      ? []
      : [
          miss("host-only", "is the right host alone", authority),
          miss(
            "origin-only",
            "is the right scheme, host and port alone",
            `${scheme}://${authority}`,
          ),
          miss("sibling", "has another last path segment", varied({ path: `${above}/untrusted` })),
          above === ""
            ? undefined
            : miss("above", "lacks the last path segment", varied({ path: above })),
          cased === path
            ? undefined
            : miss("path-case", "has its path in the other case", varied({ path: cased })),
        ]),
  ];
}

function miss(name: string, what: string, value: string): NearMiss {
  return { name, what, value };
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

/** Scopes and bindings have it among other words for "all". */
export const ASTERISK: Pattern = {
  name: "asterisk",
  what: "is `*`, which matches any text where names of files are patterns",
  value: () => "*",
};
