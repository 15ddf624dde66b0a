import { SMALL_SKEW_SECONDS } from "../../../contract/checks.ts";
import { type Fact, phrase, valueFact } from "../../../probe/phrase.ts";
import type { Asked } from "../model/asked.ts";
import { allSamplesOf, type Line } from "./line.ts";

/** How long after `exp` tokens are accepted, where that is longer than a small skew and has an end. */
export function timeLines(all: readonly Asked[]): Line[] {
  const samples = allSamplesOf(all, ["expiry", "issuedAt"], ({ token, known: { now } }) => {
    const exp = token?.claims?.["exp"];
    return typeof exp === "number" ? Math.round(now.earliest - exp) : Number.NaN;
  }).filter(({ value }) => value > 0);
  const longest = Math.max(0, ...samples.flatMap((one) => (one.accepted ? [one.value] : [])));
  const refused = samples.flatMap((one) => (one.accepted ? [] : [one.value]));
  const shortest = Math.min(...refused);
  if (longest <= SMALL_SKEW_SECONDS || longest >= shortest || refused.length === 0) return [];
  return [
    {
      accepts: phrase`a token ${duration(longest)} after \`exp\``,
      refuses: phrase`one ${duration(shortest)} after it`,
    },
  ];
}

const DAY = 86_400;

function duration(seconds: number): Fact {
  const [number, unit] = seconds < 3 * DAY ? [seconds, "s"] : [Math.floor(seconds / DAY), "days"];
  return valueFact(`${number.toLocaleString("en-US")} ${unit}`);
}
