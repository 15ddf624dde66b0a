import { isLoopbackHost } from "../lib/uri.ts";
import type { Deployment } from "./deployment.ts";

/**
 * Names the newest run of each deployment in its earlier ones. Reports that were named one by one are about the same
 * deployment if they have the same base URL and the same name in the profile. Without a name, a base URL on this machine
 * says nothing: every job of a CI may have its own deployment there. The runs of one fleet are never about the same
 * deployment, because a fleet has a profile for each.
 * @param alone names of the runs whose reports were named one by one
 */
export function withHistory(
  deployments: readonly Deployment[],
  alone: ReadonlySet<string>,
): Deployment[] {
  const newest = new Map<string, Deployment>();
  const own = deployments.filter(({ run }) => alone.has(run.name));
  for (const one of own.toSorted((a, b) => startOf(a) - startOf(b))) newest.set(keyOf(one), one);
  return deployments.map((one) => {
    const latest = alone.has(one.run.name) ? newest.get(keyOf(one)) : undefined;
    if (latest === undefined || latest === one) return one;
    return { ...one, run: { ...one.run, replacedBy: latest.run.name } };
  });
}

/** The deployments without the runs that a newer one of the same deployment has replaced. */
export function current(deployments: readonly Deployment[]): Deployment[] {
  return deployments.filter(({ run }) => run.replacedBy === undefined);
}

function keyOf({ run, seen }: Deployment): string {
  const { baseUrl = "", name = "" } = seen ?? {};
  const isKnown =
    name !== "" || (URL.canParse(baseUrl) && !isLoopbackHost(new URL(baseUrl).hostname));
  return JSON.stringify(isKnown ? [baseUrl, name] : [run.name]);
}

/** Milliseconds since 1970. */
export function startOf({ seen }: Deployment): number {
  return Date.parse(seen?.startedAt ?? "") || 0;
}
