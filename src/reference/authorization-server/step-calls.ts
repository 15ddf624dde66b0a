import type { IncomingMessage } from "node:http";
import { isDeepStrictEqual } from "node:util";

import { isObject } from "../../lib/json.ts";
import type { Memory, ServerSteps } from "./steps.ts";

/** What a server's steps were asked in a run, and what the server noted meanwhile, as data that another thread can read. */
export interface StepCalls {
  readonly clients: Memory["clients"];
  readonly events: readonly (StepCall | Noted)[];
}

interface StepCall {
  /** The `Conformance-Case` of the request; absent where it has none, and when the server starts. */
  readonly caseId: string | undefined;
  readonly step: keyof ServerSteps;
  readonly given: unknown;
  readonly gave: unknown;
}

/** A code is noted with the request that it was issued for, which is named by the index of its event. */
interface Noted {
  readonly noted: "requests" | "codes" | "redeemed";
  readonly key: string;
  readonly value: unknown;
}

/** Steps that record what they are asked, and the state of a server that records what it notes. */
export interface StepRecorder {
  readonly stepsFor: StepsFor;
  readonly memory: Memory;
  calls(): StepCalls;
}

/** The steps for a request; for the start of the server without one. */
export type StepsFor = (request?: Pick<IncomingMessage, "headers">) => ServerSteps;

/** @param original the steps of the conforming server, which change nothing of what they are given */
export function recordSteps(
  original: ServerSteps,
  { clients }: Pick<Memory, "clients">,
): StepRecorder {
  const events: (StepCall | Noted)[] = [];
  const asked: unknown[] = [];
  const noting = <Value>(noted: Noted["noted"], dataOfValue: (value: Value) => unknown) =>
    new (class extends Map<string, Value> {
      override set(key: string, value: Value): this {
        if (noted === "requests") asked[events.length] = value;
        events.push({ noted, key, value: dataOfValue(value) });
        return super.set(key, value);
      }
    })();
  const memory: Memory = {
    clients,
    requests: noting("requests", (parameters) => dataOf(parameters, memory)),
    codes: noting("codes", (parameters) => asked.indexOf(parameters)),
    redeemed: noting("redeemed", (answer) => dataOf(answer, memory)),
  };
  const stepsFor: StepsFor = (request) => {
    const caseId = request?.headers["conformance-case"]?.toString();
    const recorded = Object.entries(original).map(([step, ask]) => [
      step,
      (...args: readonly unknown[]): unknown => {
        const given = dataOf(args, memory);
        const result = (ask as AnyStep)(...args);
        const gave = dataOf(result, memory);
        events.push({ caseId, step: step as keyof ServerSteps, given, gave });
        return result;
      },
    ]);
    return Object.fromEntries(recorded) as ServerSteps;
  };
  return { stepsFor, memory, calls: () => ({ clients, events }) };
}

type AnyStep = (...args: readonly unknown[]) => unknown;

/**
 * Asks the steps of another server the same in turn, with a state of its own.
 * @returns the `Conformance-Case` of the requests for which some step gives something else; `undefined` stands for those without one,
 * and for the start of the server
 */
export function askedAgain(
  { clients, events }: StepCalls,
  steps: ServerSteps,
): ReadonlySet<string | undefined> {
  const requests: URLSearchParams[] = [];
  const memory: Memory = {
    clients,
    requests: new Map(),
    codes: new Map(),
    redeemed: new Map(),
  };
  const otherwise = new Set<string | undefined>();
  for (const [at, event] of events.entries()) {
    if ("noted" in event) note(event, at);
    else if (!isSame(event)) otherwise.add(event.caseId);
  }
  return otherwise;

  function note({ noted, key, value }: Noted, at: number): void {
    if (noted === "redeemed")
      memory.redeemed.set(key, valueOf(value, memory) as Record<string, unknown>);
    else if (noted === "requests") {
      requests[at] = valueOf(value, memory) as URLSearchParams;
      memory.requests.set(key, requests[at]);
    } else memory.codes.set(key, requests[Number(value)] as URLSearchParams);
  }

  function isSame({ step, given, gave }: StepCall): boolean {
    const args = valueOf(given, memory) as readonly unknown[];
    const result = (steps[step] as AnyStep)(...args);
    return (
      isDeepStrictEqual(dataOf(result, memory), gave) &&
      isDeepStrictEqual(dataOf(args, memory), given)
    );
  }
}

/** A copy that another thread can read, in which a mark stands for the server's state. */
function dataOf(value: unknown, memory: Memory): unknown {
  if (value === memory) return { $memory: true };
  if (value instanceof URLSearchParams) return { $form: value.toString() };
  if (value instanceof URL) return { $url: value.href };
  return mapped(value, (member) => dataOf(member, memory));
}

/** The value of such a copy. */
function valueOf(data: unknown, memory: Memory): unknown {
  if (isObject(data)) {
    if (data["$memory"] === true) return memory;
    if (typeof data["$form"] === "string") return new URLSearchParams(data["$form"]);
    if (typeof data["$url"] === "string") return new URL(data["$url"]);
  }
  return mapped(data, (member) => valueOf(member, memory));
}

function mapped(value: unknown, of: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(of);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, of(member)]));
}
