import { dirname } from "node:path";

import { OPERATIONS, type OperationId } from "../../contract/operations.ts";
import { counted } from "../../lib/words.ts";
import { profileRemedy } from "../../probe/controls/remedy.ts";
import { inWords } from "../../probe/phrase.ts";
import { describeReply, reception } from "../../probe/reception.ts";
import { type Blocker, blockersOf, type Cause, type Refused, subjectOf } from "../blockers.ts";
import { again, INSTALLED } from "../commands.ts";
import { casesOf, type Report, type ReportCase } from "../report.ts";
import { printable } from "../untrusted.ts";

/** A blocker in words, safe for a terminal. */
export interface BlockerWords {
  /** `PATCH /orgs/{orgId} refuses the good request: 403 Forbidden` */
  readonly what: string;
  /** The deployment's own words. */
  readonly said?: string | undefined;
  /** `230 MUST cases wait for it, and 18 others` */
  readonly waiting: string;
  /** What to do about it; absent where the suite knows nothing. */
  readonly advice?: string | undefined;
  /** The words of the command to run next. */
  readonly next: readonly string[];
}

/** What blocks cases, in the words of every report. */
export function blockerWords(report: Report, blocker: Blocker): BlockerWords {
  const { cause, cases, musts, said } = blocker;
  const others = cases.length - musts;
  return {
    what: whatBlocks(cause),
    said: said === undefined ? undefined : printable(said, LONGEST_WORDS),
    waiting:
      musts === 0
        ? `${counted(others, "case")} below MUST ${others === 1 ? "waits" : "wait"} for it`
        : `${counted(musts, "MUST case")} ${musts === 1 ? "waits" : "wait"} for it${others > 0 ? `, and ${counted(others, "other")}` : ""}`,
    advice: adviceFor(report, blocker),
    next: nextCommand(report, blocker),
  };
}

/** Room for escapes in what is cut already. */
const LONGEST_WORDS = 400;

/**
 * What blocks the verdict most, in a line; `undefined` where nothing does. A problem of the set-up comes first where no case was
 * judged.
 */
export function firstBlocker(report: Report): string | undefined {
  if (report.verdict !== "incomplete") return undefined;
  const [problem] = report.setup;
  const cases = casesOf(report);
  const isAlone = cases.length > 0 && cases.every(({ outcome }) => NOT_SEEN.has(outcome));
  const [blocker] = blockersOf(report);
  if (problem && isAlone) {
    const words =
      blocker?.said === undefined ? "" : ` It says "${printable(blocker.said, LONGEST_WORDS)}".`;
    return `${printable(problem.problem)}${words}`;
  }
  if (!blocker || blocker.musts === 0) return undefined;
  const { what, said, waiting } = blockerWords(report, blocker);
  return `${what}${said === undefined ? "" : `, "${said}"`}; ${waiting}.`;
}

const NOT_SEEN: ReadonlySet<string> = new Set([
  "inconclusive",
  "not-provisioned",
  "not-applicable",
]);

function whatBlocks(cause: Cause): string {
  if (cause.kind !== "refused") return printable(cause.reason);
  const { exchange } = cause;
  const status = exchange.response?.status ?? 0;
  const reply = { exchange, status, headers: exchange.response?.headers ?? {} };
  const answer = printable(inWords(describeReply(reply)));
  const verb = cause.operations.length === 1 ? "refuses" : "refuse";
  const does = reception(reply) === "unclear" ? "gave no clear answer to" : verb;
  return `${routes(cause.operations)} ${does} the good request: ${answer}`;
}

/** `PATCH /orgs/{orgId}`, or the first of several and their number. */
export function routes([first, ...others]: readonly OperationId[]): string {
  if (first === undefined) return "A route";
  const { method, path } = OPERATIONS[first];
  const more = others.length === 0 ? "" : ` and ${counted(others.length, "other route")}`;
  return `${method} ${path}${more}`;
}

function adviceFor({ setup: [problem] }: Report, { cause }: Blocker): string | undefined {
  switch (cause.kind) {
    case "refused":
      return (isNowhereAccepted(cause) && problem?.remedy) || refusalAdvice(cause);
    case "lacking":
      return cause.keys.includes("writes")
        ? "Set `writes: true` in the profile, if the run may change `organizations.primary`."
        : `Set in the profile: ${cause.keys.join(", ")}.`;
    case "failed":
      return `Mend what fails ${cause.rule} first.`;
    case "other":
      return undefined;
  }
}

/** Whether no good request was seen accepted. Then the refusal is no matter of these operations. */
function isNowhereAccepted({ acceptedOn }: Refused): boolean {
  return acceptedOn.length === 0;
}

/** What to do about a refusal. The subject is not blamed where the run has seen it accepted. */
function refusalAdvice({ operations, exchange, acceptedOn }: Refused): string | undefined {
  const status = exchange.response?.status ?? 0;
  const [first] = operations;
  const remedy = first && profileRemedy(first, status);
  if (remedy !== undefined) return `If the deployment is right, ${remedy}.`;
  if (first === undefined || (status !== 403 && status !== 401)) return undefined;
  const subject = printable(subjectOf(exchange) ?? "of the token");
  if (acceptedOn.length === 0) {
    return status === 403
      ? `Allow the subject ${subject} to do this on the deployment.`
      : undefined;
  }
  const scopes = [...new Set(operations.map((id) => OPERATIONS[id].scope))].join(" and ");
  return `The subject ${subject} is accepted on ${routes(acceptedOn)}, so look at what this demands beyond a good token: the contract requires ${scopes.includes(" ") ? "the scopes" : "the scope"} ${scopes} and no other.`;
}

/** A case of `routes.reachable` sends nothing but good requests, so its replay shows the refusal alone. */
const REACHABLE = "routes.reachable";

/** The command that shows what blocks, or that can free the cases. */
function nextCommand(report: Report, { cause, cases }: Blocker): readonly string[] {
  const { told = [], command = INSTALLED } = report.target;
  const [first] = cases;
  switch (cause.kind) {
    case "refused":
      return isNowhereAccepted(cause)
        ? [...command, "doctor", ...told]
        : again(report, cases.find(({ id }) => id.startsWith(REACHABLE)) ?? first);
    case "lacking":
      return [...command, "doctor", ...told];
    case "failed": {
      const failed = casesOf(report).find((one) => isFailure(one, cause.rule, first));
      return again(report, failed ?? first);
    }
    case "other":
      return first.code === undefined ? again(report, first) : runAgain(report);
  }
}

function isFailure(one: ReportCase, rule: string, waiting: ReportCase): boolean {
  return (
    one.outcome === "fail" &&
    one.id.startsWith(`${rule}/`) &&
    (one.operation === waiting.operation || one.operation === undefined)
  );
}

/** The command that runs again what failed or was inconclusive. */
function runAgain({ target }: Report): readonly string[] {
  const { told = [], command = INSTALLED, report = "reports/report.json" } = target;
  const folder = dirname(report);
  return [...command, "run", "--failed", ...told, ...(folder === "reports" ? [] : ["-o", folder])];
}
