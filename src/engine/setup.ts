import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { Control, Controls, ControlResult } from "../probe/controls.ts";
import type { Session } from "../probe/session.ts";
import type { SetupProblem } from "./events.ts";
import { noOrganization, whyNobodyGetsIn } from "./why-refused.ts";

/** A clock that is further off than this will refuse the tokens of real issuers. */
const CLOCK_OFF_SECONDS = 60;

/**
 * What is wrong with the set-up, judged by the controls: said once and first, so that nobody has to
 * read it out of hundreds of inconclusive cases. Sends at most four requests, none of them a write.
 * @throws Interrupted
 */
export async function diagnoseSetup(
  session: Session,
  controls: Controls,
  operations: readonly OperationId[],
): Promise<SetupProblem[]> {
  const results: ControlResult[] = [];
  for (const id of operations) results.push(await controls.get(id));
  const accepted = results.flatMap((result) => ("control" in result ? [result.control] : []));
  const refused = results.flatMap((result, index) => {
    const id = operations[index];
    return id && "refusal" in result && result.refusal.reply
      ? [{ id, reply: result.refusal.reply }]
      : [];
  });
  const problems = clockProblems(session.clockOffsetSeconds ?? 0, accepted);
  const [first] = refused;
  if (!first) return problems;
  const { primary } = await controls.organizations();
  if (accepted.length === 0) {
    const read = refused.find(({ id }) => !OPERATIONS[id].writes);
    return [...problems, await whyNobodyGetsIn(session, read ?? first, primary)];
  }
  if (accepted.some(({ operation }) => operation.organization)) return problems;
  const below = refused.filter(({ id }) => OPERATIONS[id].organization);
  return [...problems, ...organizationProblems(session, below, primary)];
}

function clockProblems(offset: number, accepted: readonly Control[]): SetupProblem[] {
  if (Math.abs(offset) <= CLOCK_OFF_SECONDS) return [];
  const off = `${Math.abs(offset)} s ${offset > 0 ? "ahead of" : "behind"} this machine's`;
  const byOurs = accepted.some(({ form }) => form.clockOffsetSeconds === 0);
  return [
    byOurs
      ? {
          problem: `The deployment's Date header is ${off}, though it judges tokens by this machine's time.`,
          remedy: "Set the clock of whatever writes the header, a gateway perhaps.",
        }
      : {
          problem: `The deployment's clock is ${off}, by its Date header.`,
          remedy:
            "Set the clock that is wrong; until then tokens are minted in the deployment's time.",
        },
  ];
}

/** The list takes good tokens, but nothing below the organization does. */
function organizationProblems(
  { target }: Session,
  below: readonly { reply: Reply }[],
  primary: string | undefined,
): SetupProblem[] {
  const statuses = new Set(below.map(({ reply }) => reply.status));
  const only = (...allowed: number[]): boolean =>
    statuses.size > 0 && [...statuses].every((status) => allowed.includes(status));
  if (only(404)) return [noOrganization(primary)];
  if (!only(403, 404)) return [];
  const answers = [...statuses].toSorted((a, b) => a - b).join(" or ");
  return [
    {
      problem: `The subject ${target.subject} may not act on the organization ${primary}: every route below it answers ${answers}.`,
      remedy:
        "Grant it access there, or name others in the profile: subject, organizations.primary.",
    },
  ];
}
