import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { KeyRotation } from "../keys/serve.ts";
import type { Mutation } from "../mutations/mutation.ts";
import { boundNowhere } from "../mutations/token/binding.ts";
import { inWords } from "../probe/phrase.ts";
import { describeReply, reception } from "../probe/reception.ts";
import type { SetupCheck } from "../setup/fault.ts";
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

const TYP = { id: "token.typ", title: "typ" };
const BINDING = { id: "token.binding", title: "Bound, unbound" };

export async function tokenChecks(bench: Bench): Promise<Check[]> {
  const { target, setup } = bench;
  const fault = blockingFault(setup);
  const others = furtherKeys(target);
  const valued = (check: SetupCheck, one: Line, value: string): Check =>
    link(check, one, fault, value, value);
  const key = valued("key", keyLine(target.testIssuer.key), target.testIssuer.key.kid);
  const chain: Check[] = [
    valued("issuer", { id: "token.issuer", title: "Issuer" }, target.testIssuer.url),
    link(
      "audience",
      { id: "token.audience", title: "Audience" },
      fault,
      `${target.audience}: a token for it is accepted; only a run shows whether others are refused`,
      target.audience,
    ),
    valued("expiry", { id: "token.expiry", title: "Lifetime" }, "ten minutes"),
    valued("subject", { id: "token.subject", title: "Subject" }, target.subject),
  ];
  const keyLines = others.map(keyLine);
  if (fault && !setup.acceptsSomeToken) {
    const later = (one: Line): Check => waiting(one, fault);
    return [key, ...keyLines.map(later), ...chain, later(TYP), later(BINDING)];
  }
  const read = acceptedRead(bench);
  if (!read) {
    const detail =
      "there is no read operation to test with: none is offered, or the profile lacks what it needs";
    const untried = ({ id, title }: Line): Check => unknown({ id, title }, detail);
    return [key, ...keyLines, ...chain, TYP, BINDING].map(untried);
  }
  const checks: Check[] = [key];
  for (const other of others) checks.push(await keyCheck(bench, read, other));
  return [
    ...checks,
    ...keyless(target),
    ...chain,
    await typCheck(bench, read),
    await bindingCheck(bench),
  ];
}

type Key = Bench["target"]["testIssuer"]["key"];

/** One key for each declared algorithm, except the algorithm of the controls. */
function furtherKeys({ testIssuer }: Bench["target"]): Key[] {
  return testIssuer.algorithms.flatMap((alg) =>
    alg === testIssuer.key.alg ? [] : (testIssuer.keys.find((key) => key.alg === alg) ?? []),
  );
}

/** Declared algorithms that cannot be tested, because no key has them. */
function keyless({ testIssuer }: Bench["target"]): Check[] {
  const without = testIssuer.algorithms.filter(
    (alg) => !testIssuer.keys.some((key) => key.alg === alg),
  );
  const detail =
    "declared in `testIssuer.algorithms`, but no key in `testIssuer.keys` signs with it";
  return without.map((alg) => unknown(keyLine({ alg }), detail));
}

function keyLine({ alg }: Pick<Key, "alg">): Line {
  return { id: `token.key.${alg}`, title: `Key, ${alg}` };
}

/** A read operation that accepts good tokens, below an organization if there is one. */
function acceptedRead(bench: Bench): OperationId | undefined {
  const reads = acceptedOperations(bench).filter((id) => !OPERATIONS[id].writes);
  return reads.find((id) => OPERATIONS[id].organization) ?? reads[0];
}

async function keyCheck(bench: Bench, read: OperationId, key: Key): Promise<Check> {
  const line = keyLine(key);
  const what = `signed with the key ${key.kid}`;
  const mutation = { name: `key-${key.alg}`, what, token: { key: () => key } };
  const answer = await tryOn(bench, read, mutation);
  if (answer.accepted) return ok(line, key.kid);
  return {
    ...line,
    state: "violation",
    detail: `A good token under the key ${key.kid} is refused: ${answer.said}.`,
    remedy: `Make the deployment trust it, all of jwks.json, or take ${key.alg} out of \`testIssuer.algorithms\` in the profile.`,
    side: "deployment",
  };
}

