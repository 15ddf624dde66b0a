import { checkNumber } from "../contract/checks.ts";
import { requirement } from "../contract/requirements.ts";
import type { Reply } from "../http/exchange.ts";
import { ask, type Failure } from "../model/ask.ts";
import { knownOf } from "../model/known-of.ts";
import type { Known } from "../model/known.ts";
import { readToken } from "../model/read-token.ts";
import type { AskedRequest } from "../model/request.ts";
import { clauseOf, gapInWords, reasonInWords } from "../model/words.ts";
import { reception } from "../probe/reception.ts";
import type { Target } from "../profile/target.ts";
import type { Report } from "../report/report.ts";
import { printableAll } from "../report/untrusted.ts";
import type { ContractFailure, ContractSays } from "./api.ts";

/** A request may be under way for so long, and clocks differ by so much without anybody noticing. */
const ROUGHLY_SECONDS = 5;

/** What accepted requests showed that the profile does not say. */
export interface Seen {
  /** The `typ` of accepted tokens. */
  readonly typs: Set<string | undefined>;
  /** Changes that were read, `<organization> <change>`. */
  readonly changes: Set<string>;
}

/** What the accepted good requests of a report show. */
export function seenIn({ exchanges }: Report): Seen {
  const seen: Seen = { typs: new Set(), changes: new Set() };
  for (const { request, response } of Object.values(exchanges)) {
    const { token, url } = request;
    if (!token?.claims || token.mutation !== undefined || !isSuccess(response?.status)) continue;
    noteAccepted(seen, url, token.header?.["typ"]);
  }
  return seen;
}

function isSuccess(status = 0): boolean {
  return status >= 200 && status < 300;
}

const CHANGE = /\/orgs\/([\da-f-]{36})\/changes\/([^/?#]+)(?:[?#]|$)/i;

/** Adds what an accepted request shows. */
export function noteAccepted({ typs, changes }: Seen, path: string, typ: unknown): void {
  typs.add(typeof typ === "string" ? typ : undefined);
  const [, organization, change] = CHANGE.exec(path) ?? [];
  if (organization !== undefined) changes.add(`${organization} ${change}`);
}

/** What is known of a target when a request is sent. */
export function knownNow(target: Target, { typs, changes }: Seen): Known {
  const now = Math.floor(Date.now() / 1000);
  const known = knownOf(target, { earliest: now - ROUGHLY_SECONDS, latest: now + ROUGHLY_SECONDS });
  const read = [...changes].map((one) => {
    const [organization = "", id = ""] = one.split(" ", 2);
    return { organization, id };
  });
  const { typ } = target.testIssuer.header;
  return {
    ...known,
    typs: typeof typ === "string" ? [typ] : [...typs],
    changes: { existing: [...known.changes.existing, ...read], complete: false },
  };
}

/** What the contract says of a request with a token. */
export function contractSays(
  known: Known,
  request: AskedRequest,
  token: string | undefined,
): ContractSays {
  const answer = ask(
    known,
    request,
    token === undefined ? undefined : readToken(token, known.issuers),
  );
  return printableAll(inWords(answer), 1000);
}

function inWords(answer: ReturnType<typeof ask>): ContractSays {
  switch (answer.says) {
    case "rejected": {
      const { level, status, by } = answer;
      return { is: "rejected", level, ...(status && { status }), by: by.map(failureOf) };
    }
    case "accepted": {
      const { level, sentence } = answer;
      return { is: "accepted", level, sentence: sentenceOf(sentence), clause: clauseOf(sentence) };
    }
    default: {
      const { gap } = answer;
      const { sentence } = gap;
      return {
        is: "open",
        because: gapInWords(gap),
        ...(sentence !== undefined && { clause: clauseOf(sentence) }),
      };
    }
  }
}

function sentenceOf(id: string): string {
  return requirement(id).text;
}

function failureOf(failure: Failure): ContractFailure {
  const { part, check, level, sentence, reason } = failure;
  return {
    check:
      part === "request"
        ? `The request: ${check}`
        : part === "claims"
          ? "Token claims"
          : `Receiver check ${checkNumber(part)}, ${part}`,
    level,
    clause: clauseOf(sentence),
    reason: reasonInWords(reason),
    sentence: sentenceOf(sentence),
  };
}

/** Whether an answer is what the contract says; `undefined` where that is open or the answer is unclear. */
export function agrees(says: ContractSays, reply: Reply): boolean | undefined {
  const was = reception(reply);
  if (says.is === "open" || was === "unclear") return undefined;
  if (says.is === "accepted") return was === "accepted";
  return was === "rejected" && (says.status === undefined || says.status === reply.status);
}
