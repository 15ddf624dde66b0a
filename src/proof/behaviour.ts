import { OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";

/** The results of one run against one receiver, for the comparison of two versions. */
export interface Behaviour {
  readonly exit: number;
  readonly verdict: string;
  /** Level, outcome, flakiness and blame of each case, as text, by case id. */
  readonly cases: Readonly<Record<string, string>>;
  /** Number of requests that the receiver got, by operation; `other` for requests to no route. */
  readonly requests: Readonly<Record<string, number>>;
  /** Accepted writes by operation. */
  readonly writes: Readonly<Record<string, number>>;
}

/** The few members that report.json has in every version. */
export interface AnyReport {
  readonly verdict: string;
  readonly writes?: Readonly<Record<string, number>>;
  readonly rules: readonly {
    readonly cases: readonly {
      readonly id: string;
      readonly level: string;
      readonly outcome: string;
      readonly flaky?: boolean;
      readonly blamedOn?: string;
    }[];
  }[];
}

/**
 * Extracts the behaviour from a report of any version.
 * @param requests method and path of each request that the receiver got
 */
export function behaviourOf(
  exit: number,
  report: AnyReport,
  requests: readonly { readonly method: string; readonly path: string }[],
): Behaviour {
  const cases = report.rules.flatMap((rule) => rule.cases);
  const counts: Record<string, number> = {};
  for (const request of requests) {
    const name = operationOf(request);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return {
    exit,
    verdict: report.verdict,
    cases: Object.fromEntries(
      cases.map(({ id, level, outcome, flaky, blamedOn }) => [
        id,
        [level, outcome, flaky && "flaky", blamedOn && `blamed on ${blamedOn}`]
          .filter(Boolean)
          .join(", "),
      ]),
    ),
    requests: counts,
    writes: report.writes ?? {},
  };
}

const ROUTES = OPERATION_IDS.map((id) => {
  const { method, path } = OPERATIONS[id];
  return { id, method, path: new RegExp(`${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) };
});

function operationOf({ method, path }: { method: string; path: string }): string {
  const [plain = ""] = path.split("?", 1);
  return ROUTES.find((one) => one.method === method && one.path.test(plain))?.id ?? "other";
}

function named(what: string, values: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(values).map(([name, value]) => [`${what} ${name}`, String(value)]);
}

/** Every single fact of a behaviour, by name. */
function factsOf({ exit, verdict, cases, requests, writes }: Behaviour): Map<string, string> {
  return new Map([
    ["exit code", String(exit)],
    ["verdict", verdict],
    ...named("case", cases),
    ...named("requests", requests),
    ...named("accepted writes", writes),
  ]);
}

/**
 * The differences between two versions.
 * @param before one behaviour for each run of the old version
 * @param after one behaviour for each run of the new version
 * @returns a line for each difference, without facts that already vary between runs of one version
 */
export function differences(before: readonly Behaviour[], after: readonly Behaviour[]): string[] {
  const [old, now] = [before.map(factsOf), after.map(factsOf)];
  const names = new Set([...old, ...now].flatMap((facts) => [...facts.keys()]));
  return [...names].flatMap((name) => {
    const [was, is] = [old, now].map((runs) => new Set(runs.map((facts) => facts.get(name))));
    const [from] = was ?? [];
    const [to] = is ?? [];
    const steady = was?.size === 1 && is?.size === 1;
    return steady && from !== to ? [`${name}: ${from ?? "absent"} -> ${to ?? "absent"}`] : [];
  });
}
