import { sideOfId } from "../../contract/ids.ts";
import type { ReportCase, ReportRule } from "../report.ts";

/** The title of a violated rule. It says what should hold, so alone it would read as what happened. */
export function notHeld(title: string): string {
  return `Does not hold: "${title}"`;
}

/**
 * What a case of a violated rule is about, if its title says more than that of the rule. At the receiver it is what was tried, and
 * at the authorization server, where one rule is about many things, it is what should hold.
 */
export function aboutCase(
  { title: ofRule }: Pick<ReportRule, "title">,
  { id, title }: Pick<ReportCase, "id" | "title">,
): { readonly tried?: string; readonly notHeld?: string } {
  if (title === undefined || title === ofRule) return {};
  return sideOfId(id) === "authorization-server" ? { notHeld: `"${title}"` } : { tried: title };
}
