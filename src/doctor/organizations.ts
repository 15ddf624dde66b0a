import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { capitalized } from "../lib/words.ts";
import type { Mutation } from "../mutations/mutation.ts";
import { deniedSubject } from "../mutations/token/policy.ts";
import { inWords } from "../probe/phrase.ts";
import type { AttemptOptions } from "../probe/probe.ts";
import { describeDoubt, type Doubt, policyDoubt, policyRemedy } from "../probe/read/denied.ts";
import { describeReply, reception } from "../probe/reception.ts";
import {
  acceptedOperations,
  type Bench,
  blockingFault,
  type Check,
  type Line,
  link,
  ok,
  probeOf,
  unknown,
  waiting,
} from "./check.ts";

const PRIMARY = { id: "organization.primary", title: "Primary" };
const OTHER = { id: "organization.other", title: "Other" };
const DENIED = { id: "organization.denied", title: "Denied pair" };

const NO_READ = "no read operation of an organization is offered to test it with";
const UNTRIED = "not tried: no token for it could be obtained";

const onAnother: Mutation = { name: "other", what: "the organization in the path is another one" };

/**
 * Checks whether the organizations exist, whether the subject may act on them, and whether local policy
 * forbids what the profile says.
 */
export async function organizationChecks(bench: Bench): Promise<Check[]> {
  const { target, controls, setup } = bench;
  const fault = blockingFault(setup);
  const unasked = fault && !setup.acceptsSomeToken;
  const { primary, other } = unasked ? target.organizations : await controls.organizations();
  if (fault) {
    return [
      link("primary", PRIMARY, fault, primary ?? "", primary),
      waiting(OTHER, fault, other),
      waiting(DENIED, fault, target.denied?.organization),
    ];
  }
  const accepted = acceptedOperations(bench);
  const read = accepted.find((id) => OPERATIONS[id].organization && !OPERATIONS[id].change);
  return [
    organizationCheck(bench, primary, read),
    other === undefined
      ? unnamed(OTHER, "organizations.other")
      : await otherCheck(bench, other, read),
    await deniedCheck(bench, accepted),
  ];
}

function organizationCheck(
  { target }: Bench,
  primary: string | undefined,
  read: OperationId | undefined,
): Check {
  if (primary === undefined) return unnamed(PRIMARY, "organizations.primary");
  if (!read) return unknown(PRIMARY, `${primary}; ${NO_READ}`);
  const listed = target.organizations.primary === undefined ? ", the first of the list" : "";
  return ok(PRIMARY, primary + listed);
}

function unnamed(line: Line, key: string): Check {
  return unknown(line, `the profile lacks ${key}, and the list shows none`);
}

async function otherCheck(
  bench: Bench,
  other: string,
  read: OperationId | undefined,
): Promise<Check> {
  if (!read) return unknown(OTHER, `${other}; ${NO_READ}`);
  const reply = await answerTo(bench, "other", read, onAnother, other);
  if (!reply) return unknown(OTHER, `${other}; ${UNTRIED}`);
  if (reception(reply) === "accepted") return ok(OTHER, other);
  const { subject } = bench.target;
  const missing = reply.status === 404;
  return {
    ...OTHER,
    state: "problem",
    detail: missing
      ? `The deployment knows no organization ${other}: ${said(reply)} on ${read}.`
      : `The subject ${subject} may not act on the organization ${other}: ${said(reply)} on ${read}.`,
    remedy: `${missing ? "Create it there" : "Grant it access there"}, or name another one in the profile: \`organizations.other\`.`,
    side: "deployment",
  };
}

/** Check 7 is tested with reads only. */
async function deniedCheck(bench: Bench, accepted: readonly OperationId[]): Promise<Check> {
  const { denied } = bench.target;
  if (!denied) return unknown(DENIED, "the profile lacks denied");
  const reads = denied.operations.filter(
    (id) => !OPERATIONS[id].writes && !OPERATIONS[id].change && accepted.includes(id),
  );
  const pair = `${denied.subject} on ${denied.organization}`;
  if (reads.length === 0) {
    return unknown(DENIED, `${pair}; it forbids no read operation that could be tested`);
  }
  for (const id of reads) {
    const reply = await answerTo(bench, `denied-${id}`, id, deniedSubject, denied.organization);
    if (!reply) return unknown(DENIED, `${pair}; ${UNTRIED}`);
    const doubt = await policyDoubt(probeOf(bench, `denied-${id}`, id), reply);
    if (reply.status === 403 && !doubt) continue;
    const wrong = doubt ? notKnown(bench, id, reply, doubt) : notDenied(bench, id, reply);
    // A run judges an organization that is hidden: check 7 is exactly 403.
    const state = !doubt && reply.status === 404 ? "violation" : "problem";
    return { ...DENIED, state, side: "deployment", ...wrong };
  }
  return ok(DENIED, `${pair}: 403 on ${reads.join(" and ")}`);
}

/** A check that is unknown because the answer proves nothing. */
function notKnown(
  { target }: Bench,
  id: OperationId,
  reply: Reply,
  doubt: Doubt,
): Pick<Check, "detail" | "remedy"> {
  const remedy = policyRemedy(target, doubt);
  return {
    detail: `${said(reply)} on ${id}, but ${describeDoubt(target, doubt)}.`,
    remedy: `${capitalized(remedy)}.`,
  };
}

function notDenied(
  { target: { denied } }: Bench,
  id: OperationId,
  reply: Reply,
): Pick<Check, "detail" | "remedy"> {
  const { subject, organization } = denied ?? {};
  const or = "or name another pair in the profile: denied.";
  const answered = `${said(reply)} on ${id}, not 403`;
  if (reception(reply) === "accepted") {
    return {
      detail: `Local policy does not forbid ${subject} the organization ${organization}: ${answered}.`,
      remedy: `Deny it this organization by policy, ${or}`,
    };
  }
  if (reply.status === 404) {
    return {
      detail: `The deployment hides the organization ${organization} from ${subject}: ${answered}.`,
      remedy: "Answer 403 there: what local policy forbids is Forbidden, not missing.",
    };
  }
  return {
    detail: `${subject} is refused the organization ${organization}, but not by policy: ${answered}.`,
    remedy: `Let its tokens act on \`organizations.other\`, and deny it this one by policy, ${or}`,
  };
}

function said(reply: Reply): string {
  return inWords(describeReply(reply));
}

/**
 * The answer to a token that is unbound if the deployment accepts such tokens, because a bound token may be
 * refused for its binding.
 */
async function answerTo(
  bench: Bench,
  name: string,
  operation: OperationId,
  mutation: Mutation,
  organization: string,
): Promise<Reply | undefined> {
  const unbound = await bench.controls.get(operation, { bound: false });
  const options: AttemptOptions = { organization, ...("control" in unbound && { bound: false }) };
  const result = await probeOf(bench, name, operation).tryAttempt(mutation, options);
  return "attempt" in result ? result.attempt.reply : undefined;
}
