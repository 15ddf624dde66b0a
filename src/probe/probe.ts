import type { OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { Callback } from "../http/listener.ts";
import type { InvalidMutation, Mutation } from "../mutations/mutation.ts";
import type { Need } from "../profile/need.ts";
import type { Target } from "../profile/target.ts";
import type { Segments } from "../tokens/compact.ts";
import type { Control, ControlResult } from "./control.ts";
import type { ControlOptions, Controls } from "./controls.ts";
import type { ErrorAnswer } from "./error-record.ts";
import type { Evidence, Finding } from "./finding.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { PublishedKeys } from "./published-keys.ts";
import type { Session, UniqueValue } from "./session.ts";

/** In which control a mutation is made, where it is not the plain one of the case's operation. */
export interface AttemptOptions {
  /** Default: the operation of the case. */
  readonly operation?: OperationId | undefined;
  /** The operation whose control shows which token is accepted. Default: the same. */
  readonly tokenOf?: OperationId | undefined;
  /** Only a bound or only an unbound token serves as control. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** The organization in the path, and in the claim of a bound token. Default: the primary one. */
  readonly organization?: string | undefined;
  /** The change in the path. Default: the control's. */
  readonly changeId?: string | undefined;
  /** The token's age; see `Session.newAge`. Default: a new one where the mutation is one of the token. */
  readonly age?: number | undefined;
  /** What is expected of a write; see `OutgoingRequest.purpose`. */
  readonly purpose?: OutgoingRequest["purpose"];
}

/** A changed request that was sent, beside its control. */
export interface Attempt {
  readonly control: Control;
  readonly reply: Reply;
  /** The token that it was sent with, as it was signed. */
  readonly segments: Segments;
  readonly evidence: Evidence;
  /** Where the mutation has sent the deployment, if it is `remote`. */
  readonly callback?: Callback | undefined;
  /** Whether the application alone can have answered; see `isOrdinary`. */
  readonly onContractRoute: boolean;
}

/** A request that was sent beside no control. */
export type Provoked = Pick<Attempt, "reply" | "evidence">;

export type AttemptResult = { attempt: Attempt } | { finding: Finding };

/** What several cases work with: a walk through a collection, a submitted change. */
export interface Fixture<T> {
  /** Names the requests that set it up. Unique in its scope. */
  readonly name: string;
  /** Whose cases share it. */
  readonly scope: "rule" | "run";
  /** What it cannot be set up without; cases that use it then end as not provisioned. */
  readonly needs?: readonly Need[];
  /**
   * Sets it up, with a probe that sends in the name of all.
   * @throws CaseEnd where it cannot be
   */
  readonly setup: (probe: Probe) => Promise<T>;
}

/** What a rule works with: one case's view of a run. */
export interface Probe {
  readonly target: Target;
  /** True when a violation has been seen and the case is run again to confirm it. */
  readonly confirming: boolean;
  /** The run's seed: what is generated from it is the same in each run that has it. */
  readonly seed: number;
  /** Seconds that the deployment's `Date` is ahead of this machine's clock; `undefined`: it sends none. */
  readonly clockOffsetSeconds: number | undefined;
  /** Every error answer of the run so far; rules of the phase `record` judge them. */
  readonly errors: readonly ErrorAnswer[];
  /** How the run's answers so far agree with the deployment's document. */
  readonly documentLog: Session["documentLog"];
  /** Every value that stood for `${unique}` in a write of the run so far. */
  readonly uniqueValues: readonly UniqueValue[];
  /** The test issuer's keys, where the run publishes them. */
  readonly publishedKeys: PublishedKeys | undefined;
  /** For a token that is sent more than once; see `Session.newAge`. */
  newAge(): number;
  /** A version 4 UUID that the seed and the label determine; names nothing that exists. */
  uuid(label: string): string;
  /** The organizations to work with, from the profile or the list. */
  organizations(): ReturnType<Controls["organizations"]>;
  /**
   * Looks until what it sees is what was hoped for, or the run's patience is at its end: a write
   * that was accepted need not show at once.
   * @param times how many times that patience; default 1
   * @returns the last look
   * @throws Interrupted
   */
  eventually<T>(look: () => Promise<T>, hoped: (seen: T) => boolean, times?: number): Promise<T>;
  /** Whether one of these answers was asked for while an accepted write of the run could still take to show. */
  mayMissWrites(evidence: Pick<Evidence, "probes">): boolean;
  /**
   * Judges answers beside each other. Where they contradict each other, and one of them may miss a write, it waits until
   * all writes have to show, and judges answers of that time instead.
   * @param judge uses the probe that it is given
   * @throws CaseEnd, Interrupted
   */
  judgeSettled(judge: (probe: Probe) => Promise<Finding>): Promise<Finding>;
  /**
   * Waits, while other cases go on.
   * @throws Interrupted
   */
  wait(ms: number): Promise<void>;
  /**
   * What several cases share: set up by the first that asks, and anew by each case that confirms.
   * All of them lean on the controls that it leans on.
   * @throws CaseEnd where the set-up ends so; then every case that uses it ends like that
   */
  use<T>(fixture: Fixture<T>): Promise<T>;
  /**
   * An organization of the profile or the list.
   * @throws CaseEnd where there is none: not provisioned
   */
  organization(role: "primary" | "other"): Promise<string>;
  /**
   * The accepted good request for an operation.
   * @throws CaseEnd where no good request is accepted
   */
  control(operation: OperationId, options?: ControlOptions): Promise<Control>;
  /** The same, for the few cases that go on without a control. */
  tryControl(operation: OperationId, options?: ControlOptions): Promise<ControlResult>;
  /**
   * Sends a request of the case's operation that is to be refused, beside no control: whether a good one is
   * accepted says nothing about how an error is told.
   * @param options.organization the organization in the path; default: the primary one
   * @returns `undefined` where nothing was sent
   */
  provoke(
    mutation: Mutation,
    options?: Pick<AttemptOptions, "organization">,
  ): Promise<Provoked | undefined>;
  /**
   * Sends the control's request with one mutation, and returns what came back.
   * @throws CaseEnd where it could not be sent, or has no control
   */
  attempt(mutation: Mutation, options?: AttemptOptions): Promise<Attempt>;
  /** The same, for the few cases that go on without it. */
  tryAttempt(mutation: Mutation, options?: AttemptOptions): Promise<AttemptResult>;
  /**
   * Finds that the request with one mutation is rejected. In a case of level OBSERVE, here and in
   * `accepts`, the finding is what the deployment answered. That it was accepted is proof, but for a
   * change whose answer depends on time.
   * @param options.status the only status that counts as rejection; default: see `reception`
   * @param options.doubt why the answer proves nothing, whatever it is; `undefined` where it does
   */
  rejects(
    mutation: Mutation | InvalidMutation,
    options?: AttemptOptions & {
      status?: number;
      doubt?: (attempt: Attempt) => Promise<Finding | undefined>;
    },
  ): Promise<Finding>;
  /** Finds that the request with one mutation is accepted as its control is. */
  accepts(mutation: Mutation, options?: AttemptOptions): Promise<Finding>;
}
