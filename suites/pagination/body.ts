import { contentOf, isObject, parseJson } from "../../src/lib/json.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { Finding } from "../../src/probe/finding.ts";
import {
  DEFAULT_PAGE_SIZE,
  type Info,
  INT32_MAX,
  readContent,
} from "../../src/probe/pagination/page.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";

type Answered = Pick<Attempt, "reply" | "evidence">;
type Members = Readonly<Record<string, unknown>>;
type Wanted = Readonly<Record<"page" | "pageSize", number>>;

/** The one operation of the contract whose body can hold page parameters. */
const operation = "submitChange";

/** Values in the body that are not integers from 1 to 2147483647. */
const OUT_OF_BOUNDS: readonly unknown[] = [0, -1, INT32_MAX + 1, 1.5, "abc"];

const cases: readonly RuleCase[] = [
  {
    id: "defaults",
    title: "without `page` and `pageSize` in the body, they are 1 and 100",
    sends: 0,
    judge: judgeDefaults,
  },
  {
    id: "accepted",
    title: "`page` and `pageSize` in the body are accepted, and the info names them",
    judge: judgeAccepted,
  },
  ...(["page", "pageSize"] as const).map((name): RuleCase => ({
    id: name === "page" ? "page-rejected" : "page-size-rejected",
    title: `${name} in the body is not an integer from 1 to 2147483647`,
    judge: (probe) => judgeRejected(probe, name),
  })),
];

export const rule: Rule = defineRule({
  id: "pagination.body",
  title: "A paginated POST takes `page` and `pageSize` in its body",
  level: "MUST",
  verifies: [
    "models.body.in-the-body",
    "models.body.purpose",
    "models.body.same-fields",
    "models.body.optional",
    "models.body.closed",
    "endpoints.pagination.body",
  ],
  cases: ({ operations, openapi, document }) => {
    // The document may tell this too, once it has been read.
    const isUnread = openapi !== undefined && document === undefined;
    const inapplicable =
      operations[operation]?.paginated || isUnread
        ? undefined
        : "the profile does not say that it is paginated";
    return cases.map((one) => ({
      ...one,
      id: `${one.id}@${operation}`,
      operation,
      inapplicable,
      judge: (probe) =>
        isObject(contentOf(probe.target.operations[operation]?.body))
          ? one.judge(probe)
          : Promise.resolve(NO_OBJECT),
    }));
  },
});

const NO_OBJECT: Finding = Finding.inconclusive(
  phrase`the body in the profile, \`operations.${operation}.body\`, is no JSON object`,
);

/** A good submission has neither member, and each accepted write counts, so none is sent for this. */
async function judgeDefaults(probe: Probe): Promise<Finding> {
  const { reply, exchange } = await probe.control(operation);
  const wanted = { page: 1, pageSize: DEFAULT_PAGE_SIZE };
  return judgeAttempt(probe, { reply, evidence: { probes: [exchange] } }, wanted);
}

/** A page that does not exist may be answered with 404. The first page always exists. */
async function judgeAccepted(probe: Probe): Promise<Finding> {
  const second = { page: 2, pageSize: 3 };
  const first = { page: 1, pageSize: 3 };
  const attempt = await askFor(probe, second);
  if (attempt.reply.status !== 404) return judgeAttempt(probe, attempt, second);
  const instead = await askFor(probe, first);
  const probes = [...attempt.evidence.probes, ...instead.evidence.probes];
  return judgeAttempt(probe, { ...instead, evidence: { ...instead.evidence, probes } }, first);
}

function askFor(probe: Probe, sent: Members): Promise<Attempt> {
  return probe.attempt(withMembers(sent), { purpose: "wanted" });
}

function judgeAttempt(probe: Probe, attempt: Answered, wanted: Wanted): Finding {
  const { reply, evidence } = attempt;
  const actual = describeReply(reply);
  switch (reception(reply)) {
    case "accepted":
      return compare(
        readContent(reply.json(), probe.target.operations[operation]).info,
        wanted,
        attempt,
      );
    case "unclear":
      return Finding.inconclusive(actual, evidence);
    default:
  }
  const expected = phrase`a 2xx: both are optional, and these are inside the bounds`;
  return { kind: "fail", expected, actual, evidence, comparative: true };
}

function compare(info: Info | undefined, wanted: Wanted, { reply, evidence }: Answered): Finding {
  const { page, pageSize } = info ?? {};
  return page === wanted.page && pageSize === wanted.pageSize
    ? Finding.pass(evidence)
    : {
        kind: "fail",
        expected: phrase`PaginatedResultsInfo with \`page\` ${wanted.page} and \`pageSize\` ${wanted.pageSize}`,
        actual: info
          ? phrase`${describeReply(reply)}, \`page\` ${page} and \`pageSize\` ${pageSize}`
          : phrase`${describeReply(reply)}, and no such object`,
        evidence,
      };
}

/** The first value that is not rejected with a 4xx, if any. */
async function judgeRejected(probe: Probe, name: string): Promise<Finding> {
  let worst: Finding | undefined;
  for (const value of OUT_OF_BOUNDS) {
    const finding = await probe.rejects(withMembers({ [name]: value }));
    if (finding.kind === "fail" && finding.atMost === undefined) return finding;
    if (finding.kind !== "pass" || !worst) worst = finding;
  }
  return worst as Finding;
}

function withMembers(members: Members): Mutation {
  const added = Object.entries(members).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return {
    name: "body-members",
    what: added.length > 0 ? `the body has ${added.join(" and ")}` : "nothing differs",
    request: (spec) => ({
      ...spec,
      body: JSON.stringify({ ...(parseJson(spec.body ?? "{}") as Members), ...members }),
    }),
  };
}
