import PQueue from "p-queue";

import { type OperationId, OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import { createHttpClient, type HttpClient, Interrupted } from "../http/client.ts";
import type { Exchange, HttpRequest, Reply } from "../http/exchange.ts";
import { secretsOf } from "../http/recording/record.ts";
import { redactorOf } from "../http/recording/redact.ts";
import type { Secrets } from "../http/recording/secrets.ts";
import { SuiteError } from "../lib/errors.ts";
import type { AskedRequest } from "../model/request.ts";
import { decodeToken, noteToken } from "../probe/difference/difference.ts";
import { inWords } from "../probe/phrase.ts";
import { reception } from "../probe/reception.ts";
import { newUnique } from "../probe/request.ts";
import { type AskedWrite, createWriteBudget, type WriteBudget } from "../probe/write/budget.ts";
import { MOST_ACCEPTED } from "../probe/write/not-sent.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import type { Report } from "../report/report.ts";
import { printable, printableAll } from "../report/untrusted.ts";
import { signEdited } from "../tokens/edited.ts";
import type {
  Edited,
  Exported,
  ExportRequest,
  SendAnswer,
  SendRequest,
  Sent,
  Start,
} from "./api.ts";
import { agrees, contractSays, knownNow, noteAccepted, type Seen, seenIn } from "./contract.ts";
import { existingChange } from "./existing-change.ts";
import { EXPORTS } from "./export.ts";
import { goodRequest, type Redact } from "./good-request.ts";
import {
  asAsked,
  filled,
  mayWrite,
  operationOf,
  wantsToken,
  whyMalformed,
  whyNotWritten,
} from "./outgoing.ts";
import { Refusal } from "./received.ts";
import { shownExchange } from "./shown.ts";
import { COMMAND, TOKEN } from "./start.ts";
import { commandsOf, createIssuers, type Issuers } from "./tokens.ts";

/** What the command knows and the workbench does not. */
export interface SessionOptions {
  /** Makes the token of a case as its rule does. Throws SuiteError. */
  readonly tokenOfCase: (id: string) => Promise<string>;
  /** The words that start the command, and the arguments that name the target. */
  readonly command: readonly string[];
  readonly told: readonly string[];
  readonly signal: AbortSignal;
  /** Tells that a person has to give consent. */
  readonly onConsent: (client: Client, count: number, refuse: boolean) => void;
}

/** Sends what the user edits to the target of the profile, and nowhere else. */
export interface Session {
  readonly target: Target;
  readonly sent: readonly Sent[];
  readonly redact: Redact;
  /** The names by which a token can be asked for. */
  readonly clients: readonly string[];
  /** The commands of the profile, without secrets. */
  readonly commands: readonly (readonly string[])[];
  readonly commandsAllowed: boolean;
  /** Lets the commands run from now on. */
  allowCommands(): void;
  writesLeft(): Partial<Record<OperationId, number>>;
  /** The good request for an operation. Where its path names a change, reads which one there is now. */
  start(operation: OperationId): Promise<Start>;
  send(request: SendRequest): Promise<SendAnswer>;
  /** Throws Refusal for a number that was not sent. */
  export(request: ExportRequest): Exported;
  close(): Promise<void>;
}

/** What was sent under a number, beside what is shown of it. */
interface Kept {
  readonly sent: Sent;
  readonly exchange: Exchange;
  readonly operation: OperationId | undefined;
}

const SENDER = "workbench";
/** Each accepted write counts: nobody else needs a part of the budget. */
const WRITE: AskedWrite = { purpose: "control", rule: SENDER, level: "MUST" };
/** More are not kept: a page shows them all. */
const MOST_SENT = 500;

/**
 * Opens a session. Nothing is sent before the first `send`.
 * @throws SuiteError when the proxy variables of the environment are unusable
 */
export function createSession(target: Target, report: Report, options: SessionOptions): Session {
  const { signal } = options;
  const secrets: Secrets = secretsOf(target);
  const redact = redactorOf(secrets);
  const http: HttpClient = createHttpClient(target, { secrets, signal });
  const issuers: Issuers = createIssuers(target, COMMAND, { ...options, secrets });
  const seen: Seen = seenIn(report);
  const budgets = new Map<OperationId, WriteBudget>();
  const kept: Kept[] = [];
  const shownCommands = (all: readonly (readonly string[])[]): string[][] =>
    all.map((words) => words.map((word) => printable(redact(word))));
  const writes = new PQueue({ concurrency: 1 });
  let areCommandsAllowed = false;

  function budgetOf(id: OperationId): WriteBudget {
    const budget = budgets.get(id) ?? createWriteBudget();
    budgets.set(id, budget);
    return budget;
  }

  function leftOf(id: OperationId): number {
    const budget = budgetOf(id);
    return budget.isSpentFor(WRITE) ? 0 : Math.max(0, MOST_ACCEPTED - budget.accepted);
  }

  /** The commands that a credential runs and that may not run yet. */
  function commandsBefore({ credential }: Edited): readonly (readonly string[])[] {
    if (areCommandsAllowed) return [];
    if (credential.kind === "client") return issuers.commandsFor(credential.name);
    return credential.kind === "case" && target.issued ? commandsOf(target) : [];
  }

  async function tokenFor(
    edited: Edited,
    operation: OperationId,
    unique: string,
  ): Promise<Pick<Sent, "signedWith"> & { readonly token?: string | undefined }> {
    const { credential } = edited;
    switch (credential.kind) {
      case "none":
        return {};
      case "case":
        return { token: await options.tokenOfCase(credential.id) };
      case "client":
        return { token: await issuers.tokenOf(credential.name, operation) };
      default: {
        const { testIssuer } = target;
        if (target.issued) {
          throw new SuiteError("ERR_TOKEN", "The profile has no test issuer whose key could sign", {
            hint: "Ask a client of the authorization server for the token.",
          });
        }
        const now = Math.floor(Date.now() / 1000);
        return signEdited(credential, testIssuer, { now, unique, issuer: testIssuer });
      }
    }
  }

  async function transmit(
    { edited, from }: SendRequest,
    spec: HttpRequest,
    token: string | undefined,
  ): Promise<Omit<Kept, "sent"> & { readonly sent: Omit<Sent, "number" | "signedWith"> }> {
    const asked = asAsked(spec, target, token);
    const known = knownNow(target, seen);
    const operation = operationOf(asked, known);
    const says = contractSays(known, asked, token);
    const note = token === undefined ? {} : noteToken(decodeToken(token));
    const reply = await http.send(spec, { caseId: SENDER, token, tokenNote: note });
    const { exchange } = reply;
    if (mayWrite(asked)) budgetOf(operation ?? "listOrganizations").note(WRITE, reply);
    if (says.is !== "rejected" && reception(reply) === "accepted" && note.header) {
      noteAccepted(seen, spec.path, note.header["typ"]);
    }
    const verdict = agrees(says, reply);
    const sent = {
      edited,
      ...(from !== undefined && { from: printable(from, 500) }),
      ...shownExchange(exchange, target.origin),
      contract: redactedSays(says, redact),
      ...(verdict !== undefined && { agrees: verdict }),
    };
    return { sent, exchange, operation };
  }

  /** Why a request is not sent, as far as that follows from it and the profile alone. */
  function beforeSending({ edited }: SendRequest): SendAnswer | undefined {
    const malformed = whyMalformed(edited);
    if (malformed !== undefined) return refused(malformed);
    if (edited.credential.kind === "none" && wantsToken(edited)) {
      const hint = "Choose who signs the token, or remove it.";
      return refused(`\`${TOKEN}\` stands in the request, and there is no token.`, hint);
    }
    if (kept.length >= MOST_SENT) {
      return refused(`${MOST_SENT} requests were sent.`, "Start the command again.");
    }
    const commands = commandsBefore(edited);
    return commands.length > 0
      ? { is: "needs-commands", commands: shownCommands(commands) }
      : undefined;
  }

  /** Why a write is not sent, before any token is asked for. */
  function beforeWriting(
    { edited, confirmed }: SendRequest,
    asked: AskedRequest,
  ): SendAnswer | undefined {
    const operation = operationOf(asked, knownNow(target, seen)) ?? "listOrganizations";
    if (!target.writes) {
      const why = whyNotWritten(asked, target, { is: "open", because: "" });
      if (why) return { is: "refused", ...why };
    }
    if (leftOf(operation) === 0) {
      const { reason } = budgetOf(operation).reached();
      return refused(`It may write: ${reason ? inWords(reason) : ""}`, "Start the command again.");
    }
    if (confirmed) return undefined;
    const because = `${edited.method} ${printable(edited.path, 200)} may change ${target.baseUrl}.`;
    return { is: "needs-confirmation", because, writesLeft: leftOf(operation) };
  }

  async function send(request: SendRequest): Promise<SendAnswer> {
    const before = beforeSending(request);
    if (before) return before;
    const unique = newUnique();
    // Whether it writes, its method, path and fields say; the token has no part in it.
    const asked = asAsked(filled(request.edited, undefined, unique), target, undefined);
    if (!mayWrite(asked)) return sendNow(request, unique, false);
    // One after another, so that the budget is not exceeded.
    return writes.add(() => beforeWriting(request, asked) ?? sendNow(request, unique, true));
  }

  /** Sends the good request of an operation that reads, which nobody is shown. `undefined`: it cannot be sent without a click. */
  async function readNow(operation: OperationId, change?: string): Promise<Reply | undefined> {
    const { edited } = goodRequest(target, operation, seen, (text) => text, change);
    if (OPERATIONS[operation].writes || commandsBefore(edited).length > 0) return undefined;
    try {
      const unique = newUnique();
      const { token } = await tokenFor(edited, operation, unique);
      const note = token === undefined ? {} : noteToken(decodeToken(token));
      const spec = filled(edited, token, unique);
      const reply = await http.send(spec, { caseId: SENDER, token, tokenNote: note });
      if (reception(reply) === "accepted") noteAccepted(seen, spec.path, note.header?.["typ"]);
      return reply;
    } catch {
      return undefined;
    }
  }

  async function sendNow(
    request: SendRequest,
    unique: string,
    isWrite: boolean,
  ): Promise<SendAnswer> {
    const { edited } = request;
    try {
      const known = knownNow(target, seen);
      const guess = asAsked(filled(edited, undefined, unique), target, undefined);
      const operation = operationOf(guess, known) ?? "listOrganizations";
      const { token, signedWith } = await tokenFor(edited, operation, unique);
      const spec = filled(edited, token, unique);
      const malformed = whyMalformed({ ...edited, ...spec });
      if (malformed !== undefined) return refused(malformed);
      if (isWrite) {
        const asked = asAsked(spec, target, token);
        const why = whyNotWritten(
          asked,
          target,
          contractSays(knownNow(target, seen), asked, token),
        );
        if (why) return { is: "refused", ...why };
      }
      const { sent: bare, ...rest } = await transmit(request, spec, token);
      const number = kept.length + 1;
      const sent: Sent = { number, ...bare, ...(signedWith && { signedWith }) };
      kept.push({ ...rest, sent });
      return { is: "sent", sent };
    } catch (error) {
      if (error instanceof Interrupted) return refused("The command was stopped.");
      if (error instanceof SuiteError) return refused(redact(error.message), error.hint);
      return refused(`It cannot be sent: ${printable(redact((error as Error).message), 300)}.`);
    }
  }

  return {
    target,
    redact,
    clients: issuers.names,
    commands: shownCommands(commandsOf(target)),
    get sent() {
      return kept.map(({ sent }) => sent);
    },
    get commandsAllowed() {
      return areCommandsAllowed;
    },
    allowCommands() {
      areCommandsAllowed = true;
    },
    writesLeft: () =>
      Object.fromEntries(
        OPERATION_IDS.filter((id) => OPERATIONS[id].writes && target.operations[id]).map((id) => [
          id,
          leftOf(id),
        ]),
      ),
    async start(operation) {
      const change = OPERATIONS[operation].change && (await existingChange(target, seen, readNow));
      return goodRequest(target, operation, seen, redact, change || undefined);
    },
    send: (request) => send(request),
    export({ number, as }) {
      const found = kept[number - 1];
      if (!found) throw new Refusal(404, `No request was sent under the number ${number}.`);
      const { sent, exchange, operation } = found;
      const good = goodRequest(target, operation ?? "listOrganizations", seen, redact).edited;
      const { command, told } = options;
      return EXPORTS[as]({
        sent,
        exchange,
        operation,
        good,
        command,
        told,
        redact,
        origin: target.origin,
      });
    },
    async close() {
      await Promise.all([http.close(), issuers.close()]);
    },
  };
}

function refused(because: string, hint?: string): SendAnswer {
  return { is: "refused", because: printable(because), ...(hint !== undefined && { hint }) };
}

/** What the contract says may quote claims, and a claim may hold a secret of the profile. */
function redactedSays(says: Sent["contract"], redact: Redact): Sent["contract"] {
  return JSON.parse(
    JSON.stringify(printableAll(says), (_name, value: unknown) =>
      typeof value === "string" ? redact(value) : value,
    ),
  ) as Sent["contract"];
}
