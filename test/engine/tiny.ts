import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

import type { Level } from "../../src/contract/levels.ts";
import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import type { RunEvent, RunFinished } from "../../src/engine/events.ts";
import { run, type RunOptions } from "../../src/engine/run.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { casesOn, judgedBy } from "../../src/probe/cases.ts";
import { decodeToken } from "../../src/probe/difference/difference.ts";
import type { Finding, FindingOf } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { type CaseData, defineRule, onlyMutation, type Rule } from "../../src/probe/rule.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import type { Target } from "../../src/profile/target.ts";
import { listening } from "../support/listening.ts";
import { resultsOf } from "../support/results-of.ts";
import { holdTimeLimits, TIME_LIMIT_MS } from "../support/time-limit.ts";
import type { WordedResult } from "../support/worded.ts";

/** A receiver of a few lines, and rules of one line, to test what the engine does with them. */

export const PRIMARY = "11111111-1111-4111-8111-111111111111";
export const OTHER = "22222222-2222-4222-8222-222222222222";

/** One request as a tiny receiver sees it. */
export interface Call {
  /** Counted from 1, over all calls. */
  readonly number: number;
  /** Counted from 1, over the calls with the same `Conformance-Case`. */
  readonly ofCase: number;
  readonly caseId: string;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingMessage["headers"];
  readonly operation: OperationId | undefined;
  readonly organization: string | undefined;
  readonly token: string | undefined;
  /** Header and claims of the token, its signature unseen; absent where there is no token. */
  readonly header: Readonly<Record<string, unknown>> | undefined;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** The claim `bad` is there: see `BAD`. */
  readonly isBad: boolean;
  /** It is one of the controls. */
  readonly isControl: boolean;
  readonly body: string;
}

/** Whether a call may change something at the receiver. */
export function isWrite({ method }: Call): boolean {
  return method !== "GET";
}

export interface Answer {
  /** 0: none, and the connection is closed. */
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection is closed once the body is sent, whatever length the headers promise. */
  readonly cut?: boolean;
}

/** What a tiny receiver answers; `undefined`: what it usually does; `"hang"`: nothing, ever. See `TinyOptions.timesOut`. */
export type Behaviour = (call: Call) => Answer | "hang" | undefined | Promise<Answer | undefined>;

export interface TinyReceiver {
  readonly baseUrl: string;
  readonly calls: readonly Call[];
  /** Accepts no new connections, and resolves when the last one has ended. */
  readonly left: () => Promise<void>;
}

/** A receiver that accepts every token except those with a claim `bad`, until the test has ended. */
async function tinyReceiver(
  behaviour: Behaviour = () => undefined,
  onHang: () => void = () => {},
): Promise<TinyReceiver> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const call = await read(request, calls);
      calls.push(call);
      const answer = (await behaviour(call)) ?? usual(call);
      if (answer === "hang") {
        onHang();
        return;
      }
      const { status, body, headers = {}, cut = false } = answer;
      if (status === 0) {
        request.socket.destroy();
        return;
      }
      response.writeHead(status, { "content-type": "application/json", ...headers });
      const text = body === undefined ? "" : JSON.stringify(body);
      if (cut) response.write(text, () => request.socket.end());
      else response.end(text);
    })();
  });
  return {
    baseUrl: `${await listening(server)}/base`,
    calls,
    left: () => new Promise((done) => server.close(() => done())),
  };
}

export function refusal(status: number, message = "no"): Answer {
  return { status, body: { status, message, errors: [] } };
}

function usual({ operation, claims, isBad }: Call): Answer {
  if (operation === undefined) return refusal(404);
  if (!claims || isBad) return refusal(401);
  switch (operation) {
    case "listOrganizations":
      return { status: 200, body: { items: [{ id: PRIMARY }, { id: OTHER }] } };
    case "readChangesFeed":
      return { status: 200, body: { items: [{ id: "c1" }] } };
    case "viewOrganization":
    case "editOrganization":
      return { status: 200, body: { id: PRIMARY } };
    case "submitChange":
      return { status: 202, body: { id: "c1" } };
    case "readChange":
      return { status: 200, body: { id: "c1" } };
  }
}

