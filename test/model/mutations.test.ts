import { expect, test } from "vitest";

import type { Answer } from "../../src/model/ask.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { type AnyCase, mutationsOf, type Rule, sideOf } from "../../src/probe/rule.ts";
import type { Target } from "../../src/profile/target.ts";
import { RULES } from "../../suites/index.ts";
import { referenceTarget } from "../support/target.ts";
import { answerTo, composed, knownAt, type Situation } from "./support.ts";

/**
 * The table of mutations and the model are written by different hands. For each mutation on each operation, what the rule
 * declares is what the model says of the request that it makes.
 */

const LISTED = "b5eedc0d-0000-4000-8000-00000000000a";

function targetFor(algorithm: string): Target {
  return referenceTarget({
    baseUrl: "http://127.0.0.1:9/common-grants",
    testIssuer: {
      url: "https://issuer.example.com/realm",
      algorithm,
      algorithms: ["RS256", "PS256", "ES256", "EdDSA"],
      serve: "http://127.0.0.1:1",
      claims: { email: "conformance@example.com" },
    },
    organizations: {
      primary: "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813",
      other: "b81e4a07-26d9-4f35-8e6b-0c9d3a5f7214",
    },
    denied: { subject: "svc-partner", organization: "95d07be3-41fc-4c28-a7b6-e8130f5d2c69" },
  });
}

/** Rules that ask something else of the answer than whether it rejects: there the level of a case is not that of the rejection. */
const ASKING_ELSE = new Set([
  "receiver.order",
  "receiver.oracle",
  "receiver.outbound",
  "receiver.isolation",
]);
/** Rules whose mutations must be accepted, unless they say otherwise. */
const ACCEPTING = new Set([
  "receiver.claims-accepted",
  "receiver.scope-sufficient",
  "receiver.keys",
  "receiver.token-required",
]);
/** Rules whose mutations must be rejected, although no receiver check names the reason. */
const REJECTING: Readonly<Record<string, string>> = {
  "receiver.required-claims": "claims",
  "errors.unknown-route": "request",
};
/** Rules about what an answer shows. The model says which requests are accepted, not what is in the answer. */
const ABOUT_CONTENT = new Set(["receiver.binding-list", "errors.shape"]);

/** Mutations that their rules complete: alone, they are good requests. */
const COMPLETED_BY_RULE = new Set([
  "skew",
  "kept-after-exp",
  "once-accepted-elsewhere",
  "once-accepted-at-home",
]);

/** Where the table and the model differ, and why both are right. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  // Each of the checks 2 to 5 rejects these. Declared is the reading of the claims, which is what a receiver gets wrong.
  "repeated-claims": "of repeated claims, the model reads the last ones, and check 1 finds nothing",
  "claims-in-header": "the model does not find the claims, and check 1 finds nothing",
  "claims-in-prototype": "the model does not find the claims, and check 1 finds nothing",
  // The level of these cases is that of the way in which they are rejected.
  nul: "HTTP forbids the request, so a server may reject it in any way; without a token it must be rejected",
  challenge: "the case is about a header field of the answer",
};

/** The same for the sentence that is named: another one that follows from it. */
const OTHER_SENTENCES: Readonly<Record<string, string>> = {
  malformed: "the model names each step of the validation that fails",
  "if-none-match": "its token is `malformed`",
  "repeated-alg": "the model reads the last `alg`",
  "repeated-last-other": "the model reads the last claim",
  "name-case-rescue": "the model reads the claim by its exact name",
};

interface Declared {
  readonly rule: Rule;
  readonly testCase: AnyCase<never>;
  readonly mutation: Mutation;
}

function declared(target: Target): Declared[] {
  return RULES.filter((rule) => sideOf(rule) === "receiver" && !ABOUT_CONTENT.has(rule.id))
    .flatMap((rule) => rule.cases(target).map((testCase) => ({ rule, testCase })))
    .flatMap(({ rule, testCase }) =>
      mutationsOf(testCase).map((mutation) => ({ rule, testCase, mutation })),
    )
    .filter(({ mutation }) => mutation.inapplicable?.(target) === undefined)
    .filter(({ mutation }) => !COMPLETED_BY_RULE.has(mutation.name));
}

