import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Outcome, Verdict } from "../engine/events.ts";
import type { JsonObject } from "../lib/json.ts";

/**
 * What the page and the server say to each other. Every path is relative to the page. Each text in an answer is printable: control
 * characters and invisible ones are escapes. A body keeps its line breaks. None is markup. What a report or a deployment
 * said is hostile all the same, so the page sets it as text.
 *
 * | request                       | answer                                    |
 * | ----------------------------- | ----------------------------------------- |
 * | `GET api/state`               | `State`                                   |
 * | `GET api/case?id=<case id>`   | `CaseDetail`                              |
 * | `GET api/start?operation=<id>`| `Start`: a good request for an operation  |
 * | `POST api/send`               | `SendRequest` → `SendAnswer`              |
 * | `POST api/judge`              | `JudgeRequest` → `JudgeAnswer`            |
 * | `POST api/export`             | `ExportRequest` → `Exported`              |
 * | `POST api/allow`              | `AllowRequest` → `State`                  |
 * | `GET api/events`              | server-sent events; `data` is an `WorkbenchEvent`  |
 *
 * A POST has `content-type: application/json`. What fails has a status of 400 or more and a `Problem`.
 */
export interface Problem {
  /** What is wrong, as a sentence. */
  readonly problem: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
}

/** `GET api/state` */
export interface State {
  readonly report: {
    /** The file, as the command was given it. */
    readonly file: string;
    readonly baseUrl: string;
    /** What the profile of the run called the deployment. */
    readonly deployment?: string | undefined;
    readonly verdict: Verdict;
    readonly verdictText: string;
    /** ISO 8601. */
    readonly startedAt: string;
  };
  /** Absent where none was found. Then `sending` says so. */
  readonly profile?: ProfileState | undefined;
  /** Whether requests can be sent and cases judged again. */
  readonly sending: { readonly on: true } | { readonly on: false; readonly because: string };
  /** The rules that have a case to look at, the worst first: those of the report that failed, were inconclusive or warned. */
  readonly rules: readonly RuleState[];
  /** What was sent so far, the oldest first. */
  readonly sent: readonly Sent[];
  /** How many writes may still be accepted, by operation that writes. */
  readonly writesLeft: Readonly<Partial<Record<OperationId, number>>>;
  /** The ids of the cases that are being judged now. Empty: none. */
  readonly judging: readonly string[];
  /** The folder of `--watch`, as it was given. */
  readonly watching?: { readonly folder: string; readonly writes: boolean } | undefined;
}

/** What the profile permits. */
export interface ProfileState {
  /** The file as it was given, or found. */
  readonly file: string;
  readonly baseUrl: string;
  /** The one origin that requests go to. */
  readonly origin: string;
  /** Set where the report is of another base URL. */
  readonly otherThanReport?: true | undefined;
  readonly untrusted: boolean;
  readonly readOnly: boolean;
  /** Whether PATCH and POST may be sent: consent, a primary organization, no `--read-only`. */
  readonly writes: boolean;
  /** The operations that are offered. */
  readonly operations: readonly OperationState[];
  /** Whether the test issuer's key can sign. */
  readonly signs: boolean;
  /** The names of the clients that the authorization server may be asked by. */
  readonly clients: readonly string[];
  /** The commands of the profile, as words. None runs before `api/allow`. */
  readonly commands: readonly (readonly string[])[];
  readonly commandsAllowed: boolean;
  /** The claims of the contract, in its order, for a form. */
  readonly claims: readonly ClaimState[];
}

export interface OperationState {
  readonly id: OperationId;
  readonly method: string;
  /** From the root of the origin, with `{orgId}` and `{changeId}`. */
  readonly path: string;
  readonly scope: string;
  readonly writes: boolean;
}

/** A claim of the contract. The binding claim has its full name. */
export interface ClaimState {
  readonly name: string;
  readonly kind: "text" | "time" | "scope";
  /** What the contract says of it, in a few words. */
  readonly what: string;
}

export interface RuleState {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  readonly clause: string;
  readonly cases: readonly CaseState[];
}

export interface CaseState {
  readonly id: string;
  readonly title?: string | undefined;
  readonly level: Level;
  readonly operation?: OperationId | undefined;
  readonly clause?: string | undefined;
  /** In the report. */
  readonly outcome: Outcome;
  /** After it was judged again. Absent before. */
  readonly now?: Outcome | undefined;
  /** What it came to, in a phrase: now, or else in the report. */
  readonly says?: string | undefined;
  /** Whether judging it again sends a PATCH or POST. Absent where that is not known. */
  readonly writes?: boolean | undefined;
}

