/** Stands for the text of the token. */
export const TOKEN = "[token]";

/** A request that the model is asked about. Wherever it carries the token, `TOKEN` is in its place. */
export interface AskedRequest {
  readonly method: string;
  /** Path and query as sent, from the root of the origin; or a whole URL. */
  readonly target: string;
  /** The values of the Authorization lines. */
  readonly authorization: readonly string[];
  /** The other header fields, names in lower case. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
}

/** A request as it is sent. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
}

/** Describes a request. The token, wherever it is, becomes `TOKEN`. */
export function describeRequest(sent: Sent, token: string | undefined): AskedRequest {
  const masked = (text: string): string => (token ? text.replaceAll(token, TOKEN) : text);
  const fields = sent.headers.map(([name, value]) => [name.toLowerCase(), masked(value)] as const);
  return {
    method: sent.method,
    target: masked(sent.path),
    authorization: fields.flatMap(([name, value]) => (name === "authorization" ? [value] : [])),
    fields: fields.filter(([name]) => name !== "authorization"),
    ...(sent.body !== undefined && { body: masked(sent.body) }),
  };
}

/** The parameters of a query, decoded, in order. */
export function queryOf({ target }: AskedRequest): (readonly [name: string, value: string])[] {
  const at = target.indexOf("?");
  return at < 0 ? [] : [...new URLSearchParams(target.slice(at + 1))];
}

/** Whether any part of the request carries the token. */
export function carriesToken({ target, authorization, fields, body = "" }: AskedRequest): boolean {
  const texts = [target, body, ...authorization, ...fields.map(([, value]) => value)];
  return texts.some((text) => text.includes(TOKEN));
}
