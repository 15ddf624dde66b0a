import { isDeepStrictEqual } from "node:util";

import { type Level, LEVELS } from "../contract/levels.ts";
import { OPERATIONS } from "../contract/operations.ts";
import { requirement } from "../contract/requirements.ts";
import type { Mutation } from "../mutations/mutation.ts";
import type { Control } from "../probe/controls/control.ts";
import { besideControl, Finding } from "../probe/finding.ts";
import { acceptance } from "../probe/judge-attempt.ts";
import { phrase } from "../probe/phrase.ts";
import type { Attempt, AttemptOptions, Fixture, Probe } from "../probe/probe.ts";
import { describeReply, reception } from "../probe/reception.ts";
import type { Rule, RuleCase } from "../probe/rule.ts";
import { inWords, mutationOf } from "./change.ts";
import { contractSays, type Place, type Said } from "./contract-says.ts";
import type { Draw } from "./draws.ts";
import { takeSteps } from "./steps.ts";

/** Statuses of a limit of lengths, whatever the request says: RFC 9110 sections 15.5.14 and 15.5.15, RFC 6585 section 5. */
const TOO_LONG: ReadonlySet<number> = new Set([413, 414, 431]);

/** Statuses of refusals that may have another reason than the judged change: what the contract leaves to the deployment. */
export const EXCUSED: ReadonlySet<number> = new Set([
  400,
  403,
  404,
  406,
  409,
  412,
  415,
  422,
  428,
  429,
  ...TOO_LONG,
]);

const unknownSubject: Mutation = {
  name: "unknown-subject",
  what: "`sub` names a subject that nobody knows",
  token: { claims: (_draft, { uuid }) => ({ sub: `conformance-${uuid("unknown subject")}` }) },
};

/** Whether the deployment refuses a subject that nobody knows, by local policy. */
const refusesUnknownSubjects: Fixture<boolean> = {
  name: "unknown subject",
  scope: "run",
  async setup(probe) {
    const sent = await probe.tryAttempt(unknownSubject, { operation: "viewOrganization" });
    return "attempt" in sent && sent.attempt.reply.status === 403;
  },
};

/** The place of a draw. Throws CaseEnd where its good request is not accepted. */
export async function placeOf(
  probe: Probe,
  { operation, bound }: Pick<Draw, "operation" | "bound">,
): Promise<{ readonly place: Place; readonly control: Control }> {
  const control = await probe.control(operation, { bound });
  const { primary, other } = await probe.organizations();
  const organization = control.place.organization ?? primary;
  const othersDenied = probe.target.operations.viewOrganization
    ? await probe.use(refusesUnknownSubjects)
    : false;
  const place: Place = {
    context: {
      target: probe.target,
      operation: OPERATIONS[operation],
      form: control.form,
      organization,
      otherOrganization: other,
      uuid: (label) => probe.uuid(label),
    },
    path: control.place,
    othersDenied,
  };
  return { place, control };
}

/** The probe's mutation: everything that the draw changes. */
export function mutationFor({ judged, open }: Draw, said: Said): Mutation {
  const mutation = mutationOf("explored", [...open, judged]);
  if (said.says !== "rejected" || !said.check) return mutation;
  const { text, clause } = requirement(said.sentence);
  const atAnyTime = !isOfTime(judged);
  return {
    ...mutation,
    refused: {
      check: said.check,
      why: text,
      source: clause,
      requirement: said.sentence,
      atAnyTime,
    },
  };
}

function isOfTime(judged: Draw["judged"]): boolean {
  return judged.of === "claim" && ["exp", "nbf", "iat"].includes(judged.name);
}

/** What an answer to a draw would be a violation of, at most at which level; `undefined` where it is none. */
export function violates(said: Said, attempt: Attempt): Level | undefined {
  const { reply } = attempt;
  const received = reception(reply);
  if (received === "unclear" || TOO_LONG.has(reply.status)) return undefined;
  if (!attempt.onContractRoute) return showsTheSame(attempt) ? said.level : undefined;
  if (said.says === "accepted") {
    if (received === "accepted" || EXCUSED.has(reply.status)) return undefined;
    return said.level;
  }
  if (received === "accepted") return said.level;
  if (said.status !== undefined) return reply.status === said.status ? undefined : said.level;
  return received === "rejected" ? undefined : "SHOULD";
}

/**
 * Whether a request that is not exactly a route got what the good request gets. Any other answer may be about another thing: servers
 * answer paths that they do not know in many ways.
 */