/** `GET api/case`: of the last time that it was judged. */
export interface CaseDetail extends CaseState {
  readonly rule: Omit<RuleState, "cases">;
  /** The sentence of the contract that it verifies. */
  readonly requirement?: string | undefined;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  readonly reason?: string | undefined;
  /** Why a receiver that lets this pass is wrong, and the source of that. */
  readonly why?: string | undefined;
  readonly source?: string | undefined;
  /** Known faults that it looks like, each as sentences: what the receiver does, and where to look. */
  readonly diagnoses: readonly string[];
  /** What differs between the probe and its control. */
  readonly differences: readonly DifferenceState[];
  /** The accepted request that the probe is compared with. */
  readonly control?: Shown | undefined;
  /** The request that decided. Absent where the case sent nothing. */
  readonly probe?: Shown | undefined;
  /** All requests that the case rests on in the order of sending, where there are more than these two. */
  readonly all: readonly OneOfAll[];
  /** A request to begin with, like the control and like the probe. */
  readonly start: { readonly control?: Start | undefined; readonly probe?: Start | undefined };
}

/** A request of a case that rests on many, such as a walk through pages. */
export interface OneOfAll {
  readonly shown: Shown;
  /** Absent where it cannot be edited. */
  readonly start?: Start | undefined;
}

/** A request to edit. */
export interface Start {
  readonly edited: Edited;
  /** What of the recorded request it does not have, as sentences: "The bytes of the signature are made anew." */
  readonly lacks: readonly string[];
}

/** One thing in which two requests differ. */
export interface DifferenceState {
  /** `claim`, `header`, `field`, `path`, `method`, `body`, `authorization`, `segments`, `encoding`, `text` or `signature`. */
  readonly part: string;
  /** Of the claim, the header parameter or the header field. */
  readonly name?: string | undefined;
  /** "claim aud" */
  readonly where: string;
  readonly control?: string | undefined;
  readonly probe: string;
}

/** A request as it was sent and its answer, without secrets: in place of a token stands `[redacted]`. */
export interface Shown {
  readonly method: string;
  /** Path and query as sent; or a whole URL, where one was sent. */
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body?: string | undefined;
  /** Decoded. Absent where none was sent or it cannot be read. */
  readonly token?: TokenShown | undefined;
  readonly answer: Answer;
  /** ISO 8601. */
  readonly startedAt: string;
}

export interface TokenShown {
  readonly header?: JsonObject | undefined;
  readonly claims?: JsonObject | undefined;
}

/** Pairs in order; a name may occur more than once. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

export type Answer =
  | {
      readonly is: "response";
      readonly status: number;
      readonly headers: HeaderLines;
      readonly body: string;
      /** Whether the body was longer than what is kept. */
      readonly truncated: boolean;
      readonly ms: number;
    }
  | { readonly is: "none"; readonly because: string; readonly ms: number };

/**
 * A request that the user edits. Placeholders in it:
 *
 * - `${token}` in path, header values or body: the token of the credential; a good request has `authorization: Bearer ${token}`
 * - `${unique}` in path, header values, body or a claim that is a text: a value that no other request has
 * - `"now"`, `"now+600"`, `"now-60"` as the whole value of `exp`, `iat`, `nbf` or `auth_time`: seconds since the epoch, by the
 *   clock of this machine when it is sent
 * - `"${profile}"` as the whole value of a claim or header parameter: the profile's own value, which is secret
 */
export interface Edited {
  readonly method: string;
  /** Path and query, byte for byte. It may change what is sent, never where. */
  readonly path: string;
  /** What stands here replaces the fields of the profile and of the suite with the same name. */
  readonly headers: HeaderLines;
  /** Absent: none is sent. */
  readonly body?: string | undefined;
  readonly credential: Credential;
}

export type Credential =
  /** `${token}` must not occur. */
  | { readonly kind: "none" }
  | {
      readonly kind: "sign";
      /**
       * - `issuer`: the test issuer's
       * - `other`: one that the issuer never published, of the same type
       * - `none`: the signature is empty
       */
      readonly key: "issuer" | "other" | "none";
      readonly header: JsonObject;
      readonly claims: JsonObject;
    }
  /** The token of a case, made anew by the rule itself: for changes of bytes, which JSON does not show. */
  | { readonly kind: "case"; readonly id: string }
  /** Asks the authorization server for a token. The profile names the client. */
  | { readonly kind: "client"; readonly name: string };

