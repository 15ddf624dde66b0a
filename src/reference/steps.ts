import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import * as answers from "./answers.ts";
import { SERVER_STEPS, type ServerSteps } from "./authorization-server/steps.ts";
import type { Answer, Call, Receiver, Refusal } from "./call.ts";
import * as checks from "./checks.ts";
import { document, type OpenApiObject } from "./document.ts";
import * as routes from "./routes.ts";
import type { Change, Store } from "./store.ts";

/** What is done before a request is answered, in this order: the contract's clause "Receiver checks". */
export const CHECK_NAMES = [
  "readCredentials",
  "verifySignature",
  "checkType",
  "checkIssuer",
  "checkAudience",
  "checkExpiry",
  "checkRequiredClaims",
  "checkScope",
  "checkBinding",
  "applyPolicy",
  "findOrganization",
] as const;

export type CheckName = (typeof CHECK_NAMES)[number];

/** Throws a Refusal, or lets the call pass to the next check. */
export type Check = (call: Call) => void | Promise<void>;

/** Answers a call that has passed the checks. */
export type Handler = (call: Call) => Answer;

/**
 * All that a receiver does, one small function a step. The server only composes them, and steps call
 * each other through `call.receiver.steps`; so a fault or a variant is another function in one place.
 */
export interface Steps
  extends Readonly<Record<CheckName, Check>>, Readonly<Record<OperationId, Handler>>, ServerSteps {
  /** What the router makes of a request target before it looks for the route. */
  readonly resolveUrl: (url: string) => string;
  /** The operations that there is a route for. */
  readonly offered: () => readonly OperationId[];
  /** The checks that a call goes through, in order. */
  readonly checks: (call: Call) => readonly CheckName[];
  readonly rejectionStatus: (check: CheckName) => number;
  /** The receiver's clock, in seconds since the epoch. */
  readonly now: () => number;
  readonly visibleOrganizations: (call: Call) => readonly string[];
  readonly paginate: <Item>(call: Call, items: readonly Item[]) => routes.Page<Item>;
  readonly newChangeId: (store: Store, feed: readonly Change[]) => string | number;
  readonly shape: (content: routes.Page<unknown> | { readonly data: unknown }) => unknown;
  readonly errorBody: (refusal: Refusal) => unknown;
  readonly errorAnswer: (error: unknown, receiver: Receiver) => Answer;
  /** Answers a request that no route takes, or throws. */
  readonly unknownRoute: (stray: answers.Stray, receiver: Receiver) => Answer;
  readonly finish: (answer: Answer, receiver: Receiver, call?: Call) => Answer;
  readonly encode: (answer: Answer) => answers.WireAnswer;
  /** What it serves as its own OpenAPI document. */
  readonly document: (receiver: Receiver) => OpenApiObject;
}

/** The receiver as the contract wants it. */
export const STEPS: Steps = {
  ...SERVER_STEPS,
  resolveUrl: (url) => url,
  offered: () => OPERATION_IDS,
  checks: () => CHECK_NAMES,
  readCredentials: checks.readCredentials,
  verifySignature: checks.verifySignature,
  checkType: checks.checkType,
  checkIssuer: checks.checkIssuer,
  checkAudience: checks.checkAudience,
  checkExpiry: checks.checkExpiry,
  checkRequiredClaims: checks.checkRequiredClaims,
  checkScope: checks.checkScope,
  checkBinding: checks.checkBinding,
  applyPolicy: checks.applyPolicy,
  findOrganization: checks.findOrganization,
  rejectionStatus: answers.rejectionStatus,
  now: () => Date.now() / 1000,
  listOrganizations: routes.listOrganizations,
  viewOrganization: routes.viewOrganization,
  editOrganization: routes.editOrganization,
  submitChange: routes.submitChange,
  readChangesFeed: routes.readChangesFeed,
  readChange: routes.readChange,
  visibleOrganizations: routes.visibleOrganizations,
  paginate: routes.paginate,
  newChangeId: routes.newChangeId,
  shape: answers.shape,
  errorBody: answers.errorBody,
  errorAnswer: answers.errorAnswer,
  unknownRoute: answers.unknownRoute,
  finish: answers.finish,
  encode: answers.encode,
  document,
};

/** One step of `Steps`, and what takes its place. */
export type Patch = {
  readonly [Name in keyof Steps]: {
    readonly step: Name;
    readonly patch: (original: Steps[Name]) => Steps[Name];
  };
}[keyof Steps];

/** `steps` with each patch applied in turn, a later one on top of an earlier one. */
export function applyPatches(steps: Steps, patches: readonly Patch[]): Steps {
  const patched: Record<string, unknown> = { ...steps };
  for (const { step, patch } of patches) {
    // The union pairs each step with its own patch; TypeScript loses the pairing in a loop.
    patched[step] = (patch as (original: unknown) => unknown)(patched[step]);
  }
  return patched as unknown as Steps;
}