async function typCheck(bench: Bench, read: OperationId): Promise<Check> {
  const { typ: given } = bench.target.testIssuer.header;
  if (typeof given === "string") {
    return ok(TYP, `${given}, as \`testIssuer.header\` requires`);
  }
  const found = bench.setup.results.get(read);
  const own = found && "control" in found ? found.control.form.typ : undefined;
  const taken: string[] = [];
  const refused: string[] = [];
  for (const typ of ["JWT", "at+jwt", undefined] as const) {
    const name = typ ?? "none";
    const answer = typ === own ? ACCEPTED : await tryOn(bench, read, withTyp(bench, typ));
    if (answer.accepted) taken.push(name);
    else refused.push(`${name} (${answer.said})`);
  }
  const not = refused.length > 0 ? `; not ${refused.join(", ")}` : "";
  return ok(TYP, `${taken.join(", ")} accepted${not}`);
}

function withTyp({ target }: Bench, typ: string | undefined): Mutation {
  return {
    name: `typ-${(typ ?? "none").replace("+", "-")}`,
    what: `\`typ\` is ${typ ?? "absent"}`,
    token: {
      header: { typ },
      ...(typ === "at+jwt" && { claims: { jti: "conformance-doctor", client_id: target.subject } }),
    },
  };
}

/** Needs a route below an organization, because the list is about none. */
async function bindingCheck(bench: Bench): Promise<Check> {
  const { target, controls, setup } = bench;
  const claim = target.bindingClaim;
  if (claim === undefined) {
    return unknown(BINDING, "the profile lacks `claimsNamespace`");
  }
  const read = acceptedRead(bench);
  const fault = blockingFault(setup);
  if (fault) return waiting(BINDING, fault);
  if (!read || !OPERATIONS[read].organization) {
    return unknown(BINDING, "no read below an organization is accepted");
  }
  const bound = await controls.get(read, { bound: true });
  const unbound = await controls.get(read, { bound: false });
  const said = (result: typeof bound): string =>
    "refusal" in result && result.refusal.reply
      ? inWords(describeReply(result.refusal.reply))
      : "not tried";
  if ("refusal" in bound) {
    return {
      ...BINDING,
      state: "problem",
      detail: `A token bound by ${claim} to the organization of the request is refused (${said(bound)}), an unbound one is accepted.`,
      remedy:
        "Compare `claimsNamespace` in the profile with the deployment's {claims_namespace}; if it is right, the fault is the deployment's.",
      side: "profile",
    };
  }
  const nowhere = await tryOn(bench, read, boundNowhere, { bound: true });
  if (nowhere.accepted) {
    return unknown(
      BINDING,
      `a token bound by ${claim} to an organization that does not exist is accepted: \`claimsNamespace\` is not the deployment's, or receiver.binding will fail`,
    );
  }
  const both =
    "control" in unbound ? "both accepted" : `only bound tokens; unbound: ${said(unbound)}`;
  return ok(BINDING, `${both}; the claim is ${claim}`);
}

interface Answer {
  readonly accepted: boolean;
  readonly said: string;
}

const ACCEPTED: Answer = { accepted: true, said: "" };

async function tryOn(
  bench: Bench,
  operation: OperationId,
  mutation: Mutation,
  options: { readonly bound?: boolean } = {},
): Promise<Answer> {
  const result = await probeOf(bench, mutation.name, operation).tryAttempt(mutation, options);
  if ("finding" in result) return { accepted: false, said: "it could not be tried" };
  const { reply } = result.attempt;
  return { accepted: reception(reply) === "accepted", said: inWords(describeReply(reply)) };
}

const SERVED = { id: "token.keys-served", title: "Keys published" };

/**
 * Checks whether the deployment has fetched the keys that `doctor` publishes.
 * @returns no checks when the profile has no `testIssuer.serve`
 */
export function publishedKeysCheck(
  { target, setup }: Bench,
  published: Pick<KeyRotation, "fetches"> | undefined,
): Check[] {
  const { serve } = target.testIssuer;
  if (!published || serve === undefined) return [];
  const { fetches } = published;
  if (fetches > 0) {
    const times = fetches === 1 ? "once" : `${fetches} times`;
    return [ok(SERVED, `at ${serve}, and fetched ${times}`)];
  }
  const detail = `at ${serve}, but nothing has fetched them`;
  if (blockingFault(setup)?.check !== "key") return [unknown(SERVED, detail)];
  return [
    {
      ...SERVED,
      state: "problem",
      detail,
      remedy:
        "Let the deployment fetch the JWK Set from /.well-known/jwks.json there, under a name of this machine that it can reach. run and doctor publish it only while they work.",
      side: "deployment",
    },
  ];
}
