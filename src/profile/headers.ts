import { z } from "zod";

/** Header names that the suite or HTTP itself sets. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set(
  `authorization content-type user-agent conformance-case
  content-length transfer-encoding te trailer connection keep-alive upgrade expect`.split(/\s+/),
);
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/; // RFC 9110 §5.6.2
const HEADER_VALUE = /^[!-~](?:[\t -~]*[!-~])?$/; // RFC 9110 §5.5, ASCII only

/** The schema of a profile's headers: names that the suite does not set itself, each once. */
export const headers: z.ZodRecord<z.ZodString, z.ZodString> = z
  .record(z.string(), z.string())
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [name, content] of Object.entries(value)) {
      const lowerCase = name.toLowerCase();
      const complain = (message: string, at: "key" | "value"): void => {
        issues.push({ code: "custom", input: value, path: [name], message, params: { at } });
      };
      if (!HEADER_NAME.test(name)) complain("is not a header name", "key");
      if (RESERVED_HEADERS.has(lowerCase)) {
        complain("is set by the suite itself; leave it out", "key");
      }
      if (seen.has(lowerCase)) complain("is given twice: header names ignore case", "key");
      if (!HEADER_VALUE.test(content)) {
        complain("must be one line of printable ASCII without spaces at its ends", "value");
      }
      seen.add(lowerCase);
    }
  });

/** A copy of the headers with names in lower case. */
export function lowerCased(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
