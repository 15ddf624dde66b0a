import { join } from "node:path";

import picomatch from "picomatch";

import { RULES } from "../../../../suites/index.ts";
import { idInRule } from "../../../contract/ids.ts";
import { requirement } from "../../../contract/requirements.ts";
import { planRun } from "../../../engine/plan.ts";
import { wholeId } from "../../../engine/short-ids.ts";
import { didYouMean } from "../../../lib/did-you-mean.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { packageRoot } from "../../../lib/package-root.ts";
import { seededUuid } from "../../../probe/request.ts";
import type { Rule } from "../../../probe/rule.ts";
import { profileFromObject } from "../../../profile/load.ts";
import { resolveTarget } from "../../../profile/resolve.ts";
import type { Target } from "../../../profile/target.ts";
import { createPage, heading, type Page, paragraph, table } from "../../../report/layout.ts";
import type { CommandIo } from "../../io.ts";
import { loadPacks, namedPacks } from "../../packs.ts";

/**
 * The rules of the packs that are named, or else the contract's.
 * @throws SuiteError when there is no such pack
 */
export async function rulesOf(
  named: readonly string[] | undefined,
  io: Pick<CommandIo, "cwd">,
): Promise<readonly Rule[]> {
  const packs = await namedPacks(named, false, io);
  if (packs === undefined) return RULES;
  return (await loadPacks(packs)).flatMap((pack) => pack.rules);
}

/** Every rule in one line: id, level, title. */
export function listRules(columns: number, json: boolean, all: readonly Rule[] = RULES): string {
  const rules = all.map(({ id, level, title }) => ({ id, level, title }));
  if (json) return jsonText(rules);
  const rows = rules.map(({ id, level, title }) => [id, level, title]);
  return lineText(table(createPage(columns, false), 0, rows));
}

/**
 * Describes one rule: its requirements with their clauses, the rules it depends on, and its cases.
 * @param id of a rule, or of one of its cases; `receiver.` may be omitted
 * @throws SuiteError when there is no such rule
 */
export function describeRule(
  id: string,
  columns: number,
  json: boolean,
  rules: readonly Rule[] = RULES,
): string {
  const found = explained(id, rules);
  return json ? jsonText(found) : lineText(rulePage(createPage(columns, false), found));
}

type Explained = ReturnType<typeof explained>;

function explained(asked: string, rules: readonly Rule[]) {
  const id = wholeId(asked);
  const rule = rules.find((one) => one.id === id || id.startsWith(`${one.id}/`));
  if (!rule) throw unknown(asked);
  const patterns = id === rule.id ? [] : [`${id}{,@*}`];
  const isAsked = picomatch(patterns);
  if (patterns.length > 0 && !idsOf(rule).some((one) => isAsked(one))) throw unknown(asked, rule);
  const { heads, cases } = planRun(typicalTarget(), [rule], patterns);
  return {
    id: rule.id,
    title: rule.title,
    level: rule.level,
    clause: heads[0]?.clause ?? "",
    requirements: (heads[0]?.requirements ?? []).map(requirement).map((one) => ({
      id: one.id,
      clause: one.clause,
      level: one.level,
      text: one.text,
    })),
    dependsOn: rule.dependsOn ?? [],
    cases: cases.map(({ caseId, testCase, level }) => ({
      id: caseId,
      title: testCase.title ?? rule.title,
      ...(testCase.operation !== undefined && { operation: testCase.operation }),
      level,
    })),
  };
}

function rulePage(page: Page, rule: Explained): string[] {
  return [
    `${rule.id}  ${rule.level}`,
    ...paragraph(page, 0, rule.title),
    "",
    heading(page, "Requirements"),
    ...rule.requirements.flatMap(({ clause, level, text }) => [
      "",
      ...paragraph(page, 2, text),
      ...paragraph(page, 2, `(${clause}${level === "none" ? "" : `, ${level}`})`),
    ]),
    ...(rule.dependsOn.length > 0
      ? [
          "",
          heading(page, "Inconclusive on an operation where one of these fails"),
          "",
          ...paragraph(page, 2, rule.dependsOn.join(", ")),
        ]
      : []),
    "",
    heading(page, `Cases, each named ${rule.id}/<case>, for a deployment that offers everything`),
    ...caseLines(page, rule),
  ];
}

/** One entry for each case, with the same case of several operations combined. */
function caseLines(page: Page, { cases }: Explained): string[] {
  const kinds = groupBy(cases, ({ level, title }) => `${level}: ${title}`);
  return [...kinds].flatMap(([kind, alike]) => [
    "",
    ...paragraph(page, 2, kind),
    ...paragraph(page, 4, alike.map((one) => idInRule(one.id)).join(", ")),
  ]);
}

/** The client secret of the embedded server, which is public. */
const CLIENT_SECRET = join(packageRoot, "keys", "client-secret");

/** A server with two clients a flow: one bound to an organization, one with a single scope. */
const TYPICAL_SERVER = {
  issuer: "http://localhost",
  probes: true,
  clients: {
    service: { flow: "client_credentials", id: "service", secretFile: CLIENT_SECRET },
    reader: {
      flow: "client_credentials",
      id: "reader",
      secretFile: CLIENT_SECRET,
      scopes: ["org:read"],
      organization: "other",
    },
    admin: {
      flow: "authorization_code",
      id: "admin",
      scopes: ["org:read"],
      organization: "primary",
      redirectUri: "http://127.0.0.1:0/callback",
    },
    platform: {
      flow: "authorization_code",
      id: "platform",
      redirectUri: "http://127.0.0.1:0/callback",
    },
  },
};

/** A deployment whose profile is complete, so that every case is listed. */
export function typicalTarget(): Target {
  return resolveTarget({
    profile: profileFromObject({
      baseUrl: "http://localhost",
      claimsNamespace: "https://example.com",
      organizations: { primary: seededUuid(0, "primary"), other: seededUuid(0, "other") },
      denied: { organization: seededUuid(0, "denied") },
      writes: true,
      authorizationServer: TYPICAL_SERVER,
    }),
  });
}

/** @param rule the one that has no such case; absent where there is no such rule */
function unknown(id: string, rule?: Rule): SuiteError {
  const question = rule
    ? didYouMean(id, [...new Set(idsOf(rule).map((one) => one.replace(/@[^@/]*$/, "@*")))])
    : didYouMean(
        id.split("/", 1)[0] ?? "",
        RULES.map((one) => one.id),
      );
  const list = rule
    ? `\`orgsync-conformance rules ${rule.id}\` lists its cases.`
    : "`orgsync-conformance rules` lists them all.";
  const what = rule ? `${rule.id} has no case ${id}` : `There is no rule ${id}`;
  return new SuiteError("ERR_NO_MATCH", what, { hint: `${question}${question && " "}${list}` });
}

function idsOf(rule: Rule): string[] {
  return rule.cases(typicalTarget()).map((one) => `${rule.id}/${one.id}`);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function lineText(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
