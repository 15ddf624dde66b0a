import { open, type Outcome, passes } from "../outcome.ts";
import { fails } from "../outcome.ts";
import type { Check } from "../question.ts";
import { type AskedRequest, carriesToken, queryOf, TOKEN } from "../request.ts";

const SENTENCE = "authentication.bearer-header";
/** More than every server takes in one field. */
const LONG = 8000;

/** "Authorization with the value Bearer followed by <ACCESS_TOKEN>" (Endpoints), one line of it. */
export const credentials: Check = ({ request, token }) => {
  const { authorization } = request;
  if (authorization.length === 1) return oneLine(authorization[0] ?? "", token?.length ?? 0);
  if (authorization.length > 1) return severalLines(authorization);
  if (!carriesToken(request)) return fails("endpoints.token-and-scope", "no token");
  return isSentOtherwise(request)
    ? open("how it is sent", SENTENCE)
    : fails(SENTENCE, "token elsewhere");
};

function oneLine(line: string, length: number): Outcome {
  if (line === `Bearer ${TOKEN}`) {
    return length > LONG ? open("long token") : passes(SENTENCE);
  }
  // RFC 9110 §11.1: the scheme is in any case.
  if (/^bearer \[token\]$/i.test(line)) return passes(SENTENCE, "SHOULD");
  return isUnderBearer(line)
    ? open("how it is sent", SENTENCE)
    : fails(SENTENCE, "other credentials");
}

function severalLines(lines: readonly string[]): Outcome {
  return lines.some((line) => isUnderBearer(line) || /\.\S*\./.test(line))
    ? open("how it is sent", SENTENCE)
    : fails("endpoints.token-and-scope", "other credentials");
}

/** Whether the token follows the word Bearer somewhere: with other blanks, in quotes, or after other credentials. */
function isUnderBearer(line: string): boolean {
  return /(?:^|[\s,])bearer\s+"?\[token\]/i.test(line);
}

/** The query and the form body of RFC 6750 §2.2 and §2.3, a cookie, or a field that a line break begins. */
function isSentOtherwise(request: AskedRequest): boolean {
  const { fields, body } = request;
  return (
    queryOf(request).some(([name, value]) => name === "access_token" && value === TOKEN) ||
    fields.some(([name, value]) => name === "cookie" && value.includes(TOKEN)) ||
    fields.some(([, value]) => /[\r\n]authorization:/i.test(value)) ||
    body?.includes(`access_token=${TOKEN}`) === true
  );
}