/** `POST api/send` */
export interface SendRequest {
  readonly edited: Edited;
  /** The case that the request began with, so that the list of what was sent can show it. */
  readonly from?: string | undefined;
  /** The user has confirmed that this write is sent. */
  readonly confirmed?: true | undefined;
}

/** Only `sent` has sent something to the deployment. */
export type SendAnswer =
  | { readonly is: "sent"; readonly sent: Sent }
  /** It may write. Send it again with `confirmed`. */
  | { readonly is: "needs-confirmation"; readonly because: string; readonly writesLeft: number }
  /** It needs a command of the profile. `api/allow` lets them run. */
  | { readonly is: "needs-commands"; readonly commands: readonly (readonly string[])[] }
  /** It is not sent at all, because of what the profile permits, or the request cannot be made. */
  | { readonly is: "refused"; readonly because: string; readonly hint?: string | undefined };

/** A request that was sent, with its answer. */
export interface Sent extends Shown {
  /** From 1. */
  readonly number: number;
  readonly edited: Edited;
  readonly from?: string | undefined;
  /** The algorithm and `kid` of the key that signed, where one did. */
  readonly signedWith?: { readonly alg: string; readonly kid: string } | undefined;
  /** What the contract says of the request. */
  readonly contract: ContractSays;
  /** Whether the answer is what the contract says. Absent where that is open, or there is no answer. */
  readonly agrees?: boolean | undefined;
}

export type ContractSays =
  | {
      readonly is: "rejected";
      readonly level: "MUST" | "SHOULD";
      /** Where the contract names it. */
      readonly status?: number | undefined;
      /** Every check that fails, in the contract's order. */
      readonly by: readonly ContractFailure[];
    }
  | {
      readonly is: "accepted";
      readonly level: "MUST" | "SHOULD";
      /** The least binding sentence that it rests on, and its clause. */
      readonly sentence: string;
      readonly clause: string;
    }
  | {
      readonly is: "open";
      /** What leaves it open, as a phrase. */
      readonly because: string;
      readonly clause?: string | undefined;
    };

export interface ContractFailure {
  /** "Receiver check 5", or the part of the contract. */
  readonly check: string;
  readonly level: "MUST" | "SHOULD";
  readonly clause: string;
  /** Why, as a phrase. */
  readonly reason: string;
  /** The sentence of the contract. */
  readonly sentence: string;
}

/** `POST api/judge`: these cases, the shown cases of these rules, or all shown cases that do not pass now. */
export interface JudgeRequest {
  readonly cases?: readonly string[] | undefined;
  readonly rules?: readonly string[] | undefined;
  readonly failed?: true | undefined;
  /** Leaves out the cases that send a PATCH or POST. */
  readonly readsOnly?: true | undefined;
  /** The user has confirmed that cases may write. Without it, nothing begins where one of them does. */
  readonly confirmed?: true | undefined;
}

export type JudgeAnswer =
  /** Results come as events. */
  | { readonly is: "started"; readonly cases: readonly string[] }
  | { readonly is: "needs-commands"; readonly commands: readonly (readonly string[])[] }
  /** These cases write. Nothing has begun. */
  | { readonly is: "needs-confirmation"; readonly cases: readonly string[] }
  | { readonly is: "refused"; readonly because: string; readonly hint?: string | undefined };

/** `POST api/export`: of what was sent under this number. No format holds a live token. */
export interface ExportRequest {
  readonly number: number;
  /**
   * - `curl`: commands for a POSIX shell that run as pasted and make the token first
   * - `http`: a `.http` file with a variable for the token
   * - `case`: a case for a pack of one's own
   */
  readonly as: "curl" | "http" | "case";
}

export interface Exported {
  readonly text: string;
  /** A name for a file. */
  readonly file: string;
}

/** `POST api/allow`: the commands of the profile may run until the command ends. */
export interface AllowRequest {
  readonly commands: true;
}

/** An event of the stream. The first one after a connection is `hello`; then ask for the state again. */
export type WorkbenchEvent =
  | { readonly type: "hello" }
  /** Files of the watched folder changed. Judging follows. */
  | { readonly type: "changed" }
  | { readonly type: "judging"; readonly cases: readonly string[]; readonly by: "click" | "watch" }
  | { readonly type: "judged"; readonly case: CaseState }
  /** Judging has ended, and `problem` says why it did without results. */
  | {
      readonly type: "idle";
      readonly problem?: string | undefined;
      readonly hint?: string | undefined;
    };
