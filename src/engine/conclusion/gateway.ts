import { ruleOfCase, type Side, sideOfId, SIDES } from "../../contract/ids.ts";
import type { Exchange } from "../../http/exchange.ts";
import { UNAVAILABLE } from "../../http/statuses.ts";
import { countEach, groupBy, itemIf } from "../../lib/group-by.ts";
import { counted } from "../../lib/words.ts";
import { exchangesOf } from "../../probe/finding.ts";
import type { CaseResult, SetupProblem } from "../events.ts";
import { type Answer, hasErrorBody, markOf, ownMarks } from "./gateway-marks.ts";
import { keepBelow, SERVERS, type Unwaited } from "./waits.ts";

/** The share of answers, or of cases left undecided, above which trouble is no accident. */
const MANY_ANSWERS = 0.1;
const MANY_CASES = 0.05;
const MOST_RULES_NAMED = 4;

/**
 * Finds signs in a run's answers that a gateway in front of the deployment answered in its place. It
 * looks only where such answers made rules fail or cases inconclusive, and only at answers that
 * differ from the deployment's own: a `Server` or `Via` field on every answer says nothing. Sends
 * nothing.
 * @param exchanges of the whole run
 * @param results of the whole run, with their evidence
 * @param unwaited a server that asked in vain to wait is named elsewhere as one with a limit
 */
export function gatewayProblems(
  exchanges: readonly Exchange[],
  results: readonly CaseResult[],
  unwaited: Unwaited,
): SetupProblem[] {
  const answers = exchanges.filter((one): one is Answer => one.response !== undefined);
  const broken = rulesByExchange(results);
  const about = (wanted: (answer: Answer) => boolean): About =>
    aboutAnswers(answers.filter(wanted), broken);
  const tooLarge = about(
    ({ response }) => [413, 414, 431].includes(response.status) && !hasErrorBody(response),
  );
  const unanswered = about(
    ({ response }) => [502, 504].includes(response.status) && !hasErrorBody(response),
  );
  const unavailable = about(
    (answer) =>
      UNAVAILABLE.has(answer.response.status) &&
      !isRateLimit(answer) &&
      !unanswered.ids.has(answer.id),
  );
  const isNoAccident = ({ ids }: About, side?: Side): boolean => {
    const isMeant = (one: Side): boolean => side === undefined || one === side;
    const among = answers.filter((one) => isMeant(sideOfAnswer(one)));
    const judged = results.filter(({ rule }) => isMeant(sideOfId(rule)));
    const open = judged.filter(
      (one) => isBroken(one) && exchangesOf(one.evidence).some((id) => ids.has(id)),
    );
    return ids.size > MANY_ANSWERS * among.length || open.length > MANY_CASES * judged.length;
  };
  return [
    // Checking every answer takes time, and serves nothing where there is nothing to explain. Errors of the authorization
    // server have bodies of their own.
    ...(broken.size > 0
      ? answeredInFront(
          answers.filter((one) => sideOfAnswer(one) === "receiver"),
          broken,
        )
      : []),
    ...SIDES.flatMap((side) => {
      const slowed = about((one) => isRateLimit(one) && sideOfAnswer(one) === side);
      return itemIf(unwaited[side] === 0 && isNoAccident(slowed, side), {
        problem: `${slowed.said}: ${SERVERS[side].name}, or a gateway in front of it, limits the request rate.`,
        remedy: `Lift the limit for the suite. ${keepBelow(side)}`,
      });
    }),
    ...itemIf(tooLarge.rules.size > 0, {
      problem: `${tooLarge.said}, without an Error body: a gateway or HTTP server refused the size of the request.`,
      remedy:
        "Configure it to accept at least 16 KiB of headers and bodies of 64 KiB, so that the deployment itself answers.",
    }),
    ...itemIf(isNoAccident(unanswered), {
      problem: `${unanswered.said}: a gateway had no answer from the deployment behind it.`,
      remedy: `Check that the deployment stays up and that the gateway gives it enough time; search the logs for \`Conformance-Case: ${unanswered.example}\`.`,
    }),
    ...itemIf(isNoAccident(unavailable), {
      problem: `${unavailable.said}: the deployment, or something that it depends on, was not available.`,
      remedy: `Check that it stays up under the load of a run; a lower --concurrency sends fewer requests at once. Search the logs for \`Conformance-Case: ${unavailable.example}\`.`,
    }),
  ];
}