/** What the table says: `rejected MUST audience`, `accepted`, `open`; `undefined` where it says nothing. */
function tableSays({ rule, testCase, mutation }: Declared): string | undefined {
  const ownLevel = ASKING_ELSE.has(rule.id) ? undefined : testCase.level;
  const level = ownLevel ?? mutation.level ?? (mutation.refused ? "MUST" : rule.level);
  if (level === "OBSERVE") return "open";
  if (mutation.refused) return `rejected ${level} ${mutation.refused.check}`;
  const part = REJECTING[rule.id];
  if (part !== undefined) return `rejected ${level} ${part}`;
  return ACCEPTING.has(rule.id) ? "accepted" : undefined;
}

/** The same of the model, in the words of the table where it says that too. */
function modelSays(answer: Answer, table: string): string {
  switch (answer.says) {
    case "open":
      return "open";
    case "accepted":
      return "accepted";
    case "rejected": {
      const all = answer.by.map(({ part }) => `rejected ${answer.level} ${part}`);
      return all.find((one) => one === table) ?? all.join(", ");
    }
  }
}

function situationOf(target: Target, { testCase, mutation }: Declared): Situation {
  const operation = testCase.operation ?? "viewOrganization";
  const bound = testCase.control?.bound;
  const isDenied = mutation.refused?.check === "policy" && !mutation.name.startsWith("subject-");
  return {
    operation,
    bound,
    ...(isDenied && { organization: target.denied?.organization }),
    ...(mutation.name === "primary-on-listed" && { path: LISTED }),
  };
}

interface Compared {
  readonly name: string;
  readonly where: string;
  readonly table: string;
  readonly model: string;
  readonly answer: Answer;
  readonly requirement: string | undefined;
  /** The level of the rule's demand. */
  readonly level: string;
}

const AT = Date.now();

function isOfSignatures({ rule, testCase }: Declared): boolean {
  return rule.id === "receiver.signature" && testCase.operation === "viewOrganization";
}

async function compare(target: Target, one: Declared): Promise<Compared[]> {
  const table = tableSays(one);
  if (table === undefined) return [];
  const { mutation, rule, testCase } = one;
  const plain = knownAt(target, AT);
  // Such a case counts only where an unknown subject is refused.
  const isOfUnknown = mutation.name.startsWith("subject-");
  const policy = { ...plain.policy, othersDenied: isOfUnknown };
  const request = await composed(target, mutation, situationOf(target, one), AT);
  const answer = answerTo({ ...plain, policy }, request);
  return [
    {
      name: mutation.name,
      where: `${rule.id}/${testCase.id}`,
      table,
      model: modelSays(answer, table),
      answer,
      requirement: mutation.refused?.requirement,
      level: testCase.level ?? mutation.level ?? rule.level,
    },
  ];
}

async function compareAll(target: Target, only = (_one: Declared) => true): Promise<Compared[]> {
  const found: Compared[] = [];
  for (const one of declared(target).filter(only)) found.push(...(await compare(target, one)));
  return found;
}

const all = compareAll(targetFor("ES256"));

test("what each mutation declares is what the model says of the request that it makes", async () => {
  const compared = await all;
  expect(compared.length).toBeGreaterThan(1000);
  const differing = compared.filter(({ table, model }) => table !== model);
  const unexpected = differing.filter(({ name }) => !Object.hasOwn(DIFFERENCES, name));
  expect(unexpected.map(({ where, table, model }) => `${where}: ${table}; ${model}`)).toEqual([]);
  expect(new Set(differing.map(({ name }) => name))).toEqual(new Set(Object.keys(DIFFERENCES)));
});

test("the sentence that a mutation violates is among those that the model names", async () => {
  const differing = (await all).filter(
    ({ requirement, answer }) =>
      requirement !== undefined &&
      answer.says === "rejected" &&
      !answer.by.some(({ sentence }) => sentence === requirement),
  );
  const names = new Set(differing.map(({ name }) => name));
  for (const name of Object.keys(DIFFERENCES)) names.delete(name);
  expect(names).toEqual(new Set(Object.keys(OTHER_SENTENCES)));
});

test("no rule demands acceptance more strictly than the model", async () => {
  const stricter = (await all).filter(
    ({ answer, level }) =>
      answer.says === "accepted" && answer.level === "SHOULD" && level === "MUST",
  );
  expect(stricter.map(({ where }) => where)).toEqual([]);
});

test.each(["RS256", "PS256", "EdDSA"])("they agree about signatures with %s", async (algorithm) => {
  const compared = await compareAll(targetFor(algorithm), isOfSignatures);
  const differing = compared.filter(
    ({ name, table, model }) => table !== model && !Object.hasOwn(DIFFERENCES, name),
  );
  expect(differing.map(({ where, table, model }) => `${where}: ${table}; ${model}`)).toEqual([]);
});
