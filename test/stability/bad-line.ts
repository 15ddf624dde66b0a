import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What a bad line does to one request, and how often, in percent. Writes are lost for good, so few. */
const TROUBLES: readonly (readonly [percent: number, trouble: Trouble])[] = [
  [0.5, (client) => void client.resetAndDestroy()],
  [0.5, (client) => void client.end()],
  // The request arrives, the answer does not, or not the whole of it.
  [0.5, (client, pass) => pass((answer) => void (answer && client.resetAndDestroy()))],
  [0.5, (client, pass) => pass((answer) => void client.end(answer.subarray(0, answer.length - 3)))],
  [2, (client) => void client.end(says("503 Service Unavailable"))],
  [1, (client) => void client.end(says("502 Bad Gateway"))],
  [3, (client) => void client.end(says("503 Service Unavailable", "Retry-After: 0"))],
  [4, (client) => void client.end(says("429 Too Many Requests", "Retry-After: 0"))],
  [8, (_client, pass) => void setTimeout(pass, 5)],
];

type Trouble = (client: Socket, pass: (receive?: (answer: Buffer) => void) => void) => void;

export interface BadLine {
  readonly origin: string;
  /** Requests that something was done to. */
  readonly troubled: number;
  close(): Promise<void>;
}

/** A proxy to an origin that does to some requests what bad lines and busy gateways do. */
export async function badLine(origin: string, seed: number): Promise<BadLine> {
  const { hostname, port } = new URL(origin);
  const random = mulberry32(seed);
  const sockets = new Set<Socket>();
  let troubled = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    // Each request comes after the answer to the one before it.
    let answered = true;
    let receive: ((answer: Buffer) => void) | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
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
      const trouble = answered ? draw(random) : undefined;
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
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get troubled() {
      return troubled;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function draw(random: () => number): Trouble | undefined {
  let left = random() * 100;
  for (const [percent, trouble] of TROUBLES) {
    left -= percent;
    if (left < 0) return trouble;
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
