import { type Content, html, type Markup } from "../report/html/markup.ts";
import type { Deployment } from "./deployment.ts";
import { startOf } from "./history.ts";

/** In pixels. */
const HEIGHT = 24;
const WIDTH = 8;
const GAP = 2;
/** A smaller bar could not be seen. */
const LOWEST = 3;
/** Runs that are drawn; the figures are those of the first and the last. */
const MOST_RUNS = 30;

/** The failures of a deployment from run to run, as bars and figures. Empty for a single run. */
export function trend(runs: readonly Deployment[]): Content {
  const failed = runs
    .toSorted((a, b) => startOf(a) - startOf(b))
    .flatMap(({ seen }) => (seen ? [seen.failed] : []));
  if (failed.length < 2) return undefined;
  const drawn = failed.slice(-MOST_RUNS);
  const most = Math.max(1, ...drawn);
  return html`<svg
      class="trend"
      width="${drawn.length * (WIDTH + GAP)}"
      height="${HEIGHT}"
      aria-hidden="true"
    >
      ${drawn.map((count, at) => bar(count, count / most, at))}
    </svg>
    ${failed[0]} → ${failed.at(-1)} failed <small>in ${failed.length} runs</small>`;
}

function bar(count: number, share: number, at: number): Markup {
  const height = Math.max(LOWEST, Math.round(share * HEIGHT));
  return html`<rect
    class="${count > 0 ? "fail" : "pass"}"
    x="${at * (WIDTH + GAP)}"
    y="${HEIGHT - height}"
    width="${WIDTH}"
    height="${height}"
  />`;
}
