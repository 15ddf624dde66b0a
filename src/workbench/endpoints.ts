import { CLAIMS } from "../contract/claims.ts";
import { OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import { pathTemplate } from "../probe/request.ts";
import type { Target } from "../profile/target.ts";
import type { Report } from "../report/report.ts";
import { printable, printableAll } from "../report/untrusted.ts";
import type { ClaimState, JudgeAnswer, ProfileState, State } from "./api.ts";
import type { Judging } from "./judging.ts";
import { operationIn, read, Refusal } from "./received.ts";
import type { Endpoint } from "./server.ts";
import type { Session } from "./session.ts";

/** What the endpoints are about. */
export interface Bench {
  /** The file of the report, as the user named it. */
  readonly file: string;
  readonly report: Report;
  readonly judging: Judging;
  /** What sends, or why nothing can be sent. */
  readonly session: Session | { readonly off: string };
  /** The profile, as the user named it or as it was found. */
  readonly profile: string | undefined;
  readonly watching: State["watching"];
}

/** The endpoints of the API, by method and path; see `api.ts`. */
export function endpointsOf(bench: Bench): ReadonlyMap<string, Endpoint> {
  const { judging } = bench;
  const active = (): Session => {
    if ("off" in bench.session) throw new Refusal(409, bench.session.off);
    return bench.session;
  };
  return new Map<string, Endpoint>([
    ["GET api/state", () => stateOf(bench)],
    [
      "GET api/case",
      ({ query }) => {
        const target = "off" in bench.session ? undefined : bench.session.target;
        return judging.detail(query.get("id") ?? "", target);
      },
    ],
    ["GET api/start", ({ query }) => active().start(operationIn(query))],
    ["POST api/send", ({ body }) => active().send(read.send(body))],
    [
      "POST api/judge",
      ({ body }): JudgeAnswer => {
        const session = active();
        const request = read.judge(body);
        const { commands, commandsAllowed } = session;
        if (commands.length > 0 && !commandsAllowed) return { is: "needs-commands", commands };
        return judging.begin(request);
      },
    ],
    ["POST api/export", ({ body }) => active().export(read.export(body))],
    [
      "POST api/allow",
      ({ body }) => {
        read.allow(body);
        active().allowCommands();
        return stateOf(bench);
      },
    ],
  ]);
}

function stateOf(bench: Bench): State {
  const { report, file, judging, session, profile, watching } = bench;
  const { target, verdict, verdictText, startedAt } = report;
  const { name, version } = target.deployment ?? {};
  const deployment = [name, version].filter((part) => part !== undefined).join(" ");
  const isOff = "off" in session;
  return {
    report: printableAll({
      file,
      baseUrl: target.baseUrl,
      ...(deployment !== "" && { deployment }),
      verdict,
      verdictText,
      startedAt,
    }),
    ...(!isOff && profile !== undefined && { profile: profileState(profile, session, report) }),
    sending: isOff ? { on: false, because: printable(session.off) } : { on: true },
    rules: judging.rules(),
    sent: isOff ? [] : session.sent,
    writesLeft: isOff ? {} : session.writesLeft(),
    judging: judging.underWay,
    ...(watching && { watching }),
  };
}

function profileState(file: string, session: Session, report: Report): ProfileState {
  const { target, commands, commandsAllowed, clients } = session;
  const { baseUrl, origin, readOnly, writes } = target;
  return {
    file: printable(file),
    baseUrl,
    origin,
    ...(baseUrl !== report.target.baseUrl && { otherThanReport: true }),
    untrusted: target.untrusted !== undefined,
    readOnly,
    writes,
    operations: OPERATION_IDS.filter((id) => target.operations[id]).map((id) => {
      const { method, scope, writes: isWrite } = OPERATIONS[id];
      return { id, method, scope, path: pathTemplate(target, OPERATIONS[id]), writes: isWrite };
    }),
    signs: !target.issued,
    clients,
    commands,
    commandsAllowed,
    claims: claimsOf(target),
  };
}

const ABOUT: Readonly<Record<string, string>> = {
  iss: "the issuer",
  sub: "the subject",
  aud: "the receiver's own base URL",
  iat: "when it was issued",
  exp: "when it expires",
  nbf: "not valid before",
  scope: "words, with one space between two",
  grant_type: "client_credentials or authorization_code",
};

function claimsOf({ bindingClaim }: Target): ClaimState[] {
  const all = CLAIMS.map(({ name, type }): ClaimState => ({
    name,
    kind: name === "scope" ? "scope" : type,
    what: ABOUT[name] ?? "",
  }));
  if (bindingClaim === undefined) return all;
  return [...all, { name: bindingClaim, kind: "text", what: "the organization it is bound to" }];
}
