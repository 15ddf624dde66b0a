import { RECEIVER_CHECKS } from "../contract/checks.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import type { JsonObject } from "../lib/json.ts";
import { sendingWith } from "../report/commands.ts";
import { curlCommand } from "../report/curl.ts";
import { OWN_HEADERS } from "../report/exchange-rows.ts";
import { RELATIVE_CLAIMS } from "../tokens/edited.ts";
import type { Edited, Exported, Sent } from "./api.ts";
import type { Redact } from "./good-request.ts";
import { TOKEN } from "./start.ts";

/** What an export is made of. */
export interface Exporting {
  readonly sent: Sent;
  /** As it was recorded, without secrets. */
  readonly exchange: Exchange;
  readonly origin: string;
  readonly operation: OperationId | undefined;
  /** The good request of the operation, with which a case begins. */
  readonly good: Edited;
  /** The words that start the command. */
  readonly command: readonly string[];
  /** The arguments that name the target. */
  readonly told: readonly string[];
  readonly redact: Redact;
}

/** A request that was sent as text for elsewhere. It holds no live token: each is made or named when it is used. */
export const EXPORTS: Readonly<Record<"curl" | "http" | "case", (one: Exporting) => Exported>> = {
  curl,
  http,
  case: caseOfPack,
};

function curl({ exchange, sent, ...one }: Exporting): Exported {
  const { request } = exchange;
  const lines = curlCommand({ request: { ...request, headers: telling(request.headers) } });
  const token = tokenCommand(sent.edited, one);
  const text = token
    ? sendingWith(token, lines)
    : lines.some((line) => line.includes("$TOKEN"))
      ? ["# Put the token into TOKEN first.", ...lines]
      : lines;
  return { text: `${text.join("\n")}\n`, file: `request-${sent.number}.sh` };
}

/** The header lines but those that mark a request as one of the suite. */
function telling(lines: Exchange["request"]["headers"]): Exchange["request"]["headers"] {
  return lines.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
}

/** The words of the command that prints the token of a request; `undefined` where it has none that can be made. */
function tokenCommand(
  { credential }: Edited,
  { command, told, operation, redact }: Omit<Exporting, "sent" | "exchange">,
): string[] | undefined {
  const target = told.filter((word) => word !== "--read-only");
  const words = (...own: string[]): string[] => [...command, "token", ...own, ...target, "--quiet"];
  switch (credential.kind) {
    case "none":
      return undefined;
    case "case":
      return words(credential.id);
    case "client":
      return words(`good@${operation ?? "listOrganizations"}`);
    default: {
      const { key, header, claims } = credential;
      const texts = [header, claims].map((part) => redact(JSON.stringify(part)));
      const signed = key === "issuer" ? [] : ["--key", key];
      return words("good", "--header", texts[0] ?? "", "--claims", texts[1] ?? "", ...signed);
    }
  }
}

const VARIABLE = "{{token}}";
const REDACTED = /\[redacted(?: token)?\]/g;

function placed(text: string): string {
  return text.replaceAll(REDACTED, () => VARIABLE);
}

function http({ exchange, sent, ...one }: Exporting): Exported {
  const { method, url, headers, body } = exchange.request;
  const lines = telling(headers).map(
    ([name, value]) => `${name}: ${name.toLowerCase() === "authorization" ? placed(value) : value}`,
  );
  const request = [
    `${method} ${placed(url)}`,
    ...lines,
    ...(body === undefined ? [] : ["", placed(body)]),
  ];
  const isNeeded = request.some((line) => line.includes(VARIABLE));
  const token = tokenCommand(sent.edited, one);
  const how = token
    ? sendingWith(token, ["echo $TOKEN"]).map((line) => `#   ${line}`)
    : ["#   the one that the request was sent with"];
  const head = isNeeded ? ["# Make the token, and put it here:", ...how, "@token = ", ""] : [];
  return { text: `${[...head, ...request].join("\n")}\n`, file: `request-${sent.number}.http` };
}

const NAME = "edited";

/** A case for `definePack`, which makes the good request of the operation and the same changes. */
function caseOfPack({ sent, operation, good, redact }: Exporting): Exported {
  const { edited, contract } = sent;
  const id = operation ?? "listOrganizations";
  const said =
    contract.is === "rejected"
      ? "rejects"
      : contract.is === "accepted"
        ? "accepts"
        : OPERATIONS[id].writes
          ? "rejects"
          : "accepts";
  const { changes, lacks } = changesOf(edited, good);
  const notes = [
    ...(contract.is === "open"
      ? [`The contract leaves it open: ${contract.because}. Choose between rejects and accepts.`]
      : []),
    ...lacks,
  ];
  const members = [
    `name: ${quoted(NAME)},`,
    `what: ${quoted(`request ${sent.number} of the workbench`)},`,
    ...changes,
    ...(said === "rejects" ? refusedBy(sent) : []),
  ];
  const lines = [
    ...notes.map((note) => `// ${note}`),
    "{",
    `  id: ${quoted(`${NAME}@${id}`)},`,
    `  operation: ${quoted(id)},`,
    "  judge: (probe) =>",
    `    probe.${said}({`,
    ...members.flatMap((member) => member.split("\n")).map((line) => `      ${line}`),
    "    }),",
    "},",
  ];
  return { text: redact(`${lines.join("\n")}\n`), file: `case-${sent.number}.js` };
}

