import { credentials } from "../checks/credentials.ts";
import { queryOf, TOKEN } from "../request.ts";
import { also, type Mistake } from "./mistake.ts";

/** Wrong ways to find the token (Endpoints). */
export const CREDENTIALS: readonly Mistake[] = [
  {
    fault: "token-not-required",
    behaves: "answers requests without a token",
    look: "The route is registered without the middleware that checks tokens, or before it.",
    checks: { credentials: also(credentials, ({ token }) => token === undefined) },
  },
  {
    fault: "token-from-query",
    behaves: "takes the token from the query of the URL",
    look: "The code looks for `access_token` or `token` among the parameters too. Logs and Referer fields keep URLs.",
    source: "RFC 9700 §4.3.2",
    checks: {
      credentials: also(credentials, ({ request }) =>
        queryOf(request).some(([, value]) => value === TOKEN || value === `Bearer ${TOKEN}`),
      ),
    },
  },
  {
    fault: "scheme-ignored",
    behaves: "takes the token under any authentication scheme",
    look: 'The code reads what follows the first space of `Authorization`, as in `split(" ")[1]`, without comparing the scheme.',
    checks: {
      credentials: also(
        credentials,
        ({ request: { authorization } }) =>
          authorization.length === 1 && /^\S+ \[token\]$/.test(authorization[0] ?? ""),
      ),
    },
  },
];
