import type { OperationId } from "../../src/contract/operations.ts";
import { isSameUuid, isUuid } from "../../src/contract/uuid.ts";
import { isObject } from "../../src/lib/json.ts";
import { type Evidence, Finding } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Shown } from "./writes/feed.ts";
import { idOf, STATUSES, statusOf } from "./writes/revision.ts";
import { shownRevisions } from "./writes/shown.ts";

/** Where revisions are shown. */
const SHOWING = ["editOrganization", "submitChange", "readChangesFeed", "readChange"] as const;

/** What is judged of each revision. */
const LAWS: readonly {
  readonly id: string;
  readonly title: string;
  readonly requirement: string;
  readonly level?: "SHOULD";
  /** What is wrong with one; `undefined` where nothing is. */
  readonly problem: (shown: Shown, organization: string) => string | undefined;
}[] = [
  {
    id: "id",
    title: "the id of a revision, which is a UUID of its own",
    requirement: "commongrants.revision.id",
    problem: ({ revision: { id } }, organization) => {
      // What is missing or no object is reported of its shape.
      if (id === undefined || id === null) return undefined;
      if (!isUuid(id)) return `its id is ${told(id)}, no UUID`;
      return isSameUuid(id, organization) ? "it has the id of the organization" : undefined;
    },
  },
  {
    id: "status",
    title: "`status.value` of a revision",
    requirement: "commongrants.revision.status",
    problem: ({ revision: { status } }) => {
      if (!isObject(status)) return undefined;
      const { value } = status;
      const isKnown = typeof value === "string" && STATUSES.includes(value);
      return isKnown ? undefined : `its status.value is ${told(value)}`;
    },
  },
  {
    id: "times",
    title: "`createdAt` and `lastModifiedAt` of a revision",
    requirement: "commongrants.revision.times",
    level: "SHOULD",
    problem: ({ revision: { createdAt, lastModifiedAt } }) => {
      const wrong = Object.entries({ createdAt, lastModifiedAt }).find(
        ([, time]) => time !== undefined && time !== null && !isTime(time),
      );
      if (wrong) return `its ${wrong[0]} is ${told(wrong[1])}`;
      if (!isTime(createdAt) || !isTime(lastModifiedAt)) return undefined;
      const isEarlier = Date.parse(lastModifiedAt) < Date.parse(createdAt);
      return isEarlier ? "its lastModifiedAt is before its createdAt" : undefined;
    },
  },
];

const cases: readonly RuleCase[] = SHOWING.flatMap((operation) =>
  LAWS.map(({ id, title, requirement, level, problem }): RuleCase => ({
    id: `${id}@${operation}`,
    title,
    operation,
    requirement,
    ...(level && { level }),
    ...(isRead(operation) && { writes: { of: "editOrganization" as const } }),
    judge: (probe) => judgeShown(probe, operation, problem),
  })),
);

const accepted: RuleCase = {
  id: "accepted@editOrganization",
  title: "the status of an edit that is answered 2xx",
  operation: "editOrganization",
  requirement: "commongrants.revision.accepted",
  judge: isAccepted,
};

const distinct: RuleCase = {
  id: "ids-differ@editOrganization",
  title: "the ids of several writes",
  operation: "editOrganization",
  requirement: "commongrants.revision.id",
  judge: idsDiffer,
};

export const rule: Rule = defineRule({
  id: "commongrants.revision",
  title: "A write is answered with its revision",
  level: "MUST",
  verifies: [
    "commongrants.revision.accepted",
    "commongrants.revision.id",
    "commongrants.revision.status",
    "commongrants.revision.times",
  ],
  phase: "state",
  cases: () => [accepted, ...cases, distinct],
});

function isRead(operation: OperationId): boolean {
  return operation === "readChangesFeed" || operation === "readChange";
}

async function judgeShown(
  probe: Probe,
  operation: (typeof SHOWING)[number],
  problemOf: (shown: Shown, organization: string) => string | undefined,
): Promise<Finding> {
  const all = await probe.use(shownRevisions(operation));
  const primary = await probe.organization("primary");
  if (all.length === 0) return Finding.notApplicable(phrase`no revision is shown`);
  const wrong = all.flatMap((shown) => {
    const problem = problemOf(shown, primary);
    return problem === undefined ? [] : [{ problem, shown }];
  });
  const [first] = wrong;
  if (!first) return Finding.pass(evidenceOf(all));
  return {
    kind: "fail",
    expected: phrase`every revision has what is published`,
    actual: phrase`of ${all.length} revisions, ${wrong.length} are otherwise: ${first.problem}`,
    evidence: evidenceOf(wrong.map(({ shown }) => shown)),
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

async function isAccepted(probe: Probe): Promise<Finding> {
  const all = await probe.use(shownRevisions("editOrganization"));
  const statuses = [...new Set(all.map(({ revision }) => statusOf(revision) ?? "unknown"))];
  const wrong = all.filter(({ revision }) => statusOf(revision) !== "accepted");
  if (all.length === 0) return Finding.notApplicable(phrase`no edit is answered with a revision`);
  if (wrong.length === 0) return Finding.pass(evidenceOf(all));
  const isCustom = wrong.every(({ revision }) => statusOf(revision) === "custom");
  return {
    kind: "fail",
    expected: phrase`an edit that is answered 2xx is a revision that is accepted`,
    actual: phrase`status.value is ${listFact(statuses.map(valueFact))}`,
    evidence: evidenceOf(wrong),
    ...(isCustom && { atMost: "SHOULD" as const }),
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

async function idsDiffer(probe: Probe): Promise<Finding> {
  const edits = await probe.use(shownRevisions("editOrganization"));
  const submissions = probe.target.operations.submitChange
    ? await probe.use(shownRevisions("submitChange"))
    : [];
  const named = [...edits, ...submissions].filter(({ revision }) => idOf(revision) !== undefined);
  if (named.length < 2) return Finding.notApplicable(phrase`fewer than two writes have an id`);
  const twice = named.find(({ revision }, at) =>
    named.slice(0, at).some((other) => idOf(other.revision) === idOf(revision)),
  );
  if (!twice) return Finding.pass(evidenceOf(named));
  const same = named.filter(({ revision }) => idOf(revision) === idOf(twice.revision));
  return {
    kind: "fail",
    expected: phrase`every revision has an id of its own`,
    actual: phrase`${same.length} of ${named.length} have the id ${valueFact(idOf(twice.revision))}`,
    evidence: evidenceOf(same),
    certainty: "many",
  };
}

function evidenceOf(all: readonly Shown[]): Evidence {
  return {
    probes: [...new Set(all.map(({ exchange }) => exchange))],
    controls: [...new Set(all.flatMap(({ control }) => control ?? []))],
  };
}

function isTime(value: unknown): value is string {
  return (
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

const LONGEST = 60;

function told(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value).slice(0, LONGEST);
}
