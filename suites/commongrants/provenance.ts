import { isObject, type JsonObject } from "../../src/lib/json.ts";
import { type Evidence, Finding, optional } from "../../src/probe/finding.ts";
import { listFact, phrase } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { shows } from "../../src/probe/write/unique-marker.ts";
import { readFeed } from "../shared/feed.ts";
import { isEmpty } from "./profile/merge.ts";
import { CLAIMED_TIME, type Revision, revisionIn, statusOf, writtenId } from "./writes/revision.ts";
import {
  type Sent,
  sendNeeded,
  sendPatch,
  view,
  type WriteOperation,
  WRITES,
} from "./writes/send.ts";
import { readBy } from "./writes/submission.ts";

/** What a body may claim of its revision, with values that nothing else has. */
const CLAIMED: readonly {
  readonly id: string;
  readonly title: string;
  readonly members: (value: string) => JsonObject;
}[] = [
  {
    id: "source",
    title: "a body with a `source`",
    members: (value) => ({ source: value }),
  },
  {
    id: "status",
    title: "a body with a `status`",
    members: (value) => ({ status: { value: "custom", customValue: value, description: value } }),
  },
  {
    id: "revision-id",
    title: "a body with the id of a revision",
    members: (value) => ({ revisionId: value, changeId: value }),
  },
  {
    id: "times",
    title: "a body with the times of a revision",
    members: (value) => ({ createdAt: value, lastModifiedAt: value }),
  },
  {
    id: "actor",
    title: "a body with an actor",
    members: (value) => ({
      actor: value,
      author: value,
      createdBy: value,
      submittedBy: value,
      updatedBy: value,
    }),
  },
];

const cases: readonly RuleCase[] = (["editOrganization", "submitChange"] as const).flatMap(
  (operation) =>
    CLAIMED.map(({ id, title }): RuleCase => ({
      id: `${id}@${operation}`,
      title,
      operation,
      judge: (probe) => setsNothing(probe, operation, id),
    })),
);

const person: RuleCase = {
  id: "person@readChangesFeed",
  title: "whether the feed shows the name or the address of the person behind the token",
  operation: "readChangesFeed",
  level: "OBSERVE",
  requirement: "commongrants.provenance.person",
  judge: namesNobody,
};

export const rule: Rule = defineRule({
  id: "commongrants.provenance",
  title: "Who made a change follows from the token, never from the body",
  level: "MUST",
  verifies: ["commongrants.provenance.body"],
  phase: "state",
  cases: () => [...cases, person],
});

/** A write whose body claims something, and what is shown of its revision. */
interface Claim {
  readonly ids: readonly string[];
  readonly sent: Sent;
  readonly shown: readonly Revision[];
  readonly evidence: Evidence;
}

/** Claims everything at once, or one after another where the deployment refuses that. */
function claims(operation: WriteOperation): Fixture<readonly Claim[]> {
  return {
    name: `claims of ${operation}`,
    scope: "rule",
    needs: [...WRITES, `operations.${operation}.body`],
    async setup(probe): Promise<Claim[]> {
      const all = await claim(probe, operation, "all", CLAIMED);
      if (reception(all.sent.reply) !== "rejected") return [all];
      const alone: Claim[] = [];
      for (const one of CLAIMED) alone.push(await claim(probe, operation, one.id, [one]));
      return alone;
    },
  };
}

async function claim(
  probe: Probe,
  operation: WriteOperation,
  name: string,
  claimed: typeof CLAIMED,
): Promise<Claim> {
  const patch = Object.assign(
    {},
    ...claimed.map(({ id, members }) => members(valueOf(probe, id))),
  ) as JsonObject;
  const what = "the body has members of a revision";
  const sent = await sendNeeded(probe, operation, `claims-${name}`, what, patch);
  const ids = claimed.map(({ id }) => id);
  if (reception(sent.reply) !== "accepted")
    return { ids, sent, shown: [], evidence: sent.evidence };
  const revision = revisionIn(sent.reply);
  const changeId = writtenId(revision);
  const reply =
    probe.target.operations.readChange && changeId !== undefined
      ? await optional(readBy(probe, changeId))
      : undefined;
  if (operation === "editOrganization" || statusOf(revision) === "accepted")
    await optional(removeAgain(probe, Object.keys(patch)));
  return {
    ids,
    sent,
    shown: [revision, reply && revisionIn(reply)].filter((one) => one !== undefined),
    evidence: {
      ...sent.evidence,
      probes: [sent.reply, reply].flatMap((one) => one?.exchange.id ?? []),
    },
  };
}

