import { OF_EACH_TOKEN } from "../contract/claims.ts";
import type { Exchange } from "../http/exchange.ts";
import { type Difference, memberDifferences } from "../probe/difference/difference.ts";
import { UNCACHED } from "./exchange-rows.ts";
import type { Report, ReportCase } from "./report.ts";

/** The exchange of a case that decided it; `undefined` where the case sent nothing or the report lacks the exchange. */
export function lastProbe({ exchanges }: Report, { evidence }: ReportCase): Exchange | undefined {
  return exchanges[evidence?.probes.at(-1) ?? ""];
}

/** The accepted exchange that the deciding one is compared with; `undefined` where there is none. */
export function controlOf(report: Report, one: ReportCase): Exchange | undefined {
  const controls = (one.evidence?.controls ?? []).flatMap((id) => report.exchanges[id] ?? []);
  const probe = lastProbe(report, one);
  return probe && controlFor(probe, controls);
}

/** The accepted exchange of the same request, or else the first one of its method. */
export function controlFor(
  { request: { method, url } }: Exchange,
  accepted: readonly Exchange[],
): Exchange | undefined {
  const alike = accepted.filter(({ request }) => request.method === method);
  return alike.find(({ request }) => request.url === url) ?? alike[0];
}

/**
 * How the deciding request of a case differs from an accepted one. Where it was a good request for something else, that
 * is its path, and the token that belongs to it.
 */
export function differencesOf(report: Report, one: ReportCase): readonly Difference[] {
  const recorded = (one.evidence?.differences ?? []).filter(
    (difference) => difference.part !== "field" || difference.name !== UNCACHED,
  );
  const [control, probe] = [controlOf(report, one)?.request, lastProbe(report, one)?.request];
  if (recorded.length > 0 || !control || !probe) return recorded;
  const [was, is] = [pathOf(control.url), pathOf(probe.url)];
  return [
    ...(was === is ? [] : [{ part: "path", control: was, probe: is } as const]),
    ...memberDifferences(control.token ?? {}, probe.token ?? {}).filter(
      (difference) => !("name" in difference && OF_EACH_TOKEN.has(difference.name)),
    ),
  ];
}

function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
}
