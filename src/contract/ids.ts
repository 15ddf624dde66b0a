import { OPERATIONS, type OperationId } from "./operations.ts";

/** The sides of the contract. A rule is about the duties of one of them. */
export const SIDES = ["receiver", "authorization-server"] as const;

export type Side = (typeof SIDES)[number];

/** The areas of the suite's rules, each with the side that its rules are about. */
const AREAS: Readonly<Record<string, Side>> = {
  routes: "receiver",
  receiver: "receiver",
  errors: "receiver",
  pagination: "receiver",
  resources: "receiver",
  document: "receiver",
  "authorization-server": "authorization-server",
};
const CONTROL = "control/";
/** The owner of requests that cases of several rules share, in the place of a rule. */
export const SHARED = "shared";
/** The first request of a run, which tells whether the deployment answers. */
export const KNOCK = "preflight/reachable";
/** The owner of requests of the set-up of the authorization server's side. */
export const SERVER = "authorization-server";

/**
 * The area of a rule or case: `receiver` for `receiver.audience` and `receiver.audience/other`. The whole
 * id where it names no area.
 */
export function areaOf(id: string): string {
  return id.split(".", 1)[0] ?? id;
}

/** The name of a rule in its area: `audience` for `receiver.audience`. Empty where the id names no area. */
export function nameInArea(rule: string): string {
  return rule.slice(areaOf(rule).length + 1);
}

/**
 * The side of a rule of which only the id is known, as in a report. The side of a `Rule` is `sideOf`.
 * Default, for an area that the suite does not have: the receiver.
 */
export function sideOfId(rule: string): Side {
  const area = areaOf(rule);
  return Object.hasOwn(AREAS, area) ? (AREAS[area] as Side) : "receiver";
}

/** The rule of a case: `receiver.audience` for `receiver.audience/other@viewOrganization`. */
export function ruleOfCase(caseId: string): string {
  return caseId.slice(0, caseId.indexOf("/"));
}

/** The id of a case in its rule: `other@viewOrganization` for `receiver.audience/other@viewOrganization`. */
export function idInRule(caseId: string): string {
  return caseId.slice(caseId.indexOf("/") + 1);
}

/** Whether the id is one that exploration gives to the cases that it finds. */
export function isExploredId(caseId: string): boolean {
  return /\/explored-(?:walk-)?\d{1,10}-\d{1,9}(?:\.\d{1,9}){0,99}$/.test(caseId);
}

const NEAR_ROUTE =
  /(?:^|-)(?:head|trailing-slash|path-(?:upper-case|doubled-slash|parameter|dot|(?:id-)?encoded|dots(?:-encoded)?|backslashes|slashes-encoded))@/;

/**
 * Whether a case asks for something near a route of the contract: by HEAD, with a slash at the end, or by a path that is
 * spelled in another way. Routers differ in whether they serve that.
 * @param id the id of the case in its rule
 */
export function isNearRoute(id: string): boolean {
  return NEAR_ROUTE.test(id);
}

/** The id under which the control of an operation, or of a client of the authorization server, is recorded. */
export function controlId(of: string): string {
  return `${CONTROL}${of}`;
}

/** The operation whose control has this id; `undefined` for the id of anything else. */
export function controlledOperation(id: string): OperationId | undefined {
  if (!id.startsWith(CONTROL)) return undefined;
  const operation = id.slice(CONTROL.length);
  return Object.hasOwn(OPERATIONS, operation) ? (operation as OperationId) : undefined;
}
