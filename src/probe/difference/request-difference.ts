import { ACCEPT, type HttpRequest } from "../../http/exchange.ts";
import type { Difference } from "./difference.ts";

const LONGEST_SHOWN = 200;

/** The differences of a request from the plain one; the token is shown as `[token]`. */
export function requestDifferences(
  plain: HttpRequest,
  sent: HttpRequest,
  token: string,
): Difference[] {
  if (sent === plain) return [];
  const shown = (text: string | undefined): string | undefined => {
    const safe = token === "" ? text : text?.replaceAll(token, "[token]");
    return safe !== undefined && safe.length > LONGEST_SHOWN
      ? `${safe.slice(0, LONGEST_SHOWN)}… (${safe.length} characters)`
      : safe;
  };
  const line = (part: "method" | "path" | "body"): Difference[] =>
    plain[part] === sent[part]
      ? []
      : [{ part, control: shown(plain[part]), probe: shown(sent[part]) }];
  const [was, is] = [fieldsOf(plain), fieldsOf(sent)];
  const fields = [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => was.get(name) !== is.get(name))
    .map((name): Difference => {
      const values = { control: shown(was.get(name)), probe: shown(is.get(name)) };
      return name === "authorization"
        ? { part: "authorization", ...values }
        : { part: "field", name, ...values };
    });
  return [...line("method"), ...line("path"), ...fields, ...line("body")];
}

/** The fields by name in lower case. The lines of one name are joined. */
function fieldsOf({ headers, standing }: HttpRequest): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries({ accept: ACCEPT, ...standing })) {
    if (value !== undefined) fields.set(name, value);
  }
  const own = new Set<string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = own.has(key) ? fields.get(key) : undefined;
    fields.set(key, before === undefined ? value : `${before} | ${value}`);
    own.add(key);
  }
  return fields;
}
