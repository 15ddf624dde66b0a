import type {
  AllowRequest,
  CaseDetail,
  WorkbenchEvent,
  Exported,
  ExportRequest,
  JudgeAnswer,
  JudgeRequest,
  Problem,
  SendAnswer,
  SendRequest,
  Start,
  State,
} from "../api.ts";

/** What the server of this page does. Each function throws a `Refusal` where it says that something is wrong. */
export const server = {
  state: (): Promise<State> => get("state"),
  case: (id: string): Promise<CaseDetail> => get(`case?id=${encodeURIComponent(id)}`),
  start: (operation: string): Promise<Start> =>
    get(`start?operation=${encodeURIComponent(operation)}`),
  send: (request: SendRequest): Promise<SendAnswer> => post("send", request),
  judge: (request: JudgeRequest): Promise<JudgeAnswer> => post("judge", request),
  export: (request: ExportRequest): Promise<Exported> => post("export", request),
  allow: (request: AllowRequest): Promise<State> => post("allow", request),
  /** Calls a function with every event. The browser connects again by itself. */
  listen(onEvent: (event: WorkbenchEvent) => void, onLost: () => void): void {
    const source = new EventSource("api/events");
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      onEvent(JSON.parse(data) as WorkbenchEvent);
    });
    source.addEventListener("error", onLost);
  },
};

/** What the server says against a request. */
export class Refusal extends Error {
  readonly hint: string | undefined;

  constructor({ problem, hint }: Problem) {
    super(problem);
    this.hint = hint;
  }
}

function get<Answer>(path: string): Promise<Answer> {
  return answered(path, {});
}

function post<Answer>(path: string, body: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return answered(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function answered<Answer>(path: string, request: RequestInit): Promise<Answer> {
  const response = await fetch(`api/${path}`, request).catch(() => undefined);
  if (!response) throw new Refusal(GONE);
  const answer = (await response.json().catch(() => undefined)) as unknown;
  if (response.ok && answer !== undefined) return answer as Answer;
  throw new Refusal((answer as Problem | undefined) ?? GONE);
}

const GONE: Problem = {
  problem: "The command that serves this page does not answer.",
  hint: "Start `open` again, and use its new link.",
};
