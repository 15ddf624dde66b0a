import { request } from "node:http";

import { expect, onTestFinished } from "vitest";
import { stringify } from "yaml";

import { startReference } from "../../src/reference/index.ts";
import type { Report } from "../../src/report/report.ts";
import type {
  CaseDetail,
  Edited,
  Exported,
  SendAnswer,
  Sent,
  Start,
  State,
} from "../../src/workbench/api.ts";
import { command, createIo, reportIn, type TestIo } from "../cli/io.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";

export interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** One request with exactly these header fields, which `fetch` would not send. */
export function ask(
  url: URL,
  headers: Record<string, string> = {},
  method = "GET",
  body?: string,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, method, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, body: text });
      });
    });
    asked.on("error", reject).end(body);
  });
}

/** The page of a command that serves one, signed in. */
export interface Opened {
  readonly io: TestIo;
  readonly page: URL;
  readonly cookie: string;
  /** The JSON of an answer. Fails where the status is not 200. */
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** Any request to the API with the cookie. */
  readonly raw: (
    path: string,
    headers: Record<string, string>,
    method?: string,
    body?: string,
  ) => Promise<Got>;
  /** What the stream of events sends, until the event fits. */
  until(fits: (event: Record<string, unknown>) => boolean): Promise<Record<string, unknown>[]>;
}

/** The JSON of an answer that succeeded. */
function jsonOf({ status, body }: Got): unknown {
  expect([status, body]).toEqual([200, expect.any(String)]);
  return JSON.parse(body);
}

/** Runs `open` with a report in a folder with files, until it has printed its link. The command is stopped with the test. */
export async function openCommand(
  files: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<TestIo> {
  const io = createIo({}, "", files);
  const ended = command(["open", "report.json", "--no-browser", ...more], io);
  onTestFinished(async () => {
    io.stop();
    await ended;
  });
  await Promise.race([io.said("Ctrl-C stops it"), ended]);
  return io;
}

/** Opens a report in a folder with files, and signs in. */
export async function opened(
  files: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<Opened> {
  const io = await openCommand(files, ...more);
  expect(io.err).toContain("The link works once");
  const link = new URL(io.out.trim());
  const { headers } = await ask(link);
  const page = new URL(String(headers["location"]), link);
  const cookie = String(headers["set-cookie"]?.[0]).split(";", 1)[0] ?? "";
  const { origin } = page;
  const raw: Opened["raw"] = (path, own, method, body) =>
    ask(new URL(path, page), { cookie, ...own }, method, body);
  return {
    io,
    page,
    cookie,
    raw,
    get: async (path) => jsonOf(await raw(path, {})),
    post: async (path, body) =>
      jsonOf(
        await raw(
          path,
          { origin, "content-type": "application/json" },
          "POST",
          JSON.stringify(body),
        ),
      ),
    until: (fits) => events(new URL("api/events", page), cookie, fits),
  };
}

function events(
  url: URL,
  cookie: string,
  fits: (event: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    const seen: Record<string, unknown>[] = [];
    const asked = request(url, { headers: { cookie }, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        const parts = text.split("\n\n");
        text = parts.pop() ?? "";
        for (const one of parts) {
          const event = JSON.parse(one.replace(/^data: /, "")) as Record<string, unknown>;
          seen.push(event);
          if (fits(event)) {
            asked.destroy();
            resolve(seen);
          }
        }
      });
    });
    asked.on("error", reject).end();
  });
}

/** It fails. */
export const BELOW = "receiver.audience/below@viewOrganization";
/** It passes, and its token has no JSON form. */
export const SEGMENTS = "receiver.signature/segments-four@viewOrganization";

/** A profile, and the report of a run of some rules against the receiver that it describes. */
export interface World {
  readonly profile: Record<string, unknown>;
  readonly report: Report;
  readonly files: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A receiver that compares `aud` by prefix, and a report of two rules. It lives until it is closed. */
export async function world(): Promise<World> {
  const reference = await startReference({ jwks: BUNDLED_JWKS, faults: ["audience-by-prefix"] });
  // Reading a document takes a worker thread.
  const { openapi: _document, ...profile } = reference.profile;
  const text = stringify(profile);
  const io = createIo({}, "", { "orgsync.yaml": text });
  const rules = ["receiver.audience", SEGMENTS].flatMap((one) => ["--rule", one]);
  await command(["run", "--seed", "7", ...rules], io);
  const report = reportIn(io);
  const files = { "orgsync.yaml": text, "report.json": JSON.stringify(report) };
  return { profile, report, files, close: () => reference.close() };
}

/** The files with another profile. */
export function withProfile({ files, profile }: World, more: object): World["files"] {
  return { ...files, "orgsync.yaml": stringify({ ...profile, ...more }) };
}

/** The request with which the probe of a case begins. */
export async function probeOf(page: Opened, id: string = BELOW): Promise<Edited> {
  const { start } = await caseOf(page, id);
  if (!start.probe) throw new Error(`${id} has no probe`);
  return start.probe.edited;
}

/** The good request for an operation. */
export async function good(page: Opened, operation: string = "viewOrganization"): Promise<Edited> {
  return ((await page.get(`api/start?operation=${operation}`)) as Start).edited;
}

export async function send(page: Opened, edited: Edited, confirmed?: true): Promise<SendAnswer> {
  const answer = await page.post("api/send", { edited, ...(confirmed && { confirmed }) });
  return answer as SendAnswer;
}

/** What was sent. Fails where nothing was. */
export async function sent(page: Opened, edited: Edited, confirmed?: true): Promise<Sent> {
  const answer = await send(page, edited, confirmed);
  if (answer.is !== "sent") throw new Error(JSON.stringify(answer));
  return answer.sent;
}

/** A request with other claims; `undefined` removes one. */
export function withClaims(edited: Edited, claims: Record<string, unknown>): Edited {
  const { credential } = edited;
  if (credential.kind !== "sign") throw new Error("the request is not signed");
  const all = Object.entries({ ...credential.claims, ...claims });
  const kept = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  return { ...edited, credential: { ...credential, claims: kept } };
}

export async function stateOf(page: Opened): Promise<State> {
  return (await page.get("api/state")) as State;
}

export async function caseOf(page: Opened, id: string = BELOW): Promise<CaseDetail> {
  return (await page.get(`api/case?id=${encodeURIComponent(id)}`)) as CaseDetail;
}

/** The text of an export of what was sent under a number. */
export async function exported(page: Opened, number: number, as: string): Promise<string> {
  return ((await page.post("api/export", { number, as })) as Exported).text;
}
