import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";

/** What the receiver behind a hostile front would answer. The headers do not say how long the body is. */
export interface Genuine {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** A malicious target. It is in front of a conforming receiver and may forward requests to it. */
export interface HostileTarget {
  readonly name: string;
  /** Answers one request, or never answers it. */
  readonly answer: (
    request: IncomingMessage,
    response: ServerResponse,
    genuine: () => Promise<Genuine>,
  ) => void | Promise<void>;
  /** Further keys of the profile; `{origin}` stands for where the target listens. */
  readonly profile?: Readonly<Record<string, unknown>>;
  /** Environment variables of the command. */
  readonly env?: Readonly<Record<string, string>>;
  /** What no report may show, in any spelling. */
  readonly secrets?: readonly string[];
  /** Further files in the profile's folder: their texts by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Only `npm run attacks` tries it: it takes long, or resembles another one or what another test does in its own process. */
  readonly thorough?: true;
  /** The rules that the tests run against it, where every answer costs much. `npm run attacks` runs all of them. */
  readonly testedBy?: readonly string[];
  /** The rules to run against it; default: all. A target that never answers would make every rule wait. */
  readonly rule?: string;
}

const JSON_TYPE = { "content-type": "application/json" };
const SHORT_WAIT = { request: { timeoutMs: 1000 } };
const SOME_RULES = "routes.*";
/** A walk through all pages. */
const ONE_WALK = "pagination.totals/items@listOrganizations";
const MEBIBYTE = 1024 * 1024;

/** The same text for every request. */
function always(name: string, body: string, status = 200): HostileTarget {
  const bytes = Buffer.from(body);
  return {
    name,
    answer: (_request, response) => void response.writeHead(status, JSON_TYPE).end(bytes),
  };
}

function thorough(target: HostileTarget): HostileTarget {
  return { ...target, thorough: true };
}

/** A target whose answers take long to read. The tests run one rule against it: it sends enough requests. */
function slowToRead(target: HostileTarget, rule: string = SOME_RULES): HostileTarget {
  return { ...target, testedBy: [rule] };
}

/** Every answer of the receiver, changed. */
export function changed(
  name: string,
  change: (own: Genuine, request: IncomingMessage) => Partial<Genuine>,
): HostileTarget {
  return {
    name,
    async answer(request, response, genuine) {
      const own = await genuine();
      const { status, headers, body } = { ...own, ...change(own, request) };
      response.writeHead(status, headers).end(body);
    },
  };
}

/** Every answer of the receiver, with something more in its JSON. */
function padded(name: string, more: string): HostileTarget {
  return changed(name, ({ body }) => {
    if (!body.startsWith("{")) return {};
    const open = body.slice(0, body.lastIndexOf("}"));
    return { body: `${open}${open.trim() === "{" ? "" : ","}${more}}` };
  });
}

function totals(total: number): HostileTarget {
  return changed(`totals of ${total}`, ({ body }) => ({
    body: body.replaceAll(/"(totalItems|totalPages)":\d+/g, `"$1":${total}`),
  }));
}

/** The receiver's answers in a content coding, followed by a lot of padding. */
function bomb(coding: string, pack: (bytes: Buffer) => Buffer): HostileTarget {
  const packed = pack(Buffer.alloc(200 * MEBIBYTE, " "));
  const headers = { ...JSON_TYPE, "content-encoding": coding };
  return {
    name: `a ${coding} bomb of 200 MiB`,
    answer: (_request, response) => void response.writeHead(200, headers).end(packed),
  };
}

/** Writes a head, and then an endless body, as fast as it is read. */
function pour(socket: Socket, head: string, piece: string | Buffer): void {
  const more = (): void => {
    while (socket.writable && socket.write(piece)) continue;
    if (socket.writable) socket.once("drain", more);
  };
  socket.write(head);
  more();
}

function endless(name: string, head: string, piece: string | Buffer): HostileTarget {
  return {
    name,
    answer: ({ socket }) => pour(socket, head, piece),
    profile: SHORT_WAIT,
    rule: SOME_RULES,
  };
}

const lines = (...all: readonly string[]): string => `${all.join("\r\n")}\r\n`;
const OK = "HTTP/1.1 200 OK";
const CHUNKED = lines(OK, "Content-Type: application/json", "Transfer-Encoding: chunked", "");

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** A list as the contract has it, with so many items. */
function listOf(count: number, what: string, item: (n: number) => unknown): HostileTarget {
  const info = { page: 1, pageSize: count, totalItems: count, totalPages: 1 };
  const items = Array.from({ length: count }, (_, n) => item(n));
  return always(`a list of ${count.toLocaleString("en")} ${what}`, JSON.stringify({ items, info }));
}

const organization = (n: number): unknown => ({ id: uuid(n), name: `Charity ${n}` });

/** Escapes that a terminal, a page or a reader might act on. */
const ESCAPES = "\u001B[2J\u001B]0;owned\u0007\u009B31m\u202E\u2066<script>alert(1)</script>";
const ESCAPED = JSON.stringify(ESCAPES).slice(1, -1);

/** Members of JSON that parsers and programs treat differently. */
const ODD_MEMBERS: Readonly<Record<string, string>> = {
  "the name __proto__": '"__proto__":{"status":200,"items":[]},"constructor":{"name":1}',
  "numbers beyond measure": `"status":1e999,"totalItems":${"9".repeat(100_000)},"x":-1e-999`,
  "half of a surrogate pair": '"message":"\\uD800","\\uDC00":"\\uD83D"',
  "names that come twice": '"items":[],"items":{},"status":1,"status":"x"',
};

export const HOSTILE_TARGETS: readonly HostileTarget[] = [
  always("200,000 nested arrays", `${"[".repeat(200_000)}${"]".repeat(200_000)}`),
  thorough(always("200,000 arrays in an array", `[${Array(200_000).fill("[]").join(",")}]`)),
  always("a million objects", `[${Array(1_300_000).fill("{}").join(",")}]`),
  always(
    "300,000 names",
    `[${Array.from({ length: 300_000 }, (_, n) => `{"k${n}":1}`).join(",")}]`,
  ),
  // That of 60,000 items resembles that of 120,000 small items.
  ...[10_000, 40_000, 60_000].map((items) => thorough(listOf(items, "items", organization))),
  ...[10_000, 60_000].map((items) => thorough(listOf(items, "small items", (n) => ({ id: n })))),
  slowToRead(
    listOf(120_000, "small items", (n) => ({ id: n })),
    ONE_WALK,
  ),
  thorough(padded("4 MiB more in every answer", `"more":"${"x".repeat(4 * MEBIBYTE - 4096)}"`)),
  thorough(
    padded(
      "4 MiB of escapes in every answer",
      `"more":"${"\\u0041".repeat((4 * MEBIBYTE) / 6 - 800)}"`,
    ),
  ),
  // With every rule of the tests: so many answers do not fit into the memory at once.
  padded("3 MiB that are not Latin in every answer", `"more":"${"\u4E2D".repeat(MEBIBYTE)}"`),
  slowToRead(
    padded(
      "100,000 objects more in every answer",
      `"more":[${Array.from({ length: 100_000 }, (_, n) => `{"id":${n}}`).join(",")}]`,
    ),
    ONE_WALK,
  ),
  {
    name: "a body without end",
    async answer({ socket }, _response, genuine) {
      const { status } = await genuine();
      const piece = `10000\r\n${"x".repeat(MEBIBYTE / 16)}\r\n`;
      pour(socket, CHUNKED.replace("200", String(status)), piece);
    },
  },
  thorough(bomb("gzip", (bytes) => gzipSync(bytes))),
  thorough(bomb("deflate", (bytes) => deflateSync(bytes))),
  bomb("br", (bytes) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  ),
  bomb("gzip, gzip", (bytes) => gzipSync(gzipSync(bytes))),
  endless("a head without end", lines(OK), "X-A: b\r\n".repeat(1000)),
  thorough(endless("one field without end", `${OK}\r\nX-A: `, "b".repeat(10_000))),
  // In test/http/hostile.test.ts.
  thorough(
    endless("interim answers without end", "", lines("HTTP/1.1 103 Hints", "").repeat(1000)),
  ),
  endless("a chunk extension without end", `${CHUNKED}2;x=`, "y".repeat(10_000)),
  endless("trailers without end", `${CHUNKED}2\r\n{}\r\n0\r\n`, "X-A: b\r\n".repeat(1000)),
  {
    name: "a head that drips",
    answer({ socket }) {
      socket.write(`${OK}\r\nX-A: `);
      const drip = setInterval(() => socket.write("b"), 20);
      socket.once("close", () => clearInterval(drip));
    },
    profile: SHORT_WAIT,
    rule: SOME_RULES,
  },
  // In test/http/patience.test.ts, by a clock that does not wait.
  ...[undefined, "7"].map((retryAfter) =>
    thorough(
      changed(
        `429 ${retryAfter === undefined ? "" : "with Retry-After "}in place of every refusal`,
        ({ status, headers }) => {
          if (status < 400) return {};
          const more = retryAfter === undefined ? {} : { "retry-after": retryAfter };
          return { status: 429, headers: { ...headers, ...more } };
        },
      ),
    ),
  ),
  changed("a thousand cookies in every answer", ({ headers }) => {
    const cookies = Array.from({ length: 1000 }, (_, n) => `c${n}=${"v".repeat(40)}`);
    return { headers: { ...headers, "set-cookie": cookies } };
  }),
  {
    name: "redirects in a circle",
    answer: ({ url = "" }, response) => void response.writeHead(302, { location: url }).end(),
  },
  changed("escapes for terminals in names, values and texts", ({ status, headers, body }) => {
    const printable = ESCAPES.replaceAll("\u001B", "").replaceAll("\u0007", "");
    const hostile = Buffer.from(printable).toString("latin1");
    const error = `{"status":${status},"message":"${ESCAPED}","errors":["${ESCAPED}"],"${ESCAPED}":1}`;
    return {
      headers: { ...headers, server: hostile, "x-version": hostile },
      body: status < 400 ? body : error,
    };
  }),
  ...Object.entries(ODD_MEMBERS).map(([name, more]) => thorough(padded(name, more))),
  padded("odd names and numbers, all at once", Object.values(ODD_MEMBERS).join(",")),
  totals(1e308),
  ...[9_007_199_254_740_991, -1, 0.5].map((total) => thorough(totals(total))),
];
