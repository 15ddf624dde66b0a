import type { Exchange } from "../http/exchange.ts";
import { type Fact, valueFact } from "./phrase.ts";

/** What names one exchange in a sentence about many: the request, what differs in it, and how the answer's body begins. */
export interface ToldExchange {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The mutation of the request. Absent for a good request. */
  readonly mutation: string | undefined;
  /** The beginning of the answer's body as it is recorded, without control characters. Default: it is not told. */
  readonly begins?: string;
}

const LONGEST_PATH = 160;
const LONGEST_BODY = 80;

/** What names an exchange. It is made from the record, so it holds no secret, and it is short, whatever was answered. */
export function toldOf({ request, response }: Exchange): ToldExchange {
  const { method, url, token } = request;
  const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: url, search: "" };
  return {
    method,
    path: beginning(pathname + search, LONGEST_PATH),
    mutation: token?.mutation,
    begins: beginning(response?.body ?? "", LONGEST_BODY),
  };
}

/** A told exchange as one fact, which gists leave out: `GET /orgs (no-credentials), body "<html>…"`. */
export function toldFact({ method, path, mutation, begins = "" }: ToldExchange): Fact {
  const differs = mutation === undefined ? "" : ` (${mutation})`;
  const body = begins === "" ? "" : `, body ${JSON.stringify(begins)}`;
  return valueFact(`${method} ${path}${differs}${body}`);
}

/** Other characters than those of a line could change how a terminal or a page shows the rest. */
function beginning(text: string, most: number): string {
  // White space may be shortened to one character, so more is read than is shown.
  const line = text
    .slice(0, 4 * most)
    .replaceAll(/\s+/g, " ")
    .trim();
  const short = line.length > most ? `${line.slice(0, most)}…` : line;
  return short.replaceAll(/\p{C}/gu, "\u{FFFD}");
}