/** Whose answer it is. What is sent to an operation goes to the receiver, whichever rule is about it. */
function sideOfAnswer({ caseId, operation }: Answer): Side {
  return operation === undefined ? sideOfId(ruleOfCase(caseId)) : "receiver";
}

interface About {
  readonly ids: ReadonlySet<string>;
  /** Their number, their statuses, and the rules they matter to. */
  readonly said: string;
  readonly rules: ReadonlySet<string>;
  readonly example: string;
}

function aboutAnswers(
  answers: readonly Answer[],
  broken: ReadonlyMap<string, ReadonlySet<string>>,
): About {
  const rules = new Set(answers.flatMap(({ id }) => [...(broken.get(id) ?? [])]));
  const each = [...countEach(answers.map(({ response }) => response.status))]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => (count === 1 ? `${status}` : `${status} × ${count}`));
  const [first, ...others] = [...rules];
  const named = [first, ...others.slice(0, MOST_RULES_NAMED - 1)].join(", ");
  const more = rules.size > MOST_RULES_NAMED ? ` and ${rules.size - MOST_RULES_NAMED} more` : "";
  const matter = first === undefined ? "" : `, seen by ${named}${more}`;
  return {
    ids: new Set(answers.map(({ id }) => id)),
    said: `${counted(answers.length, "answer")} (${each.join(", ")}${matter})`,
    rules,
    example: answers.find(({ id }) => broken.has(id))?.caseId ?? "",
  };
}

/** The rules that failed, warned or were inconclusive, by the exchanges that they rest on. */
function rulesByExchange(results: readonly CaseResult[]): Map<string, Set<string>> {
  const rules = new Map<string, Set<string>>();
  for (const result of results.filter(isBroken)) {
    for (const id of exchangesOf(result.evidence)) {
      rules.set(id, (rules.get(id) ?? new Set()).add(result.rule));
    }
  }
  return rules;
}

function isBroken({ outcome }: CaseResult): boolean {
  return outcome === "fail" || outcome === "warn" || outcome === "inconclusive";
}

function answeredInFront(
  answers: readonly Answer[],
  broken: ReadonlyMap<string, ReadonlySet<string>>,
): SetupProblem[] {
  const own = ownMarks(answers);
  return [...groupBy(answers, (answer) => markOf(answer, own))].flatMap(([mark, marked]) => {
    const { said, rules, ids } = aboutAnswers(marked, broken);
    if (rules.size === 0) return [];
    const problem = `Answered by your gateway, not by the deployment: no Error body, ${mark}, on ${said}.`;
    if (authenticates(marked)) {
      return [
        {
          problem: `${problem} It refuses tokens itself, so it is part of the receiver.`,
          remedy:
            "Configure it to send the Error body wherever it refuses: in nginx by error_page, in Apache by ErrorDocument, in others by their templates for error responses.",
        },
      ];
    }
    const forbidden = marked.some(({ response }) => [401, 403, 406].includes(response.status));
    return [
      {
        problem,
        remedy: forbidden
          ? "Let the suite through: by its address, or by its `User-Agent`, which begins with orgsync-conformance. If the gateway must refuse such requests, configure it to answer with an Error body."
          : `Let the gateway pass ${ids.size === 1 ? "such a request" : "such requests"} on to the deployment, or have it answer with an Error body.`,
      },
    ];
  });
}

/** nginx answers 503 for `limit_req` and `limit_conn`, and for nothing else of its own. */
function isRateLimit({ response: { status, body } }: Answer): boolean {
  return status === 429 || (status === 503 && /<center>(nginx|openresty)\b/i.test(body));
}

/**
 * Whether the gateway checks tokens: it refuses requests without a token or asks for another one (RFC
 * 9110 §11.6.1), and refuses no good token. A firewall, in contrast, refuses what looks like an
 * attack.
 */
function authenticates(marked: readonly Answer[]): boolean {
  const refused = marked.filter(({ response }) => [401, 403].includes(response.status));
  return refused.some(isAboutTokens) && !refused.some(hasGoodToken);
}

function isAboutTokens({ request, response }: Answer): boolean {
  return (
    response.status === 401 ||
    response.headers["www-authenticate"] !== undefined ||
    !request.headers.some(([name]) => name.toLowerCase() === "authorization")
  );
}

function hasGoodToken({ request: { token } }: Answer): boolean {
  return token !== undefined && token.mutation === undefined;
}
