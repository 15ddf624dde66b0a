import { isObject, parseJson } from "../lib/json.ts";

/** Members that hold a message for people: the contract's Error body, RFC 9457, RFC 6749 §5.2, and common ones. */
const MEMBERS = ["message", "detail", "error_description", "error", "title"] as const;
/** In UTF-16 units. */
const LONGEST_WORDS = 200;

/**
 * What an answer says to people: the message of its body, `error_description` of its challenge (RFC 6750 §3), or a body of plain
 * text. At most 200 characters, as the deployment wrote them; `undefined` where it says nothing.
 */
export function ownWords({
  headers,
  body,
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): string | undefined {
  const json = parseJson(body);
  const said = isObject(json)
    ? MEMBERS.map((name) => json[name]).find((one) => typeof one === "string" && one.trim() !== "")
    : undefined;
  const challenge = headers["www-authenticate"] ?? "";
  const described = /error_description="([^"]+)"/.exec(challenge)?.[1];
  const isText = /^text\/plain\b/i.test(headers["content-type"] ?? "") && body.trim() !== "";
  const words = said ?? described ?? (isText ? body.trim() : undefined);
  return typeof words === "string" ? words.slice(0, LONGEST_WORDS) : undefined;
}
