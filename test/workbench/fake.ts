import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type {
  CaseDetail,
  CaseState,
  Edited,
  ExportRequest,
  JudgeAnswer,
  JudgeRequest,
  SendAnswer,
  SendRequest,
  Sent,
  Shown,
  State,
  WorkbenchEvent,
} from "../../src/workbench/api.ts";
import { workbenchPage } from "../../src/workbench/page.ts";

/** What a server of the workbench's page answers, as data. */
export interface Fake {
  state: State;
  detail: (id: string) => CaseDetail;
  send: (request: SendRequest) => SendAnswer;
  judge: (request: JudgeRequest) => JudgeAnswer;
}

export interface FakeServer {
  /** What it answers by, which a test may change. */
  readonly fake: Fake;
  readonly url: string;
  /** Every POST, in order. */
  readonly asked: { readonly path: string; readonly body: unknown }[];
  /** Sends an event to the page. */
  tell(event: WorkbenchEvent): void;
  close(): Promise<void>;
}

/** Serves the page with a fake of its API, so that a test decides every answer. */
export async function startFake(fake: Fake): Promise<FakeServer> {
  const { body, policy } = await workbenchPage({
    target: { baseUrl: fake.state.report.baseUrl } as never,
  });
  const asked: { path: string; body: unknown }[] = [];
  const streams: ServerResponse[] = [];

  function answerTo(path: string, query: URLSearchParams, sent: unknown): unknown {
    switch (path) {
      case "/api/state":
        return fake.state;
      case "/api/case":
        return fake.detail(query.get("id") ?? "");
      case "/api/start":
        return { edited: GOOD, lacks: [] };
      case "/api/send":
        return fake.send(sent as SendRequest);
      case "/api/judge":
        return fake.judge(sent as JudgeRequest);
      case "/api/export": {
        const { as, number } = sent as ExportRequest;
        return { text: `${as} of no. ${number}\nsecond line`, file: `request.${as}` };
      }
      case "/api/allow":
        fake.state = allowed(fake.state);
        return fake.state;
      default:
        return undefined;
    }
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    if (pathname === "/") {
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy ?? "",
      });
      return response.end(body);
    }
    if (pathname === "/api/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(line({ type: "hello" }));
      return streams.push(response);
    }
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    return request.on("end", () => {
      const sent: unknown = text === "" ? undefined : JSON.parse(text);
      if (request.method === "POST") asked.push({ path: pathname, body: sent });
      const answer = answerTo(pathname, searchParams, sent);
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { problem: "There is no such thing." }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    fake,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    tell: (event) => streams.forEach((stream) => stream.write(line(event))),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function line(event: WorkbenchEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function allowed(state: State): State {
  return state.profile ? { ...state, profile: { ...state.profile, commandsAllowed: true } } : state;
}

const STARTED = "2026-01-02T03:04:05.000Z";
const EPOCH = Date.parse(STARTED) / 1000;
const ORGANIZATION = "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813";
const BASE = "https://sync.example.com/v1";
const CLAIMS = {
  iss: "https://issuer.example.com",
  sub: "conformance",
  aud: BASE,
  scope: "org:read",
  "https://sync.example.com/claims/org_id": ORGANIZATION,
};

/** A good request. */
const GOOD: Edited = {
  method: "GET",
  path: `/v1/orgs/${ORGANIZATION}`,
  headers: [["authorization", "Bearer ${token}"]],
  credential: {
    kind: "sign",
    key: "issuer",
    header: { alg: "RS256", kid: "test-1", typ: "JWT" },
    claims: { ...CLAIMS, iat: "now", exp: "now+600", jti: "${unique}" },
  },
};

/** What `GOOD` looks like when it was sent. */
export function shown(claims: object = {}, status = 200, body = `{"id":"${ORGANIZATION}"}`): Shown {
  return {
    method: "GET",
    path: `/v1/orgs/${ORGANIZATION}`,
    headers: [
      ["authorization", "Bearer [redacted]"],
      ["accept", "application/json, */*;q=0.5"],
    ],
    token: {
      header: { alg: "RS256", kid: "test-1", typ: "JWT" },
      claims: { ...CLAIMS, iat: EPOCH, exp: EPOCH + 600, ...claims },
    },
    answer: {
      is: "response",
      status,
      headers: [
        ["content-type", "application/json"],
        ["date", "Fri, 02 Jan 2026 03:04:05 GMT"],
      ],
      body,
      truncated: false,
      ms: 7,
    },
    startedAt: STARTED,
  };
}

const AUDIENCE: CaseState = {
  id: "receiver.audience/other@viewOrganization",
  title: "`aud` is another receiver",
  level: "MUST",
  operation: "viewOrganization",
  outcome: "fail",
  says: "200 OK",
};
const BODY: CaseState = {
  id: "errors.body/status@viewOrganization",
  title: "the `status` of an error",
  level: "SHOULD",
  operation: "viewOrganization",
  outcome: "warn",
};
const WRITE: CaseState = {
  id: "receiver.audience/other@editOrganization",
  title: "`aud` is another receiver",
  level: "MUST",
  operation: "editOrganization",
  outcome: "fail",
  writes: true,
};

export const STATE: State = {
  report: {
    file: "reports/report.json",
    baseUrl: BASE,
    verdict: "non-conformant",
    verdictText: "Not conformant: 2 of 240 MUST cases failed.",
    startedAt: STARTED,
  },
  profile: {
    file: "orgsync.yaml",
    baseUrl: BASE,
    origin: "https://sync.example.com",
    untrusted: false,
    readOnly: false,
    writes: true,
    signs: true,
    clients: ["admin"],
    commands: [],
    commandsAllowed: false,
    operations: [
      {
        id: "viewOrganization",
        method: "GET",
        path: "/v1/orgs/{orgId}",
        scope: "org:read",
        writes: false,
      },
      {
        id: "editOrganization",
        method: "PATCH",
        path: "/v1/orgs/{orgId}",
        scope: "org:write",
        writes: true,
      },
    ],
    claims: [
      { name: "iss", kind: "text", what: "the issuer" },
      { name: "sub", kind: "text", what: "the subject" },
      { name: "aud", kind: "text", what: "the base URL of the receiver" },
      { name: "iat", kind: "time", what: "when it was issued" },
      { name: "exp", kind: "time", what: "when it expires" },
      { name: "nbf", kind: "time", what: "when it begins to be valid" },
      { name: "scope", kind: "scope", what: "the granted scopes" },
      { name: "grant_type", kind: "text", what: "the flow" },
      {
        name: "https://sync.example.com/claims/org_id",
        kind: "text",
        what: "the organization that it is bound to",
      },
    ],
  },
  sending: { on: true },
  rules: [
    {
      id: "receiver.audience",
      title: "A token whose `aud` is another receiver is rejected",
      level: "MUST",
      clause: "Authentication / Receiver checks / 3",
      cases: [AUDIENCE, WRITE],
    },
    {
      id: "errors.body",
      title: "An error has the Error body",
      level: "MUST",
      clause: "Errors",
      cases: [BODY],
    },
  ],
  sent: [],
  writesLeft: { editOrganization: 19 },
  judging: [],
};

export function detailOf(id: string): CaseDetail {
  const rule = STATE.rules.find(({ cases }) => cases.some((one) => one.id === id));
  const one = rule?.cases.find((each) => each.id === id) ?? AUDIENCE;
  const other = "https://other.example.com";
  return {
    ...one,
    rule: rule ?? (STATE.rules[0] as never),
    clause: "Authentication / Receiver checks / 3",
    requirement: "aud equals the receiver's own base URL.",
    expected: "a rejection: 400, 401 or 403",
    actual: "200 OK",
    why: "A token for another receiver is a token that anybody who runs one can replay.",
    source: "contract, Receiver checks 3; RFC 7519 §4.1.3",
    diagnoses: ["It never looks at `aud`. Look for the option that names the audience."],
    differences: [{ part: "claim", name: "aud", where: "claim aud", control: BASE, probe: other }],
    control: shown(),
    probe: shown({ aud: other }),
    all: [shown(), shown({ aud: other }), shown()].map((request, at) => ({
      shown: request,
      start: { edited: { ...GOOD, path: `/v1/orgs?page=${at + 1}` }, lacks: [] },
    })),
    start: {
      control: { edited: GOOD, lacks: [] },
      probe: {
        edited: withClaims({ aud: other }),
        lacks: [],
      },
    },
  };
}

/** `GOOD` with other claims. */
export function withClaims(claims: object): Edited {
  const { credential } = GOOD;
  if (credential.kind !== "sign") throw new Error("a good request is signed");
  return { ...GOOD, credential: { ...credential, claims: { ...credential.claims, ...claims } } };
}

/** A server that sends everything, and finds that `aud` alone decides. */
export function obliging(state: Partial<State> = {}): Fake {
  let number = 0;
  return {
    state: { ...STATE, ...state },
    detail: detailOf,
    judge: ({ cases = [AUDIENCE.id] }) => ({ is: "started", cases }),
    send({ edited, from, confirmed }) {
      if (edited.method !== "GET" && confirmed !== true) {
        return {
          is: "needs-confirmation",
          because: "A PATCH may change the organization.",
          writesLeft: 19,
        };
      }
      number += 1;
      return { is: "sent", sent: sentAs(number, edited, from) };
    },
  };
}

function sentAs(number: number, edited: Edited, from: string | undefined): Sent {
  const claims = edited.credential.kind === "sign" ? edited.credential.claims : {};
  const isGood = claims["aud"] === BASE;
  return {
    ...shown({ ...claims, iat: EPOCH, exp: EPOCH + 600 }),
    method: edited.method,
    path: edited.path,
    number,
    edited,
    from,
    signedWith: { alg: "RS256", kid: "test-1" },
    agrees: isGood,
    contract: isGood
      ? {
          is: "accepted",
          level: "MUST",
          sentence: "View one organization",
          clause: "contract, Endpoints",
        }
      : {
          is: "rejected",
          level: "MUST",
          by: [
            {
              check: "Receiver check 3",
              level: "MUST",
              clause: "contract, Receiver checks / 3",
              reason: `\`aud\` is ${JSON.stringify(claims["aud"])}, not ${BASE}`,
              sentence: "aud equals the receiver's own base URL.",
            },
          ],
        },
  };
}
