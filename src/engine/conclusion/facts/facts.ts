import type { CheckName } from "../../../model/checks.ts";
import type { ErrorAnswer } from "../../../probe/errors/error-record.ts";
import { phrase } from "../../../probe/phrase.ts";
import type { CaseResult, SeenFact } from "../../events.ts";
import type { Asked, AskedRun } from "../model/asked.ts";
import { deviates } from "../model/compare.ts";
import type { ExplainByPages } from "../pages/explain-pages.ts";
import { brokenBy } from "../seen.ts";
import { errorFacts } from "./errors.ts";
import { keyLines } from "./keys.ts";
import { type Line, samplesOf } from "./line.ts";
import { scopeLines } from "./scopes.ts";
import { textLines } from "./texts.ts";
import { timeLines } from "./times.ts";

/** What a run was shown, for facts. */
export interface WhatWasSeen {
  readonly asked: AskedRun;
  readonly byPages: ExplainByPages;
  readonly errors: readonly ErrorAnswer[];
}

/** The lines that can be drawn about a check, from all requests of the run. */
const LINES: Readonly<Partial<Record<CheckName, (all: readonly Asked[]) => Line[]>>> = {
  scope: scopeLines,
  expiry: timeLines,
  signature: keyLines,
  issuer: (all) =>
    textLines(
      samplesOf(all, ["issuer"], ({ token, known: { issuers = [] } }) => ({
        value: token?.claims?.["iss"],
        right: issuers.map(({ url }) => url),
      })),
      { one: phrase`a token whose \`iss\``, another: phrase`one whose \`iss\`` },
    ),
  audience: (all) =>
    textLines(
      samplesOf(all, ["audience"], ({ token, known: { audience } }) => ({
        value: token?.claims?.["aud"],
        right: audience === undefined ? [] : [audience],
      })),
      { one: phrase`a token whose \`aud\``, another: phrase`one whose \`aud\`` },
    ),
  binding: (all) =>
    textLines(
      samplesOf(all, ["binding"], ({ token, reading, known: { bindingClaim = "" } }) => ({
        value: token?.claims?.[bindingClaim],
        right: reading?.organization === undefined ? [] : [reading.organization],
      })),
      { one: phrase`a token whose binding claim`, another: phrase`one whose binding claim` },
    ),
  organization: (all) =>
    textLines(
      // Whether the policy allows what is no organization, nobody says. Where it forbids one that is there, the path is not the reason.
      samplesOf(all, ["organization", "binding", "policy"], ({ reading, known }) => ({
        value: reading?.organization,
        right: known.organizations.existing,
      })).filter(
        ({ accepted, value: { value = "", right } }) => accepted || !right.includes(value),
      ),
      { one: phrase`an id in the path that`, another: phrase`one that` },
    ),
};

/**
 * What the run itself shows of what its violated cases are about: the lines between accepted and refused requests, and what is wrong
 * with error answers. It follows from all requests, also from those of cases that are inconclusive because another rule failed.
 * @param results of a whole run
 */
export function findFacts(
  results: readonly CaseResult[],
  { asked, byPages, errors }: WhatWasSeen,
): SeenFact[] {
  const rules = new Map<CheckName, string>();
  for (const result of results.filter((one) => brokenBy(one) !== undefined)) {
    for (const check of checksOf(result, asked)) {
      if (!rules.has(check)) rules.set(check, result.rule);
    }
  }
  const lines = [...rules].flatMap(([check, rule]) =>
    (LINES[check]?.(asked.all()) ?? []).map((line) => ({ rule, ...line })),
  );
  const broken = new Set(results.flatMap((one) => (brokenBy(one) ? [one.rule] : [])));
  const said = [...broken].flatMap((rule) =>
    [...errorFacts(rule, errors), ...byPages(rule).facts].map((says) => ({ rule, says })),
  );
  return [...lines, ...said];
}

/** The checks that the requests of a violated case are about. */
function checksOf({ evidence }: CaseResult, asked: AskedRun): CheckName[] {
  const broken = (evidence?.probes ?? [])
    .flatMap((id) => asked.of(id) ?? [])
    .filter((one) => deviates(one));
  return broken.flatMap(({ contract }): CheckName[] =>
    contract.says === "rejected"
      ? contract.by.flatMap(({ check }) => (check === "route" ? [] : [check]))
      : ["scope", "signature"],
  );
}