function refusedBy({ contract }: Sent): string[] {
  const [failure] = contract.is === "rejected" ? contract.by : [];
  const check = RECEIVER_CHECKS.find((name) => failure?.check.endsWith(`, ${name}`));
  const source = failure?.clause ?? "house rules";
  const why = failure?.reason ?? "the house rules say so";
  return [
    `refused: { check: ${quoted(check ?? "signature")}, why: ${quoted(why)}, source: ${quoted(source)} },`,
  ];
}

interface Changes {
  /** Members of a mutation, as code. */
  readonly changes: readonly string[];
  /** What the code does not have, as sentences. */
  readonly lacks: readonly string[];
}

function changesOf(edited: Edited, good: Edited): Changes {
  const lacks: string[] = [];
  const token = tokenChanges(edited, good, lacks);
  const [was, is] = [authorizations(good), authorizations(edited)];
  const isAlike = JSON.stringify(was) === JSON.stringify(is) && edited.credential.kind !== "none";
  const changes = [
    ...(token.length > 0 ? [`token: {\n${token.map((line) => `  ${line}`).join("\n")}\n},`] : []),
    ...(isAlike ? [] : [`authorization: (token) => [${is.map(template).join(", ")}],`]),
    ...requestChanges(edited, good),
  ];
  return { changes, lacks };
}

function authorizations({ headers }: Edited): string[] {
  return headers.flatMap(([name, value]) => (isAuthorization(name) ? [value] : []));
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === "authorization";
}

function tokenChanges({ credential }: Edited, good: Edited, lacks: string[]): string[] {
  if (credential.kind === "case") {
    lacks.push(
      `The token is that of ${credential.id}, with changes that stand in the suite's own rule.`,
    );
  }
  if (credential.kind !== "sign" || good.credential.kind !== "sign") return [];
  const { key, header, claims } = credential;
  if (key === "other")
    lacks.push("The token was signed with another key, which this case does not do.");
  const parts = [
    ["header", patch(good.credential.header, header)],
    ["claims", patch(good.credential.claims, claims)],
  ] as const;
  return [
    ...parts.flatMap(([name, changes]) =>
      changes.length === 0 ? [] : [`${name}: () => ({ ${changes.join(", ")} }),`],
    ),
    ...(key === "none" ? ["sign: () => new Uint8Array(),"] : []),
  ];
}

/** The members to set, as code, from the good ones. */
function patch(good: JsonObject, own: JsonObject): string[] {
  const names = [...new Set([...Object.keys(good), ...Object.keys(own)])];
  return names
    .filter((name) => JSON.stringify(good[name]) !== JSON.stringify(own[name]))
    .map((name) => `${quoted(name)}: ${valueOf(name, own[name])}`);
}

function valueOf(name: string, value: unknown): string {
  if (value === undefined) return "undefined";
  const time = typeof value === "string" ? /^now(?:([+-])(\d+))?$/.exec(value) : null;
  if (!time || !RELATIVE_CLAIMS.has(name)) return quoted(value);
  const [, sign = "+", seconds = "0"] = time;
  return `Math.floor(Date.now() / 1000) ${sign} ${seconds}`;
}

function requestChanges(edited: Edited, good: Edited): string[] {
  const members = [
    ...(edited.method === good.method ? [] : [`method: ${quoted(edited.method)}`]),
    ...(edited.path === good.path ? [] : [`path: ${template(edited.path)}`]),
    ...headerChanges(edited, good),
    ...(edited.body === good.body || edited.body === undefined
      ? []
      : [`body: ${template(edited.body)}`]),
  ];
  if (members.length === 0) return [];
  return [`request: (request, context, token) => ({ ...request, ${members.join(", ")} }),`];
}

function otherLines({ headers }: Edited): Edited["headers"] {
  return headers.filter(([name]) => !isAuthorization(name));
}

function headerChanges(edited: Edited, good: Edited): string[] {
  const [was, is] = [otherLines(good), otherLines(edited)];
  const added = is.filter(
    (line) => !was.some((one) => JSON.stringify(one) === JSON.stringify(line)),
  );
  const gone = was
    .map(([name]) => name)
    .filter((name) => added.some(([one]) => one === name) || !is.some(([one]) => one === name));
  if (added.length === 0 && gone.length === 0) return [];
  const kept =
    gone.length === 0
      ? "...request.headers"
      : `...request.headers.filter(([name]) => !${JSON.stringify(gone)}.includes(name))`;
  const lines = added.map(([name, value]) => `[${quoted(name)}, ${template(value)}]`);
  return [`headers: [${[kept, ...lines].join(", ")}]`];
}

/** A text as code, with `token` where its placeholder stands. */
function template(text: string): string {
  return text.includes(TOKEN)
    ? text
        .split(TOKEN)
        .map((part) => quoted(part))
        .join(" + token + ")
    : quoted(text);
}

/** JSON as code: a JavaScript string cannot hold these separators in old versions, and a comment ends at them. */
function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").replaceAll(
    /[\u2028\u2029]/g,
    (character) => `\\u${character.codePointAt(0)?.toString(16)}`,
  );
}