/** Removes what a deployment stored in the profile, because it keeps members that nobody published. */
async function removeAgain(probe: Probe, names: readonly string[]): Promise<void> {
  const { profile } = await view(probe);
  const stored = names.filter((name) => !isEmpty(profile[name]));
  if (stored.length === 0) return;
  const patch = Object.fromEntries(stored.map((name) => [name, null]));
  const what = "the body removes what was sent";
  await sendPatch(probe, "editOrganization", "set-back", what, patch, "control");
}

/** What a body claims: a UUID of the run, or a time. */
function valueOf(probe: Probe, id: string): string {
  return id === "times" ? CLAIMED_TIME : probe.uuid(`claimed ${id}`);
}

async function setsNothing(probe: Probe, operation: WriteOperation, id: string): Promise<Finding> {
  const claimed = (await probe.use(claims(operation))).find(({ ids }) => ids.includes(id));
  if (!claimed) return Finding.notApplicable(phrase`nothing was sent`);
  const { sent, shown, evidence } = claimed;
  const said = describeReply(sent.reply);
  const received = reception(sent.reply);
  if (received === "rejected") return Finding.pass(evidence, said);
  if (received !== "accepted") return Finding.inconclusive(said, evidence);
  if (shown.length === 0)
    return Finding.notApplicable(phrase`the answer shows no revision, and no change can be read`);
  const taken = shown.flatMap((one) => membersWith(one, valueOf(probe, id)));
  if (taken.length === 0) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`nothing in the body sets what the revision says of itself`,
    actual: phrase`${said}, and the revision has what the body said in ${listFact([...new Set(taken)])}`,
    evidence,
    // No other write has these values.
    certainty: "many",
  };
}

/** The own members of a revision that hold a value. Its patch and its snapshot are what was sent. */
function membersWith(revision: Revision, value: string): string[] {
  return Object.entries(revision)
    .filter(([name, member]) => name !== "patch" && name !== "snapshot" && holds(member, value))
    .map(([name]) => name);
}

function holds(member: unknown, value: string): boolean {
  if (typeof member === "string")
    return member.toLowerCase() === value || isSameTime(member, value);
  if (Array.isArray(member)) return member.some((one) => holds(one, value));
  return isObject(member) && Object.values(member).some((one) => holds(one, value));
}

function isSameTime(a: string, b: string): boolean {
  return b === CLAIMED_TIME && Date.parse(a) === Date.parse(b);
}

/** Claims of a profile that may hold the name or the address of a person. */
const PERSONAL = /^(?:name|given_name|family_name|preferred_username|nickname|email)$/;

async function namesNobody(probe: Probe): Promise<Finding> {
  const personal = Object.entries(probe.target.testIssuer.claims).flatMap(([name, value]) =>
    PERSONAL.test(name) && typeof value === "string" && value !== "" ? [{ name, value }] : [],
  );
  if (personal.length === 0)
    return Finding.notApplicable(phrase`the profile's claims have no name and no address`);
  const { pages, evidence } = await readFeed(probe);
  const shown = personal.filter(({ value }) => pages.some((page) => shows(page, value)));
  return Finding.observed(
    shown.length === 0
      ? phrase`the feed shows none of ${listFact(personal.map(({ name }) => name))}`
      : phrase`the feed shows ${listFact(shown.map(({ name }) => name))}`,
    evidence,
  );
}
