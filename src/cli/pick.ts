import picomatch from "picomatch";

import { didYouMean } from "../lib/did-you-mean.ts";
import { SuiteError } from "../lib/errors.ts";
import { counted } from "../lib/words.ts";

const MOST_NAMED = 8;

/**
 * Finds the one name that a person means: the whole name, a glob, or a run of complete parts. For example
 * `audience/other@viewOrganization` means `receiver.audience/other@viewOrganization`.
 * @param noun what is picked, for messages: "case"
 * @param where where it is looked for, for messages: "in report.json"
 * @throws SuiteError when no name matches (the hint suggests one), or when several do (the hint lists them)
 */
export function pick(
  names: readonly string[],
  wanted: string,
  noun: string,
  where: string,
): string {
  if (names.includes(wanted)) return wanted;
  const matches = wanted === "" ? () => false : picomatch(wanted, { nonegate: true });
  const globbed = names.filter((name) => matches(name));
  const found = globbed.length > 0 ? globbed : names.filter((name) => hasPart(name, wanted));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw new SuiteError("ERR_NO_MATCH", `There is no ${noun} ${wanted} ${where}`, hint());
  const more = found.length - MOST_NAMED;
  throw new SuiteError("ERR_NO_MATCH", `${wanted} matches ${found.length} ${noun}s ${where}`, {
    hint: [
      ...found.slice(0, MOST_NAMED).map((name) => `  ${name}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join("\n"),
  });

  function hint(): { hint: string } {
    const [first] = names;
    if (first === undefined) return { hint: "It has none." };
    const question = didYouMean(wanted, names);
    return { hint: question || `It has ${counted(names.length, noun)}, such as ${first}.` };
  }
}

/** Whether the name contains the text, starting and ending at the bounds of its parts. */
function hasPart(name: string, text: string): boolean {
  if (text === "") return false;
  for (let at = name.indexOf(text); at >= 0; at = name.indexOf(text, at + 1)) {
    const end = at + text.length;
    const begins = at === 0 || "./".includes(name.charAt(at - 1));
    if (begins && (end === name.length || "/@".includes(name.charAt(end)))) return true;
  }
  return false;
}
