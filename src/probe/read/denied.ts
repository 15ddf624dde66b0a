import { isSameUuid } from "../../contract/uuid.ts";
import type { Reply } from "../../http/exchange.ts";
import { combine } from "../../mutations/mutation.ts";
import { deniedSubject } from "../../mutations/token/policy.ts";
import type { Facts } from "../../profile/facts.ts";
import { Finding } from "../finding.ts";
import { phrase } from "../phrase.ts";
import type { Attempt, Fixture, Probe } from "../probe.ts";
import { describeReply, reception } from "../reception.ts";
import { reading } from "../write/unique-marker.ts";
import { listedOrganizations } from "./items.ts";
import { shownOrganizations } from "./listing.ts";

/** Finds out whether the denied subject's refusals are due to local policy. */

const onAnother = combine(deniedSubject, reading);
const READS = ["viewOrganization", "readChangesFeed"] as const;
const LIST = "listOrganizations";

/**
 * Whether the denied subject was accepted on an organization on which it may act, or the list shows it such ones. A subject
 * that is accepted nowhere may be unknown. The profile's own subject is known from the controls.
 */
export const actsElsewhere: Fixture<boolean> = {
  name: "denied subject elsewhere",
  scope: "run",
  async setup(probe): Promise<boolean> {
    const { denied, subject, operations, bindingClaim } = probe.target;
    if (!denied || denied.subject === subject) return true;
    const { primary, other } = await probe.organizations();
    const kinds = bindingClaim === undefined ? [false] : [true, false];
    for (const organization of [other, primary]) {
      if (organization === undefined || isDenied(probe, organization)) continue;
      for (const operation of READS.filter((id) => operations[id])) {
        for (const bound of kinds) {
          const options = { operation, organization, bound };
          const result = await probe.tryAttempt(onAnother, options);
          if ("attempt" in result && reception(result.attempt.reply) === "accepted") return true;
        }
      }
    }
    return operations[LIST] !== undefined && listsOthers(probe, kinds);
  },
};

/** Whether the list shows the denied subject organizations, and not the denied one. A list for everybody shows both. */
async function listsOthers(probe: Probe, kinds: readonly boolean[]): Promise<boolean> {
  for (const bound of kinds) {
    const result = await probe.tryAttempt(onAnother, { operation: LIST, bound });
    if (!("attempt" in result) || reception(result.attempt.reply) !== "accepted") continue;
    const shown = listedOrganizations(result.attempt.reply.json(), probe.target.operations[LIST]);
    if (shown?.length && !shown.some((id) => isDenied(probe, id))) return true;
  }
  return false;
}

/** What is unknown: whether the receiver knows the subject, or whether the organization exists. */
export type Doubt = "subject" | "organization";

/** How to remove a doubt. A deployment that offers no read of an organization cannot show everything. */
export function policyRemedy({ operations }: Facts, doubt: Doubt): string {
  const shows = ([...READS, LIST] as const).some((id) => operations[id]);
  switch (doubt) {
    case "subject":
      return shows
        ? "allow it to act on `organizations.other`; or remove `denied.subject`, and name an organization on which the profile's subject may not act"
        : "no read is offered that could show which organizations it may act on; remove `denied.subject`, and name in `denied.organization` one on which the profile's own subject may not act";
    case "organization":
      return shows
        ? "set `denied.subject` to a second subject that may act on `organizations.other` but not on `organizations.primary`, and `denied.organization` to the primary one"
        : "no read is offered that could show it, and an organization that does not exist is answered alike";
  }
}

/**
 * Why an answer to the denied subject says nothing about local policy; `undefined` where it does. A
 * refusal counts where the organization exists, or where an organization that does not exist gets another
 * answer. A 404 counts only where the organization exists. Whether one exists is no check of the contract.
 */
export async function policyDoubt(probe: Probe, reply: Reply): Promise<Doubt | undefined> {
  if (reception(reply) !== "rejected") return undefined;
  if (!(await probe.use(actsElsewhere))) return "subject";
  if (await exists(probe)) return undefined;
  if (reply.status !== 404 && (await probe.use(toldFromNone))) return undefined;
  return "organization";
}

/** Why a refusal by policy may mean something else, as a clause without a full stop. */
export function describeDoubt({ denied }: Facts, doubt: Doubt): string {
  return doubt === "subject"
    ? `${denied?.subject} is accepted nowhere, and may be unknown`
    : `it is not known that ${denied?.organization} exists`;
}

/** The inconclusive finding for an answer in doubt. */
export function doubtful({ target }: Probe, { reply, evidence }: Attempt, doubt: Doubt): Finding {
  const reason = phrase`${describeReply(reply)}, but ${describeDoubt(target, doubt)}: ${policyRemedy(target, doubt)}`;
  return Finding.inconclusive(reason, evidence);
}

/**
 * The inconclusive finding for a refusal by policy that may mean something else; `undefined` where it can only be
 * the policy. See `policyDoubt`.
 */
export async function doubtAbout(probe: Probe, attempt: Attempt): Promise<Finding | undefined> {
  const doubt = await policyDoubt(probe, attempt.reply);
  return doubt && doubtful(probe, attempt, doubt);
}

/** Whether the denied organization is known to exist: by the profile elsewhere, or by the list. */
async function exists(probe: Probe): Promise<boolean> {
  const { primary, other } = await probe.organizations();
  if ([primary, other].some((id) => id !== undefined && isDenied(probe, id))) return true;
  const listed = await probe.use(shownOrganizations);
  return listed.some((id) => isDenied(probe, id));
}

/**
 * Whether some token of the denied subject gets another status on the denied organization than a
 * token of the same kind on an organization that does not exist. A token bound to the latter may be
 * refused for its binding alone, so both kinds are tried. Both requests must be rejected, so a write shows it too where no
 * read is offered.
 */
const toldFromNone: Fixture<boolean> = {
  name: "denied organization told from none",
  scope: "run",
  async setup(probe): Promise<boolean> {
    const { target } = probe;
    const operation =
      READS.find((id) => target.operations[id]) ??
      target.denied?.operations.find((id) => target.operations[id]);
    const none = probe.uuid("organization that nobody has");
    const statusOn = async (organization: string, bound: boolean): Promise<number | undefined> => {
      const options = { operation, organization, bound };
      const result = await probe.tryAttempt(deniedSubject, options);
      const answer = "attempt" in result ? result.attempt.reply : undefined;
      return answer && reception(answer) !== "unclear" ? answer.status : undefined;
    };
    for (const bound of target.bindingClaim === undefined ? [false] : [true, false]) {
      const onNone = await statusOn(none, bound);
      const onDenied = await statusOn(target.denied?.organization ?? "", bound);
      if (onNone !== undefined && onDenied !== undefined && onNone !== onDenied) return true;
    }
    return false;
  },
};

function isDenied({ target: { denied } }: Probe, organization: string): boolean {
  return isSameUuid(denied?.organization, organization);
}
