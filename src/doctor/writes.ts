import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { setMembersBack } from "../engine/clean-up.ts";
import { Interrupted } from "../http/client.ts";
import type { ControlResult } from "../probe/controls/control.ts";
import { createControls } from "../probe/controls/controls.ts";
import { reception } from "../probe/reception.ts";
import type { Session } from "../probe/session.ts";
import { leavesOf } from "../probe/write/restore.ts";
import { acceptedOperations, type Bench, blockingFault } from "./check.ts";

/** What became of the good writes that were tried. */
export interface Written {
  /** The result of each write operation that was tried. */
  readonly results: ReadonlyMap<OperationId, ControlResult>;
  readonly told: {
    /** Number of PATCH and POST requests that were sent. */
    readonly sent: number;
    /** The edited members that have their former value again. */
    readonly restored: readonly string[];
    /** What stays in the deployment, in words. */
    readonly leftBehind: readonly string[];
  };
}

/**
 * Sends the good request of each offered write operation once, and restores the edited members that the view
 * showed before. Sends nothing while no good token is accepted.
 * @param permitted a session that may write; the one of the bench may not
 */
export async function tryWrites(bench: Bench, permitted: Session): Promise<Written> {
  const { target } = bench;
  const accepted = acceptedOperations(bench);
  // Without a read that shows what form of a token is accepted, every form is tried.
  const session = countingWrites(permitted, accepted.length > 0);
  const controls = createControls(session);
  const results = new Map<OperationId, ControlResult>();
  const restored: string[] = [];
  const leftBehind: string[] = [];
  const found = (): Written => ({
    results,
    told: { sent: session.count(), restored, leftBehind },
  });
  if (blockingFault(bench.setup) || !target.writes) return found();
  const { primary } = target.organizations;
  const members = leavesOf(target.operations.editOrganization?.body).map(({ path }) =>
    path.join("."),
  );

  /** Tries one write. Returns whether it was accepted. */
  async function tried(id: OperationId, mayStay: string): Promise<boolean> {
    const before = session.count();
    try {
      const result = await controls.get(id);
      results.set(id, result);
      if ("control" in result) return true;
      const { reply } = result.refusal;
      if (reply && reception(reply) === "unclear") leftBehind.push(`perhaps ${mayStay}`);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      if (session.count() > before) leftBehind.push(`perhaps ${mayStay}: interrupted`);
    }
    return false;
  }

  // They show the form of the token that is accepted.
  for (const id of accepted) if (!OPERATIONS[id].change) await controls.get(id);
  if (target.operations.editOrganization) {
    if (await tried("editOrganization", `an edit of ${members.join(", ")} in ${primary}`)) {
      const left = await setMembersBack(session, controls, primary);
      if (left.length === 0) restored.push(...members);
      leftBehind.push(...left, `traces of the edit of ${primary}, such as entries of its feed`);
    }
  }
  if (target.operations.submitChange) {
    const submission = `a submitted change of ${primary}`;
    if (await tried("submitChange", submission)) leftBehind.push(submission);
  }
  return found();
}

/**
 * The session, with a count of the writes that it sends.
 * @param once whether a good write is sent once only, even if it is refused
 */
function countingWrites(session: Session, once: boolean): Session & { count(): number } {
  const sent = new Set<OperationId>();
  let count = 0;
  return {
    ...session,
    count: () => count,
    send(sending) {
      const { operation, caseId, purpose } = sending;
      if (operation === undefined || !OPERATIONS[operation].writes) return session.send(sending);
      const isRepeated = once && sent.has(operation) && purpose === "control";
      if (isRepeated && !caseId.endsWith("/set-back")) return Promise.resolve(undefined);
      sent.add(operation);
      count += 1;
      return session.send(sending);
    },
  };
}
