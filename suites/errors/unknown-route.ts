import { OPERATIONS } from "../../src/contract/operations.ts";
import type { HttpRequest, Reply } from "../../src/http/exchange.ts";
import { type Mutation, type MutationContext, open } from "../../src/mutations/mutation.ts";
import { custom, type MutationCase, oneRead, rejects } from "../../src/probe/cases.ts";
import { judgeErrorBody, owesErrorBody } from "../../src/probe/errors/error-record.ts";
import { Finding } from "../../src/probe/finding.ts";
import { listFact, phrase } from "../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";

/** The status for a method that the server does not know, RFC 9110 §15.6.2. */
const NOT_IMPLEMENTED = 501;

const bothWays = (mutations: readonly Mutation[]): Mutation[] => [
  ...mutations,
  ...mutations.map(tokenless),
];

export const rule: Rule = defineRule({
  id: "errors.unknown-route",
  title: "An unknown path or method is answered with a 4xx and an Error body",
  level: "SHOULD",
  verifies: [
    "errors.body",
    "errors.kind.not-found",
    "rfc9110.not-found",
    "rfc9110.method-not-allowed",
  ],
  dependsOn: ["errors.shape", "errors.status"],
  cases(facts): RuleCase[] {
    const reads = oneRead(facts).filter((id) => !OPERATIONS[id].writes);
    const below = reads.filter((id) => OPERATIONS[id].organization);
    return [
      ...custom(reads, bothWays(strayPaths), judgeRoute),
      ...custom(
        [...new Set(["listOrganizations" as const, ...reads])],
        bothWays([put]),
        judgeRoute,
        { writes: "alone" },
      ),
      // An organization that does not exist, so that nothing real can be deleted.
      ...custom(below, bothWays([del]), judgeElsewhere, { writes: "alone" }),
      ...rejects(reads, openMethods),
    ];
  },
});

async function judgeRoute(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  return judge(await probe.attempt(mutation));
}

async function judgeElsewhere(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  return judge(await probe.attempt(mutation, { organization: probe.uuid("organization") }));
}

function judge({ reply, evidence }: Attempt): Finding {
  const actual = describeReply(reply);
  const refused = reception(reply) === "rejected" || reply.status === NOT_IMPLEMENTED;
  if (reception(reply) === "unclear") return Finding.inconclusive(actual, evidence);
  const wrong = owesErrorBody(reply.status) ? wrongBody(reply) : [];
  if (refused && wrong.length === 0) return Finding.pass(evidence, actual);
  return {
    kind: "fail",
    expected: phrase`a 4xx with an Error body`,
    actual: refused ? phrase`${actual}: ${listFact(wrong, "; ")}` : actual,
    evidence,
  };
}

function wrongBody(reply: Reply): string[] {
  const { problems, bodyStatus, cut } = judgeErrorBody(reply);
  if (cut) return [];
  const other = bodyStatus !== undefined && bodyStatus !== reply.status;
  return [...problems, ...(other ? [`status is ${bodyStatus}`] : [])];
}

/** Requests for which the contract has no route. */

function strayPath(
  name: string,
  what: string,
  path: (spec: HttpRequest, context: MutationContext) => string,
): Mutation {
  return { name, what, request: (spec, context) => ({ ...spec, path: path(spec, context) }) };
}

/** Names that no route has. They depend on the seed, so that a deployment cannot prepare for them. */
const strayPaths: readonly Mutation[] = [
  strayPath(
    "unknown-path",
    "the path names nothing below the base URL",
    (_spec, { target, uuid }) => `${target.basePath}/conformance-${uuid("path")}`,
  ),
  strayPath(
    "unknown-path-below",
    "the path names nothing below the organization",
    ({ path }, { uuid }) => `${path}/conformance-${uuid("path")}`,
  ),
];

/** A method that no route of the contract has. */
const put: Mutation = {
  name: "put",
  what: "the method is PUT",
  request: (spec) => ({
    ...spec,
    method: "PUT",
    headers: [...spec.headers, ["content-type", "application/json"]],
    body: "{}",
  }),
};

const del: Mutation = {
  name: "delete",
  what: "the method is DELETE",
  request: (spec) => ({ ...spec, method: "DELETE" }),
};

function tokenless(mutation: Mutation): Mutation {
  return {
    ...mutation,
    name: `${mutation.name}-without-token`,
    what: `${mutation.what}, and there is no Authorization header`,
    authorization: () => [],
  };
}

/** Methods that servers answer on their own, in different ways. */
const openMethods: readonly Mutation[] = [
  open("head", "the method is HEAD", { request: (spec) => ({ ...spec, method: "HEAD" }) }),
  open("options-without-token", "the method is OPTIONS, and there is no Authorization header", {
    authorization: () => [],
    request: (spec) => ({ ...spec, method: "OPTIONS" }),
  }),
];
