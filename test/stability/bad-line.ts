import { connect, createServer, type Socket } from "node:net";

import { close, listen } from "../support/listening.ts";

type Trouble = (client: Socket, pass: (receive?: (answer: Buffer) => void) => void) => void;

type TroubleName =
  | "reset"
  | "hangUp"
  | "lost"
  | "cut"
  | "delay"
  | "silence"
  | "busy"
  | "badGateway"
  | "busyForNow"
  | "tooMany";

const LATER = "Retry-After: 0";

/** What a bad line does to a request. */
const TROUBLES: Readonly<Record<TroubleName, Trouble>> = {
  reset: (client) => void client.resetAndDestroy(),
  hangUp: (client) => void client.end(),
  // The request arrives. The answer is lost, truncated or late.
  lost: (client, pass) => pass((answer) => void (answer && client.resetAndDestroy())),
  cut: (client, pass) => pass((answer) => void client.end(answer.subarray(0, answer.length - 3))),
  delay: (_client, pass) => void setTimeout(pass, 5),
  silence: () => {},
  busy: (client) => void client.end(says("503 Service Unavailable")),
  badGateway: (client) => void client.end(says("502 Bad Gateway")),
  busyForNow: (client) => void client.end(says("503 Service Unavailable", LATER)),
  tooMany: (client) => void client.end(says("429 Too Many Requests", LATER)),
};

export const TROUBLE_NAMES: readonly TroubleName[] = Object.keys(TROUBLES) as TroubleName[];

/** Requests that a line is bad for; `notAscii`: those with a header field or body that is not ASCII. */
export type Victims = "all" | "controls" | "probes" | "writes" | "notAscii";

export interface BadLineOptions {
  readonly seed: number;
  /** How often there is each trouble, in percent of the requests that the line is bad for. Default: none. */
  readonly percents: Readonly<Partial<Record<TroubleName, number>>>;
  /** Default: all. */
  readonly victims?: Victims;
}

export interface BadLine {
  readonly origin: string;
  /** Requests that something was done to. */
  readonly troubled: number;
  close(): Promise<void>;
}

/** A proxy to an origin that does to some requests what bad lines and busy gateways do. */
export async function badLine(
  origin: string,
  { seed, percents, victims = "all" }: BadLineOptions,
): Promise<BadLine> {
  const { hostname, port } = new URL(origin);
  const random = mulberry32(seed);
  let troubled = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    // Each request comes after the answer to the one before it.
    let answered = true;
    let receive: ((answer: Buffer) => void) | undefined;
    for (const socket of [client, upstream]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.on("data", (answer: Buffer) => {
      answered = true;
      if (receive) receive(answer);
      else client.write(answer);
    });
    upstream.on("end", () => client.end());
    client.on("end", () => upstream.end());
    client.on("data", (bytes: Buffer) => {
      const first = answered && isVictim(bytes.toString("latin1"), victims);
      const trouble = first ? draw(random, percents) : undefined;
      answered = false;
      if (!trouble) {
        upstream.write(bytes);
        return;
      }
      troubled += 1;
      trouble(client, (how) => {
        receive = how;
        upstream.write(bytes);
      });
    });
  });
  return {
    origin: await listen(server),
    get troubled() {
      return troubled;
    },
    close: () => close(server),
  };
}

function isVictim(head: string, victims: Victims): boolean {
  const control = /^conformance-case: control\//im.test(head);
  if (victims === "writes") return /^(?:PATCH|POST) /.test(head);
  if (victims === "notAscii") return /[\u0080-\u00ff]/.test(head);
  return victims === "all" || (victims === "controls") === control;
}

function draw(random: () => number, percents: BadLineOptions["percents"]): Trouble | undefined {
  let left = random() * 100;
  for (const name of TROUBLE_NAMES) {
    left -= percents[name] ?? 0;
    if (left < 0) return TROUBLES[name];
  }
  return undefined;
}

function says(status: string, ...lines: readonly string[]): string {
  return [`HTTP/1.1 ${status}`, "Content-Length: 0", "Connection: close", ...lines, "", ""].join(
    "\r\n",
  );
}

/** A small generator of numbers from 0 to 1 that a seed determines. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
