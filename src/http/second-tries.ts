/** How something is sent again. */
export type How =
  /** The same bytes, except for what only this try can say, such as its own `jti`. */
  | "same"
  /** While no other request is under way. */
  | "alone"
  /** On a connection that no other request uses. */
  | "own connection"
  /** With a token and with preparations of its own. */
  | "fresh token";

/** The time before a further try: the first wait, and how those after it grow. */
export interface Waits {
  readonly firstMs: number;
  /** Each wait is longer by so much. Default: 0. */
  readonly stepMs?: number;
  /** Each wait is so many times as long. Default: 1. */
  readonly factor?: number;
  /** No wait is longer. */
  readonly mostMs?: number;
}

/** One reason for which something is sent again. */
export interface SecondTry {
  readonly what: "request" | "good request" | "token" | "case";
  readonly reason: string;
  readonly how: readonly How[];
  /** So many further tries at most. */
  readonly times: number;
  readonly waits?: Waits;
  /** The milliseconds that all waits may take together, where the profile does not limit them. */
  readonly withinMs?: number;
  /** After so many tries in vain in a row, of those that `vain` names, there are no further ones. */
  readonly mostVain?: number;
  readonly vain?: string;
  readonly changes: string;
}

/** What is sent a second time, and why. */
export type Reason =
  | "unreachable"
  | "down"
  | "cutOff"
  | "cutOffWrite"
  | "malformed"
  | "timeout"
  | "gateway"
  | "asksToWait"
  | "crowded"
  | "conflict"
  | "starting"
  | "startingWithoutHope"
  | "noToken"
  | "otherForm"
  | "notVisibleYet"
  | "afterCases"
  | "atOnce"
  | "unsettled"
  | "besideWrites"
  | "undecided"
  | "violation"
  | "oneAnswer"
  | "trouble"
  | "crossed";

/** The longest time for an accepted write to become visible, where a run sets no other. */
const PATIENCE_MS = 5000;

/**
 * Every reason for which a run sends anything a second time. Whatever sends again takes its row from here. docs/running.md shows the
 * same table.
 */
export const SECOND_TRIES: Readonly<Record<Reason, SecondTry>> = {
  unreachable: {
    what: "request",
    reason: "no connection was accepted",
    how: ["same"],
    times: 3,
    waits: { firstMs: 50, stepMs: 50 },
    changes: "its answer",
  },
  down: {
    what: "request",
    reason: "no connection was accepted by a deployment that had answered before",
    how: ["same", "alone"],
    times: Number.POSITIVE_INFINITY,
    waits: { firstMs: 100, factor: 2, mostMs: 1000 },
    withinMs: 30_000,
    changes: "its answer",
  },
  cutOff: {
    what: "request",
    reason: "a read whose connection was closed before a whole answer",
    how: ["same"],
    times: 3,
    waits: { firstMs: 50, stepMs: 50 },
    changes: "its answer",
  },
  cutOffWrite: {
    what: "request",
    reason: "a write that must be rejected, whose connection was closed before a whole answer",
    how: ["same", "own connection"],
    times: 1,
    waits: { firstMs: 50 },
    changes: "its answer",
  },
  malformed: {
    what: "request",
    reason: "a read, or a write that must be rejected, whose answer was no HTTP",
    how: ["same"],
    times: 1,
    changes: "its answer",
  },
  timeout: {
    what: "request",
    reason: "a read without a whole answer in time",
    how: ["same"],
    times: 1,
    changes: "its answer",
  },
  gateway: {
    what: "request",
    reason: "a read answered 502, 503 or 504",
    how: ["same"],
    times: 1,
    waits: { firstMs: 100 },
    changes: "its answer",
  },
  asksToWait: {
    what: "request",
    reason: "429, or 503 with `Retry-After`",
    how: ["same", "alone"],
    times: 3,
    waits: { firstMs: 500, factor: 2, mostMs: 60_000 },
    changes: "its answer",
  },
  crowded: {
    what: "request",
    reason: "503 without `Retry-After`, or a read answered 409 or 423, beside other requests",
    how: ["same", "alone"],
    times: 1,
    waits: { firstMs: 100 },
    mostVain: 3,
    vain: "requests that were answered alike alone",
    changes: "its answer",
  },
  conflict: {
    what: "request",
    reason: "a write answered 409 or 423 beside another write",
    how: ["same", "alone"],
    times: 1,
    changes: "its answer",
  },
  starting: {
    what: "good request",
    reason:
      "no clear answer to a good request, or to the request for the document, where the deployment may be starting",
    how: ["same"],
    times: 5,
    waits: { firstMs: 0, stepMs: 50 },
    changes: "its answer",
  },
  startingWithoutHope: {
    what: "good request",
    reason: "no clear answer to a good request, after a timeout or where none was accepted yet",
    how: ["same"],
    times: 1,
    waits: { firstMs: 0 },
    changes: "its answer",
  },
  noToken: {
    what: "token",
    reason: "the authorization server issued no token to a client that never got one",
    how: ["same"],
    times: 2,
    changes: "whether cases have a token",
  },
  otherForm: {
    what: "token",
    reason: "the form in which a client authenticates was refused, and the profile names none",
    how: ["fresh token"],
    times: 1,
    changes: "the form that is used from then on",
  },
  notVisibleYet: {
    what: "request",
    reason: "a read does not show an accepted write",
    how: ["same"],
    times: Number.POSITIVE_INFINITY,
    waits: { firstMs: 100, factor: 2 },
    withinMs: PATIENCE_MS,
    changes: "the answer that is judged",
  },
  afterCases: {
    what: "good request",
    reason: "cases rest on it",
    how: ["fresh token"],
    times: 1,
    changes: "if it is refused, what rests on it is inconclusive",
  },
  atOnce: {
    what: "good request",
    reason: "a violation rests on a request that was refused",
    how: ["fresh token"],
    times: 1,
    changes: "if it is refused too, the violation is inconclusive",
  },
  unsettled: {
    what: "case",
    reason: "answers contradict each other, and one came before all writes had to show",
    how: ["fresh token"],
    times: 1,
    withinMs: PATIENCE_MS,
    changes: "its finding",
  },
  besideWrites: {
    what: "case",
    reason: "a write beside it may have caused what it saw",
    how: ["same", "alone"],
    times: 1,
    changes: "its finding",
  },
  undecided: {
    what: "case",
    reason: "its answers proved nothing",
    how: ["same"],
    times: 1,
    changes: "its finding",
  },
  violation: {
    what: "case",
    reason: "a violation that one answer does not prove",
    how: ["fresh token"],
    times: 1,
    changes: "if it does not show again, it is inconclusive",
  },
  oneAnswer: {
    what: "request",
    reason: "the only answer of the run that violates a rule about all answers",
    how: ["same"],
    times: 1,
    changes: "if it does not show again, it is inconclusive",
  },
  trouble: {
    what: "case",
    reason:
      "only requests without an answer, or good requests that were refused at that time, left it inconclusive",
    how: ["fresh token", "alone"],
    times: 1,
    waits: { firstMs: 250 },
    withinMs: PATIENCE_MS,
    mostVain: 4,
    vain: "tries of its operation that decided nothing",
    changes: "an inconclusive result becomes a decided one",
  },
  crossed: {
    what: "case",
    reason: "a violation, where another rule saw that requests get one another's answers",
    how: ["fresh token", "alone", "own connection"],
    times: 1,
    changes: "if it does not show again, it is inconclusive, and that rule is blamed",
  },
};

