import type { OperationId } from "../../src/contract/operations.ts";
import { OPERATION_IDS } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { isObject } from "../../src/lib/json.ts";
import { signedAnew } from "../../src/mutations/mutation.ts";
import { Finding } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { describeReply } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { misfitsOf } from "./profile/shapes.ts";
import { mediaTypeOf } from "./writes/send.ts";

const LISTS: ReadonlySet<OperationId> = new Set(["listOrganizations", "readChangesFeed"]);

/** Two good answers of an operation, of requests that differ in nothing that matters here. */
interface Answers {
  readonly replies: readonly Reply[];
  readonly controls: readonly string[];
}

type Law = (reply: Reply, id: OperationId) => ReturnType<typeof phrase> | undefined;

/** What is judged of each answer. Each says what is wrong, or nothing. */
const LAWS: readonly {
  readonly id: string;
  readonly title: (id: OperationId) => string;
  readonly law: Law;
}[] = [
  {
    id: "answer",
    title: (id) => `a good request is answered ${statusFor(id)}`,
    law: (reply, id) => (reply.status === statusFor(id) ? undefined : describeReply(reply)),
  },
  {
    id: "status",
    title: () => "`status` in the body is the HTTP status",
    law: (reply) => {
      const { status } = bodyOf(reply);
      return status === reply.status
        ? undefined
        : phrase`${describeReply(reply)}, with status ${valueFact(told(status))} in the body`;
    },
  },
  {
    id: "message",
    title: () => "`message` in the body is a text",
    law: (reply) => {
      const { message } = bodyOf(reply);
      return typeof message === "string"
        ? undefined
        : phrase`message is ${valueFact(told(message))}`;
    },
  },
  {
    id: "content",
    title: (id) =>
      LISTS.has(id) ? "`items` and `paginationInfo` in the body" : "`data` in the body",
    law: (reply, id) => {
      const { items, paginationInfo, data } = bodyOf(reply);
      if (!LISTS.has(id))
        return isObject(data) ? undefined : phrase`data is ${valueFact(told(data))}`;
      if (!Array.isArray(items)) return phrase`items is ${valueFact(told(items))}`;
      return isObject(paginationInfo)
        ? undefined
        : phrase`paginationInfo is ${valueFact(told(paginationInfo))}`;
    },
  },
  {
    id: "shape",
    title: (id) => (LISTS.has(id) ? "the items in the body" : "the object in the body"),
    law: (reply, id) => {
      const misfits = misfitsOf(bodyOf(reply), id);
      return misfits.length === 0
        ? undefined
        : phrase`${listFact(misfits.slice(0, MOST_NAMED).map(valueFact), "; ")}`;
    },
  },
];

const MOST_NAMED = 4;

const REQUIREMENTS: Readonly<Record<string, (id: OperationId) => string>> = {
  shape: () => "commongrants.envelope.shapes",
  default: (id) =>
    LISTS.has(id)
      ? "commongrants.envelope.paginated"
      : id === "submitChange"
        ? "commongrants.envelope.accepted"
        : "commongrants.envelope.ok",
};

export const rule: Rule = defineRule({
  id: "commongrants.envelope",
  title: "Good answers have the published envelope and shapes",
  level: "MUST",
  verifies: [
    "commongrants.envelope.ok",
    "commongrants.envelope.paginated",
    "commongrants.envelope.accepted",
    "commongrants.envelope.shapes",
  ],
  // Later, a profile shows what rules about merging have left in it.
  phase: "probe",
  cases: () =>
    OPERATION_IDS.flatMap((operation) =>
      LAWS.map(({ id, title, law }): RuleCase => ({
        id: `${id}@${operation}`,
        title: title(operation),
        operation,
        requirement: (REQUIREMENTS[id] ?? REQUIREMENTS["default"])?.(operation),
        judge: (probe) => judgeAnswers(probe, operation, law),
      })),
    ),
});

async function judgeAnswers(probe: Probe, id: OperationId, law: Law): Promise<Finding> {
  const { replies, controls } = await probe.use(answersOf(id));
  const evidence = { probes: replies.map(({ exchange }) => exchange.id), controls };
  if (replies.some(({ cut }) => cut))
    return Finding.inconclusive(phrase`the answer is too long to read`, evidence);
  const wrong = replies.flatMap((reply) => law(reply, id) ?? []);
  const [first] = wrong;
  if (!first) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the answer is as published`,
    actual: first,
    evidence,
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

function answersOf(id: OperationId): Fixture<Answers> {
  return {
    name: `answers of ${id}`,
    scope: "run",
    async setup(probe): Promise<Answers> {
      const control = await probe.control(id);
      const { reply, evidence } =
        id === "editOrganization" || id === "submitChange"
          ? await probe.use(mediaTypeOf(id))
          : await probe.attempt(signedAnew, { operation: id });
      control.reply.keep();
      reply.keep();
      const replies =
        reply === control.reply || reply.status >= 400 ? [control.reply] : [control.reply, reply];
      return { replies, controls: evidence.controls ?? [control.exchange] };
    },
  };
}

function statusFor(id: OperationId): number {
  return id === "submitChange" ? 202 : 200;
}

function bodyOf(reply: Pick<Reply, "json">): Readonly<Record<string, unknown>> {
  const body = reply.json();
  return isObject(body) ? body : {};
}

const LONGEST = 60;

function told(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value).slice(0, LONGEST);
}
