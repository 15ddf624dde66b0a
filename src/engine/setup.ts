import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { Controls, ControlResult } from "../probe/controls.ts";
import { likelyForm } from "../probe/forms.ts";
import { describeReply } from "../probe/reception.ts";
import { buildRequest } from "../probe/request.ts";
import { seededUuid } from "../probe/seeded.ts";
import type { Session } from "../probe/session.ts";
import { expired, untrustedIssuer, otherAudience } from "../tokens/breakages/plain.ts";
import { forgedSignature } from "../tokens/breakages/signature.ts";
import type { Breakage } from "../tokens/change.ts";
import { draftToken } from "../tokens/draft.ts";
import { mintChanged } from "../tokens/mint.ts";
import type { SetupProblem } from "./events.ts";

/** A clock that is further off than this will refuse the tokens of real issuers. */
const CLOCK_OFF_SECONDS = 60;

/**
 * What is wrong with the set-up, judged by the controls: said once and first, so that nobody has to
 * read it out of hundreds of inconclusive cases. Sends at most four requests, none of them a write.
 */
export async function diagnoseSetup(
  session: Session,
  controls: Controls,
  operations: readonly OperationId[],
): Promise<SetupProblem[]> {
  const problems: SetupProblem[] = [];
  const offset = session.clockOffsetSeconds ?? 0;
  if (Math.abs(offset) > CLOCK_OFF_SECONDS) {
    problems.push({
      problem: `The deployment's clock is ${Math.abs(offset)} s ${offset > 0 ? "ahead of" : "behind"} this machine's, by its Date header.`,
      remedy: "Set the clock that is wrong; until then tokens are minted in the deployment's time.",
    });
  }
  const results = new Map<OperationId, ControlResult>();
  for (const id of operations) results.set(id, await controls.get(id));
  const refused = [...results].flatMap(([id, result]) =>
    "refusal" in result && result.refusal.reply ? [{ id, reply: result.refusal.reply }] : [],
  );
  const accepted = [...results].filter(([, result]) => "control" in result).map(([id]) => id);
  const [first] = refused;
  if (!first) return problems;
  if (accepted.length === 0) {
    const read = refused.find(({ id }) => !OPERATIONS[id].writes);
    return [...problems, await whyNobodyGetsIn(session, read ?? first)];
  }
  const inOrganization = refused.filter(({ id }) => OPERATIONS[id].organization);
  const nowhere = !accepted.some((id) => OPERATIONS[id].organization);
  const { primary } = await controls.organizations();
  if (nowhere && inOrganization.length > 0) {
    if (inOrganization.every(({ reply }) => reply.status === 404)) {
      problems.push({
        problem: `The deployment knows no organization ${primary}: every route below it answers 404.`,
        remedy: "Create it there, or name one that exists in the profile: organizations.primary.",
      });
    } else if (inOrganization.every(({ reply }) => reply.status === 403)) {
      problems.push({
        problem: `The subject ${session.target.subject} may not act on the organization ${primary}: every route below it answers 403.`,
        remedy:
          "Grant it access there, or name others in the profile: subject, organizations.primary.",
      });
    }
  }
  return problems;
}

/**
 * No good token is accepted anywhere. A receiver answers the first check that fails, so the good
 * token fails at the first check whose deliberate breakage does not change the answer.
 */
async function whyNobodyGetsIn(
  session: Session,
  { id, reply }: { id: OperationId; reply: Reply },
): Promise<SetupProblem> {
  const { target } = session;
  const said = `Every good token is refused (${describeReply(reply)} on ${id})`;
  const kid = target.issuer.key.kid;
  const all = `the key ${kid} of jwks.json, the issuer ${target.issuer.url}, the audience ${target.audience} and the subject ${target.subject}`;
  if (OPERATIONS[id].writes || ![400, 401, 403].includes(reply.status)) {
    return { problem: `${said}.`, remedy: `Make the deployment trust ${all}.` };
  }
  const broken: readonly [Breakage, SetupProblem][] = [
    [
      forgedSignature,
      {
        problem: `${said}, exactly as a token with a forged signature is: the deployment does not know the test issuer's key, or does not say what it objects to.`,
        remedy: `Make the deployment trust ${all}.`,
      },
    ],
    [
      untrustedIssuer,
      {
        problem: `${said}, exactly as a token of an unknown issuer is: the deployment does not trust ${target.issuer.url}.`,
        remedy:
          "Register that issuer with the deployment, or name the one it trusts in the profile: issuer.url.",
      },
    ],
    [
      otherAudience,
      {
        problem: `${said}, exactly as a token for somebody else is: ${target.audience} is not the deployment's own base URL.`,
        remedy: "Name the audience that it expects in the profile: audience.",
      },
    ],
    [
      expired,
      {
        problem: `${said}, exactly as an expired token is.`,
        remedy: "Compare the clocks of both machines.",
      },
    ],
  ];
  for (const [breakage, problem] of broken) {
    const answer = await sendBroken(session, id, breakage);
    if (answer && fingerprint(answer) === fingerprint(reply)) return problem;
  }
  return {
    problem: `${said}, though not for its signature, issuer, audience or expiry.`,
    remedy: `Allow the subject ${target.subject} to use the routes, or name one that may in the profile: subject.`,
  };
}

async function sendBroken(
  session: Session,
  id: OperationId,
  breakage: Breakage,
): Promise<Reply | undefined> {
  const { target } = session;
  const operation = OPERATIONS[id];
  const organization = target.organizations.primary;
  const form = likelyForm(session.clockOffsetSeconds ?? 0, target.bindingClaim !== undefined);
  const draft = draftToken(target, operation, form, organization);
  const uuid = (label: string): string => seededUuid(session.seed, label);
  const token = await mintChanged(draft, breakage, {
    target,
    operation,
    form,
    organization,
    otherOrganization: target.organizations.other,
    uuid,
  });
  const place = { organization, changeId: uuid("change") };
  const { spec } = buildRequest(target, operation, place);
  return session.send({
    case: `setup/${breakage.name}`,
    operation: id,
    spec: { ...spec, headers: [...spec.headers, ["authorization", `Bearer ${token}`]] },
    token,
    tokenNote: { header: draft.header, change: breakage.name },
  });
}

/** Answers that differ only in ids, times and numbers are the same answer. */
function fingerprint(reply: Reply): string {
  const challenge = reply.headers["www-authenticate"] ?? "";
  return `${reply.status}\n${challenge}\n${reply.body}`.replace(/[\da-f-]{8,}|\d+/gi, "#");
}
