import { controlId } from "../../contract/ids.ts";
import type { Operation, OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { mayBeStarting } from "../../http/persistence/retry.ts";
import { SECOND_TRIES, type SecondTry, waitBefore } from "../../http/second-tries.ts";
import type { TokenForm } from "../../tokens/draft.ts";
import { composeRequest } from "../compose.ts";
import { reception } from "../reception.ts";
import { type PathParams, seededUuid, withoutMarks } from "../request.ts";
import type { Session } from "../session.ts";
import type { NoToken } from "../token-source.ts";

interface SendingOptions {
  /** Distinguishes this request from others of the same control. */
  readonly label?: string;
  /** Sends it as an ordinary client does. Default: false. */
  readonly unmarked?: boolean;
  /** Sends it on a connection that no other request uses. Default: false. */
  readonly apart?: boolean;
  /** Whether an unclear answer is good enough. Default: it never is. */
  readonly suffices?: (reply: Reply) => boolean;
}

/**
 * Sends a good request, and repeats it while the answer is unclear, because many cases rest on it.
 * @returns the first clear or sufficient answer, or the last one; or why it was not sent
 */
export type SendGood = (
  operation: Operation,
  form: TokenForm,
  place: PathParams,
  options?: SendingOptions,
) => Promise<Reply | NoToken>;

/** Creates the function that sends the good requests of a run. */
export function createGoodSender(session: Session, hasAccepted: () => boolean): SendGood {
  const { target } = session;
  const uuid = (label: string): string => seededUuid(session.seed, label);
  /** The first operation that met a deployment that was starting. Only this one waits for it. */
  let awaitedAt: OperationId | undefined;

  /** How often a good request is sent again, given its latest answer. */
  function rowFor(id: OperationId, reply: Reply): SecondTry {
    const { crashed, exchange } = reply;
    // A deployment that has accepted nothing may be away. Timeouts and crashes cost a run too much
    // time.
    const hasHope = (hasAccepted() || isAwaited(id, reply)) && !crashed;
    return hasHope && exchange.fault?.kind !== "timeout"
      ? SECOND_TRIES.starting
      : SECOND_TRIES.startingWithoutHope;
  }

  /**
   * Whether the deployment may accept a request in a moment. Only one operation of a run waits for
   * it, so that a deployment that is away costs no more.
   */
  function isAwaited(id: OperationId, reply: Reply): boolean {
    if (!mayBeStarting(reply)) return false;
    awaitedAt ??= id;
    return awaitedAt === id;
  }

  async function sendOnce(
    operation: Operation,
    form: TokenForm,
    place: PathParams,
    { label, unmarked = false, apart = false }: SendingOptions,
  ): Promise<Reply | NoToken> {
    const organization = place.organization ?? target.organizations.primary;
    const otherOrganization = target.organizations.other;
    const context = { target, operation, form, organization, otherOrganization, uuid };
    const draft = await session.tokens.draft({ operation, form, organization });
    if ("lacking" in draft) return draft;
    const { request, token, unique, note } = await composeRequest({ context, place, draft });
    const name = controlId(operation.id);
    const kind = form.bound ? "bound" : "unbound";
    const reply = await session.send({
      caseId: name,
      id: session.nextId([name, kind, unmarked && "unmarked", label].filter(Boolean).join("-")),
      operation: operation.id,
      spec: unmarked ? withoutMarks(request) : request,
      token,
      tokenNote: note,
      unique,
      organization: place.organization,
      purpose: "control",
      urgent: true,
      apart,
    });
    return reply ?? { lacking: session.writes.reached(operation.id) };
  }

  return async (operation, form, place, options = {}) => {
    let latest: Reply | undefined;
    for (let tries = 1; ; tries++) {
      const reply = await sendOnce(operation, form, place, options);
      // No more writes are allowed, or no token can be had.
      if ("lacking" in reply) return latest ?? reply;
      latest = reply;
      if (reception(reply) !== "unclear" || options.suffices?.(reply)) return reply;
      const row = rowFor(operation.id, reply);
      if (tries > row.times) return reply;
      await session.wait(waitBefore(row, tries));
    }
  };
}