function showsTheSame({ reply, control }: Attempt): boolean {
  const isRead = !control.operation.writes && reply.hasBody;
  return isRead && reception(reply) === "accepted" && reply.body === control.reply.body;
}

/** Why an answer proves nothing. */
function doubtAbout(said: Said, attempt: Attempt): Finding | undefined {
  if (said.status !== undefined && TOO_LONG.has(attempt.reply.status)) {
    return Finding.inconclusive(
      phrase`${describeReply(attempt.reply)}, which is about the length of the request`,
      attempt.evidence,
    );
  }
  const isClear = attempt.onContractRoute || reception(attempt.reply) === "rejected";
  return isClear || violates(said, attempt) !== undefined
    ? undefined
    : Finding.inconclusive(
        phrase`${describeReply(attempt.reply)}, and not what the good request shows, on a path that is not exactly the route's`,
        attempt.evidence,
      );
}

/** Options with which a draw is sent. */
export function optionsOf(probe: Pick<Probe, "newAge">, { bound, before }: Draw): Sending {
  const age = probe.newAge();
  return { age, options: { bound, ...(before.length > 0 && { age }) } };
}

interface Sending {
  readonly age: number;
  readonly options: AttemptOptions;
}

/** The draw as a phrase. */
function titleOf({ judged, open, before }: Draw): string {
  const carried =
    open.length > 0 ? [`while, as in its control, ${open.map(inWords).join(", and ")}`] : [];
  const after = before.length > 0 ? [`after ${before.join(", then ")}`] : [];
  return `found by exploration: ${[inWords(judged), ...carried, ...after].join("; ")}`;
}

/** The less binding of two levels. */
function weaker(one: Level, other: Level): Level {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other) ? one : other;
}

/** Makes the case of the rule that owns a draw. */
export function exploredCase(rule: Rule, id: string, draw: Draw, said: Said): RuleCase {
  const { text, clause } = requirement(said.sentence);
  const steps = draw.before.length;
  return {
    id,
    title: titleOf(draw),
    level: weaker(said.level, rule.level),
    requirement: said.sentence,
    grounds: { why: text, source: clause },
    operation: draw.operation,
    explored: true,
    sends: 1 + steps + (draw.open.length > 0 ? 2 : 0),
    judge: (probe) => judgeDraw(probe, draw, said.rule),
  };
}

async function judgeDraw(probe: Probe, draw: Draw, rule: string): Promise<Finding> {
  const { place } = await placeOf(probe, draw);
  const said = await contractSays(draw, place);
  if (!said || said.rule !== rule) {
    return Finding.notApplicable(phrase`the contract leaves it open for this deployment`);
  }
  const { age, options } = optionsOf(probe, draw);
  const mutation = mutationFor(draw, said);
  const carried = draw.open.length > 0 ? mutationOf("explored-control", draw.open) : undefined;
  const before =
    carried && (await probe.attempt(carried, { bound: draw.bound, purpose: "further" }));
  if (before && reception(before.reply) !== "accepted") return refused(before);
  await takeSteps(probe, draw, mutation, age);
  const finding =
    said.says === "rejected"
      ? await probe.rejects(mutation, {
          ...options,
          ...(said.status && { status: said.status }),
          doubt: async (attempt) => doubtAbout(said, attempt),
        })
      : accepted(said, await probe.attempt(mutation, { ...options, purpose: "wanted" }));
  if (!carried || !before || finding.kind !== "fail") return finding;
  const after = await probe.attempt(carried, { bound: draw.bound, purpose: "further" });
  if (reception(after.reply) !== "accepted") return refused(after);
  const { differences: ofBoth = [] } = before.evidence;
  const [exchange = ""] = before.evidence.probes;
  const beside = besideControl(
    finding,
    exchange,
    (difference) => !ofBoth.some((one) => isDeepStrictEqual(one, difference)),
  );
  return beside;
}

/** Judges a request that must be accepted. A refusal that may have another reason proves nothing. */
function accepted(said: Said, sent: Attempt): Finding {
  if (reception(sent.reply) === "accepted" || violates(said, sent) !== undefined) {
    return acceptance(sent);
  }
  return Finding.inconclusive(
    phrase`it was answered ${describeReply(sent.reply)}, which may have another reason`,
    sent.evidence,
  );
}

function refused({ reply, evidence }: Attempt): Finding {
  return Finding.inconclusive(
    phrase`its control, which carries what the contract leaves open, was answered ${describeReply(reply)}`,
    evidence,
  );
}
