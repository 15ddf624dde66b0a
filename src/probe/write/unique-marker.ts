import type { OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import type { Mutation } from "../../mutations/mutation.ts";
import type { Target } from "../../profile/target.ts";
import type { Probe } from "../probe.ts";

/** Recognising what the suite wrote itself, by the value that stood for `${unique}`. */

/** Reads what a good token may read, past any cache that minds RFC 9111 §5.2.1.4. */
export const reading: Mutation = {
  name: "read-back",
  what: "nothing but the time",
  request: (spec) => ({ ...spec, headers: [...spec.headers, ["cache-control", "no-cache"]] }),
};

/** The view of an organization, by default the primary one, as it is now. */
export async function viewed(probe: Probe, organization?: string): Promise<Reply> {
  const options = { operation: "viewOrganization", organization } as const;
  return (await probe.attempt(reading, options)).reply;
}

/**
 * The value by which a write that was sent can be recognised; `undefined` where the profile's body
 * has no `${unique}`.
 */
export function valueOf(probe: Probe, { exchange }: Pick<Reply, "exchange">): string | undefined {
  const sent = probe.uniqueValues.find((one) => one.exchange === exchange.id);
  return sent && isRecognisable(probe.target, sent.operation) ? sent.value : undefined;
}

/** Whether the profile's body carries a value that a write can be known by. */
export function isRecognisable({ operations }: Target, operation: OperationId): boolean {
  return JSON.stringify(operations[operation]?.body ?? "").includes("${unique}");
}

/** Why nothing can be concluded from a write that cannot be recognised. */
export function unrecognisable(operation: OperationId): string {
  return `operations.${operation}.body has no \${unique}, by which the write could be recognised`;
}

/** Whether an answer shows what was written, in whatever case it is kept. */
export function shows({ body }: Pick<Reply, "body">, value: string): boolean {
  return body.toLowerCase().includes(value.toLowerCase());
}
