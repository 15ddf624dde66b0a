import { API, type Plant, VERIFY } from "./plant.ts";

const BOUND = "bound !== undefined && bound !== organization";
const SCOPE = '!granted.split(" ").includes(scope)';

function binding(name: string, test: string, right: RegExp[], wrong: RegExp[]): Plant {
  return { name, rule: "receiver.binding", plant: [VERIFY, BOUND, test], right, wrong };
}

function scope(
  name: string,
  test: string,
  right: RegExp[],
  wrong: RegExp[],
  rule = "receiver.scope",
): Plant {
  return { name, rule, plant: [VERIFY, SCOPE, test], right: [/scope/i, ...right], wrong };
}

/** The code of `docs/stacks/nestjs.md`. */
export const NESTJS: readonly Plant[] = [
  binding(
    "binding ignored",
    "false",
    [/bind|bound|org_id|claim/i, /not|ignore|any|every|another/i],
    [/prefix|begin|case/i],
  ),
  binding(
    "binding compared by prefix",
    "bound !== undefined && !organization.startsWith(String(bound).slice(0, 8))",
    [/begin|prefix|start|first/i],
    [/ignore|case/i],
  ),
  binding(
    "binding compared in lower case",
    "bound !== undefined && String(bound).toLowerCase() !== organization.toLowerCase()",
    [/case|capital/i],
    [/ignore|prefix|begin/i],
  ),
  binding(
    "a binding that is empty means none",
    "bound && bound !== organization",
    [/empty|falsy|null|0/i],
    [/prefix|case/i],
  ),
  binding(
    "a binding that is no string means none",
    'typeof bound === "string" && bound !== organization',
    [/string|text|type/i],
    [/prefix|case/i],
  ),
  binding(
    "a binding that is no UUID means none",
    "/^[0-9a-f-]{36}$/.test(String(bound)) && bound !== organization",
    [/UUID|format/i],
    [/prefix|case/i],
  ),
  binding(
    "binding ignored for the changes",
    'scope.startsWith("org:") && bound !== undefined && bound !== organization',
    [/bind|bound|claim|org_id/i, /change/i],
    [/prefix|case/i],
  ),
  binding(
    "binding ignored on reads",
    'scope.endsWith("write") && bound !== undefined && bound !== organization',
    [/bind|bound|claim|org_id/i, /read|GET|view/i],
    [/prefix|case/i],
  ),
  binding(
    "binding ignored on writes",
    'scope.endsWith("read") && bound !== undefined && bound !== organization',
    [/bind|bound|claim|org_id/i, /writ|edit|PATCH|POST|submit/i],
    [/prefix|case/i],
  ),
  {
    name: "the list shows organizations of another binding",
    rule: "receiver.binding-list",
    plant: [API, " && (bound === undefined || bound === one.id)", ""],
    right: [/list/i, /other|all|bind|bound/i],
    wrong: [/polic|denied/i],
  },
  scope(
    "scope.includes on a string",
    "!granted.includes(scope)",
    [/contain|includ|substring|search|part|longer/i],
    [/case|any scope/i],
  ),
  scope(
    "scope.startsWith",
    '!granted.split(" ").some((one) => one.startsWith(scope))',
    [/begin|prefix|start/i],
    [/case|any scope/i],
  ),
  scope(
    "scope in lower case",
    '!granted.toLowerCase().split(" ").includes(scope)',
    [/case|capital/i],
    [/prefix|substring/i],
  ),
  scope(
    "write implies read",
    '!granted.replaceAll("write", "read write org:read org.changes:read").split(" ").includes(scope)',
    [/write/i, /read/i],
    [/prefix|case/i],
  ),
  scope(
    "commas separate scopes too",
    "!granted.split(/[ ,]/).includes(scope)",
    [/comma|separat|`,`/i],
    [/prefix|case/i],
  ),
  scope(
    "semicolons separate scopes too",
    "!granted.split(/[ ;]/).includes(scope)",
    [/semicolon|separat|`;`/i],
    [/prefix|case/i],
  ),
  scope(
    "scope must stand alone",
    "granted !== scope",
    [/one|several|alone|first|more|other|list|exactly/i],
    [/prefix|case/i],
    "receiver.scope-sufficient",
  ),
  scope("no scope is looked at", "false", [/not|any|ignore/i], [/prefix|case|substring/i]),
];