/** What limits further tries of requests, beside their rows. */
export const IN_VAIN: {
  readonly oneOf: number;
  readonly part: number;
  readonly leastMs: number;
} = {
  /** Once as many requests in a row as can be in flight got no answer in further tries either, one of so many is still sent again. */
  oneOf: 16,
  /** The part of the profile's limit that may be spent on requests that are refused again after each wait, and the least of it. */
  part: 0.1,
  leastMs: 30_000,
};

/**
 * Tries again for a reason: as often as its row says, and after the waits that it has.
 * @param last what the try before came to
 * @param isOpen whether a result asks for a further try
 * @param again makes a further try; the first one has the number 1
 * @param wait takes milliseconds
 * @returns the first result that asks for no further try, or the last one
 */
export async function tryAgain<T, Open extends T = T>(
  row: SecondTry,
  last: T,
  isOpen: (result: T) => result is Open,
  again: (last: Open, further: number) => Promise<T>,
  wait: (ms: number) => Promise<unknown>,
): Promise<T>;
export async function tryAgain<T>(
  row: SecondTry,
  last: T,
  isOpen: (result: T) => boolean,
  again: (last: T, further: number) => Promise<T>,
  wait: (ms: number) => Promise<unknown>,
): Promise<T>;
export async function tryAgain<T>(
  row: SecondTry,
  last: T,
  isOpen: (result: T) => boolean,
  again: (last: T, further: number) => Promise<T>,
  wait: (ms: number) => Promise<unknown>,
): Promise<T> {
  let result = last;
  for (let further = 1; further <= row.times && isOpen(result); further++) {
    const waitMs = waitBefore(row, further);
    if (waitMs > 0) await wait(waitMs);
    result = await again(result, further);
  }
  return result;
}

/** What tells the further tries of one request apart from the first, which has the plain name. */
export function numbered(name: string, further: number): string {
  return further === 1 ? name : `${name}-${further}`;
}

/** The milliseconds to wait before a further try; the first one has the number 1. */
export function waitBefore({ waits }: SecondTry, further: number): number {
  if (!waits) return 0;
  const { firstMs, stepMs = 0, factor = 1, mostMs = Number.POSITIVE_INFINITY } = waits;
  return Math.min(mostMs, (firstMs + stepMs * (further - 1)) * factor ** (further - 1));
}