async function read(request: IncomingMessage, calls: readonly Call[]): Promise<Call> {
  const body = String(await buffer(request));
  const { method = "", url = "", headers } = request;
  const path = url.replace(/^\/base/, "");
  const name = String(headers["conformance-case"]);
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  const { header, claims } = token === undefined ? {} : decodeToken(token);
  return {
    number: calls.length + 1,
    ofCase: calls.filter((call) => call.caseId === name).length + 1,
    caseId: name,
    method,
    path,
    headers,
    operation: OPERATION_IDS.find(
      (id) =>
        OPERATIONS[id].method === method &&
        new RegExp(`^${OPERATIONS[id].path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    ),
    organization: path.split("/")[2],
    token,
    header,
    claims,
    isBad: claims?.["bad"] === true,
    isControl: name.startsWith("control/"),
    body,
  };
}

/** The mutation that a tiny receiver refuses by default. */
export const BAD: Mutation = {
  name: "bad",
  what: "the claim bad is there",
  token: { claims: { bad: true } },
};

/** A mutation that a tiny receiver accepts by default. */
export const HARMLESS: Mutation = {
  name: "harmless",
  what: "the claim harmless is there",
  token: { claims: { harmless: true } },
};

/** What a test says of a rule: the data of its cases, and one function that judges each of them. */
export interface TinyRule extends Omit<Rule, "cases"> {
  readonly cases: () => readonly CaseData[];
  readonly judge: (probe: Probe, testCase: CaseData) => Promise<Finding>;
}

export function tinyRule({ cases, judge, ...rule }: TinyRule): Rule {
  return defineRule({ ...rule, cases: () => judgedBy(cases(), judge) });
}

/** A rule that wants `BAD` refused. */
export function refusing(
  operations: readonly OperationId[] = ["viewOrganization"],
  more: Partial<TinyRule> = {},
): Rule {
  return tinyRule({
    id: "tiny.refusing",
    title: "What is bad is refused",
    level: "MUST",
    cases: () => casesOn(operations, [BAD]),
    judge: (probe, one) => probe.rejects(onlyMutation(one) ?? BAD),
    ...more,
  });
}

/** The same with so many cases on each operation, `n0@<operation>` and so on. */
export function refusingMany(
  count: number,
  operations: readonly OperationId[],
  more: Partial<TinyRule> = {},
): Rule {
  return refusing(operations, {
    cases: () =>
      operations.flatMap((operation) =>
        Array.from({ length: count }, (_, n) => ({ id: `n${n}@${operation}`, operation })),
      ),
    ...more,
  });
}

/** A rule that wants `HARMLESS` accepted. */
export function accepting(
  operations: readonly OperationId[] = ["viewOrganization"],
  more: Partial<TinyRule> = {},
): Rule {
  return tinyRule({
    id: "tiny.accepting",
    title: "What is harmless is accepted",
    level: "MUST",
    cases: () => casesOn(operations, [HARMLESS]),
    judge: (probe, one) => probe.accepts(onlyMutation(one) ?? HARMLESS),
    ...more,
  });
}

/** A rule that sends nothing and returns the given finding. */
export function returning(
  id: string,
  level: Level,
  found: Finding,
  more: Partial<TinyRule> = {},
): Rule {
  return tinyRule({
    id: `tiny.${id}`,
    title: `The rule ${id}`,
    level,
    cases: () => [{ id }],
    judge: async () => found,
    ...more,
  });
}

export const VIOLATED: FindingOf<"fail"> = {
  kind: "fail",
  expected: phrase`a`,
  actual: phrase`b`,
};
/** The profile lacks something. */
export const MISSING = { kind: "not-provisioned", keys: ["denied"] } as const;

export interface TinyRun {
  readonly finished: RunFinished;
  readonly results: readonly WordedResult[];
  readonly events: readonly RunEvent[];
  readonly exchanges: readonly Exchange[];
  readonly calls: readonly Call[];
  /** Resolves when the run has no connection any more. */
  readonly left: TinyReceiver["left"];
  /** The outcome of each case. */
  readonly outcomes: Readonly<Record<string, WordedResult["outcome"]>>;
}

export interface TinyOptions extends Partial<Omit<RunOptions, "rules" | "target">> {
  readonly behaviour?: Behaviour;
  readonly profile?: Record<string, unknown>;
  readonly readOnly?: boolean;
  /** Whether a request that meets `"hang"` times out at once. Default: false, it stays under way. */
  readonly timesOut?: boolean;
}

const WRITE = { body: { mission: "${unique}" } };

/** A tiny receiver as a run sees it. */
export function tinyTarget(
  baseUrl: string,
  profile: Record<string, unknown> = {},
  readOnly = false,
): Target {
  return resolveTarget({
    readOnly,
    profile: profileFromObject({
      baseUrl,
      claimsNamespace: "https://example.com",
      organizations: { primary: PRIMARY, other: OTHER },
      writes: true,
      operations: { editOrganization: WRITE, submitChange: WRITE },
      ...profile,
    }),
  });
}

/** Runs rules against a tiny receiver of their own. */
export async function runTiny(rules: readonly Rule[], options: TinyOptions = {}): Promise<TinyRun> {
  const { behaviour, profile, readOnly = false, timesOut = false, emit, ...more } = options;
  const receiver = await tinyReceiver(behaviour, timesOut ? holdTimeLimits() : undefined);
  const limits = timesOut ? { request: { timeoutMs: TIME_LIMIT_MS } } : {};
  const target = tinyTarget(receiver.baseUrl, { ...limits, ...profile }, readOnly);
  const events: RunEvent[] = [];
  const finished = await run({
    target,
    rules,
    seed: 1,
    ...more,
    emit(event) {
      events.push(event);
      emit?.(event);
    },
  });
  const results = resultsOf(events);
  return {
    finished,
    results,
    events,
    exchanges: events.flatMap((event) => (event.type === "exchange" ? [event.exchange] : [])),
    calls: receiver.calls,
    left: receiver.left,
    outcomes: Object.fromEntries(results.map(({ id, outcome }) => [id, outcome])),
  };
}
