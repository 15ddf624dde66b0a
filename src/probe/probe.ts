import type { OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { Callback } from "../http/listener.ts";
import type { InvalidMutation, Mutation } from "../mutations/mutation.ts";
import type { DeploymentDocument } from "../profile/document.ts";
import type { Facts } from "../profile/facts.ts";
import type { Need } from "../profile/need.ts";
import type { Segments } from "../tokens/compact.ts";
import type { Control, ControlResult } from "./controls/control.ts";
import type { ControlOptions, Controls } from "./controls/controls.ts";
import type { Evidence, Finding } from "./finding.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { Seen } from "./seen.ts";
import type { Session } from "./session.ts";
import type { NoToken } from "./token-source.ts";

/** Options that select another control than the plain one of the case's operation. */
export interface AttemptOptions
  extends Pick<ControlOptions, "bound">, Pick<OutgoingRequest, "purpose" | "sideBySide" | "level"> {
  /** Default: the case's operation. */
  readonly operation?: OperationId | undefined;
  /** The operation whose control supplies the form of the token. Default: the same operation. */
  readonly tokenOf?: OperationId | undefined;
  /** The organization in the path, and in the claim of a bound token. Default: the primary one. */
  readonly organization?: string | undefined;
  /** The change in the path. Default: the control's. */
  readonly changeId?: string | undefined;
  /** The token's age in seconds; see `Session.newAge`. Default: new where the token is changed. */
  readonly age?: number | undefined;
}

/** Options of a request that needs no control. */
export type ProvokeOptions = Pick<AttemptOptions, "organization" | "bound" | "level">;

/** A changed request that was sent, with its control. */
export interface Attempt {
  readonly control: Control;
  readonly reply: Reply;
  /** The token as it was signed. */
  readonly segments: Segments;
  readonly evidence: Evidence;
  /** The callback that the mutation named, if it is `remote`. */
  readonly callback?: Callback | undefined;
  /** Whether only the application can have answered; see `isContractRoute`. */
  readonly onContractRoute: boolean;
}

/** A request that was sent without a control. */
export type Provoked = Pick<Attempt, "reply" | "evidence">;

export type AttemptResult = { attempt: Attempt } | { finding: Finding };

/** A value that several cases use, such as a walk through a collection or a submitted change. */
export interface Fixture<T> {
  /** Names the requests that set it up. Unique in its scope. */
  readonly name: string;
  /** Whether the cases of one rule or of the whole run share it. */
  readonly scope: "rule" | "run";
  /** Needs of the set-up. Without them, cases that use the fixture end as not provisioned. */
  readonly needs?: readonly Need[];
  /**
   * Sets it up, with a probe that sends requests for all cases.
   * @throws CaseEnd where it cannot be set up
   */
  readonly setup: (probe: Probe) => Promise<T>;
}

/** The interface for rules: one case's view of a run. */
export interface Probe
  extends
    Pick<Controls, "original" | "organizations">,
    Pick<
      Session,
      "seed" | "clockOffsetSeconds" | "publishedKeys" | "outages" | "planned" | "newAge" | "wait"
    > {
  /** What is known of the deployment. */
  readonly target: Facts;
  /** Its OpenAPI document, where there is one. */
  readonly document: DeploymentDocument | undefined;
  /** True when the case runs again to confirm a violation. */
  readonly confirming: boolean;
  /** Whether further requests may tell more of a violation: not in confirmation or on a record. */
  readonly tellsMore: boolean;
  /** Whether other cases may write at the same time, so that a case cannot judge what is there after its own write. */
  readonly besideWrites: boolean;
  /** What the run has seen so far. Rules of the phase `record` judge its errors. */
  readonly seen: Pick<
    Seen,
    "errors" | "rejected" | "wasAccepted" | "documentLog" | "uniqueValues" | "moments" | "trouble"
  >;
  /** A version 4 UUID that the seed and the label determine. It identifies nothing that exists. */
  uuid(label: string): string;
  /**
   * Looks repeatedly until the result is the one hoped for, or the run's patience ends, because an
   * accepted write need not be visible at once.
   * @param times a factor for the patience; default 1
   * @returns the result of the last look
   * @throws Interrupted
   */
  eventually<T>(look: () => Promise<T>, hoped: (seen: T) => boolean, times?: number): Promise<T>;
  /** Whether one of these answers may not show an accepted write of the run yet. */
  mayMissWrites(evidence: Pick<Evidence, "probes">): boolean;
  /**
   * Begins a stage of writes of an operation that must be rejected.
   * @returns how many of them may go side by side: each is sent even if all others are accepted, so timing decides nothing
   */
  beginWrites(operation: OperationId): number;
  /**
   * Judges several answers together. Where they contradict each other, and one may miss a write, it
   * waits until all writes must show, and judges new answers instead.
   * @param judge sends its requests with the probe that it receives
   * @throws CaseEnd, Interrupted
   */
  judgeSettled(judge: (probe: Probe) => Promise<Finding>): Promise<Finding>;
  /**
   * The value of a fixture. The first case that asks sets it up; each case that confirms sets it up
   * anew. Every case that uses it rests on the controls of the set-up.
   * @throws CaseEnd where the set-up ended so; every case that uses it then ends in the same way
   */
  use<T>(fixture: Fixture<T>): Promise<T>;
  /** An organization of the profile or the list. Throws CaseEnd where there is none. */
  organization(role: "primary" | "other"): Promise<string>;
  /** The accepted good request for an operation. Throws CaseEnd where there is none. */
  control(operation: OperationId, options?: ControlOptions): Promise<Control>;
  /** Like `control`, for cases that go on without one. */
  tryControl(operation: OperationId, options?: ControlOptions): Promise<ControlResult>;
  /**
   * Sends a request of the case's operation that must be refused. It needs no control, because the
   * form of an error does not depend on whether a good request is accepted.
   * @param options.organization the organization in the path; default: the primary one
   * @param options.bound whether the token is bound, if such a token is accepted; default: whichever is accepted
   * @param options.level what the request, accepted, would violate; default: the level of the case
   * @returns the answer, or why nothing was sent
   */
  provoke(mutation: Mutation, options?: ProvokeOptions): Promise<Provoked | NoToken>;
  /** Sends the control's request with one mutation. Throws CaseEnd where it cannot be sent. */
  attempt(mutation: Mutation, options?: AttemptOptions): Promise<Attempt>;
  /** Like `attempt`, for cases that go on without it. */
  tryAttempt(mutation: Mutation, options?: AttemptOptions): Promise<AttemptResult>;
  /**
   * Judges that the request with one mutation is rejected. One acceptance proves a violation, unless
   * the answer depends on time. In a case of level OBSERVE, the finding of this and of `accepts` is
   * the answer itself.
   * @param options.status the only status that counts as a rejection; default: see `reception`
   * @param options.doubt why the answer proves nothing; `undefined` where it does
   */
  rejects(
    mutation: Mutation | InvalidMutation,
    options?: AttemptOptions & {
      status?: number;
      doubt?: (attempt: Attempt) => Promise<Finding | undefined>;
    },
  ): Promise<Finding>;
  /** Judges that the request with one mutation is accepted as its control is. */
  accepts(mutation: Mutation, options?: AttemptOptions): Promise<Finding>;
}
